"""Reading checkpoints: whole ones of our own are read, broken ones say so, and foreign ones run nothing."""

from __future__ import annotations

import os
import pickle
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from fairseq_plugins.checkpoints import LAST, PROCESSES, average, load, mend, names_of_weights, reposition, save, watch
from fairseq_plugins.compatibility import fp32_copies

from experiment.jsonfiles import read_json, write_json
from experiment.training.dev_scores import read_dev_scores, write_dev_scores
from experiment.training.selection import drop_checkpoints
from subwords.errors import InputError
from subwords.files import whole_file
from translation.averaging import write_model

STATE: dict[str, Any] = {
    "args": None,
    "cfg": {"model": Namespace(encoder_layers=2, arch="transformer")},
    "model": {"weight": torch.arange(1000.0), "half": torch.ones(3, dtype=torch.bfloat16)},
    "optimizer_history": [{"num_updates": 7}],
    "last_optimizer_state": {"master_weights": [torch.zeros(2)]},
    "extra_state": {"val_loss": 1.5},
}


class Hostile:
    """Creates a file where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.system, (f"touch {self.mark}",)


def test_our_own_is_read_as_it_was(tmp_path: Path) -> None:
    torch.save(STATE, tmp_path / "c.pt")
    state = load(tmp_path / "c.pt")
    assert state["cfg"] == STATE["cfg"]
    assert state["optimizer_history"] == STATE["optimizer_history"]
    for name, weight in STATE["model"].items():
        assert torch.equal(state["model"][name], weight)
        assert state["model"][name].dtype == weight.dtype


@pytest.mark.parametrize("zipped", [True, False])
def test_nothing_in_a_foreign_checkpoint_is_run(tmp_path: Path, zipped: bool) -> None:
    mark = tmp_path / "mark"
    hostile = {**STATE, "extra_state": Hostile(mark)}
    torch.save(hostile, tmp_path / "c.pt", _use_new_zipfile_serialization=zipped)
    with pytest.raises(InputError, match=r"c\.pt is damaged, or not a checkpoint of this pipeline"):
        load(tmp_path / "c.pt")
    assert not mark.exists()
    pickle.loads(pickle.dumps(hostile["extra_state"]))
    assert mark.exists()  # so it would have been run


def test_fairseq_itself_runs_nothing_either(tmp_path: Path) -> None:
    from fairseq.checkpoint_utils import load_checkpoint_to_cpu

    mark = tmp_path / "mark"
    torch.save({**STATE, "extra_state": Hostile(mark)}, tmp_path / "c.pt")
    with pytest.raises(pickle.UnpicklingError):
        load_checkpoint_to_cpu(str(tmp_path / "c.pt"))
    assert not mark.exists()


@pytest.mark.parametrize("size", [0, 1, 100, 2000, -1])
def test_a_torn_one_says_so(tmp_path: Path, size: int) -> None:
    torch.save(STATE, tmp_path / "whole.pt")
    (tmp_path / "c.pt").write_bytes((tmp_path / "whole.pt").read_bytes()[:size])
    with pytest.raises(InputError, match="delete the file and run again"):
        load(tmp_path / "c.pt")


def test_a_flipped_bit_of_a_weight_is_found(tmp_path: Path) -> None:
    torch.save(STATE, tmp_path / "c.pt")
    content = bytearray((tmp_path / "c.pt").read_bytes())
    place = content.find(torch.arange(1000.0).numpy().tobytes())
    assert place > 0
    content[place + 2000] ^= 1
    (tmp_path / "c.pt").write_bytes(content)
    with pytest.raises(InputError, match="is damaged"):
        load(tmp_path / "c.pt")


def test_what_is_no_checkpoint(tmp_path: Path) -> None:
    torch.save([1, 2], tmp_path / "c.pt")
    with pytest.raises(InputError, match="holds no model"):
        load(tmp_path / "c.pt")


def test_weights_are_averaged_in_double_precision_and_places_are_left_out(tmp_path: Path) -> None:
    halves = [torch.tensor([1.0, 2.0**-13]), torch.tensor([3.0, 2.0**-12])]
    for number, weight in enumerate(halves):
        settings = Namespace(arch="transformer", save_dir=f"/somewhere/{number}", data="/there")
        cfg = {"model": settings, "task": {"data": "/there", "source_lang": "en"}, "bpe": None}
        save(tmp_path / f"{number}.pt", {**STATE, "cfg": cfg, "model": {"weight": weight}})
    model = average([tmp_path / "0.pt", tmp_path / "1.pt"])
    assert model["model"]["weight"].tolist() == [2.0, 1.5 * 2.0**-13]
    assert "last_optimizer_state" not in model
    assert model["cfg"] == {
        "model": Namespace(arch="transformer", save_dir="", data=""),
        "task": {"data": "", "source_lang": "en"},
        "bpe": None,
    }
    save(tmp_path / "2.pt", {**STATE, "model": {"other": halves[0]}})
    with pytest.raises(InputError, match="different models"):
        average([tmp_path / "0.pt", tmp_path / "2.pt"])


def test_tied_embeddings_are_stored_once(tmp_path: Path) -> None:
    """From a card, and in another precision, each name of a weight would come as a copy of its own."""
    embeddings = torch.arange(3000.0)
    tied = {"encoder.embed": embeddings, "decoder.embed": embeddings, "decoder.output": embeddings}
    state = {**STATE, "model": tied | {"other": torch.ones(3000), "half": embeddings[:1500]}}
    assert names_of_weights(state["model"]) == {
        **dict.fromkeys(tied, "encoder.embed"),
        "other": "other",
        "half": "half",
    }
    save(tmp_path / "1.pt", state)
    save(tmp_path / "model.pt", average([tmp_path / "1.pt", tmp_path / "1.pt"]))
    assert (tmp_path / "model.pt").stat().st_size < 4 * (2 * 3000 + 1500) + 5000
    found = load(tmp_path / "model.pt")["model"]
    assert all(torch.equal(found[name], weight) for name, weight in state["model"].items())


def test_tied_embeddings_are_stored_once_when_they_are_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a card to the CPU, or from bf16 to fp32, each name of a weight would become a copy of its own."""
    from fairseq import checkpoint_utils

    embeddings = torch.ones(3000, dtype=torch.bfloat16)
    state = {**STATE, "model": {"encoder.embed": embeddings, "decoder.embed": embeddings}, "extra_state": {}}
    trainer = Namespace(
        consolidate_optimizer=lambda: None,
        state_dict=lambda: state,
        should_save_checkpoint_on_current_rank=True,
        data_parallel_world_size=1,
    )
    monkeypatch.setattr(checkpoint_utils, "save_checkpoint", None)
    watch(tmp_path, 1, maximize=False)
    checkpoint_utils.save_checkpoint(None, trainer, Namespace(state_dict=dict), None)
    found = load(tmp_path / LAST)["model"]
    assert {*names_of_weights(found).values()} == {"encoder.embed"}
    assert found["decoder.embed"].tolist() == [1.0] * 3000


