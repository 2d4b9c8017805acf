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
    return _cached(njit(cache=True)(function), function)


def compiled_in_place(function: Callable[..., Any]) -> Any:
    """Compile, as `compiled` does, a function that works on the arrays that it is given.

    It must neither make nor return an array, because its code counts no references to them. Where small functions pass
    each other named tuples of arrays, the counting (two atomic operations for each array) takes most of the time.
    """
    options: Any = {"_nrt": False}  # numba's run time, which counts references; the option is in no stub
    return _cached(njit(cache=True, **options)(function), function)


def _cached(dispatcher: Any, function: Callable[..., Any]) -> Any:
    dispatcher._cache._cache_file._source_stamp = _digest(Path(function.__code__.co_filename).parent)
    return dispatcher


@cache
def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for module in [Path(__file__), *sorted(folder.glob("*.py"))]:
        digest.update(module.read_bytes())
    return digest.hexdigest()
