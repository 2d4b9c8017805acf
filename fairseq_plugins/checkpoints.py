"""Which checkpoints stay: the best few and the last few, without optimizer states, and a record of every dev score.

fairseq's own --keep-best-checkpoints forgets scores on resuming, gives equal scores random names, and keeps a
checkpoint only when it beats the worst one kept, even while there is room. And its early stopping starts counting
again after an interruption. Here a file beside the checkpoints, with an entry for each dev score, remembers both.
"""

from __future__ import annotations

import re
import sys
import zipfile
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from fairseq import checkpoint_utils, utils

from experiment.training.dev_scores import (
    patience_is_over,
    ranked,
    read_dev_scores,
    scores_since_best,
    write_dev_scores,
)
from subwords.errors import InputError
from subwords.files import whole_file

LAST = "checkpoint_last.pt"
#: Settings in a checkpoint that say where a training ran, not what it was.
PLACES = {"save_dir", "log_file", "user_dir", "data", "dev_references", "dev_segmenter"}
PLACES |= {"tensorboard_logdir", "wandb_project", "aim_repo", "plasma_path"}
#: Entry of a checkpoint's extra_state: how many processes share the batches of an update.
PROCESSES = "processes"
#: What fairseq says while it trains, with the losses.
LOG = "fairseq.log"


def keep(folder: Path, record: list[dict[str, Any]], count: int, maximize: bool) -> None:
    """Delete checkpoints that are neither among the `count` best nor among the `count` last."""
    wanted = {entry["file"] for entry in ranked(record, maximize)[:count] + record[-count:]}
    for path in folder.glob("checkpoint*.pt"):
        if re.fullmatch(r"checkpoint(\d+|_\d+_\d+)", path.stem) and path.name not in wanted:
            path.unlink()


def load(path: Path) -> dict[str, Any]:
    """Return a checkpoint's state. Nothing in the file is run: it is read as tensors, plain values and settings.

    torch.save writes a zip archive with a checksum of every tensor. torch.load does not look at them and would train on
    with a flipped bit, so they are checked here. Raises InputError for a file that is damaged, or not a checkpoint.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if (broken := archive.testzip()) is not None:
                raise ValueError(f"the checksum of {broken} differs")
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        if not isinstance(state, dict) or "model" not in state:
            raise ValueError("it holds no model")
    except FileNotFoundError:
        raise
    except Exception as error:  # torch raises many kinds for a broken file
        reason = " ".join(str(error).split())[:200]
        raise InputError(
            f"{path} is damaged, or not a checkpoint of this pipeline ({type(error).__name__}: {reason})",
            next_step="delete the file and run again; if it is not yours, do not open it with other tools either",
        ) from None
    return state


def save(path: Path, state: dict[str, Any]) -> None:
    """Write a checkpoint, whole or not at all; equal states make equal files."""
    with whole_file(path, "wb") as stream:
        torch.save(state, stream)


def without_optimizer(state: dict[str, Any]) -> dict[str, Any]:
    """Return a checkpoint's state without the optimizer's: two thirds of it, needed only to continue the training."""
    return {key: value for key, value in state.items() if key != "last_optimizer_state"}


def names_of_weights(model: Mapping[str, torch.Tensor]) -> dict[str, str]:
    """Return each weight's name, and the first name of the same weight: embeddings may be tied."""
    first: dict[Any, str] = {}
    weights = {name: weight for name, weight in model.items() if weight.is_floating_point()}
    return {name: first.setdefault((weight.data_ptr(), weight.shape), name) for name, weight in weights.items()}


def average(paths: Sequence[Path]) -> dict[str, Any]:
    """Return a model's state with every weight averaged over the checkpoints, summed in double precision.

    How and where the training ran is left out, so that equal trainings give equal files.
    """
    states = (load(path) for path in paths)
    first = next(states)
    own = names_of_weights(first["model"])
    sums = {name: first["model"][name].double() for name in dict.fromkeys(own.values())}
    for state in states:
        if state["model"].keys() != first["model"].keys():
            raise InputError(f"{paths[0].parent} holds checkpoints of different models", next_step="delete them")
        for name in sums:
            sums[name] += state["model"][name].double()
    averaged = {name: (total / len(paths)).to(first["model"][name].dtype) for name, total in sums.items()}
    first["model"].update({name: averaged[one] for name, one in own.items()})
    model = without_optimizer(first) | {"extra_state": {}}
    model["optimizer_history"] = first["optimizer_history"][-1:]  # each attempt of a training adds an entry
    for settings in model["cfg"].values():
        named = vars(settings) if isinstance(settings, Namespace) else settings or {}
        named.update(dict.fromkeys(PLACES & named.keys(), ""))
    return model


