"""GPU slots with real processes and real kills; the cards are names, so none is needed."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from experiment.store.making import LOCK
from experiment.training import gpu
from subwords.errors import InputError
from translation.evaluating import evaluate

HOLDER = """
import sys, time
from pathlib import Path
from experiment.training import gpu
gpu.POLL_SECONDS = 0.05
sharing = int(sys.argv[5])
cards = [gpu.Card(name, name) for name in sys.argv[2].split(",")]
taken, _ = gpu.hold(cards, int(sys.argv[3]), Path(sys.argv[1]), sharing)
print(",".join(card.name for card in taken), flush=True)
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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_users_of_a_machine_share_its_cards() -> None:
    def free_for_nobody(card: str) -> bool:
        """Whether the user `nobody` gets a card."""
        if child := os.fork():
            return os.waitpid(child, 0)[1] == 0
        try:
            os.setuid(65534)
            os._exit(0 if gpu._lock(locks, card, 0, 1) else 1)
        finally:
            os._exit(2)

    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        before = os.umask(0o077)
        try:
            _, handles = gpu.hold([gpu.Card("0", "0")], 1, locks := Path(folder, "locks"))
        finally:
            os.umask(before)
        assert not free_for_nobody("0")
        assert free_for_nobody("1")
        for handle in handles:
            os.close(handle)
        assert free_for_nobody("0")


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


@pytest.mark.slow
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
    with pytest.raises(InputError, match="2 needed, 1 visible"):
        gpu.hold([gpu.Card("0", "0")], 2, tmp_path)


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that puts a stand-in for nvidia-smi on PATH, which lists these cards' UUIDs."""
    for name in (
        "CUDA_VISIBLE_DEVICES",
        "SLURM_JOB_ID",
        "SLURM_JOB_GPUS",
        "SLURM_STEP_GPUS",
        "SLURM_GPUS",
        "RUNS_PER_GPU",
    ):
        monkeypatch.setenv(name, "")  # so that it is put back even where it was not set
        monkeypatch.delenv(name)
    monkeypatch.setattr(gpu, "DRIVER_CARDS", tmp_path / "no-driver")
    monkeypatch.setattr(gpu, "LOCKS", tmp_path / "locks")

    def install(*uuids: str) -> None:
        program = tmp_path / "bin" / "nvidia-smi"
        program.parent.mkdir(exist_ok=True)
        cards = [{"index": str(index), "uuid": uuid, "driver_version": "550.1"} for index, uuid in enumerate(uuids)]
        program.write_text(
            f"#!{sys.executable}\nimport sys\nfields = sys.argv[1].removeprefix('--query-gpu=').split(',')\n"
            f"for card in {cards}:\n    print(', '.join(card[field] for field in fields))\n"
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent), prepend=":")

    return install


def test_cards_have_the_drivers_uuids_as_names(driver: Callable[..., None]) -> None:
    driver("GPU-aa", "GPU-bb")
    assert gpu.visible_gpus() == ["GPU-aa", "GPU-bb"]


def test_visible_cards_are_those_the_scheduler_gave(
    driver: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    driver("GPU-aa", "GPU-bb", "GPU-cc")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,0")
    assert gpu.visible_cards() == [gpu.Card("2", "GPU-cc"), gpu.Card("0", "GPU-aa")]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-b")
    assert gpu.visible_cards() == [gpu.Card("GPU-b", "GPU-bb")]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert gpu.visible_cards() == []


def test_cards_that_jobs_of_slurm_number_from_zero_have_locks_of_their_own(
    driver: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    assert gpu.visible_cards() == [gpu.Card("0", "job17.0")]  # no driver says which card it is
    driver("GPU-cc")
    assert gpu.visible_cards() == [gpu.Card("0", "GPU-cc")]


@pytest.mark.parametrize("job", [None, "17"])
def test_a_job_locks_its_card_and_sees_no_other_inside_slurm_too(
    job: str | None, driver: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    driver("GPU-aa", "GPU-bb")
    if job:
        monkeypatch.setenv("SLURM_JOB_ID", job)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    assert gpu.take(1) == ["0"]
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "0"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    assert gpu.take(1) == ["1"]  # the first one is locked by this process
    with pytest.raises(InputError, match="3 needed, 1 visible"):
        gpu.take(3)


def test_jobs_share_a_card_when_they_say_so(driver: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    driver("GPU-aa")
    assert gpu.take(1, sharing=2) == ["GPU-aa"]
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert gpu.take(1, sharing=2) == ["GPU-aa"]


def test_without_cards_a_job_runs_on_the_cpu_unless_cards_were_promised(
    driver: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    driver()
    assert gpu.take(1) == []
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    with pytest.raises(InputError, match="no GPU is visible, but device: gpu"):
        gpu.take(1, device="gpu")
    monkeypatch.setenv("SLURM_JOB_GPUS", "3")
    with pytest.raises(InputError, match="SLURM_JOB_GPUS=3"):
        gpu.take(1)
    assert gpu.take(1, device="cpu") == []
    monkeypatch.delenv("SLURM_JOB_GPUS")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    (tmp_path / "driver" / "0000:3b:00.0").mkdir(parents=True)
    monkeypatch.setattr(gpu, "DRIVER_CARDS", tmp_path / "driver")
    with pytest.raises(InputError, match="nvidia-smi lists none"):
        gpu.take(1)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")  # hidden by hand
    assert gpu.take(1) == []


@pytest.mark.parametrize(
    ("found", "problem"),
    [(0, "finds 0 of 1 cards"), (1, "no kernel image is available")],
)
def test_a_card_that_torch_cannot_use_is_an_error_with_driver_and_build(
    found: int, problem: str, driver: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no kernel image is available for execution on the device")

    driver("GPU-aa")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: found)
    monkeypatch.setattr(torch, "ones", fail)
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    with pytest.raises(InputError, match=rf"CUDA 13\.0.*driver 550\.1: .*{problem}"):
        gpu.check_usable(["GPU-aa"])
    gpu.check_usable([])


def test_peak_memory_is_that_of_all_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    held = [9 * 2**20]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "max_memory_reserved", lambda device=None: held[0])
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", lambda device=None: held.insert(0, 0))
    gpu.keep_peak_memory()
    torch.cuda.reset_peak_memory_stats()  # as fairseq does after each update
    assert gpu.peak_memory_mib() == 9.0


def test_a_card_comes_before_the_lock_of_the_translations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the other order a training that has the only card and an evaluation that has the lock wait for each other."""
    orders: list[bool] = []

    def take(*_: object) -> list[str]:
        lock = os.open(tmp_path / LOCK, os.O_CREAT | os.O_RDWR)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises where it is held
        os.close(lock)
        orders.append(True)
        raise InputError("no card", next_step="none")

    monkeypatch.setattr(gpu, "take", take)
    job = {"folder": str(tmp_path), "direction": "en-de", "model": "", "device": "auto", "runs_per_gpu": 1}
    with pytest.raises(InputError, match="no card"):
        evaluate({**job, "tests": [{"stem": "test"}]})
    assert orders == [True]
