"""Tables: every printed cell once, ours by a few lines of arithmetic, and the same numbers in all forms."""

from __future__ import annotations

import statistics
from typing import Any

import pytest
from scipy import stats

from experiment.reporting.table_formats import latex_table
from replication.derived import with_derived
from replication.measurements import COLUMNS, PRINTED, frame, together
from replication.paper import read
from replication.report import _as_markdown, evidence
from replication.tables import CHRF, alone, beside, further, layout, notes
from subwords.errors import InputError

PAPERS = ["huffman", "sbpe", "hft", "volt", "random-bpe"]
KEYS = {"metric": "bleu", "corpus": "k", "direction": "en-xx", "segmentation": "bpe-2k", "algorithm": "bpe"}


def value(row: str = "r", column: str = "c", number: str = "20.0", **more: Any) -> dict[str, Any]:
    """Return a published BLEU."""
    unit = {"K": 1000}.get(more.get("unit", ""), 1)
    printed = {"row": row, "column": column, "printed": number, "value": float(number) * unit if number else None}
    return {**KEYS, "selection": "dev", **printed, **more}


def published(*values: dict[str, Any]) -> Any:
    return frame(values, [*COLUMNS, *PRINTED])


def score(number: float, **more: Any) -> dict[str, Any]:
    """Return a measured BLEU."""
    return {**KEYS, "value": number, "selection": "dev", "testset": "test", **more}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_beside_itself(name: str) -> None:
    """With the printed values as measurements, every table has every printed cell once, and no difference."""
    paper = read(name, "full")
    for table, described in paper.tables.items():
        shown = paper.printed.get(described.shows or table)
        if shown is None:
            continue
        mine = together([shown[(shown["printed"] != "") | (shown["text"] != "")]])
        cells = described(paper.printed, with_derived(mine))
        printed = cells[(cells["extra"] == "") & (cells["state"] != "ours alone")]
        places = [["row", "column"]]
        assert printed[places[0]].to_numpy().tolist() == shown[places[0]].to_numpy().tolist()
        numbers = printed[printed["state"] == "compared"]
        assert len(numbers) > len(mine) / 3
        scores = numbers["metric"].str.startswith(("bleu", "chrf", "comet"))  # means follow from other cells
        for difference in numbers[~scores]["difference"]:
            assert difference in ("equal",) or difference == pytest.approx(0, abs=1e-9)


def test_means_over_seeds_and_their_interval() -> None:
    numbers = [19.0, 21.5, 22.0]
    (cell,) = beside(published(value()), frame(score(n, seed=s) for s, n in enumerate(numbers))).to_dict("records")
    assert cell["ours"] == pytest.approx(statistics.mean(numbers))
    low, high = stats.t.interval(0.95, 2, loc=statistics.mean(numbers), scale=stats.sem(numbers))
    assert (cell["ours"] - cell["ci95"], cell["ours"] + cell["ci95"]) == pytest.approx((low, high))
    assert (cell["runs"], cell["difference"]) == (3, pytest.approx(statistics.mean(numbers) - 20))
    (cell,) = beside(published(value()), frame([score(19.0, seed=1)])).to_dict("records")
    assert (cell["ours"], cell["ci95"], cell["runs"]) == (19.0, None, 1)  # one seed has no interval


def test_the_interval_of_an_increment_is_that_of_welch() -> None:
    new, old = [22.0, 23.5, 25.0], [19.0, 19.2, 20.1, 18.8]
    systems = {("hft", "hft-2k"): new, ("bpe", "bpe-2k"): old}
    rows = [
        score(each, seed=seed, size=2000, algorithm=algorithm, segmentation=name)
        for (algorithm, name), each_seed in systems.items()
        for seed, each in enumerate(each_seed)
    ]
    printed = published(value(metric="bleu_increment", segmentation="hft-2k", algorithm="hft"))
    (cell,) = beside(printed, with_derived(frame(rows))).to_dict("records")
    expected = stats.ttest_ind(new, old, equal_var=False).confidence_interval(0.95)
    assert (cell["ours"] - cell["ci95"], cell["ours"] + cell["ci95"]) == pytest.approx(tuple(expected))


def test_a_mean_of_different_things_is_refused() -> None:
    mixed = frame([score(20.0, model="a"), score(21.0, model="b")])
    with pytest.raises(InputError, match="more than one model: a, b"):
        beside(published(value()), mixed)
    (cell,) = beside(published(value()), mixed, model="a").to_dict("records")
    assert cell["ours"] == 20.0


def test_a_source_that_was_not_given_is_named() -> None:
    with pytest.raises(InputError, match=r"(?s)called speed.*allowed: scores.*next: .*--measurements.*--parts"):
        evidence(["scores", "speed"], {"scores": frame([score(20.0)])})


def test_what_was_chosen_on_the_test_set_is_beside_and_not_in_the_cell() -> None:
    measured = frame([score(20.5), score(21.0, selection="test")])
    cells = beside(published(value()), measured, extra={"on test": {"selection": "test"}}).to_dict("records")
    assert {cell["extra"]: cell["ours"] for cell in cells} == {"": 20.5, "on test": 21.0}


