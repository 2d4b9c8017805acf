"""A paper's tables: every printed cell once, with numbers that a few lines of arithmetic give as well."""

from __future__ import annotations

import csv
import functools
import io
import math
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_up_measurements import measurements_of

import make_paper_tables
from experiment.schema import ROOT
from papers import measurements, published
from papers import paper as described
from papers.derived import with_derived
from papers.inputs import Inputs
from papers.published import KEYS, UNITS, Value
from papers.rendering.curves import beside, curves, read_plan
from papers.rendering.table import Cell, Ours, Table, read_csv, write_csv
from papers.rendering.table_building import AVERAGED_OVER, build_table, our_value, summary
from papers.rendering.table_formats import escape_markdown, heading, latex, markdown
from papers.rendering.table_layout import DIFFERENCE, WIDEST, number_text, parts
from subwords.errors import InputError

PAPERS = ("huffman", "sbpe", "hft", "volt", "random-bpe")
TABLES = [(paper, name) for paper in PAPERS for name in published.tables(paper)]
TED = ["Es", "PTbr", "Fr", "Ru", "He", "Ar", "It", "Nl", "Ro", "Tr", "De", "Vi"]
ENTRIES: dict[tuple[str, str], dict[str, Any]] = {
    ("huffman", "table5"): {"extra": {"chosen on test": {"selection": "test"}}},
    ("huffman", "text"): {"where": {"segmentation": ["huffman-1k", "char", "word-16k", "word-32k"]}},
    ("volt", "table2"): {"means": {"Avg": TED}},
}


@functools.cache
def make(paper: str, name: str, scale: str = "smoke", title: str = "") -> tuple[Table, list[dict[str, Any]]]:
    """Return a table of made-up measurements, and these."""
    values = published.tables(paper)[name]
    rows = list(measurements_of(values))
    entry = ENTRIES.get((paper, name), {}) | {"title": title}
    return build_table(paper, scale, name, values, entry, with_derived(measurements.frame(rows))), rows


def small(values: list[Value], rows: list[dict[str, Any]], **entry: Any) -> Table:
    """Return a table of given values and measurements."""
    return build_table("p", "full", "table1", values, entry, with_derived(measurements.frame(rows)))


def value(row: str = "r", column: str = "c", number: str = "20.0", **more: str) -> Value:
    """Return a published BLEU."""
    keys = {"metric": "bleu", "corpus": "k", "direction": "en-xx", "segmentation": "bpe-2k", "algorithm": "bpe"}
    return Value(**{"paper": "p", "table": "table1", "row": row, "column": column, "value": number, **keys, **more})


def score(number: float, **more: Any) -> dict[str, Any]:
    """Return a measured BLEU."""
    keys = {"metric": "bleu", "corpus": "k", "direction": "en-xx", "segmentation": "bpe-2k", "algorithm": "bpe"}
    return {**keys, "value": number, "selection": "dev", "testset": "test", **more}


# ---- all tables of all papers


@pytest.mark.parametrize(("paper", "name"), TABLES)
def test_csv_has_every_printed_cell_once_and_numbers_that_can_be_recomputed(
    paper: str, name: str, tmp_path: Path
) -> None:
    table, rows = make(paper, name)
    write_csv(tmp_path / "t.csv", table)
    with open(tmp_path / "t.csv", encoding="utf-8", newline="") as stream:
        cells = [cell for cell in csv.DictReader(stream) if not cell["extra"]]
    values = {(one.row, one.column): one for one in published.tables(paper)[name]}
    assert [(cell["row"], cell["column"]) for cell in cells] == list(values)
    compared = 0
    for cell in cells:
        printed = values[cell["row"], cell["column"]]
        assert (cell["published"], cell["published_error"]) == (printed.value or printed.text, printed.error)
        assert (cell["published_mark"], cell["unit"]) == (printed.mark, printed.unit)
        if printed.metric.endswith(("_percent_of_bpe", "_increment")) or printed.column == "Avg":
            continue  # these follow from other cells: tests of their own, below
        ours = _expected(printed, rows)
        if ours is None:
            assert cell["ours"] == cell["difference"] == ""
        elif isinstance(ours, str):
            assert (cell["ours"], cell["difference"]) == (ours, "equal" if ours == printed.text else "differs")
        else:
            assert float(cell["ours"]) == pytest.approx(ours)
            if printed.value:
                assert float(cell["difference"]) == pytest.approx(ours - float(printed.value), abs=1e-9)
            compared += 1
    assert compared or name in ("table3", "table1")


