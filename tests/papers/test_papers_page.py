"""docs/papers.md names files, columns and mtdata ids: they exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from papers import published

PAPERS = {"Huffman": "huffman", "S-BPE": "sbpe", "HFT": "hft", "VOLT": "volt", "random-bpe": "random-bpe"}


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "papers.md").read_bytes().decode("utf-8")


def sections(page: str) -> dict[str, str]:
    """Return the section of each paper."""
    parts = re.split(r"(?m)^## ", page)
    return {name: next(part for part in parts if part.startswith(f"{title} (")) for title, name in PAPERS.items()}


def test_every_published_file_is_on_the_page_and_the_other_way_round(page: str) -> None:
    named = {}
    for paper, text in sections(page).items():
        rows = text[text.index("| table, figure |") :].split("\n\n")[0].split("\n")[2:]
        named[paper] = {name for row in rows for name in re.findall(r"`([a-z]+[0-9-]*[a-z]*)`", row.split("|")[-2])}
    assert named == {paper: set(published.tables(paper)) for paper in PAPERS.values()}


def test_every_column_is_on_the_page(page: str) -> None:
    table = page[page.index("| column | what it holds |") :].split("\n\n")[0]
    assert {name for row in table.split("\n") for name in re.findall(r"`([a-z]+)`", row.split("|")[1])} == set(
        published.COLUMNS
    )


def test_the_corpora_counts_are_the_published_ones(page: str) -> None:
    """Counts of lines and pairs that the page repeats stand in the published files."""
    for paper in ("huffman", "random-bpe"):
        counts = {value.value for values in published.tables(paper).values() for value in values}
        text = sections(page)[paper]
        repeated = re.findall(r"\b\d{1,3}(?:,\d{3})+\b", text[text.index("**Corpora**") : text.index("**Recipe.**")])
        assert len(repeated) >= 4
        assert {number.replace(",", "") for number in repeated} <= counts


def test_claims_have_names_of_their_own(page: str) -> None:
    claims = re.findall(r"(?m)^\| `([a-z0-9-]+)` \| .* \| .* \| .* \|$", page)
    assert len(claims) == len(set(claims)) >= 40


@pytest.mark.slow
def test_mtdata_has_the_ids(page: str) -> None:
    """Against mtdata's packaged index; only the modules in use are read."""
    from mtdata.entry import DatasetId
    from mtdata.index import Index, eu, neulab_tedtalks, statmt, tilde
    from mtdata.index.opus import opus_index

    index = Index()
    for module in (statmt, neulab_tedtalks, eu, tilde, opus_index):
        module.load_all(index)
    ids = sorted(set(re.findall(r"`((?:Statmt|Neulab|EU|Tilde|OPUS)-[^`]*)`", page)))
    assert len(ids) > 30
    missing = [name for name in ids if DatasetId.parse(name) not in index]
    assert missing == []
    assert DatasetId.parse("Statmt-europarl-9-ces-deu") not in index  # as the page says
