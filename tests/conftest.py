"""Fixtures that all tests share."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

from subwords.testing import AWKWARD

os.environ.setdefault("OMP_NUM_THREADS", "1")
# A busy machine is no failure, nor is a first compilation. `make test-fast` tries fewer examples.
settings.register_profile("all", deadline=None)
settings.register_profile("fast", deadline=None, max_examples=15)
settings.load_profile("all")
ROOT = Path(__file__).resolve().parent.parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put whole runs first, then files with many slow tests: no process is left alone with a long file at the end."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: (item.path.parent.name != "workflow", -slow[item.path]))


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def load_program() -> Callable[[Path], ModuleType]:
    """Return a loader of programs that are in no package, such as those beside a page of docs/."""

    def load(path: Path) -> ModuleType:
        spec = spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the papers' vectors and the data mirror, when it lies beside the repository."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs ../shared (the papers' vectors and the data mirror), which is not here")
    return folder


@pytest.fixture(scope="session")
def mtdata_index(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Return a maker of mtdata's index from some of its modules.

    When mtdata is imported, it reads its cache of all 290,000 entries, which takes seconds: here, an empty one.
    """
    import mtdata

    if "mtdata.index" not in sys.modules:
        cache, empty = mtdata.cached_index_file, tmp_path_factory.mktemp("mtdata") / "index.pkl"
        empty.write_bytes(b"cmtdata.index\nIndex\n(tR.")
        mtdata.cached_index_file = empty
        index = import_module("mtdata.index")
        mtdata.cached_index_file = index.cached_index_file = cache
        index.Index.obj = None

    def made(*modules: str) -> Any:
        index = import_module("mtdata.index").Index()
        for name in modules:
            import_module(f"mtdata.index.{name}").load_all(index)
        return index

    return made


@pytest.fixture(params=AWKWARD, ids=lambda line: ascii(line)[:24])
def awkward(request: pytest.FixtureRequest) -> str:
    """One awkward line."""
    line: str = request.param
    return line