def add_to_record(folder: Path, epoch: int, at_its_end: bool, state: dict[str, Any]) -> list[dict[str, Any]]:
    """Keep a checkpoint's weights as a numbered file, add its dev score to the record, and return the record."""
    updates, score = state["optimizer_history"][-1]["num_updates"], state["extra_state"]["val_loss"]
    name = f"checkpoint{epoch}.pt" if at_its_end else f"checkpoint_{epoch}_{updates}.pt"
    save(folder / name, without_optimizer(state))
    record = [entry for entry in read_dev_scores(folder) if entry["updates"] < updates]
    record.append({"file": name, "epoch": epoch, "updates": updates, "score": score})
    write_dev_scores(folder, record)
    return record


def watch(folder: Path, count: int, maximize: bool) -> None:
    """Make fairseq's training keep checkpoints as this module says.

    fairseq's own function writes up to four copies of everything at each look at the dev set. This one writes
    checkpoint_last.pt, and the weights alone where there is a dev score.
    """

    def save_and_record(cfg: Any, trainer: Any, epoch_itr: Any, score: float | None) -> None:
        trainer.consolidate_optimizer()
        state = trainer.state_dict()  # on all ranks: they may have to talk to each other
        own = names_of_weights(state["model"])
        state = utils.move_to_cpu(state)  # from a card, and in fp32, each name of a tied weight has a copy of its own
        state["model"].update({name: state["model"][one] for name, one in own.items()})
        if not trainer.should_save_checkpoint_on_current_rank:
            return
        for name in state["model"]:
            if name.endswith("._float_tensor"):  # fairseq never sets its memory: no two checkpoints would be equal
                state["model"][name].zero_()
        place = {"train_iterator": epoch_itr.state_dict(), PROCESSES: trainer.data_parallel_world_size}
        state["extra_state"] |= {**place, "val_loss": score}
        save(folder / LAST, state)
        if score is not None:
            record = add_to_record(folder, epoch_itr.epoch, epoch_itr.end_of_epoch(), state)
            checkpoint_utils.save_checkpoint.best = ranked(record, maximize)[0]["score"]
            keep(folder, record, count, maximize)

    checkpoint_utils.save_checkpoint = save_and_record


def reposition(extra: dict[str, Any], processes: int) -> bool:
    """Change the place in an epoch to that of another number of processes; return whether it had to be.

    Of the epoch's batches each process takes every Nth, and counts its own (fairseq's EpochBatchIterator). Raises
    InputError where that number of processes cannot share what is left.
    """
    before, place = extra.get(PROCESSES, processes), extra["train_iterator"]
    if before == processes:
        return False
    batches = place["iterations_in_epoch"] * before
    if batches % processes:
        raise InputError(
            f"the training was interrupted after {batches} batches of an epoch, with {before} processes: {processes}"
            " cannot go on from there",
            allowed=f"gpus: {before}, or a number that divides {batches}",
            next_step="set `gpus` in the experiment's `runtime`",
        )
    place["iterations_in_epoch"] = batches // processes
    extra[PROCESSES] = processes
    return True


def mend(folder: Path, processes: int = 1) -> None:
    """Prepare a folder for continuing: complete or put aside what a kill or a bad disk left half done.

    A kill can come between checkpoint_last.pt and the record of its score: the score is in the checkpoint and is added.
    A damaged checkpoint_last.pt is put aside, and the training begins again. Only one process may call this, before
    others start.
    """
    for half_written in folder.glob(".*.part"):
        half_written.unlink()
    if not (folder / LAST).exists():
        (folder / LOG).unlink(missing_ok=True)  # of an attempt that is lost
        return
    try:
        state = load(folder / LAST)
    except InputError as error:
        print(f"{error}\n(put aside as {LAST}.damaged; the training begins again)", file=sys.stderr, flush=True)
        (folder / LAST).replace(folder / f"{LAST}.damaged")
        (folder / LOG).unlink(missing_ok=True)
        write_dev_scores(folder, [])
        return
    updates, extra = state["optimizer_history"][-1]["num_updates"], state["extra_state"]
    if reposition(extra, processes):
        save(folder / LAST, state)
    record = [entry for entry in read_dev_scores(folder) if entry["updates"] <= updates]
    write_dev_scores(folder, record)
    if extra.get("val_loss") is not None and all(entry["updates"] < updates for entry in record):
        place = extra["train_iterator"]
        at_its_end = place["iterations_in_epoch"] == 0
        add_to_record(folder, place["epoch"] - 1 if at_its_end else place["epoch"], at_its_end, state)


def go_on(folder: Path, flags: Mapping[str, Any], maximize: bool) -> bool:
    """Restore the state of early stopping; return whether the training had already ended.

    fairseq looks at max-update and patience only after another update, so both are checked here. Every process
    of a training calls this; nothing is written.
    """
    from fairseq_cli.train import should_stop_early

    if not (folder / LAST).exists():
        return False
    record, updates = read_dev_scores(folder), load(folder / LAST)["optimizer_history"][-1]["num_updates"]
    if record:
        should_stop_early.best = ranked(record, maximize)[0]["score"]
        should_stop_early.num_runs = scores_since_best(record, maximize)
        if patience_is_over(record, flags, maximize):
            return True
    return 0 < int(flags.get("max-update", 0)) <= updates
