"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

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


#: Lines that have broken segmenters before: decode(encode(x)) must give each of them back.
AWKWARD = [
    "",
    "a",
    "?",
    "the cat sat on the mat",
    "aaaa aaa aa a",
    "naïve café, coöperate",
    "cafe\u0301 e\u0301\u0301",
    "hello 👋🏽 family 👨‍👩‍👧‍👦 flags 🇨🇿🇮🇪",
    "שלום עולם مرحبا بالعالم",
    "मराठी भाषा क्‍ष",
    "日本語の文章 東京",
    "a\u00a0b\u2003c\u3000d",
    "line\u2028separator para\u2029graph next\x85line \x0b\x0c\x1c",
    "nul\x00byte",
    "<unk> <s> </s> <pad> @@ @@ a@@ b </w> ▁ ▁▁ ␠ ␀ ¦ # ##x",
    "ALL CAPS, Title Case, mIxEd NATO-led 3.14 1,000,000 e-mail",
    "\ud7ff\uffff\U0010ffff",
    "x" * 5000,
]


@pytest.fixture(params=AWKWARD, ids=lambda line: ascii(line)[:24])
def awkward(request: pytest.FixtureRequest) -> str:
    """One awkward line."""
    line: str = request.param
    return line
