"""A paper's report: everything on one page, nothing of it obeyed, nothing fetched."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from made_up_measurements import measurements_of

import make_paper_report
import make_paper_tables
from experiment.reporting.drawing import svg_text
from papers import measurements, paper, published
from papers.claims.verdicts import CONFIRMED, NOT_CONFIRMED, NOT_TESTABLE, Outcome, Verdict, write_verdicts
from papers.rendering.figures import draw
from papers.rendering.report import claims_markdown, duration, render_report
from papers.rendering.table import Table
from papers.rendering.table_building import build_table

HOSTILE = "<script>alert(1)</script> <img src=http://evil.example/x onerror=alert(2)> | & \"q\" 'a' \u202eabc"
FILE = """\
paper: hft
title: High Frequency Tokens
citation: Somebody 2022
url: https://example.org/hft
experiment:
  corpora: {loresmt-en-ga: null}
  directions: [en-ga]
  segmentations: {bpe-2k: {algorithm: bpe, size: 2000}, hft-2k: {algorithm: hft, size: 2000}}
  models: {transformer-tiny: null}
  seeds: [1]
  baseline: bpe-2k
scales: {full: {}, reduced: {}, smoke: {}}
tables: {table1: {title: BLEU of five runs, from: [scores]}}
figures: {bars: {title: Means, kind: bars, x: direction, y: bleu, series: algorithm, published: table1, from: [scores]}}
"""
#: The paper's figures, drawn: a path that uses another by its name.
FIGURES = {
    "bars": '<?xml version="1.0"?><svg width="72pt"><defs><path id="m1"/></defs><use xlink:href="#m1"/></svg>',
}
VERDICTS = [
    Verdict(
        "a", "HFT is better", "abstract", "BLEU above", Outcome(CONFIRMED, "4 of 4"), Outcome(NOT_TESTABLE, "1 seed")
    ),
    Verdict("b", "μ is smaller", "", "μ below", Outcome(NOT_CONFIRMED, "19 of 42"), Outcome(NOT_CONFIRMED, "20 of 42")),
]


class Page(HTMLParser):
    """Collects tags with attributes, text by tag, and whether every tag is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.cells: list[list[str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "br", "img", "path", "use", "rect", "defs", "g"):
            self.open.append(tag)
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th") and self.cells:
            self.cells[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, text: str) -> None:
        if self.open and {"td", "th"} & set(self.open) and self.cells and self.cells[-1]:
            self.cells[-1][-1] += text


@pytest.fixture(scope="module")
def hft(tmp_path_factory: pytest.TempPathFactory) -> paper.Paper:
    """A paper at smoke."""
    file = tmp_path_factory.mktemp("paper") / "hft.yaml"
    file.write_text(FILE)
    return paper.read(file, "smoke")


def table(title: str = "", row: str | None = None) -> Table:
    """Return Table 1 of HFT beside made-up measurements; `row` is another label for its first row."""
    values = published.tables("hft")["table1"]
    rows = measurements.frame(measurements_of(values))
    values = [replace(value, row=row) if row and value.row == values[0].row else value for value in values]
    return build_table("hft", "smoke", "table1", values, {"title": title}, rows)


def test_every_cell_of_the_table_is_on_the_page(hft: paper.Paper) -> None:
    page = Page(render_report(hft, [table()], VERDICTS, FIGURES))
    shown = {tuple(cell.strip() for cell in cells) for cells in page.cells}
    for value in published.tables("hft")["table1"]:
        line = next(cells for cells in shown if cells[:2] == (value.row, "paper"))
        assert value.value in line
    ours = [cells for cells in shown if cells[0] == "ours"]
    assert len(ours) == 8
    assert any("±" in cell for cells in ours for cell in cells)


def test_verdicts_and_scale_are_said(hft: paper.Paper) -> None:
    text = render_report(hft, [table()], VERDICTS, FIGURES)
    page = Page(text)
    claims = [cells for cells in page.cells if len(cells) == 3 and "Rule:" in cells[0]]
    assert [re.sub(r"\s+", " ", cells[1]).strip() for cells in claims] == [
        "By the paper's own numbers: ✓ confirmed 4 of 4",
        "By the paper's own numbers: ✗ not confirmed 19 of 42",
    ]
    assert [re.sub(r"\s+", " ", cells[2]).strip() for cells in claims] == [
        "By ours: – not testable 1 seed",
        "By ours: ✗ not confirmed 20 of 42",
    ]
    assert "0 confirmed, 1 not confirmed, 1 not testable" in text
    assert "<strong>Scale: smoke.</strong>" in text
    full = render_report(replace(hft, scale="full"), [table()], VERDICTS, FIGURES)
    assert "<strong>Scale: full.</strong>" in full
    assert "about this scale" not in full


def test_what_a_scale_changes_is_on_the_page(hft: paper.Paper) -> None:
    assert "changed" not in {found.get("id") for _, found in Page(render_report(hft, [], [], FIGURES)).tags}
    changed = {"sizes": {2000: 150}, "experiment": {"title": "<b>: ä"}}
    text = render_report(replace(hft, changed=changed), [], [], FIGURES)
    (shown,) = re.findall(r'<h3 id="changed">.*?<pre>(.*?)</pre>', text, re.DOTALL)
    assert yaml.safe_load(html.unescape(shown)) == changed
    assert 'href="#changed"' in text


def test_page_needs_nothing_else_and_no_script(hft: paper.Paper) -> None:
    text = render_report(hft, [table()], VERDICTS, FIGURES)
    page = Page(text)
    names = {tag for tag, _ in page.tags}
    assert "svg" in names
    assert not names & {"script", "link", "img", "iframe"}
    fetched = [
        value for tag, found in page.tags for key, value in found.items() if key in ("src", "href", "xlink:href")
    ]
    assert all(value and re.match(r"#|https://example.org/hft$|table1\.(csv|md|tex)$", value) for value in fetched)
    ids = [found["id"] for _, found in page.tags if "id" in found]
    assert len(ids) == len(set(ids))
    assert {value[1:] for value in fetched if value and value.startswith("#")} <= set(ids)


def test_figures_are_the_files_that_were_drawn(hft: paper.Paper) -> None:
    text = render_report(hft, [], [], {"bars": svg_text(draw("bars", hft.figures["bars"], measurements.frame([])))})
    assert "nothing was measured" in text
    assert 'aria-label="Bars: Means"' in text
    assert "Hollow and dashed: the paper; filled: ours. Ours is of scale smoke." in text


def test_hostile_text_is_shown_and_not_obeyed(hft: paper.Paper) -> None:
    verdict = Verdict(HOSTILE, HOSTILE, HOSTILE, HOSTILE, Outcome(CONFIRMED, HOSTILE), Outcome(HOSTILE, HOSTILE))
    named = replace(hft, title=HOSTILE, citation=HOSTILE, url="javascript:alert(3)")
    text = render_report(named, [table(HOSTILE, HOSTILE)], [verdict], FIGURES)
    assert "<script" not in text
    assert "<img" not in text
    assert "\u202e" not in text
    assert 'href="javascript' not in text
    assert html.escape("<script>alert(1)</script>", quote=False) in text
    assert all(not key.startswith("on") for _, found in Page(text).tags for key in found)
    lines = claims_markdown(named, [verdict]).split("\n")
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines if line.startswith("|")} == {5}


