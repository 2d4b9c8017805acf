"""What is in a folder of results, which experiments use it, and what can be deleted."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from experiment.jsonfiles import read_json
from experiment.store.making import DEFINITION, LOCK, RECORD, fits
from experiment.store.usage import USED, Use, uses, uses_of
from subwords.errors import InputError

#: Depth of the folders that have a key in their name, and of what a plan calls them.
KINDS = {"corpora": "*/*", "segmented": "*/*/*", "runs": "*/*/*/*/seed*"}
#: The name of what is being deleted begins so.
DELETED = ".deleted"
#: A paper's measurements, and the file beside them that says of which its tables are made: measure -> name of the file.
MEASUREMENTS, MEASURED = "measurements", "measured.json"


@dataclass(frozen=True)
class Held:
    """A result: a text, a segmented text, or a run."""

    folder: Path
    kind: str
    finished: bool
    size: int  # bytes
    made: float  # seconds since the epoch; of an unfinished result, when its newest file was written
    users: tuple[str, ...]  # experiments; those of earlier plans, which were changed since, in brackets


@dataclass(frozen=True)
class Waste:
    """What can be deleted, and why. `folder` is the result that it is, or is a part of."""

    folder: Path
    path: Path
    reason: str
    size: int  # bytes


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files below a folder."""
    return path.stat().st_size if path.is_file() else sum(file.st_size for file in _files(path))


def _files(folder: Path) -> Iterator[os.stat_result]:
    """Yield size and times of each file below a folder."""
    for one in _below(folder):
        with suppress(FileNotFoundError):
            found = one.lstat()
            if stat.S_ISREG(found.st_mode):
                yield found


def _below(folder: Path) -> Iterator[Path]:
    """Yield what is below a folder. Jobs that are at work may delete some of it meanwhile: `rglob` would then fail."""
    for place, folders, names in os.walk(folder):
        yield from (Path(place, name) for name in (*folders, *names))


def held(root: Path) -> Iterator[Held]:
    known = uses(root)
    for kind, pattern in KINDS.items():
        for folder in sorted((root / kind).glob(pattern)):
            if folder.name.startswith(DELETED):
                continue
            if (folder / DEFINITION).exists() or (folder.parent / DEFINITION).exists():
                yield _held(root, folder, known)


def _held(root: Path, folder: Path, known: Iterable[Use]) -> Held:
    """Return a result with its users. `known` has the newest plan of each experiment first."""
    place = str(folder.relative_to(root))
    users, known_by_now = dict[str, None](), set[str]()
    for use in known:
        if place in use.folders and use.experiment not in users:
            users[f"({use.experiment})" if use.experiment in known_by_now else use.experiment] = None
        known_by_now.add(use.experiment)
    finished, kind = (folder / RECORD).is_file(), folder.relative_to(root).parts[0]
    times = (file.st_mtime for file in _files(folder))
    made = (folder / RECORD).stat().st_mtime if finished else max(times, default=folder.stat().st_mtime)
    return Held(folder, kind, finished, size_of(folder), made, tuple(users))


def others(root: Path) -> list[Path]:
    """Return the other folders of a folder of results: downloads, logs, and the tables of experiments and papers."""
    folders = (path for path in sorted(root.iterdir()) if path.is_dir() and not path.name.startswith("."))
    return [path for path in folders if path.name not in {*KINDS, USED}]


def waste(root: Path, superseded: bool = False) -> list[Waste]:
    """Return what can be deleted: results and models that no plan names, checkpoints of finished trainings, left-overs.

    With `superseded`, also what is named only by plans of experiments that were changed since. Raises InputError where
    no plan is known: then everything would be waste.
    """
    if not (root / USED).is_dir():
        raise InputError(
            f"{root / USED} is not there: it is not known which experiment uses what",
            next_step="start each experiment that uses these results again: it then writes what it uses",
        )
    known = uses(root)
    found: list[Waste] = []
    for result in held(root):
        with _idle(result.folder) as idle:
            found += _waste_of(root, result, superseded, known) if idle else ()
    for folder in sorted(root.glob(f"papers/*/*/{MEASUREMENTS}")):
        found += _older_measurements(folder)
    return found