def _expected(printed: Value, rows: list[dict[str, Any]]) -> float | str | None:
    """Return the mean of what was measured for a cell, in its unit, found row by row in plain Python."""
    found, texts = [], []
    for row in rows:
        keys = all(getattr(printed, key) in ("", str(row.get(key))) for key in KEYS)
        system = bool(printed.segmentation or printed.algorithm)
        mine = row.get("row") in (None, "", printed.row) and (row.get("split") or "") in ("", printed.split)
        if keys and mine and row.get("selection") != "test" and (system or row.get("row") == printed.row):
            texts += [row["text"]] if "text" in row else []
            found += [row["value"]] if "value" in row else []
    if texts:
        return str(texts[0])
    return statistics.fmean(found) / float(UNITS[printed.unit]) if found else None


@pytest.mark.parametrize(("paper", "name"), TABLES)
def test_csv_is_read_back_as_the_same_table(paper: str, name: str, tmp_path: Path) -> None:
    table, _ = make(paper, name)
    write_csv(tmp_path / "t.csv", table)
    again = read_csv(tmp_path / "t.csv", table.title, table.note)
    assert (markdown(again), latex(again)) == (markdown(table), latex(table))
    write_csv(tmp_path / "u.csv", again)
    assert len((tmp_path / "u.csv").read_bytes().split(b"\n")) == len((tmp_path / "t.csv").read_bytes().split(b"\n"))


@pytest.mark.parametrize(("paper", "name"), TABLES)
def test_markdown_shows_every_printed_number_once_in_the_papers_order(paper: str, name: str) -> None:
    """In both directions: the paper's numbers on the page are those of the transcription, cell by cell."""
    table, _ = make(paper, name)
    values = published.tables(paper)[name]
    shown = [text for part in parts(table) for text in _paper_cells(part)]
    assert Counter(shown) == Counter((one.row, one.column, _as_shown(one)) for one in values)
    assert list(dict.fromkeys(row for row, _, _ in shown)) == list(dict.fromkeys(one.row for one in values))
    page = markdown(table)
    for one in values:
        assert escape_markdown(one.column) in page
        assert re.search(rf"^\| {re.escape(escape_markdown(one.row))} ", page, re.MULTILINE)


