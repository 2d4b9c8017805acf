"""SHA-256 of files.

A table of numbers has its own beside it, as FILE.sha256, in the form of `sha256sum`. Those of users' files are
remembered, and computed again when size or time of change differs.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from experiment.jsonfiles import read_json, write_json
from subwords.errors import InputError
from subwords.files import whole_file, write_whole

MEMORY = ".checksums.json"


def file_sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextlib.contextmanager
def file_with_checksum(path: str | Path) -> Iterator[IO[Any]]:
    """Open a text file to be written whole; its checksum is written beside it."""
    checksum = _checksum_of(path)
    checksum.unlink(missing_ok=True)
    with whole_file(path) as stream:
        yield stream
    write_whole(checksum, f"{file_sha256(path)}  {Path(path).name}\n")


def check_checksum(path: str | Path) -> None:
    """Raise InputError when a file does not have the checksum that lies beside it, if both are there."""
    checksum = _checksum_of(path)
    both = Path(path).exists() and checksum.exists()
    if both and checksum.read_text(encoding="utf-8").split()[:1] != [file_sha256(path)]:
        raise InputError(
            f"{path} has changed since it was written: {checksum} has another checksum",
            next_step=f"delete {path} and run again; or, where you changed it on purpose, delete {checksum}",
        )


def _checksum_of(path: str | Path) -> Path:
    return Path(f"{path}.sha256")


class Checksums:
    """The checksums of files, remembered in `folder`; if it cannot be written to, files are read again each time."""

    def __init__(self, folder: Path) -> None:
        self._memory = folder / MEMORY
        self._known: dict[str, list[int | str]] = {}
        with contextlib.suppress(InputError):  # not there yet, or damaged: files are read again
            self._known = dict(read_json(self._memory))

    def of(self, path: Path) -> str:
        """Return the SHA-256 of a file in hexadecimal. Raises InputError where it cannot be read."""
        place = str(path.resolve())
        try:
            found = path.stat()
            state = [found.st_size, found.st_mtime_ns]
            if self._known.get(place, [])[:2] == state:
                return str(self._known[place][2])
            checksum = file_sha256(path)
        except OSError as error:
            problem = f"{path} cannot be read: {error.strerror}"
            raise InputError(problem, next_step="correct the path, or the file's rights") from error
        self._known[place] = [*state, checksum]
        with contextlib.suppress(OSError):  # not into results of someone else
            write_json(self._memory, self._known, sealed=True)
        return checksum