def test_training_time_is_counted_once_a_run(hft: paper.Paper) -> None:
    run = {"corpus": "k", "direction": "en-ga", "model": "m", "segmentation": "bpe-2k", "seed": 1}
    facts = {"train_seconds": 90.0, "gpu_hours": 0.0, "commit": "abc", "test": ""}
    facts |= {"metric": "bleu", "signature": "tok:13a"}
    rows: list[dict[str, Any]] = [run | facts | {"metric": metric} for metric in ("bleu", "chrf")]
    rows.append(run | facts | {"seed": 2, "train_seconds": 3600.0, "gpu_hours": 1.0})
    text = render_report(hft, [], [], FIGURES, rows)
    assert "<dt>training runs</dt><dd>2</dd>" in text
    assert "<dt>training, all runs</dt><dd>1 h 2 min</dd>" in text
    assert "<dt>GPU-hours</dt><dd>1.0</dd>" in text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0 s"), (59, "59 s"), (61, "1 min"), (3599, "60 min"), (7200, "2 h 0 min")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text.replace("60 min", "1 h 0 min")


def test_program_puts_tables_figures_and_verdicts_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hft.yaml").write_text(FILE)
    measurements.write(tmp_path / "scores.csv", measurements_of(published.tables("hft")["table1"]))
    write_verdicts(tmp_path / "claims.csv", VERDICTS)
    common = ["--paper", f"{tmp_path}/hft.yaml", "--scale", "smoke", "--measurements", f"{tmp_path}/scores.csv"]
    assert make_paper_tables.main([*common, "--table", "table1", "--output", f"{tmp_path}/out/tables"]) == 0
    output = tmp_path / "out" / "report.html"
    drawn = tmp_path / "figures"
    drawn.mkdir()
    command = [*common[:4], "--tables", f"{tmp_path}/out/tables", "--figures", f"{drawn}", "--output", str(output)]
    command += ["--claims", f"{tmp_path}/claims.csv"]
    assert make_paper_report.main(command) == 2
    assert "run scripts/make_paper_figures.py" in capsys.readouterr().err
    (drawn / "bars.svg").write_text(FIGURES["bars"], encoding="utf-8")
    assert make_paper_report.main(command) == 0
    text = output.read_text(encoding="utf-8")
    assert '<path id="figure-bars-m1"/>' in text
    assert 'href="tables/table1.csv"' in text
    assert "BLEU of five runs" in text
    assert ">Bars: Means</h2>" in text
    assert "**not testable**: 1 seed" in (tmp_path / "out" / "claims.md").read_text(encoding="utf-8")
    assert make_paper_report.main([*command, "--tables", f"{tmp_path}/nowhere"]) == 2