def test_a_model_does_not_show_how_often_its_training_was_interrupted(tmp_path: Path) -> None:
    """fairseq adds an entry to the optimizer's history at each attempt: only the last one says where training was."""
    first, last = {"num_updates": 5}, {"num_updates": 25}
    for name, history in (("straight", [last]), ("resumed", [first, last])):
        save(tmp_path / name, {**STATE, "optimizer_history": history})
    assert average([tmp_path / "resumed"])["optimizer_history"] == [last]
    for name in ("straight", "resumed"):
        save(tmp_path / f"{name}.model", average([tmp_path / name]))
    assert (tmp_path / "straight.model").read_bytes() == (tmp_path / "resumed.model").read_bytes()


def test_a_model_that_is_chosen_later_names_the_versions_that_trained_it(tmp_path: Path) -> None:
    save(tmp_path / "checkpoints" / "checkpoint1.pt", STATE)
    dev = [{"file": "checkpoint1.pt", "epoch": 1, "updates": 7, "score": 1.5}]
    write_json(tmp_path / "training.json", {"dev": dev, "precision": "fp32"})
    made = {"versions": {"torch": "1.0"}, "git": {"commit": "0123", "dirty": False}}
    write_json(tmp_path / "record.json", {"made": made, "files": {}})
    write_model(tmp_path, {"which": "best", "metric": "loss", "average": 1}, tmp_path / "best-1")
    run = read_json(tmp_path / "best-1" / "run.json")
    assert {"versions": run["versions"], "git": run["git"]} == made


@pytest.mark.parametrize("flat", [False, True])
def test_checkpoints_of_mixed_precision_hold_the_weights_that_were_trained(flat: bool) -> None:
    weights = [torch.full((2, 3), 1.0).bfloat16(), torch.full((4,), 2.0).bfloat16()]
    masters = [torch.full((2, 3), 1.001), torch.full((4,), 2.001)]
    given = [torch.cat([master.flatten() for master in masters])] if flat else masters
    copies = fp32_copies(weights, given)
    for weight, master in zip(weights, masters, strict=True):
        assert torch.equal(copies[weight.data_ptr()], master)


def last_checkpoint(folder: Path, updates: int, epoch: int, within: int, score: float | None) -> None:
    """Write checkpoint_last.pt as a training leaves it."""
    extra = {"train_iterator": {"epoch": epoch, "iterations_in_epoch": within}, "val_loss": score}
    save(folder / LAST, {**STATE, "optimizer_history": [{"num_updates": updates}], "extra_state": extra})


