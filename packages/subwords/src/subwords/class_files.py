"""The files that classes come from: what was learned with another state of one can be told apart."""

from __future__ import annotations

import inspect
import os
from pathlib import Path

from subwords.files import FileRead

#: How the modules of files of one's own are named, before digests.
FILE_MODULE = "subwords_file_"


def digest(path: Path) -> str:
    """Return the SHA-256 digest (hexadecimal) of a file. Raises InputError when it cannot be read."""
    return FileRead.of(path).digest


def digest_of(cls: type) -> str:
    """Return the digest of the file that defines a class; "unknown" where there is none, as for one typed in."""
    try:
        source = inspect.getsourcefile(cls)
    except (TypeError, OSError):
        source = None
    return digest(Path(source)) if source and Path(source).is_file() else "unknown"


def file_name(cls: type, folder: Path) -> str | None:
    """Return FILE.py:CLASS of a class of one's own, with the file as seen from `folder`; None for any other class.

    The folder is named without links.
    """
    source = inspect.getsourcefile(cls) if cls.__module__.startswith(FILE_MODULE) else None
    return source and f"{os.path.relpath(source, folder)}:{cls.__qualname__}"
