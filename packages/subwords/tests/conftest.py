"""Fixtures of the segmentation tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from subwords.testing import AWKWARD

# A busy machine is no failure. `make test-fast` tries fewer examples.
settings.register_profile("all", deadline=None)
settings.register_profile("fast", deadline=None, max_examples=15)
settings.load_profile("all")
ROOT = Path(__file__).resolve().parents[3]

LORESMT = "mirror/raw.githubusercontent.com/loresmt/loresmt-2021/c22949f578d6f628ef667690d34395a10cf80a37/data/en_ga"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the papers' vectors and the data mirror, when it lies beside the repository."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs ../shared (the papers' vectors and the data mirror), which is not here")
    return folder


@pytest.fixture(scope="session")
def loresmt(shared: Path) -> Path:
    """The folder with LoResMT 2021 en_ga (train.en, train.ga, dev.en, dev.ga)."""
    return shared / LORESMT


@pytest.fixture(scope="session")
def moses(loresmt: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """LoResMT train.en and train.ga, Moses-tokenized with escapes, as the Huffman paper's program reads them."""
    from sacremoses import MosesPunctNormalizer, MosesTokenizer

    folder = tmp_path_factory.mktemp("moses")
    files = {}
    for language in ("en", "ga"):
        normalizer, tokenizer = MosesPunctNormalizer("en"), MosesTokenizer(language)
        lines = (loresmt / f"train.{language}").read_text("utf-8").split("\n")
        path = folder / f"train.{language}"
        tokens = [tokenizer.tokenize(normalizer.normalize(line.strip())) for line in lines if line.strip()]
        path.write_text("".join(" ".join(words) + "\n" for words in tokens), encoding="utf-8", newline="\n")
        files[path.name] = path
    return files


@pytest.fixture
def piped() -> Callable[[bytes], str]:
    """Return the name of a pipe that holds some bytes, as the shell's <(...) gives it: what is read twice is empty."""

    def name_of(content: bytes) -> str:
        reading, writing = os.pipe()
        os.write(writing, content)
        os.close(writing)
        return f"/dev/fd/{reading}"

    return name_of


@pytest.fixture(params=AWKWARD, ids=lambda line: ascii(line)[:24])
def awkward(request: pytest.FixtureRequest) -> str:
    """One awkward line."""
    line: str = request.param
    return line
