"""GPU slots with real processes and real kills; the cards are names, so none is needed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiment import gpu
from subwords.errors import InputError

HOLDER = """
import sys, time
from pathlib import Path
from experiment import gpu
gpu.POLL_SECONDS = 0.05
taken, _ = gpu.hold(sys.argv[2].split(","), int(sys.argv[3]), Path(sys.argv[1]))
print(",".join(taken), flush=True)
time.sleep(float(sys.argv[4]))
"""


def holder(root: Path, folder: Path, cards: str, count: int, seconds: float) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", HOLDER, str(folder), cards, str(count), str(seconds)]
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


def test_more_cards_than_there_are_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="2 asked for, 1 visible"):
        gpu.hold(["0"], 2, tmp_path)


def test_visible_cards_are_those_the_scheduler_gave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
    assert gpu.visible_gpus() == ["3", "5"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert gpu.visible_gpus() == []
