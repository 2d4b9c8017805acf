"""Functions compiled by numba on first use, and cached beside their module for the next process."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit


def compiled(function: Callable[..., Any]) -> Any:
    """Compile `function` with a cache that is renewed when any module of its folder changes.

    numba looks only at the file that a function stands in. A function that inlines another module's would go on running
    the old code after an update of that module.
    """
    dispatcher: Any = njit(cache=True)(function)
    dispatcher._cache._cache_file._source_stamp = _digest(Path(function.__code__.co_filename).parent)
    return dispatcher


@cache
def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for module in sorted(folder.glob("*.py")):
        digest.update(module.read_bytes())
    return digest.hexdigest()
