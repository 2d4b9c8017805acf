"""How far a training is, out of its log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from experiment.training import progress
from experiment.training.dev_scores import write_dev_scores
from experiment.training.progress import unfinished


def training(root: Path, recipe: dict[str, Any], lines: list[str]) -> Path:
    folder = root / "runs/demo/en-xx/bpe/tiny.00/seed1"
    (folder / "checkpoints").mkdir(parents=True)
    definition = {"recipe": recipe, "select": {"metric": "bleu"}}
    (folder.parent / "definition.json").write_text(json.dumps(definition))
    (folder / "checkpoints/fairseq.log").write_text("".join(line + "\n" for line in lines))
    return folder


def point(updates: int, wall: int, epoch: float = 1.0) -> str:
    """Return a line of fairseq's log."""
    said = {"epoch": int(epoch), "update": epoch, "num_updates": str(updates), "wps": "5000", "wall": str(wall)}
    return json.dumps(said)


def test_updates_dev_scores_speed_and_time_left(tmp_path: Path) -> None:
    folder = training(tmp_path, {"max-update": 400}, ["training", point(50, 10), point(100, 20), '{"epoch": 1, "upd'])
    scores = [{"file": "c.pt", "epoch": 1, "updates": n, "score": n / 10} for n in (25, 50, 75, 100)]
    write_dev_scores(folder / "checkpoints", scores)
    (found,) = unfinished(tmp_path)
    assert (found.updates, found.of, found.share) == (100, "of 400", 0.25)
    assert found.dev == (5.0, 7.5, 10.0)
    assert found.pieces_per_second == 5000
    assert found.seconds_left == pytest.approx(60)  # 100 updates took 20 seconds, 300 are left


def test_time_left_counts_what_this_attempt_did(tmp_path: Path) -> None:
    loaded = "Loaded checkpoint checkpoints/checkpoint_last.pt (epoch 2 @ 300 updates)"
    training(tmp_path, {"max-update": 400}, [point(300, 1000), loaded, point(350, 10)])
    (found,) = unfinished(tmp_path)
    assert found.seconds_left == pytest.approx(10)


def test_the_limit_that_comes_first_counts(tmp_path: Path) -> None:
    training(tmp_path, {"max-update": 1000, "max-epoch": 4}, [point(100, 10, epoch=2.0)])
    (found,) = unfinished(tmp_path)
    assert (found.share, found.of) == (0.5, "epoch 2 of 4")


def test_a_finished_training_is_not_under_way_and_one_that_has_just_begun_is(tmp_path: Path) -> None:
    folder = training(tmp_path, {"max-update": 400}, [])
    (found,) = unfinished(tmp_path)
    assert (found.updates, found.share, found.seconds_left) == (0, 0.0, None)
    (folder / "record.json").write_text("{}")
    assert list(unfinished(tmp_path)) == []


def test_a_damaged_training_does_not_hide_the_others(tmp_path: Path) -> None:
    training(tmp_path / "one", {"max-update": 400}, [])
    damaged = training(tmp_path / "two", {"max-update": 400}, [])
    (damaged.parent / "definition.json").write_text("{")
    for place in ("one", "two"):
        (tmp_path / place / "runs/demo").rename(tmp_path / place / f"runs/{place}")
    (tmp_path / "two/runs/two").rename(tmp_path / "one/runs/two")
    (found,) = unfinished(tmp_path / "one")
    assert found.folder.is_relative_to(tmp_path / "one/runs/one")


def test_a_log_that_vanishes_ends_no_view(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A training that begins again deletes the log of its lost attempt."""
    training(tmp_path, {"max-update": 400}, [])
    read = progress.read_json
    monkeypatch.setattr(
        progress, "read_json", lambda path: [log.unlink() for log in tmp_path.rglob("*.log")] and read(path)
    )
    assert list(unfinished(tmp_path)) == []
