"""Compiled functions: a cache that goes stale when a module beside the function's own changes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import subwords
from subwords.compiled import _digest


def test_every_compiled_function_is_renewed_with_its_folder() -> None:
    from numba.core.dispatcher import Dispatcher

    names = [module.name for module in walk_packages(subwords.__path__, "subwords.") if "__main__" not in module.name]
    functions = {f for name in names for f in vars(import_module(name)).values() if isinstance(f, Dispatcher)}
    assert {"subwords.hft.segmentation", "subwords.merges.applying"} <= {f.py_func.__module__ for f in functions}
    for function in functions:
        folder = Path(function.py_func.__code__.co_filename).parent
        assert function._cache._cache_file._source_stamp == _digest(folder), function