def test_a_score_whose_record_a_kill_has_taken_is_added(tmp_path: Path) -> None:
    write_dev_scores(tmp_path, [{"file": "checkpoint1.pt", "epoch": 1, "updates": 10, "score": 3.0}])
    last_checkpoint(tmp_path, updates=20, epoch=3, within=0, score=2.5)  # at the end of epoch 2
    mend(tmp_path)
    assert [entry["updates"] for entry in read_dev_scores(tmp_path)] == [10, 20]
    assert "last_optimizer_state" not in load(tmp_path / "checkpoint2.pt")
    mend(tmp_path)  # nothing more to do
    assert [entry["updates"] for entry in read_dev_scores(tmp_path)] == [10, 20]


@pytest.mark.parametrize(("before", "now"), [(1, 2), (2, 1), (2, 4)])
def test_other_processes_go_on_at_the_same_batch(before: int, now: int) -> None:
    """fairseq's own iterator: each batch of the epoch is seen once."""
    from fairseq.data import FairseqDataset
    from fairseq.data.iterators import EpochBatchIterator

    class Numbers(FairseqDataset):
        def __getitem__(self, index: int) -> int:
            return index

        def __len__(self) -> int:
            return 64

        def collater(self, samples: list[int]) -> list[int]:
            return samples

    def shards(count: int, place: dict[str, Any] | None = None) -> Any:
        for shard in range(count):
            data = Numbers()
            batches = [[index] for index in range(64)]
            made = EpochBatchIterator(data, data.collater, batches, seed=1, num_shards=count, shard_id=shard)
            if place:
                made.load_state_dict(dict(place))
            yield made, made.next_epoch_itr(shuffle=True)

    seen, first = [], list(shards(before))
    for _, iterator in first:
        seen += [number for _ in range(16 // before) for number in next(iterator)]
    extra = {"train_iterator": first[0][0].state_dict(), PROCESSES: before}
    assert reposition(extra, now)
    for _, iterator in shards(now, extra["train_iterator"]):
        seen += [number for batch in iterator for number in batch]
    assert sorted(seen) == list(range(64))
    assert not reposition(extra, now)


def test_processes_that_cannot_share_what_is_left_are_refused(tmp_path: Path) -> None:
    last_checkpoint(tmp_path, updates=20, epoch=3, within=16, score=None)
    state = load(tmp_path / LAST)
    state["extra_state"][PROCESSES] = 1
    save(tmp_path / LAST, state)
    with pytest.raises(InputError, match=r"after 16 batches of an epoch, with 1 processes: 3(.|\n)*divides 16"):
        mend(tmp_path, 3)
    mend(tmp_path, 4)
    assert load(tmp_path / LAST)["extra_state"]["train_iterator"]["iterations_in_epoch"] == 4


def test_what_a_kill_left_half_written_is_deleted(tmp_path: Path) -> None:
    training, folder = tmp_path, tmp_path / "checkpoints"
    folder.mkdir()
    for delete in (lambda: mend(folder), lambda: drop_checkpoints(training)):
        never_ends = whole_file(folder / LAST, "wb")  # as where SIGKILL comes
        never_ends.__enter__().write(b"half")
        assert len(list(folder.glob(".*"))) == 1
        delete()
        assert not list(folder.glob(".*"))


def test_a_damaged_last_checkpoint_is_put_aside_and_training_begins_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_dev_scores(tmp_path, [{"file": "checkpoint1.pt", "epoch": 1, "updates": 10, "score": 3.0}])
    last_checkpoint(tmp_path, updates=10, epoch=2, within=0, score=3.0)
    (tmp_path / LAST).write_bytes((tmp_path / LAST).read_bytes()[:3000])
    mend(tmp_path)
    assert not (tmp_path / LAST).exists()
    assert read_dev_scores(tmp_path) == []
    assert "begins again" in capsys.readouterr().err


@pytest.mark.parametrize(
    "harm", [lambda text: text[:40], lambda text: b"\xff" + text, lambda text: text.replace(b"3.0", b"7.0")]
)
def test_a_damaged_record_says_what_to_delete(tmp_path: Path, harm: Callable[[bytes], bytes]) -> None:
    """Cut, not UTF-8, or with a flipped bit that would choose another checkpoint."""
    write_dev_scores(tmp_path, [{"file": "checkpoint1.pt", "epoch": 1, "updates": 10, "score": 3.0}])
    record = tmp_path / "scores.json"
    record.write_bytes(harm(record.read_bytes()))
    with pytest.raises(InputError, match=rf"scores\.json is damaged(.|\n)*next: delete {tmp_path}"):
        read_dev_scores(tmp_path)
