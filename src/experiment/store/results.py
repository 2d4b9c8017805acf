"""The places of results: folders with a readable name and the key of their definition, as in `corpora/demo.0a1b2c3d4e`.

The key identifies a result, the name is for people. An existing folder with the same key is used under any name.
"""

from __future__ import annotations

import contextlib
import os
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from experiment.store.checksums import Checksums
from experiment.store.keys import key
from experiment.store.making import DEFINITION, DONE, RECORD, check_definition

#: Where Snakemake notes the outputs of jobs that have begun and not ended.
INTERRUPTED = Path(".snakemake/incomplete")


@dataclass(frozen=True)
class Keyed:
    """A result that its definition identifies, in a folder of its own. Equal definitions have equal keys."""

    definition: Mapping[str, Any]
    folder: str

    @property
    def key(self) -> str:
        return key(self.definition)

    @property
    def done(self) -> str:
        return f"{self.folder}/{DONE}"

    @property
    def record(self) -> Path:
        return Path(self.folder, RECORD)


class Results:
    """The folder of results, relative to the working directory, and an index of what is there."""

    def __init__(self, root: str = "results") -> None:
        self.root = root

    @cached_property
    def checksums(self) -> Checksums:
        return Checksums(Path(self.root))

    @cached_property
    def _found(self) -> dict[tuple[str, str], list[str]]:
        """(kind, key) -> folders. Each kind has its keyed folders at one depth."""
        found: dict[tuple[str, str], list[str]] = {}
        for kind, pattern in (("corpora", "*/*"), ("segmented", "*/*/*"), ("runs", "*/*/*/*")):
            for path in sorted(Path(self.root, kind).glob(f"{pattern}/{DEFINITION}")):
                named = path.parent.parent if kind == "corpora" else path.parent
                if path.parent.name.startswith("."):  # it is being deleted
                    continue
                found.setdefault((kind, named.suffix.removeprefix(".")), []).append(str(path.parent))
        return found

    def folder(self, own: str, definition: Mapping[str, Any]) -> str:
        """Return the folder of a definition: `own` (from the root), or an existing one with another name.

        Raises InputError where the definition in the folder does not fit its key.
        """
        kind, own_key = own.split("/")[0], key(definition)
        place = f"{self.root}/{own}"
        there = self._found.get((kind, own_key), [])
        folder = place if place in there or not there else there[0]
        if folder in there:
            check_definition(Path(folder, DEFINITION), own_key)
        return folder


def not_from_the_future(paths: Iterable[Path]) -> None:
    """Give files that are newer than now the present time: Snakemake stops where an output is older than an input.

    A clock has gone back, or another machine's is fast.
    """
    with contextlib.suppress(OSError):  # not in results that may only be read
        for path in paths:
            if path.exists() and path.stat().st_mtime > time.time():
                os.utime(path)


def not_interrupted(marks: Iterable[Path]) -> None:
    """Let Snakemake forget that jobs of finished steps were killed: they had already written their last file.

    Snakemake (9.27) would run such a job again, and then skip the jobs that depend on it, even if their outputs are
    missing, where their inputs are marked `ancient`.
    """
    begun: dict[str, Path] = {}
    for path in INTERRUPTED.rglob("*"):
        if path.is_file():  # named by the output in base64; of a long name, all parts but the last begin with @
            begun["".join(part.removeprefix("@") for part in path.relative_to(INTERRUPTED).parts)] = path
    for mark in marks:
        note = begun.get(urlsafe_b64encode(str(mark).encode()).decode())
        if note and mark.exists():
            with contextlib.suppress(OSError):  # in results of others, where nothing can be written
                note.unlink()


def synchronize(done: Path, finished: bool, record: Path | None = None) -> None:
    """Make Snakemake's mark of a step say whether it is finished.

    A mark without its result is removed, so that Snakemake plans the step; a result without its mark gets it, as old as
    the result. Results of others, where nothing can be written, stay as they are.
    """
    with contextlib.suppress(OSError):
        if not finished:
            done.unlink(missing_ok=True)
        elif not done.exists():
            done.touch()
            if record is not None:
                os.utime(done, ns=(record.stat().st_atime_ns, record.stat().st_mtime_ns))
