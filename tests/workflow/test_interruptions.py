"""Real kills (SIGKILL to the whole process group), then the same command again: it ends with the same files."""

from __future__ import annotations

import functools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiment.training.dev_scores import read_dev_scores

from .conftest import TINY, Workplace

pytestmark = pytest.mark.slow

ONE: dict[str, Any] = {**TINY, "segmentations": {"bpe": TINY["segmentations"]["bpe"]}}
#: The steps of which a job is killed, each once, when it has opened its log.
STEPS = ["make_corpus", "segment", "train", "collect_scores", "make_tables"]
RESULTS = [
    "*.hyp",
    "*.pieces",
    "*.scores.json",
    "train.*",
    "dev.*",
    "model.en",
    "model.qmo",
    "stats.json",
    "cleaning.json",
]


def start(place: Workplace) -> subprocess.Popen[str]:
    """Start what `make run` starts, in a process group of its own."""
    command = [sys.executable, "scripts/run_experiment.py", "--configfile", "experiment.yaml", "--cores", "2"]
    return subprocess.Popen(
        command,
        cwd=place.folder,
        env={**place.environment(), "PYTHONPATH": str(place.folder / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def kill_when(process: subprocess.Popen[str], seen: Callable[[], bool], seconds: float = 600) -> bool:
    """Kill the process group as soon as `seen()`; False when the process ended before."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if seen():
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return True
        if process.poll() is not None:
            return False
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    raise AssertionError(f"not seen within {seconds} seconds")


def contents(place: Workplace) -> dict[str, bytes]:
    """Return everything that must not depend on when a run was killed."""
    found = {}
    for pattern in RESULTS:
        for path in sorted(place.results.rglob(pattern)):
            if path.is_file() and "checkpoints" not in path.parts:
                found[str(path.relative_to(place.results))] = path.read_bytes()
    return found


def contents_of_bpe(place: Workplace) -> dict[str, bytes]:
    return {name: content for name, content in contents(place).items() if "/char" not in name}


@pytest.fixture
def untrained(finished: Workplace, tmp_path: Path) -> Callable[[str], Workplace]:
    """Return a maker of workplaces in which text and pieces are finished, and one system is to be trained."""

    def made(name: str) -> Workplace:
        place = finished.copy(tmp_path / name)
        shutil.rmtree(place.results / "runs")
        place.write(ONE)
        return place

    return made


def finish(place: Workplace) -> None:
    process = start(place)
    output, _ = process.communicate()
    assert process.returncode == 0, output
    assert "| bpe" in output  # the table is printed


def begun(place: Workplace, since: float, but: set[str]) -> str | None:
    """Return a step, none of `but`, of which a job has opened its log since then; None when there is none."""
    for log in (place.results / "logs").glob("*/*"):
        if log.parent.name not in but and log.exists() and log.stat().st_mtime >= since:
            return log.parent.name
    return None


def test_every_step_can_be_killed(workplaces: Callable[[str], Workplace], finished: Workplace) -> None:
    place, killed = workplaces("killed"), set[str]()
    while True:
        seen = functools.partial(begun, place, time.time(), set(killed))
        steps: list[str] = []
        if not kill_when(start(place), lambda seen=seen, steps=steps: steps.append(seen()) or steps[-1] is not None):  # type: ignore[misc]
            break
        killed.add(steps[-1])
    assert killed >= set(STEPS)
    finish(place)
    assert contents(place) == contents(finished)


def test_a_killed_training_goes_on_from_its_last_checkpoint(untrained: Callable[[str], Workplace]) -> None:
    recipe = TINY["models"]["mini"]
    longer = {"mini": {**recipe, "flags": {**recipe["flags"], "max-epoch": 8, "patience": 6}}}
    experiment = {**ONE, "models": longer, "select": {"average": 2, "metric": "loss"}}
    checkpoints = "runs/mini/en-qmo/bpe/mini.*/seed1/checkpoints"

    def scores(place: Workplace) -> list[dict[str, Any]]:
        paths = list(place.results.glob(f"{checkpoints}/scores.json"))
        return read_dev_scores(paths[0].parent) if paths else []

    straight, interrupted = untrained("straight"), untrained("interrupted")
    for place in (straight, interrupted):
        place.write(experiment)
    straight.run("training")
    for epochs in (2, 4):
        assert kill_when(start(interrupted), lambda epochs=epochs: len(scores(interrupted)) >= epochs)  # type: ignore[misc]
        assert len(scores(interrupted)) < 8
    finish(interrupted)
    log = interrupted.one(f"{checkpoints}/fairseq.log").read_text()
    assert 8 <= log.count('"valid_loss"') <= 10  # a kill costs at most the epoch under way
    assert scores(interrupted) == scores(straight)
    assert contents(interrupted) == contents(straight)


def test_a_torn_last_checkpoint_starts_the_training_afresh(
    untrained: Callable[[str], Workplace], finished: Workplace
) -> None:
    place = untrained("torn")
    checkpoints = "runs/mini/en-qmo/bpe/mini.*/seed1/checkpoints"

    def seen() -> bool:
        return bool(list(place.results.glob(f"{checkpoints}/scores.json")))

    if kill_when(start(place), seen):
        last = place.one(f"{checkpoints}/checkpoint_last.pt")
        last.write_bytes(last.read_bytes()[:1000])
    finish(place)
    assert contents_of_bpe(place) == contents_of_bpe(finished)


def test_a_full_disk_leaves_no_half_files(untrained: Callable[[str], Workplace], finished: Workplace) -> None:
    """A limit on the size of files (60 KiB) stands for the full disk: writing fails in the middle of a checkpoint.

    tests/deployment/test_disks.py has every step, on a disk that is really full.
    """
    place = untrained("full")
    command = "ulimit -f 60; " + " ".join(place.command())
    done = subprocess.run(
        ["bash", "-c", command], cwd=place.folder, env=place.environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    whole = contents_of_bpe(finished)
    left = contents_of_bpe(place)
    assert left.keys() < whole.keys()
    assert all(whole[name] == content for name, content in left.items())
    finish(place)
    assert contents_of_bpe(place) == whole
