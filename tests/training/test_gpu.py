"""GPU slots with real processes and real kills; the cards are names, so none is needed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiment.training import gpu
from subwords.errors import InputError

HOLDER = """
import sys, time
from pathlib import Path
from experiment.training import gpu
gpu.POLL_SECONDS = 0.05
sharing = int(sys.argv[5])
taken, _ = gpu.hold(sys.argv[2].split(","), int(sys.argv[3]), Path(sys.argv[1]), sharing)
print(",".join(taken), flush=True)
time.sleep(float(sys.argv[4]))
"""


def holder(root: Path, folder: Path, cards: str, count: int, seconds: float, sharing: int = 1) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", HOLDER, str(folder), cards, str(count), str(seconds), str(sharing)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": str(root / "src")})


def answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def test_two_jobs_have_two_cards_and_a_third_waits_for_a_killed_one(root: Path, tmp_path: Path) -> None:
    first, second = (holder(root, tmp_path, "0,1", 1, 60) for _ in range(2))
    try:
        assert {answer(first), answer(second)} == {"0", "1"}
        third = holder(root, tmp_path, "0,1", 1, 0)
        time.sleep(0.5)
        assert third.poll() is None  # still waiting
        first.send_signal(signal.SIGKILL)
        first.wait()
        assert answer(third) in {"0", "1"}
        assert third.wait() == 0
    finally:
        first.kill()
        second.kill()


def test_a_job_of_two_cards_holds_none_while_it_waits(root: Path, tmp_path: Path) -> None:
    one = holder(root, tmp_path, "0,1", 1, 60)
    try:
        held = answer(one)
        both = holder(root, tmp_path, "0,1", 2, 0)
        time.sleep(0.3)
        other = holder(root, tmp_path, "0,1", 1, 0)  # gets the free card although `both` asked first
        assert answer(other) != held
        one.kill()
        assert sorted(answer(both).split(",")) == ["0", "1"]
    finally:
        one.kill()


def test_jobs_that_share_cards_fill_them_evenly_and_one_too_many_waits(root: Path, tmp_path: Path) -> None:
    jobs = []
    try:
        held = []
        for _ in range(4):
            jobs.append(holder(root, tmp_path, "0,1", 1, 60, sharing=2))
            held.append(answer(jobs[-1]))
        assert sorted(held[:2]) == sorted(held[2:]) == ["0", "1"]
        jobs.append(holder(root, tmp_path, "0,1", 1, 0, sharing=2))
        time.sleep(0.3)
        assert jobs[-1].poll() is None
        jobs[held.index("1")].kill()
        assert answer(jobs[-1]) == "1"
    finally:
        for job in jobs:
            job.kill()


def test_a_job_that_wants_a_card_alone_waits_for_those_who_share_it(root: Path, tmp_path: Path) -> None:
    jobs = [holder(root, tmp_path, "0", 1, 60, sharing=3) for _ in range(2)]
    try:
        assert [answer(job) for job in jobs] == ["0", "0"]
        alone = holder(root, tmp_path, "0", 1, 60)
        jobs.append(alone)
        jobs[0].kill()
        time.sleep(0.5)
        assert alone.poll() is None  # the other is still there
        jobs[1].kill()
        assert answer(alone) == "0"
        sharer = holder(root, tmp_path, "0", 1, 0, sharing=3)
        jobs.append(sharer)
        time.sleep(0.3)
        assert sharer.poll() is None
        alone.kill()
        assert answer(sharer) == "0"
    finally:
        for job in jobs:
            job.kill()


def test_more_cards_than_there_are_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="2 asked for, 1 visible"):
        gpu.hold(["0"], 2, tmp_path)


def test_visible_cards_are_those_the_scheduler_gave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
    assert gpu.visible_gpus() == ["3", "5"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert gpu.visible_gpus() == []


def test_how_many_share_a_card_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4")
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.setattr(gpu, "hold", lambda cards, count, sharing: (cards[:count], [sharing]))
    assert gpu.runs_per_gpu() == 1
    monkeypatch.setenv("RUNS_PER_GPU", "5")
    assert gpu.runs_per_gpu() == 5
    assert gpu.take(1) == ["4"]
