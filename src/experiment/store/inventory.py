"""What is in a folder of results, who uses it, and what nothing needs any more.

An experiment's manifest.json names the folders that it used. A folder that no manifest names belongs to nobody. An
unfinished experiment has no manifest yet: its results only count when its file is given.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from experiment.jsonfiles import read_json
from experiment.store.making import DEFINITION, LOCK, RECORD

#: Below results/: depth of the folders that have a key in their name, and of what a manifest calls them.
KINDS = {"corpora": "*/*", "segmented": "*/*/*", "runs": "*/*/*/*/seed*"}


@dataclass(frozen=True)
class Held:
    """A result: a text, a segmented text, or a run."""

    folder: Path
    kind: str
    finished: bool
    size: int  # bytes
    changed: float  # seconds since the epoch
    users: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Waste:
    """Something that can be deleted, and why."""

    path: Path
    reason: str
    size: int  # bytes


def manifests(root: Path) -> dict[str, Path]:
    """Return experiment -> its manifest, of the experiments and papers in a folder of results."""
    found = [*root.glob("*/manifest.json"), *root.glob("papers/*/*/manifest.json")]
    return {str(path.parent.relative_to(root)): path for path in sorted(found)}


def uses(root: Path) -> dict[str, set[Path]]:
    """Return experiment -> the folders that its manifest names."""
    return {name: set(_named(read_json(path)["runs"])) for name, path in manifests(root).items()}


def _named(runs: Iterable[Mapping[str, str]]) -> Iterator[Path]:
    for run in runs:
        yield from (Path(run[part]) for part in ("text", "segmented", "folder"))


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files below a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file() and not file.is_symlink())


def held(root: Path, used: Mapping[str, set[Path]]) -> Iterator[Held]:
    """Yield every result. `used` is that of `uses`: experiment -> folders, relative to the working directory."""
    for kind, pattern in KINDS.items():
        for folder in sorted(root.glob(f"{kind}/{pattern}")):
            if not ((folder / DEFINITION).exists() or (folder.parent / DEFINITION).exists()):
                continue
            users = tuple(name for name, folders in used.items() if folder in folders)
            yield Held(
                folder, kind, (folder / RECORD).is_file(), size_of(folder), (folder / LOCK).stat().st_mtime, users
            )


def in_use(folder: Path) -> bool:
    """Return whether a process on this machine is at work in a folder."""
    for lock in folder.rglob(LOCK):
        handle = os.open(lock, os.O_RDWR)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(handle)
    return False


def waste(root: Path, used: Mapping[str, set[Path]]) -> Iterator[Waste]:
    """Yield what nothing needs: results that no experiment names, checkpoints of finished trainings, left-overs."""
    for result in held(root, used):
        if in_use(result.folder):
            continue
        if not result.users:
            yield Waste(result.folder, "no experiment names it", result.size)
            continue
        for path in (*result.folder.rglob(".making.*"), *result.folder.rglob("*.damaged")):
            yield Waste(path, "left by a job that was killed, or damaged", size_of(path))
        checkpoints = list((result.folder / "checkpoints").glob("*.pt")) if result.finished else []
        for path in checkpoints:
            yield Waste(path, "the training is finished and its model chosen", size_of(path))


def delete(found: Iterable[Waste]) -> int:
    """Delete, and return how many bytes."""
    freed = 0
    for one in found:
        shutil.rmtree(one.path) if one.path.is_dir() else one.path.unlink()
        freed += one.size
    return freed
