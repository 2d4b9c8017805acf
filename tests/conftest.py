"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from subwords.testing import AWKWARD

os.environ.setdefault("OMP_NUM_THREADS", "1")
# A busy machine is no failure, nor is a first compilation. `make test-fast` tries fewer examples.
settings.register_profile("all", deadline=None)
settings.register_profile("fast", deadline=None, max_examples=15)
settings.load_profile("all")
ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the papers' vectors and the data mirror, when it lies beside the repository."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs ../shared (the papers' vectors and the data mirror), which is not here")
    return folder


@pytest.fixture(params=AWKWARD, ids=lambda line: ascii(line)[:24])
def awkward(request: pytest.FixtureRequest) -> str:
    """One awkward line."""
    line: str = request.param
    return line