def _paper_cells(part: Any) -> list[tuple[str, str, str]]:
    found = []
    for line in part.lines:
        each = max(1, len(part.kinds))
        for number, cell in enumerate(line.cells):
            if cell.what == "paper":
                found.append((line.row, part.columns[number // each], cell.text))
    return found


def _as_shown(one: Value) -> str:
    if not one.known:
        return "?"
    if one.metric == "effect_includes_zero":
        return {"1": "yes", "0": "no"}[one.value]
    if one.text:
        return one.text
    number = one.value if one.decimals <= 4 else f"{float(one.value):.3f}"
    whole, point, rest = number.lstrip("-").partition(".")
    sign = "−" if number.startswith("-") else ""
    unit = " h" if one.unit == "h" else one.unit
    return sign + f"{int(whole):,}" + point + rest + (f" ± {one.error}" if one.error else "") + unit


@pytest.mark.parametrize(("paper", "name"), TABLES)
def test_latex_is_whole_and_of_characters_that_latex_has(paper: str, name: str) -> None:
    text = latex(make(paper, name)[0])
    assert not {character for character in text if ord(character) > 0xFF}
    assert text.count("{") == text.count("}")
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == text.count(r"\bottomrule") > 0
    for body in re.findall(r"\\begin\{tabular\}\{([lr]+)\}(.*?)\\end\{tabular\}", text, re.DOTALL):
        columns, lines = len(body[0]), body[1]
        for line in re.findall(r"^(.*) \\\\$", lines, re.MULTILINE):
            spans = sum(int(number) - 1 for number in re.findall(r"\\multicolumn\{(\d+)\}", line))
            assert len(re.split(r"(?<!\\)&", line)) + spans == columns


def test_wide_tables_are_cut_into_equal_parts_that_keep_every_column() -> None:
    found = parts(make("volt", "table3")[0])
    assert [len(part.columns) for part in found] == [13, 13, 13]
    names = [value.column for value in published.tables("volt")["table3"]]
    assert [column for part in found for column in part.columns] == list(dict.fromkeys(names))
    for paper, name in TABLES:
        for widest in (9, WIDEST):
            for part in parts(make(paper, name)[0], widest=widest):
                assert max(len(line.cells) for line in part.lines) <= widest


# ---- numbers


def test_mean_and_error_over_seeds() -> None:
    table = small(
        [value(number="20.0")], [score(number, seed=seed) for seed, number in ((1, 21.0), (2, 23.0), (3, 22.0))]
    )
    cell = table.cells["r", "c", ""]
    assert (cell.ours.number, cell.ours.runs) == (pytest.approx(22.0), 3)
    assert cell.ours.error == pytest.approx(1 / 3**0.5)  # sample standard deviation 1, three runs
    assert "| 20.0 | 22.0 ± 0.6 | +2.0 |" in re.sub(" +", " ", markdown(table))


def test_percentages_and_increments_follow_from_means() -> None:
    """20 and 22 against 25 and 27: 21 / 26, and 21 − 26; errors by hand."""
    base = [score(25.0, seed=1, size=2000), score(27.0, seed=2, size=2000)]
    others = [score(20.0, seed=1), score(22.0, seed=2)]
    mine = [other | {"segmentation": "huffman-2k", "algorithm": "huffman", "size": 2000} for other in others]
    keys = {"segmentation": "huffman-2k", "algorithm": "huffman", "size": "2000"}
    values = [
        value(column="%", number="80.0", unit="%", **keys | {"metric": "bleu_percent_of_bpe"}),
        value(column="+", number="-5.1", **keys | {"metric": "bleu_increment"}),
    ]
    for algorithm in ("bpe", "spm-bpe"):
        table = small(values, [row | {"algorithm": algorithm} for row in base] + mine)
        share, increment = table.cells["r", "%", ""], table.cells["r", "+", ""]
        assert share.ours.number == pytest.approx(21 / 26)
        assert share.ours.error == pytest.approx(21 / 26 * ((1 / 21) ** 2 + (1 / 26) ** 2) ** 0.5)
        assert share.difference == pytest.approx(100 * 21 / 26 - 80)
        assert (increment.ours.number, increment.ours.error) == (pytest.approx(-5.0), pytest.approx(2**0.5))


def test_shares_are_of_sentencepieces_bpe_and_increments_of_subword_nmts() -> None:
    systems = {"bpe": 20.0, "spm-bpe": 25.0, "huffman": 10.0}
    rows = [score(number, seed=1, segmentation=name, algorithm=name) for name, number in systems.items()]
    found = with_derived(measurements.frame(rows)).set_index(["metric", "algorithm"])["value"]
    assert found["bleu_percent_of_bpe", "huffman"] == pytest.approx(0.4)
    assert found["bleu_increment", "huffman"] == pytest.approx(-10.0)
    assert found["bleu_below_best_bpe", "huffman"] == pytest.approx(15.0)
    assert found["bleu_below_best_bpe", "spm-bpe"] == 0


def test_nothing_is_derived_across_sizes_corpora_test_sets_or_selections() -> None:
    base = score(25.0, seed=1, size=2000)
    mine = score(20.0, seed=1, size=2000, segmentation="huffman-2k", algorithm="huffman")
    for change in (
        {"size": 4000},
        {"corpus": "j"},
        {"testset": "other"},
        {"selection": "test"},
        {"direction": "xx-en"},
    ):
        found = with_derived(measurements.frame([base, mine | change]))
        assert not found["metric"].isin(["bleu_percent_of_bpe", "bleu_increment"]).any()
    assert with_derived(measurements.frame([base, mine]))["metric"].isin(["bleu_increment"]).sum() == 1


def test_mean_of_columns_needs_them_all() -> None:
    values = [value(column=name) for name in "ab"] + [value(column="Avg", corpus="")]
    values = [one if one.column == "Avg" else Value(**{**vars(one), "corpus": one.column}) for one in values]
    rows = [score(number, corpus=name, seed=seed) for name, number in (("a", 10), ("b", 30)) for seed in (1, 2)]
    cell = small(values, rows, means={"Avg": ["a", "b"]}).cells["r", "Avg", ""]
    assert (cell.ours.number, cell.ours.error, cell.ours.runs) == (20, 0, 2)
    assert not small(values, rows[:2], means={"Avg": ["a", "b"]}).cells["r", "Avg", ""].ours.known
    with pytest.raises(InputError, match="unknown column of a mean 'aa'"):
        small(values, rows, means={"Avg": ["aa"]})


def test_small_scales_are_not_rounded_to_nothing() -> None:
    printed = value(number="5.9", unit="M", metric="sentences", segmentation="", algorithm="", split="train")
    table = small(
        [printed], [{"metric": "sentences", "corpus": "k", "direction": "en-xx", "split": "train", "value": 400.0}]
    )
    assert "| 5.9M | 400 | −5.9M |" in re.sub(" +", " ", markdown(table))
    hours = {"unit": "h", "metric": "gpu_hours", "segmentation": "", "algorithm": ""}
    rows = [{"metric": "gpu_hours", "corpus": "k", "direction": "en-xx", "value": 0.0042}]
    table = small([value(number="384", **hours)], rows)
    assert "| 384 h | 0.004 h | −384 |" in re.sub(" +", " ", markdown(table))


@pytest.mark.parametrize(
    ("number", "decimals", "signed", "text"),
    [(-0.04, 1, True, "0.0"), (0.06, 1, True, "+0.1"), (-3.25, 1, False, "−3.2"), (1783512, 0, False, "1,783,512")],
)
def test_numbers_are_written_for_reading(number: float, decimals: int, signed: bool, text: str) -> None:
    assert number_text(number, decimals, signed) == text


# ---- what is compared with what


def test_other_papers_systems_are_not_compared_with_ours() -> None:
    stranger = value(row="(Vaswani et al., 2017)", segmentation="", algorithm="")
    table = small([stranger, value()], [score(21.0, seed=1)])
    assert not table.cells["(Vaswani et al., 2017)", "c", ""].ours.known
    assert table.cells["r", "c", ""].ours.number == 21.0


@pytest.mark.parametrize(
    ("column", "other"),
    [("model", "big"), ("testset", "newer"), ("segmentation", "bpe-4k"), ("direction", "xx-en"), ("corpus", "j")],
)
def test_several_systems_are_not_averaged(column: str, other: str) -> None:
    printed = value(**{column: ""}) if column in KEYS else value()
    rows = [score(20.0, seed=1, model="base"), score(30.0, seed=1, **{"model": "base"} | {column: other})]
    with pytest.raises(InputError, match=f"more than one {column}"):
        small([printed], rows)
    assert small([printed], rows, where={column: other}).cells["r", "c", ""].ours.number == 30.0


def test_refused_means_name_what_is_mixed_and_what_to_write() -> None:
    rows = [score(10.0, direction="en-de"), score(30.0, direction="de-en")]
    with pytest.raises(InputError) as refused:
        small([value(direction="")], rows)
    said = str(refused.value)
    assert "p table1, 'r', 'c', bleu" in said
    assert "more than one direction: de-en, en-de" in said
    assert "where: {direction: de-en}" in said
    assert "name direction in the published file" in said


@pytest.mark.parametrize("column", [name for name in measurements.COLUMNS if name not in AVERAGED_OVER])
def test_only_seeds_are_averaged(column: str) -> None:
    """Two numbers that differ in any other column are of different things; so are one that has it and one without."""
    one, other = {"size": (1, 2), "x": (1.0, 2.0)}.get(column, ("a", "b"))
    for values in ((one, other), (one, None)):
        rows = [score(10.0, seed=1, **{column: values[0]}), score(30.0, seed=2, **{column: values[1]})]
        with pytest.raises(InputError, match=f"more than one {column}"):
            summary(measurements.frame(rows), "here", "there")
    rows = [score(10.0, seed=seed, **{column: one}) for seed in (1, 2)]
    assert summary(measurements.frame(rows), "here", "there").runs == 2


def test_what_both_directions_share_is_one_number() -> None:
    printed = value(metric="vocabulary", direction="")
    rows = [score(500.0, metric="vocabulary", direction=direction) for direction in ("en-de", "de-en")]
    ours = small([printed], rows).cells["r", "c", ""].ours
    assert ours == Ours(500.0)
    rows[0]["error"] = rows[1]["error"] = 2.0
    assert small([printed], rows).cells["r", "c", ""].ours == Ours(500.0, 2.0)


def test_where_leaves_what_the_column_does_not_apply_to() -> None:
    values = [value(), value(column="size", metric="vocabulary", number="500")]
    rows = [score(20.0, seed=1, model="base"), score(1.0, metric="vocabulary", value=510.0)]
    table = small(values, rows, where={"model": "base"})
    assert table.cells["r", "size", ""].ours.number == 510.0


@pytest.mark.parametrize(
    ("name", "number"),
    [("value", "12,5"), ("error", [1]), ("x", "2k"), ("seed", 1.5), ("size", math.inf)],
)
def test_a_number_that_is_none_is_said(name: str, number: Any) -> None:
    with pytest.raises(InputError, match=f"{name} of a measurement(?s:.*), or nothing"):
        measurements.frame([{"metric": "bleu", name: number}])


def test_a_malformed_file_of_measurements_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    measurements.write(file, [{"metric": "bleu", "value": "12,5"}, {"metric": "bleu", "value": None}])
    with pytest.raises(InputError, match=r"mine\.csv: value of a measurement"):
        measurements.read(file)


def test_published_errors_are_in_base_units() -> None:
    value = Value("p", "t", "r", "c", "95.0", "bleu_percent_of_bpe", error="0.3", unit="%")
    (row,) = measurements.published_frame([value]).to_dict("records")
    assert (row["value"], row["error"]) == (0.95, pytest.approx(0.003))


def test_measurements_made_for_a_row_come_first() -> None:
    rows = [score(20.0, segmentation="bpe-4k"), score(30.0, row="r")]
    assert our_value(value(segmentation=""), measurements.frame(rows)).number == 30.0


def test_selection_on_test_stands_beside_and_is_never_compared() -> None:
    rows = [score(20.0, seed=1), score(25.0, seed=1, selection="test")]
    table = small([value(number="24.0")], rows, extra={"chosen on test": {"selection": "test"}})
    assert table.cells["r", "c", ""].ours.number == 20.0
    assert table.cells["r", "c", "chosen on test"].ours.number == 25.0
    (part,) = parts(table)
    assert part.kinds == ["paper", "ours", DIFFERENCE, "chosen on test", DIFFERENCE]
    assert [cell.text for cell in part.lines[0].cells] == ["24.0", "20.0", "−4.0", "25.0", "+1.0"]


def test_another_metric_beside_the_cells_that_have_one() -> None:
    values = [value(), value(column="chrF", metric="chrf")]
    rows = [score(20.0, seed=1), score(19.0, seed=1, metric="bleu_tokenized"), score(50.0, seed=1, metric="chrf")]
    table = small(values, rows, extra={"tokenized": {"metric": {"bleu": "bleu_tokenized"}}})
    assert table.cells["r", "c", "tokenized"].ours.number == 19.0
    assert ("r", "chrF", "tokenized") not in table.cells
    (part,) = parts(table)  # side by side, chrF would have two empty columns
    assert [line.what for line in part.lines] == ["paper", "ours", DIFFERENCE, "tokenized", DIFFERENCE]


def test_long_texts_stand_below_each_other() -> None:
    long = "finanz@@ dienst@@ leist@@ ungen"
    printed = [value(column=name, number="", text=long, metric="pieces") for name in ("BPE", "S-BPE")]
    (part,) = parts(small(printed, []))
    assert part.stacked
    assert [line.what for line in part.lines] == ["paper", "ours", DIFFERENCE]


def test_lines_of_a_wide_table_that_an_extra_is_no_matter_of_are_left_out() -> None:
    columns = [f"c{n}" for n in range(WIDEST)]
    values = [value("BLEU", name) for name in columns] + [value("size", name, metric="vocabulary") for name in columns]
    rows = [score(20.0, seed=1), score(19.0, seed=1, metric="bleu_tokenized"), score(9.0, metric="vocabulary")]
    extra = {"tokenized": {"metric": {"bleu": "bleu_tokenized"}}}
    table = small(values, rows, extra=extra, means={"c0": ["c1", "c2"]})
    (part,) = parts(table)
    assert [(line.row, line.what, line.first) for line in part.lines] == [
        ("BLEU", "paper", True),
        *(("BLEU", what, False) for what in ("ours", DIFFERENCE, "tokenized", DIFFERENCE)),
        ("size", "paper", True),
        *(("size", what, False) for what in ("ours", DIFFERENCE)),
    ]


def test_more_rows_and_columns_of_ours() -> None:
    cells = [(row, name) for row in "xy" for name in ("bpe", "hft")]
    values = [value(row, name, segmentation=f"{name}-2k", algorithm=name) for row, name in cells]
    values = [Value(**{**vars(one), "corpus": one.row}) for one in values]
    rows = [score(9.0, corpus="z", segmentation="hft-2k", algorithm="hft", seed=1)]
    rows += [score(33.3, metric="pieces_per_word_source", corpus="x", segmentation="bpe-2k")]
    rows += [score(44.4, metric="pieces_per_word_source", corpus="y", segmentation="bpe-2k")]
    pieces = {"as": "column", "metric": "pieces_per_word_source", "segmentation": "bpe-2k"}
    extra = {"Z": {"as": "row", "corpus": "z"}, "pieces": pieces}
    table = small(values, rows, extra=extra)
    assert (table.rows, table.columns) == (["x", "y", "Z"], ["bpe", "hft", "pieces"])
    assert table.cells["Z", "hft", ""].ours.number == 9.0
    assert [table.cells[row, "pieces", ""].ours.number for row in "xy"] == [33.3, 44.4]
    assert {table.cells["Z", "hft", ""].state, table.cells["x", "pieces", ""].state} == {"ours alone"}
    assert not parts(table)[0].lines[2].cells[0].text  # the paper has nothing there


def test_marks_at_ours_follow_their_rule() -> None:
    scores = {"bpe-2k": 20.0, "bpe-4k": 20.5, "sbpe": 20.2}
    keys = {name: {"segmentation": name, "algorithm": name.split("-")[0]} for name in scores}
    values = [value(column=name, **keys[name]) for name in scores]
    rows = [score(number, seed=1, **keys[name]) for name, number in scores.items()]
    rule = {"metric": "bleu_below_best_bpe", "at_most": 0.4}
    marks = {name: small(values, rows, marks={"bold": rule}).cells["r", name, ""].mark for name in ("bpe-2k", "sbpe")}
    assert marks == {"bpe-2k": "", "sbpe": "bold"}
    only = small(values, rows, marks={"bold": rule | {"columns": ["sbpe"]}})
    assert [cell.mark for cell in only.cells.values()] == ["", "", "bold"]


@pytest.mark.parametrize(("p_value", "mark"), [(0.009, "**"), (0.01, "*"), (0.049, "*"), (0.05, "")])
def test_marks_of_several_metrics_and_levels(p_value: float, mark: str) -> None:
    keys = {"segmentation": "sbpe", "algorithm": "sbpe"}
    values = [
        value(column="word", metric="wins_word", **keys),
        value(column="sentence", metric="wins_sentence", **keys),
    ]
    rows = [score(0.2, metric="wins_word", **keys), score(0.3, metric="wins_sentence", **keys)]
    rows += [score(p_value, metric="p_word", **keys), score(0.5, metric="p_sentence", **keys)]
    ours = {"wins_word": "p_word", "wins_sentence": "p_sentence"}
    marks = {"**": {"metric": ours, "below": 0.01}, "*": {"metric": ours, "at_least": 0.01, "below": 0.05}}
    assert [cell.mark for cell in small(values, rows, marks=marks).cells.values()] == [mark, ""]


def test_texts_are_compared_as_texts() -> None:
    printed = [value(row, number="", text=text, metric="pieces") for row, text in {"a": "a@@ b", "b": "b"}.items()]
    ours = {"a": "a@@ b", "b": "c"}.items()
    rows = [{**score(0.0, row=row, metric="pieces", text=text), "value": None} for row, text in ours]
    table = small(printed, rows)
    assert [cell.verdict for cell in table.cells.values()] == ["equal", "differs"]


@pytest.mark.parametrize(
    ("printed", "ours", "shown"),
    [
        ({"number": "", "text": "n/a"}, {"value": 12.3456789}, ["n/a", "12", "–"]),
        ({"number": "20.0", "unit": "K"}, {"value": None, "text": "many"}, ["20.0K", "many", "–"]),
        ({"number": "20.0", "unit": "K"}, {"value": 21500.0}, ["20.0K", "21.5K", "+1.5K"]),
        ({"number": "", "text": "n/a"}, {"value": None}, ["n/a", "–", "–"]),
        ({"number": ""}, {"value": 21.0}, ["?", "21", "–"]),
        ({"number": ""}, {"value": None, "text": "many"}, ["?", "many", "–"]),
    ],
)
def test_texts_beside_numbers_are_read_back_as_such(
    printed: dict[str, str], ours: dict[str, Any], shown: list[str], tmp_path: Path
) -> None:
    table = small([value(**printed)], [{**score(0.0), **ours}])
    write_csv(tmp_path / "t.csv", table)
    again = read_csv(tmp_path / "t.csv")
    for each in (table, again):
        assert [cell.text for cell in parts(each)[0].lines[0].cells] == shown
    assert vars(again.cells["r", "c", ""].ours) == pytest.approx(vars(table.cells["r", "c", ""].ours))


def test_lost_and_missing_cells_are_told_apart() -> None:
    table = small(
        [value("a", number=""), value("b"), value("c", number="", corpus="j")], [score(3.0, seed=1, corpus="j")]
    )
    assert [cell.state for cell in table.cells.values()] == ["lost", "not measured", "lost"]
    page = markdown(table)
    assert "?: cannot be read in the text of the paper at hand (2 cells)." in page
    assert "–: not measured by us (2 cells)." in page
    assert re.search(r"\| c +\| +\? \| +3\.0 \| +– \|", page)


@pytest.mark.parametrize(
    "entry",
    [
        {"where": {"modell": "a"}},
        {"extra": {"x": {"selektion": "test"}}},
        {"extra": {"x": "test"}},
        {"extra": {"x": {"as": "page"}}},
        {"marks": {"bold": {"metric": "bleu_increment"}}},
        {"marks": {"bold": {"metric": "bleu_increment", "at_most": "best"}}},
        {"marks": {"bold": {"metric": "bleu_increment", "between": 1}}},
        {"marks": {"bold": "best"}},
        {"where": {"model": {"nott": "a"}}},
    ],
)
def test_entries_that_cannot_be_understood(entry: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="table1"):
        small([value()], [], **entry)


def test_tables_of_ours_alone() -> None:
    rows = [score(20.5, seed=1), score(21.5, seed=2), score(3.14159, metric="pieces_per_word_source")]
    table = build_table("p", "full", "mine", [], {"rows": ["corpus", "direction"]}, measurements.frame(rows))
    assert (table.rows, table.columns) == (["k en-xx"], ["bleu", "pieces_per_word_source"])
    (part,) = parts(table)
    assert not part.kinds
    assert not part.stacked or [cell.text for cell in part.lines[0].cells] == ["21 ± 0", "3.142"]


@pytest.mark.parametrize(("rows", "mixed"), [("split", "corpus"), ("corpus", "split")])
def test_tables_of_ours_alone_average_nothing_else(rows: str, mixed: str) -> None:
    counts = [{"metric": "words", "corpus": corpus, "split": split} for corpus in "ab" for split in ("train", "test")]
    counted = measurements.frame({**count, "value": n} for n, count in enumerate(counts))
    with pytest.raises(InputError, match=f"^p mine, .*more than one {mixed}: ") as refused:
        build_table("p", "full", "mine", [], {"rows": rows}, counted)
    assert f"name {mixed} in rows or columns" in str(refused.value)
    table = build_table("p", "full", "mine", [], {"rows": ["corpus", "split"]}, counted)
    assert [cell.ours.number for cell in table.cells.values()] == [0, 1, 2, 3]


def test_a_table_of_nothing_says_so(tmp_path: Path) -> None:
    table = build_table("p", "smoke", "mine", [], {"title": "Ours"}, measurements.frame([]))
    assert markdown(table) == "# p, Mine: Ours (scale smoke)\n\n- Nothing was measured for this table.\n"
    assert r"\begin" not in latex(table)
    write_csv(tmp_path / "mine.csv", table)
    assert read_csv(tmp_path / "mine.csv").cells == {}


@pytest.mark.parametrize("scale", ["full", "smoke"])
@pytest.mark.parametrize("name", PAPERS)
def test_nothing_of_a_paper_is_a_mean_of_different_things(name: str, scale: str) -> None:
    """From the scores of every run on every test set, all can be made that is made of scores."""
    found = described.read(ROOT / "config" / "papers" / f"{name}.yaml", scale)
    scores = with_derived(measurements.frame(_scores_of(found)))
    for table, entry in found.tables.items():
        if described.SCORES in entry["from"]:
            values = published.tables(name)[table]
            build_table(name, scale, table, values, entry, scores)
    for figure, entry in found.figures.items():
        if described.SCORES in entry["from"]:
            assert curves(read_plan(figure, entry), scores)
        printed = beside(found, figure)
        assert printed is None or curves(read_plan(figure, entry), printed, "paper")


def _scores_of(found: described.Paper) -> Iterator[dict[str, Any]]:
    inputs = Inputs(found, "")
    for number, run in enumerate(inputs.experiment.runs):
        for testset in inputs.experiment.test_sets(run.corpus, run.direction):
            place = {"testset": testset, "selection": "dev", "value": float(number)}
            if run.source == "many":
                place["direction"] = f"{testset}-{run.target}"
            yield from (inputs.keys(run) | place | {"metric": metric} for metric in ("bleu", "chrf", "bleu_tokenized"))


# ---- formats


HOSTILE = r"a|b_c*`<script>alert(1)</script>&amp; $x^2$ 50% #1 {\input{x}} ~" + "\n\nnew | line"


def test_hostile_labels_stay_in_their_cells() -> None:
    table = small([value(HOSTILE, HOSTILE), value("b", HOSTILE)], [score(1.0, seed=1)], title=HOSTILE, note=HOSTILE)
    page = markdown(table)
    lines = [line for line in page.split("\n") if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {5}
    assert "<script>" not in page.replace(r"\<script>", "")
    comment, tex = latex(table).split("\n", 1)
    assert comment.startswith("%")
    assert r"\input" not in tex.replace(r"\textbackslash{}input", "")
    assert not re.search(r"(?<!\\)[#_~^]", tex)
    assert tex.count("\n\n") == 0  # a blank line would be a paragraph in a cell


def test_heading_names_paper_table_and_scale() -> None:
    table = make("huffman", "table5", scale="reduced", title="Huffman and BPE")[0]
    assert heading(table) == "huffman, Table 5: Huffman and BPE (scale reduced)"
    assert heading(table) in latex(table)
    assert "Ours is of scale reduced" in markdown(table)
    assert "Ours is of scale" not in markdown(make("huffman", "table5", scale="full")[0])


def test_cell_keeps_what_it_shows() -> None:
    cell = Cell(value(unit="%", number="83.2", metric="boundary_f1"), Ours(0.84, 0.01, 2), decimals=1)
    assert (cell.state, round(cell.difference or 0, 6)) == ("compared", 0.8)


# ---- the program


PAPER = """\
paper: hft
title: A title
citation: Somebody 2022
scale: smoke
experiment:
  corpora: {loresmt-en-ga: null}
  directions: [en-ga]
  segmentations: {bpe-2k: {algorithm: bpe, size: 2000}, hft-2k: {algorithm: hft, size: 2000}}
  models: {transformer-tiny: null}
  seeds: [1]
  baseline: bpe-2k
scales: {full: {}, reduced: {}, smoke: {}}
tables: {table1: {title: BLEU}}
"""


def test_program_makes_three_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hft.yaml").write_text(PAPER)
    rows = list(measurements_of(published.tables("hft")["table1"]))
    measurements.write(tmp_path / "scores.csv", rows)
    command = ["--paper", f"{tmp_path}/hft.yaml", "--scale", "smoke", "--measurements", f"{tmp_path}/scores.csv"]
    assert make_paper_tables.main([*command, "--table", "table1", "--output", f"{tmp_path}/out", "--print"]) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["table1.csv", "table1.md", "table1.tex"]
    page = (tmp_path / "out" / "table1.md").read_text(encoding="utf-8")
    assert page.startswith("# hft, Table 1: BLEU (scale smoke)\n")
    assert capsys.readouterr().out == page + "\n"
    cells = list(csv.DictReader(io.StringIO((tmp_path / "out" / "table1.csv").read_text(encoding="utf-8"))))
    increments = {cell["row"]: float(cell["ours"]) for cell in cells if cell["metric"] == "bleu_increment"}
    means = {cell["row"]: float(cell["ours"]) for cell in cells if cell["column"] == "BLEU avg"}
    assert len(increments) == 4
    for row, increment in increments.items():
        assert increment == pytest.approx(means[row] - means[row.replace("t-hft", "t-bpe")])
    assert make_paper_tables.main([*command, "--table", "tabel1", "--output", f"{tmp_path}/out"]) == 2
    assert "did you mean 'table1'" in capsys.readouterr().err
