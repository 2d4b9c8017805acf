"""Make a result exactly once, even if processes are killed on the way or several make it at the same time.

A program that makes a result takes a lock on its folder. Where the record is there and fits the files, the work is
done (perhaps by another snakemake just now) and nothing happens. Else it works under temporary names, renames what
is finished, and writes the record last. So there is a record, or the result does not count; and no reader ever sees
half a file.

Snakemake never owns a result. Its output of each step is an empty file beside the record (`DONE`), because it deletes
the outputs of jobs that failed or were interrupted. `results.synchronize` makes these files follow the records.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json, write_json
from experiment.provenance import provenance
from experiment.store.checksums import file_sha256
from experiment.store.keys import canonical, key
from subwords.errors import InputError

DEFINITION = "definition.json"
RECORD = "record.json"
DONE = "done"
LOCK = ".lock"
_SCRATCH = ".making."

#: Makes files in an empty folder and returns what the record should say of them.
Work = Callable[[Path], Mapping[str, Any]]


def make(folder: Path, work: Work, record: str = RECORD) -> bool:
    """Let `work` fill a scratch folder, move its files into `folder`, write the record; return False if done already.

    Nothing is to do where the record is there and fits the files.
    """
    with locked(folder):
        if fits(folder / record):
            return False
        for left_over in folder.glob(f"{_SCRATCH}*"):  # of a killed process: the lock is ours
            shutil.rmtree(left_over)
        scratch = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=folder))
        try:
            facts = work(scratch)
            made = [path.relative_to(scratch) for path in sorted(scratch.rglob("*")) if path.is_file()]
            publish(scratch, folder, made)
            write_record(folder / record, made, facts)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return True


def publish(scratch: Path, folder: Path, files: Iterable[Path]) -> None:
    """Move files, given by their paths inside `scratch`, into `folder`; each is on the disk before it has its name."""
    folders = {folder}
    for file in files:
        with open(scratch / file, "rb") as stream:
            os.fsync(stream.fileno())
        place = folder / file
        place.parent.mkdir(parents=True, exist_ok=True)
        (scratch / file).replace(place)
        folders.add(place.parent)
    for changed in folders:
        handle = os.open(changed, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_record(record: Path, files: Iterable[Path], facts: Mapping[str, Any]) -> None:
    """Write a record: facts, what made it, and size and SHA-256 of files, whose paths are relative to the record."""
    paths = {str(file): record.parent / file for file in files}
    described = {name: {"size": path.stat().st_size, "sha256": file_sha256(path)} for name, path in paths.items()}
    write_json(record, {**facts, "made": provenance(), "files": described}, sealed=True)


def fits(record: Path) -> bool:
    """Return whether a record is there and its files are, with the sizes that it says.

    Raises InputError for a record that is damaged: the result may have taken days, so it is not silently made again.
    """
    if not record.is_file():
        return False
    files = _files_of(record)
    try:
        return all((record.parent / name).stat().st_size == about["size"] for name, about in files.items())
    except OSError:
        return False


def _files_of(record: Path | str) -> dict[str, Any]:
    """Return what a record says of its files. Raises InputError where it does not."""
    content = read_json(record)
    if not isinstance(content, dict) or not isinstance(content.get("files", {}), dict):
        raise InputError(f"{record} is damaged: it lists no files", next_step="restore it; or delete it and run again")
    return dict(content.get("files", {}))


def check_inputs(inputs: Mapping[str, Sequence[str]]) -> None:
    """Raise InputError where a file that a step is going to read is not what was made.

    `inputs` gives, for the path of each record, patterns of the files that are read, by their names in the record.
    """
    for record, patterns in inputs.items():
        for name, expected in made_of(record, patterns).items():
            path = Path(record).parent / name
            found = file_sha256(path) if path.is_file() else None
            if found != expected:
                now = f"its SHA-256 is {found}" if found else "it is gone"
                raise InputError(
                    f"{path} has changed since it was written: {now}",
                    allowed=f"{expected}, as {record} says",
                    next_step=f"restore it; or delete {record} and run again to rebuild it",
                )


def made_of(source: str | Path, patterns: Sequence[str]) -> dict[str, str]:
    """Return the SHA-256 of the files that a step reads of one result, by name; `source` is the result's record."""
    files = _files_of(source).items()
    return {name: about["sha256"] for name, about in files if any(fnmatch(name, pattern) for pattern in patterns)}


def check_made_of(record: Path, source: Path) -> None:
    """Raise InputError where a result was made of other files of `source` than are there now.

    A text or its pieces may have been deleted and made again, by other versions: a model's translations would then be
    in pieces that it has never seen.
    """
    if not (record.is_file() and source.is_file()):
        return
    files = _files_of(source)
    for name, said in read_json(record).get("made_of", {}).items():
        if name in files and (found := files[name]["sha256"]) != said:
            raise InputError(
                f"{record.parent} was made from another version of {source.parent / name}",
                allowed=f"the SHA-256 {said}; now it is {found}",
                next_step=f"restore {source.parent} ({record} names the versions that are needed); or delete"
                f" {record.parent} and run again to rebuild it",
            )


def fits_source(record: Path, source: Path) -> bool:
    """Return whether a result is there and was made from the file that is there now; where a record is silent, it was.

    A training that had to be repeated may end with another model: what the first one translated is not its work.
    """
    if not fits(record):
        return False
    said = read_json(record).get("source")
    return said is None or source_of(source) in (None, said)


def source_of(source: Path) -> str | None:
    """Return the SHA-256 of a file as its record has it, for `fits_source`; None without a record."""
    own = source.with_name(RECORD)
    return _files_of(own).get(source.name, {}).get("sha256") if own.is_file() else None


def define(folder: Path, definition: Mapping[str, Any]) -> None:
    """Write the definition of a folder into it, or check the one that is there. Raises InputError for another one."""
    path = folder / DEFINITION
    if path.exists():
        check_definition(path, key(definition))
    else:
        write_json(path, definition)


def check_definition(path: Path, expected: str) -> None:
    """Raise InputError where the definition in a file has another key than expected."""
    definition = read_json(path)
    if key(definition) != expected:
        raise InputError(
            f"{path} does not fit its folder: it has the key {key(definition)}, the folder {expected}"
            f" ({canonical(definition)[:300]})",
            allowed="the definition that the folder was made by; only a person or a broken disk changes it",
            next_step=f"restore the file, or move {path.parent} away: it is then made again",
        )


@contextmanager
def locked(folder: Path, name: str = LOCK) -> Iterator[None]:
    """Hold the lock on a folder, or on what else `name` says in it. A process that has to wait says so. The operating
    system releases the lock however this process ends.

    Child processes inherit it: a training whose first process is killed is not over while others live.
    """
    handle = _take(folder / name)
    try:
        yield
    finally:
        os.close(handle)


def _take(lock: Path) -> int:
    """Return the handle of a lock that is ours: of the file that is there now, because its folder may be deleted and
    made again while we wait."""
    while True:
        lock.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(lock, os.O_CREAT | os.O_RDWR, 0o666)  # less the umask: a group may share the results
        os.set_inheritable(handle, True)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"another process is at work in {lock.parent}; waiting for it to end", file=sys.stderr, flush=True)
            fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            if os.path.samestat(os.fstat(handle), lock.stat()):
                return handle
        except FileNotFoundError:
            pass
        os.close(handle)
