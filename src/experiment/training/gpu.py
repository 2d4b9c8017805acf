"""GPU slots: N cards run N jobs, each job on cards of its own.

Snakemake counts GPUs but never says which one a job has, so that all jobs of a machine would meet on card 0. Here a
job holds a lock on each card it uses; the operating system releases it when the job ends, however it ends. Small models
leave most of a card idle: with RUNS_PER_GPU=N in the environment (`runs_per_gpu` of an experiment) N jobs share one.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import tempfile
import time
from pathlib import Path

LOCKS = Path(tempfile.gettempdir()) / f"gpu-slots-{os.getuid()}"
POLL_SECONDS = 2.0


def visible_gpus() -> list[str]:
    """Return the ids of the cards this process may use: CUDA_VISIBLE_DEVICES when set, else what nvidia-smi lists."""
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        return [card for card in os.environ["CUDA_VISIBLE_DEVICES"].split(",") if card.strip() not in ("", "-1")]
    try:
        listed = subprocess.run(
            ["nvidia-smi", "--query-gpu=index", "--format=csv,noheader"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return []
    return listed.stdout.split()


def runs_per_gpu() -> int:
    """Return how many jobs may share one card: RUNS_PER_GPU, else 1. In a Slurm job the scheduler sees to it."""
    return 1 if "SLURM_JOB_ID" in os.environ else int(os.environ.get("RUNS_PER_GPU", "1"))


def hold(cards: list[str], count: int, folder: Path = LOCKS, sharing: int = 1) -> tuple[list[str], list[int]]:
    """Wait until `count` of `cards` have room, lock it and return their ids and the open lock files.

    At most `sharing` jobs are on a card; where it is 1, the card is the job's alone. Cards are filled evenly. The locks
    last as long as the files are open in this process or one it turned into (exec).
    """
    if count > len(cards):
        from subwords.errors import InputError

        raise InputError(f"gpus: {count} asked for, {len(cards)} visible", allowed=f"1 to {len(cards)}")
    folder.mkdir(parents=True, exist_ok=True)
    while True:
        held: dict[str, list[int]] = {}
        for slot in range(sharing):
            for card in cards:
                if card not in held and (locks := _lock(folder, card, slot, sharing)):
                    held[card] = locks
                if len(held) == count:
                    handles = [handle for locks in held.values() for handle in locks]
                    for handle in handles:
                        os.set_inheritable(handle, True)
                    return list(held), handles
        for locks in held.values():  # not enough: give them back rather than wait with some in hand
            for handle in locks:
                os.close(handle)
        time.sleep(POLL_SECONDS)


def _lock(folder: Path, card: str, slot: int, sharing: int) -> list[int]:
    """Return the open locks of a slot of a card, or nothing when it is taken.

    A job that wants the card for itself locks the card; one that shares it locks the card with others (so that the
    former must wait for all of them) and its slot alone.
    """
    name = card.replace("/", "_")
    wanted = [(name, fcntl.LOCK_EX)]
    if sharing > 1:
        wanted = [(name, fcntl.LOCK_SH), (f"{name}.slot{slot}", fcntl.LOCK_EX)]
    locks: list[int] = []
    for file, kind in wanted:
        locks.append(os.open(folder / file, os.O_CREAT | os.O_RDWR))
        try:
            fcntl.flock(locks[-1], kind | fcntl.LOCK_NB)
        except BlockingIOError:
            for handle in locks:
                os.close(handle)
            return []
    return locks


def take(count: int) -> list[str]:
    """Hold `count` cards for the rest of this process and make them the only ones it sees; [] without any GPU.

    In a Slurm job the scheduler has given the job cards of its own, numbered from 0 in each, and no lock is needed.
    """
    cards = visible_gpus()
    if not cards or "SLURM_JOB_ID" in os.environ:
        return cards[:count]
    taken, _ = hold(cards, count, sharing=runs_per_gpu())
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(taken)
    return taken
