"""SHA-256 of files. Those of users' files are remembered, and computed again when size or time of change differs."""

from __future__ import annotations

import contextlib
import hashlib
import json
from pathlib import Path

from subwords.files import whole_file

MEMORY = ".checksums.json"


def file_sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class Checksums:
    """The checksums of files, remembered in `folder`; if it cannot be written to, files are read again each time."""

    def __init__(self, folder: Path) -> None:
        self._memory = folder / MEMORY
        self._known: dict[str, list[int | str]] = {}
        with contextlib.suppress(OSError, ValueError):  # not there yet, or torn: files are read again
            self._known = json.loads(self._memory.read_text(encoding="utf-8"))

    def of(self, path: Path) -> str:
        """Return the SHA-256 of a file in hexadecimal. Raises OSError where it cannot be read."""
        place, found = str(path.resolve()), path.stat()
        state = [found.st_size, found.st_mtime_ns]
        if self._known.get(place, [])[:2] != state:
            self._known[place] = [*state, file_sha256(path)]
            with contextlib.suppress(OSError), whole_file(self._memory) as stream:  # not into results of someone else
                json.dump(self._known, stream, indent=0)
        return str(self._known[place][2])