def _waste_of(root: Path, result: Held, superseded: bool, known: Sequence[Use]) -> Iterator[Waste]:
    folder = result.folder
    plans = [*{use.experiment: use for use in reversed(known)}.values()] if superseded else known  # the newest of each
    if not result.users:
        yield Waste(folder, folder, "no experiment uses it", result.size)
    elif superseded and all(user.startswith("(") for user in result.users):
        why = f"only an earlier form of an experiment uses it: {', '.join(result.users)}"
        yield Waste(folder, folder, why, result.size)
    else:
        for left_over in (".making.*", "*.damaged", ".*.part"):
            for path in folder.rglob(left_over):
                yield Waste(folder, path, "left by a job that was killed, or damaged", size_of(path))
        for choice in _unused_choices(root, folder, plans) if result.kind == "runs" else ():
            yield Waste(folder, choice, "no experiment chooses these checkpoints", size_of(choice))
        wanted = list(uses_of(root, folder, plans))
        chosen = result.finished and all(fits(root / use["chosen"] / RECORD) and not use["keep"] for use in wanted)
        for path in (folder / "checkpoints").glob("*.pt") if chosen else ():
            yield Waste(folder, path, "the training is finished and its model chosen", size_of(path))


def _older_measurements(folder: Path) -> Iterator[Waste]:
    """Yield a paper's measurements, and their checksums, of which its tables have another version."""
    tables = folder.with_name(MEASURED)
    named = read_json(tables) if tables.exists() else {}
    for path in sorted(folder.glob("*.csv*")):
        newer = named.get(path.name.split(".")[0])
        made_since = newer and path.stat().st_mtime > tables.stat().st_mtime  # and is in no table yet
        if newer and not path.name.startswith(newer) and not made_since:
            yield Waste(folder, path, f"the paper's tables are made of {newer}", size_of(path))


def _unused_choices(root: Path, training: Path, plans: Sequence[Use]) -> Iterator[Path]:
    """Yield the folders of models, with their translations, that none of the plans names."""
    named = {str(use["chosen"]) for use in uses_of(root, training, plans)}
    for record in training.glob(f"*/{RECORD}"):
        if str(record.parent.relative_to(root)) not in named:
            yield record.parent


@contextmanager
def _idle(folder: Path) -> Iterator[bool]:
    """Hold the locks of a result, if no process on this machine is at work in it; yield whether that is so."""
    locks = [path for path in _below(folder) if path.name == LOCK]
    # NFS locks a file for one process alone where that may write to it; results of others may perhaps only be read.
    handles = [os.open(lock, os.O_RDWR if os.access(lock, os.W_OK) else os.O_RDONLY) for lock in locks]
    try:
        for handle in handles:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        idle = True
    except BlockingIOError:
        idle = False
    try:
        yield idle
    finally:
        for handle in handles:
            os.close(handle)


def delete(root: Path, found: Iterable[Waste], superseded: bool = False) -> list[Waste]:
    """Delete what was found, and return what was deleted. Anything that came into use in the meantime is kept."""
    deleted: list[Waste] = []
    for left_over in [path for path in _below(root) if path.name.startswith(DELETED)]:  # of a deletion that was killed
        _remove(left_over)
    for one in found:
        (one.folder / LOCK).touch()
        with _idle(one.folder) as idle:
            if idle and one.path in {each.path for each in _waste_now(root, one.folder, superseded)}:
                place = one.path.resolve()
                away = place.with_name(f"{DELETED}.{place.name}")  # half of a folder is never taken for a result
                place.replace(away)
                if one.path.is_symlink():
                    one.path.unlink()
                _remove(away)
                deleted.append(one)
    return deleted


def _waste_now(root: Path, folder: Path, superseded: bool) -> Iterable[Waste]:
    if folder.name == MEASUREMENTS:
        return _older_measurements(folder)
    known = uses(root)
    return _waste_of(root, _held(root, folder, known), superseded, known)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
