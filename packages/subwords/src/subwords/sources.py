"""The files that classes come from: what was learned with another state of one can be told apart."""

from __future__ import annotations

import hashlib
import inspect
import os
from pathlib import Path

#: How the modules of files of one's own are named, before digests.
FILE_MODULE = "subwords_file_"


def digest(path: Path) -> str:
    """Return the SHA-256 digest (hexadecimal) of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest_of(cls: type) -> str:
    """Return the digest of the file that defines a class; "unknown" where there is none, as for one typed in."""
    try:
        source = inspect.getsourcefile(cls)
    except (TypeError, OSError):
        source = None
    return digest(Path(source)) if source and Path(source).is_file() else "unknown"


def file_name(cls: type, folder: Path) -> str | None:
    """Return FILE.py:CLASS of a class of one's own, with the file as seen from `folder`; None for any other class."""
    source = inspect.getsourcefile(cls) if cls.__module__.startswith(FILE_MODULE) else None
    return source and f"{os.path.relpath(source, folder.resolve())}:{cls.__qualname__}"
