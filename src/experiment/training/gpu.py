"""GPU slots: N cards run N jobs, each job on its own cards.

Snakemake counts GPUs but does not assign them, so all jobs of a machine would use card 0. Here a job
holds a lock on each card that it uses and sees no other card, in a Slurm allocation as anywhere else. The operating
system releases the lock when the job ends, however it ends. Small models leave most of a card idle: with
`runs_per_gpu: N` in an experiment N jobs share one.
"""

from __future__ import annotations

import csv
import fcntl
import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from subwords.errors import InputError

#: One place for all users of a machine, whatever TMPDIR says.
LOCKS = Path("/tmp/subword-lab-gpus")
POLL_SECONDS = 2.0
#: The kernel module's list of cards: it is there when a card is, even where the driver's programs fail.
DRIVER_CARDS = Path("/proc/driver/nvidia/gpus")


@dataclass(frozen=True)
class Card:
    """A card that this process may use."""

    name: str  # as CUDA_VISIBLE_DEVICES names it: a number, or a UUID
    identity: str  # the same for every process of this machine: what its lock is named after


def driver_report(*fields: str) -> list[list[str]]:
    """Return these fields of every card, as nvidia-smi lists them; nothing where there is no driver."""
    query = ["nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader"]
    try:
        listed = subprocess.run(query, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return list(csv.reader(listed.stdout.splitlines(), skipinitialspace=True))


def driver_versions() -> str:
    return ", ".join(sorted({version for (version,) in driver_report("driver_version")}))


def visible_cards() -> list[Card]:
    """Return the cards that this process may use: those in CUDA_VISIBLE_DEVICES if it is set, else all.

    Where it is not set, cards are named by UUID, because CUDA and the driver may number them in different orders. Every
    Slurm job may number its cards from 0. Where the driver does not say which card a number means, the job's number is
    part of the card's identity.
    """
    uuids = dict(driver_report("index", "uuid"))
    if "CUDA_VISIBLE_DEVICES" not in os.environ:
        return [Card(uuid, uuid) for uuid in uuids.values()]
    names = [name.strip() for name in os.environ["CUDA_VISIBLE_DEVICES"].split(",")]
    job = f"job{os.environ['SLURM_JOB_ID']}." if "SLURM_JOB_ID" in os.environ else ""

    def identity(name: str) -> str:
        whole = next((uuid for uuid in uuids.values() if uuid.startswith(name)), None)  # CUDA takes a UUID's beginning
        return uuids.get(name) or whole or f"{job}{name}"

    return [Card(name, identity(name)) for name in names if name not in ("", "-1", "NoDevFiles")]  # Slurm: no card


def visible_gpus() -> list[str]:
    return [card.name for card in visible_cards()]


def hold(cards: list[Card], count: int, folder: Path, sharing: int = 1) -> tuple[list[Card], list[int]]:
    """Wait until `count` of `cards` have room, lock them and return them and the open lock files.

    At most `sharing` jobs are on a card; where it is 1, the card is the job's alone. Cards are filled evenly. The locks
    last as long as the files are open in this process or one it turned into (exec). Raises InputError where fewer
    than `count` cards are visible.
    """
    if count > len(cards):
        raise InputError(
            f"gpus: {count} needed, {len(cards)} visible",
            allowed=f"1 to {len(cards)}",
            next_step="ask for fewer, or give the job more (CUDA_VISIBLE_DEVICES; on a cluster, its profile)",
        )
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(PermissionError):  # of another user
        folder.chmod(0o1777)  # as /tmp: everybody makes files in it, and deletes none of others
    waiting = False
    while True:
        held: dict[Card, list[int]] = {}
        for slot, card in product(range(sharing), cards):
            if len(held) < count and card not in held and (locks := _lock(folder, card.identity, slot, sharing)):
                held[card] = locks
        handles = [handle for locks in held.values() for handle in locks]
        if len(held) == count:
            for handle in handles:
                os.set_inheritable(handle, True)
            return list(held), handles
        for handle in handles:  # not enough: release them, never hold some while waiting
            os.close(handle)
        if not waiting:
            names = ", ".join(card.name for card in cards)
            said = f"waiting for {count} of the cards {names}: other jobs, yours or another user's, hold them"
            print(said, file=sys.stderr, flush=True)
        waiting = True
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
        try:
            locks.append(_open(folder / file))
            fcntl.flock(locks[-1], kind | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):  # the latter while another user is making the file
            for handle in locks:
                os.close(handle)
            return []
    return locks


def _open(path: Path) -> int:
    """Open a lock file, perhaps of another user: to lock it, it is enough to be able to read it."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL)
        os.fchmod(handle, 0o644)
    except FileExistsError:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    return handle


def take(count: int, device: str = "auto", sharing: int = 1) -> list[str]:
    """Hold `count` cards for the rest of this process and make them the only ones it sees; return their names.

    Up to `sharing` jobs are on a card.
    `device` is auto (cards if there are any, else the CPU), gpu (an error without cards) or cpu (never a card). Returns
    [] for the CPU. Raises InputError where cards were promised and are not there: a training that takes days on a CPU
    must not start because a driver failed.
    """
    cards = [] if device == "cpu" else visible_cards()
    if not cards:
        promised = _promise() if device == "auto" else "device: gpu" if device == "gpu" else None
        if promised:
            raise InputError(
                f"no GPU is visible, but {promised}",
                next_step="see what nvidia-smi says, or set `device: cpu` in the experiment's `runtime`",
            )
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        return []
    taken, _ = hold(cards, count, LOCKS, sharing)
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(card.name for card in taken)
    return [card.name for card in taken]


def _promise() -> str | None:
    """Return a sign that there is a card although none is visible; None where there is no sign."""
    if os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1"):  # hidden on purpose
        return None
    for name in ("SLURM_JOB_GPUS", "SLURM_STEP_GPUS", "SLURM_GPUS"):
        if os.environ.get(name):
            return f"Slurm gave the job some ({name}={os.environ[name]})"
    if DRIVER_CARDS.is_dir() and any(DRIVER_CARDS.iterdir()):
        return f"the driver has cards ({DRIVER_CARDS}) and nvidia-smi lists none"
    return None


def check_usable(cards: list[str], own: int = 0) -> None:
    """Raise InputError where torch does not find these cards, or cannot compute on the one of this process.

    The error has torch's build and the driver's version. On the other cards nothing is computed: that would take memory
    there as long as this process lives.
    """
    import torch

    if not cards:
        return
    try:
        if torch.cuda.device_count() < len(cards):
            raise RuntimeError(f"it finds {torch.cuda.device_count()} of {len(cards)} cards")
        # a build without kernels for a card fails when it computes, not before
        torch.ones(1, device=f"cuda:{own}").add_(1).item()
    except (RuntimeError, AssertionError) as error:
        build = f"CUDA {torch.version.cuda}" if torch.version.cuda else "CPU only"
        raise InputError(
            f"torch {torch.__version__} ({build}) cannot use the GPU {', '.join(cards)} with driver"
            f" {driver_versions() or '(unknown)'}: {error}",
            next_step="install a torch build that fits the driver (https://pytorch.org/get-started/previous-versions),"
            " or set `device: cpu` in the experiment's `runtime`",
        ) from None


def process_group_flags(processes: int, cuda: bool) -> list[str]:
    """Return fairseq's flags for a number of processes, each on one card, or on the CPU.

    The number is always given: fairseq's own default is one process for every card of the machine.
    """
    flags = ["--distributed-world-size", str(processes)]
    if processes > 1:
        flags += ["--distributed-backend", "nccl" if cuda else "gloo"]
        if not cuda:  # torch's own wrapper needs a card
            flags += ["--ddp-backend", "legacy_ddp"]
    return flags


def keep_peak_memory() -> None:
    """Make torch count the most memory of a whole training: fairseq would start its count again at every update."""
    import torch

    torch.cuda.reset_peak_memory_stats = lambda device=None: None


def peak_memory_mib() -> float | None:
    """Return the most memory that torch has reserved on a card, for CUDA graphs too, in MiB; None without a card."""
    import torch

    return round(torch.cuda.max_memory_reserved() / 2**20, 1) if torch.cuda.is_available() else None