def test_further_rows() -> None:
    values = published(value(column="a"), value(column="b", direction="xx-en"))
    rows = frame([score(0.004, metric="p"), score(0.5, metric="p", direction="xx-en")])
    cells = further(values.assign(row="p", metric="p"), rows, decimals=3).to_dict("records")
    assert [(cell["row"], cell["column"], cell["ours"]) for cell in cells] == [("p", "a", 0.004), ("p", "b", 0.5)]
    assert {(cell["state"], cell["published"], cell["decimals"]) for cell in cells} == {("ours alone", "", 3)}


def test_units_lost_cells_and_texts() -> None:
    values = [
        value("size", number="33.6", unit="K", metric="vocabulary"),
        value("lost", number=""),
        value("word", number="", text="ab@@ c", metric="pieces"),
    ]
    rows = [score(30000.0, metric="vocabulary", testset=""), score(20.0), score(None, metric="pieces", text="a@@ bc")]  # type: ignore[arg-type]
    cells = {cell["row"]: cell for cell in beside(published(*values), frame(rows)).to_dict("records")}
    assert (cells["size"]["ours"], cells["size"]["difference"]) == (30.0, pytest.approx(-3.6))
    assert (cells["lost"]["state"], cells["lost"]["difference"]) == ("lost", None)
    assert (cells["word"]["ours"], cells["word"]["difference"]) == ("a@@ bc", "differs")


def test_all_forms_have_the_same_numbers() -> None:
    values = [value(f"r_{n}", f"c|{m}", f"{n}{m}.5", direction=f"x{n}-y{m}") for n in range(1, 4) for m in range(1, 8)]
    rows = [score(v["value"] + 0.25, direction=v["direction"]) for v in values]
    cells = beside(published(*values), frame(rows))
    assert list(cells["ours"]) == [row["value"] for row in rows]
    assert set(cells["difference"]) == {0.25}
    (table,) = layout(cells)
    assert table.kind == "paper stacked"  # 21 numbers are too wide
    assert [line.name for line in table.lines] == ["r_1", "", "", "r_2", "", "", "r_3", "", ""]
    shown = [cell for part in layout(cells, widest=4) for line in part.lines for cell in line.cells[1:]]
    assert len(shown) == 63
    for text, escaped in ((_as_markdown("t", [table]), r"c\|1"), (latex_table(table, "c", "l"), r"c\textbar{}1")):
        assert escaped in text
        for cell in shown:
            assert cell.text.replace("−", "").lstrip("+") in text
    assert len(layout(cells, widest=4)) == 2
    assert len(layout(cells, widest=4, longest=2)) == 4
    assert "Δ is ours minus the paper's." in notes(cells)


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        ([1, 1], "Ours is the score of 1 training run a cell."),
        ([3, 5], "Ours is the mean of 3 to 5 training runs a cell ± half of its 95% t interval."),
        (
            [1, 5],
            "Ours with ± is the mean of 5 training runs and half of its 95% t interval; without, it is of 1 run.",
        ),
    ],
)
def test_a_table_says_how_many_runs_its_cells_have(seeds: list[int], said: str) -> None:
    values = [value(f"r_{n}", "c", "1.5", direction=f"x{n}-y") for n in seeds]
    rows = [score(1.0 + seed, direction=f"x{n}-y", seed=seed) for n in seeds for seed in range(1, n + 1)]
    assert [note for note in notes(beside(published(*values), frame(rows))) if "run" in note] == [said]


def test_side_by_side() -> None:
    cells = beside(
        published(value("a", "BLEU", "20.0"), value("b", "BLEU", "", direction="xx-en")), frame([score(21.0)])
    )
    (table,) = layout(cells)
    assert table.headings == ["BLEU: paper", "ours", "Δ"]
    assert [[cell.text for cell in line.cells] for line in table.lines] == [["20.0", "21.0", "+1.0"], ["?", "–", "–"]]


def test_a_table_of_ours_alone() -> None:
    rows = [
        {"corpus": "k", "metric": m, "value": v, "split": s}
        for m, v, s in (("a", 1, "x"), ("a", 2.5, "y"), ("b", 3, "x"))
    ]
    cells = alone(frame(rows), rows="split", decimals={"a": 1}).to_dict("records")
    found = {(cell["row"], cell["column"]): (cell["ours"], cell["decimals"]) for cell in cells}
    assert found == {("x", "a"): (1.0, 1), ("y", "a"): (2.5, 1), ("x", "b"): (3.0, 0)}


def test_chrf_is_beside_bleu_and_compared_with_nothing() -> None:
    measured = frame([score(20.5, direction="en-xx"), score(45.25, metric="chrf", direction="en-xx")])
    printed = published(value(direction="en-xx"), value("other", direction="xx-en"))
    cells = beside(printed, measured, unprinted=CHRF)
    (chrf,) = cells[cells["extra"] != ""].to_dict("records")  # none of the row that was not measured
    assert [chrf[name] for name in ("row", "extra", "metric", "ours")] == ["r", "chrF", "chrf", 45.25]
    assert [chrf[name] for name in ("state", "published", "difference")] == ["ours alone", "", None]
    (shown,) = layout(cells)
    assert shown.headings == ["c: paper", "ours", "Δ", "chrF"]
    assert [[cell.text for cell in line.cells] for line in shown.lines] == [
        ["20.0", "20.5", "+0.5", "45.2"],
        ["20.0", "–", "–", ""],
    ]
