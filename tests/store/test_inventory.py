"""What is in a folder of results, who uses it, and what may go."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path

import pytest

from experiment.store.inventory import delete, held, uses, waste
from experiment.store.making import DEFINITION, LOCK, RECORD

RUNS = "runs/demo/en-xx/bpe"


def result(folder: Path, finished: bool = True, definition_above: bool = False) -> Path:
    """Make a result of a few bytes."""
    folder.mkdir(parents=True)
    ((folder.parent if definition_above else folder) / DEFINITION).write_text("{}")
    (folder / LOCK).touch()
    (folder / "model.pt").write_text("0123456789")
    if finished:
        (folder / RECORD).write_text("{}")
    return folder


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make results of two experiments that share a text, and one run that neither uses; return their folder."""
    monkeypatch.chdir(tmp_path)
    place = Path("results")
    text = result(place / "corpora/demo.00/en-xx")
    pieces = result(place / "segmented/demo.00/en-xx/bpe.01")
    for name, run in (("one", "tiny.02"), ("two", "tiny.03")):
        folder = result(place / RUNS / run / "seed1", definition_above=True)
        named = {"text": str(text), "segmented": str(pieces), "folder": str(folder)}
        (place / name).mkdir()
        (place / name / "manifest.json").write_text(json.dumps({"runs": [named]}))
    result(place / RUNS / "tiny.04" / "seed1", finished=False, definition_above=True)
    return place


def test_results_are_listed_with_those_who_use_them(root: Path) -> None:
    users = {str(one.folder.relative_to(root)): one.users for one in held(root, uses(root))}
    assert users == {
        "corpora/demo.00/en-xx": ("one", "two"),
        "segmented/demo.00/en-xx/bpe.01": ("one", "two"),
        f"{RUNS}/tiny.02/seed1": ("one",),
        f"{RUNS}/tiny.03/seed1": ("two",),
        f"{RUNS}/tiny.04/seed1": (),
    }
    assert [one.finished for one in held(root, uses(root))] == [True, True, True, True, False]
    assert {one.size for one in held(root, {}) if one.kind == "runs" and one.finished} == {12}  # model and record


def test_what_nobody_uses_may_go_and_nothing_else(root: Path) -> None:
    used, unused = root / RUNS / "tiny.02" / "seed1", root / RUNS / "tiny.04" / "seed1"
    (used / "checkpoints").mkdir()
    (used / "checkpoints" / "checkpoint_last.pt").write_text("state")
    (used / ".making.abc").mkdir()
    found = list(waste(root, uses(root)))
    assert {one.path for one in found} == {unused, used / "checkpoints/checkpoint_last.pt", used / ".making.abc"}
    assert delete(found) == sum(one.size for one in found)
    assert not unused.exists()
    assert (used / "model.pt").exists()
    assert list(waste(root, uses(root))) == []


def test_checkpoints_of_a_training_that_is_not_finished_stay(root: Path) -> None:
    run = result(root / RUNS / "tiny.05" / "seed1", finished=False, definition_above=True)
    (run / "checkpoints").mkdir()
    (run / "checkpoints" / "checkpoint_last.pt").write_text("state")
    assert run not in {one.path for one in waste(root, uses(root) | {"mine.yaml": {run}})}


def test_a_folder_in_which_a_process_is_at_work_stays(root: Path) -> None:
    run = root / RUNS / "tiny.04" / "seed1"
    handle = os.open(run / LOCK, os.O_RDWR)
    fcntl.flock(handle, fcntl.LOCK_EX)
    assert list(waste(root, uses(root))) == []
    os.close(handle)
    assert [one.path for one in waste(root, uses(root))] == [run]
