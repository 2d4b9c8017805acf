"""The corpora of the papers' files that go by mtdata ids: mtdata has every one of them, in these languages."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from replication import paper

PAPERS = ["hft", "huffman", "random-bpe", "sbpe", "volt"]


@pytest.fixture(scope="module")
def index(mtdata_index: Callable[..., object]) -> object:
    """The parts of mtdata's packaged index that the papers use, which takes seconds; all of it takes a minute."""
    logging.getLogger().setLevel(logging.WARNING)
    return mtdata_index("statmt", "neulab_tedtalks", "opus.opus_index", "tilde", "eu")


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPERS)
def test_mtdata_has_the_papers_corpora(name: str, index: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from experiment.corpora.mtdata_parts import find_entries

    monkeypatch.setattr("mtdata.index.Index.obj", index)
    experiment = paper.read(name, "full").experiment
    members = [member.corpus for group in experiment.groups for member in group.members]
    checked = 0
    for corpus in (*experiment.corpora.values(), *members):
        for pair in corpus.pairs() if "group" not in corpus.definition else ():
            for split in corpus.splits(pair).values():
                assert len(find_entries(split.mtdata, pair.split("-"))) == len(split.mtdata)
                checked += len(split.mtdata)
    assert checked or name == "hft"  # whose corpora are plain files


def test_papers_files_name_the_parts_they_count() -> None:
    """The labels of the parts belong to parts of the corpora, or to files that the user may add."""
    read = paper.read("huffman", "full")
    for corpus, labels in read.options["corpora"]["parts"].items():
        ids = set(read.settings["corpora"][corpus]["train"]["mtdata"])
        assert ids <= set(labels)
        assert all(part in ids or part.startswith("data/") for part in labels)
