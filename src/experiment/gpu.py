"""GPU slots: N cards run N jobs, each job on cards of its own.

Snakemake counts GPUs but never says which one a job has, so that all jobs of a machine would meet on card 0. Here a
job holds a lock on each card it uses; the operating system releases it when the job ends, however it ends.
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


def hold(cards: list[str], count: int, folder: Path = LOCKS) -> tuple[list[str], list[int]]:
    """Wait until `count` of `cards` are free, lock them and return their ids and the open lock files.

    The locks last as long as the files are open in this process or one it turned into (exec).
    """
    if count > len(cards):
        from subwords.errors import InputError

        raise InputError(f"gpus: {count} asked for, {len(cards)} visible", allowed=f"1 to {len(cards)}")
    folder.mkdir(parents=True, exist_ok=True)
    while True:
        held: list[tuple[str, int]] = []
        for card in cards:
            handle = os.open(folder / card.replace("/", "_"), os.O_CREAT | os.O_RDWR)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                continue
            held.append((card, handle))
            if len(held) == count:
                for _, kept in held:
                    os.set_inheritable(kept, True)
                return [card for card, _ in held], [kept for _, kept in held]
        for _, handle in held:  # not enough: give them back rather than wait with some in hand
            os.close(handle)
        time.sleep(POLL_SECONDS)


def take(count: int) -> list[str]:
    """Hold `count` cards for the rest of this process and make them the only ones it sees; [] without any GPU.

    In a Slurm job the scheduler has given the job cards of its own, numbered from 0 in each, and no lock is needed.
    """
    cards = visible_gpus()
    if not cards or "SLURM_JOB_ID" in os.environ:
        return cards[:count]
    taken, _ = hold(cards, count)
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(taken)
    return taken
