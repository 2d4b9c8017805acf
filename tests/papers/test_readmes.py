"""papers/*/README.md: the table of claims is the one that the claims give, and every path is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from experiment.reporting.table_formats import markdown_table
from replication import measurements
from replication.paper import FOLDER, read
from replication.report import evidence, judged
from replication.sources import Sources, of_paper
from replication.tables import layout, notes
from write_claims import with_claims

PAGES = sorted(FOLDER.glob("*/README.md"))


def test_every_paper_has_a_page() -> None:
    assert [page.parent for page in PAGES] == [path.parent for path in sorted(FOLDER.glob("*/experiment.yaml"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
@pytest.mark.slow
def test_the_table_of_claims_is_up_to_date(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text == with_claims(text, read(page.parent.name)), "run: python tools/write_claims.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_every_claim_and_program_that_a_page_names_is_there(page: Path) -> None:
    text, paper = page.read_text(encoding="utf-8"), read(page.parent.name, "full")
    named = set(re.findall(rf"`({paper.name}-[a-z0-9-]+)`", text))
    segmentations = set(paper.experiment.segmentations) | set(paper.experiment.corpora)
    unknown = {name for name in named - set(paper.claims) if not any(name in known for known in segmentations)}
    assert not unknown
    for path in re.findall(r"`([\w./-]+\.py)`", text):
        assert (page.parent / path).exists() or (FOLDER.parent / path).exists(), path


@pytest.mark.slow
def test_the_page_on_hfts_table_1_says_what_its_scores_give() -> None:
    folder = FOLDER.parent / "docs" / "reproductions" / "hft-table1-cpu"
    page, paper = (folder / "README.md").read_text(encoding="utf-8"), read("hft", "cpu", ["scores"])
    measured = {"scores": of_paper(folder / "scores.csv", paper)}
    verdicts = judged(paper, measured)
    assert len(verdicts) == 4
    for name, found in verdicts.items():
        assert f"| `{name}` | {found.ours.state}: {found.ours.reason} |\n" in page
    cells = paper.tables["table1"](paper.printed, evidence(["scores"], measured))
    (shown,) = layout(cells)
    assert markdown_table(shown) in page
    assert all(f"- {note}\n" in page for note in notes(cells))


@pytest.mark.parametrize(
    ("name", "folder", "tables"),
    [
        ("sbpe", "sbpe-dev-likelihood", ["dev-likelihoods"]),
        ("volt", "volt-overlap", ["overlaps"]),
        ("huffman", "huffman-figure2", ["padded"]),
    ],
)
@pytest.mark.slow
def test_the_pages_on_free_texts_say_what_their_measurements_give(name: str, folder: str, tables: list[str]) -> None:
    """Every line of a table with a corpus in it, and every verdict, is that of the measurements beside the page."""
    place = FOLDER.parent / "docs" / "reproductions" / folder
    page, paper = (place / "README.md").read_text(encoding="utf-8"), read(FOLDER / name / "free-texts.yaml")
    assert not paper.generated
    measured = {part: measurements.read(place / f"{part}.csv") for part in paper.needed_measures}
    for claim, found in judged(paper, measured).items():
        judged_here = "free-texts" in (paper.claims[claim].scales or ["free-texts"])
        assert (f"| `{claim}` | {found.ours.state}: {found.ours.reason} |\n" in page) == judged_here
    made = {
        line
        for table in tables
        for shown in layout(paper.tables[table](paper.printed, evidence(paper.tables[table].needs, measured)))
        for line in markdown_table(shown).splitlines()
    }
    said = [line for line in page.splitlines() if line.startswith(("| multi30k", "| loresmt"))]
    assert said
    assert set(said) <= made


@pytest.mark.parametrize("name", ["sbpe", "volt", "huffman"])
def test_free_texts_need_no_test_set_that_is_not_named(name: str) -> None:
    paper = read(FOLDER / name / "free-texts.yaml")
    paths = [path for measure in paper.needed_measures for path in Sources(paper, measure).paths()]
    assert any("test2016" in path for path in paths)
    assert not any("test2017" in path or "test2018" in path for path in paths)
