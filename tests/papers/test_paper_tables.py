"""Tables: every printed cell once, ours by a few lines of arithmetic, and the same numbers in all forms."""

from __future__ import annotations

import csv
import re
import statistics
from pathlib import Path
from typing import Any

import pytest

from replication import published
from replication.derived import with_derived
from replication.measurements import frame
from replication.paper import read
from replication.published import Value
from replication.tables import Mark, alone, beside
from replication.writing import Made, latex, markdown, notes, parts, write_csv
from subwords.errors import InputError

PAPERS = ["huffman", "sbpe", "hft", "volt", "random-bpe"]
KEYS = {"metric": "bleu", "corpus": "k", "direction": "en-xx", "segmentation": "bpe-2k", "algorithm": "bpe"}


def value(row: str = "r", column: str = "c", number: str = "20.0", **more: str) -> Value:
    """Return a published BLEU."""
    return Value(**{"row": row, "column": column, "value": number, **KEYS, **more})


def score(number: float, **more: Any) -> dict[str, Any]:
    """Return a measured BLEU."""
    return {**KEYS, "value": number, "selection": "dev", "testset": "test", **more}


def made(cells: Any, **more: str) -> Made:
    return Made.of(**{"paper": "p", "name": "table1", "scale": "full", "title": "", "note": "", **more}, cells=cells)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_beside_itself(name: str) -> None:
    """With the printed values as measurements, every table has every printed cell once, and no difference."""
    paper = read(name, "full")
    # A printed mean and the runs that it is the mean of are one number; a table prints both.
    one_each = [v for values in paper.printed.values() for v in values if v.value or v.text]
    for table, described in paper.tables.items():
        shown = paper.printed.get(described.shows or table)
        if shown is None:
            continue
        mine = published.as_measurements({(v.row, v.column): v for v in one_each if v in shown}.values())
        cells = described.make(paper.printed, with_derived(mine))
        printed = cells[(cells["extra"] == "") & (cells["state"] != "ours alone")]
        assert list(zip(printed["row"], printed["column"], strict=True)) == [(v.row, v.column) for v in shown]
        numbers = printed[printed["state"] == "compared"]
        assert len(numbers) > sum(v.known for v in shown) / 3
        scores = numbers["metric"].str.startswith(("bleu", "chrf", "comet"))  # means follow from other cells
        for difference in numbers[~scores]["difference"]:
            assert difference in ("equal",) or difference == pytest.approx(0, abs=1e-9)


def test_means_over_seeds_and_their_error() -> None:
    numbers = [19.0, 21.5, 22.0]
    (cell,) = beside([value()], frame(score(n, seed=s) for s, n in enumerate(numbers))).to_dict("records")
    assert cell["ours"] == pytest.approx(statistics.mean(numbers))
    assert cell["error"] == pytest.approx(statistics.stdev(numbers) / 3**0.5)
    assert (cell["runs"], cell["difference"]) == (3, pytest.approx(statistics.mean(numbers) - 20))


def test_a_mean_of_different_things_is_refused() -> None:
    mixed = frame([score(20.0, model="a"), score(21.0, model="b")])
    with pytest.raises(InputError, match="more than one model: a, b"):
        beside([value()], mixed)
    (cell,) = beside([value()], mixed, where={"model": "a"}).to_dict("records")
    assert cell["ours"] == 20.0


def test_what_was_chosen_on_the_test_set_is_beside_and_not_in_the_cell() -> None:
    measured = frame([score(20.5), score(21.0, selection="test")])
    cells = beside([value()], measured, extra={"on test": {"selection": "test"}}).to_dict("records")
    assert {cell["extra"]: cell["ours"] for cell in cells} == {"": 20.5, "on test": 21.0}


def test_further_rows_columns_means_and_marks() -> None:
    values = [value(column="a"), value(column="b", direction="xx-en")]
    rows = [
        score(20.0),
        score(24.0, direction="xx-en"),
        score(0.004, metric="p"),
        score(0.5, metric="p", direction="xx-en"),
    ]
    cells = beside(
        values,
        frame(rows),
        extra={"p": {"as": "row", "metric": "p"}},
        marks={"*": Mark("p", lambda p: p < 0.01, columns=["a", "b"])},
    )
    ours = {(cell["row"], cell["column"]): cell for cell in cells.to_dict("records")}
    with_mean = beside([*values, value(column="avg", direction="")], frame(rows), means={"avg": ["a", "b"]})
    assert list(with_mean["ours"]) == [20.0, 24.0, 22.0]
    assert (ours["r", "a"]["ours_mark"], ours["r", "b"]["ours_mark"]) == ("*", "")
    assert (ours["p", "a"]["ours"], ours["p", "b"]["ours"]) == (0.004, 0.5)
    assert ours["p", "a"]["state"] == "ours alone"


def test_units_lost_cells_and_texts() -> None:
    values = [
        value("size", number="33.6", unit="K", metric="vocabulary"),
        value("lost", number=""),
        value("word", number="", text="ab@@ c", metric="pieces"),
    ]
    rows = [score(30000.0, metric="vocabulary", testset=""), score(20.0), score(None, metric="pieces", text="a@@ bc")]  # type: ignore[arg-type]
    cells = {cell["row"]: cell for cell in beside(values, frame(rows)).to_dict("records")}
    assert (cells["size"]["ours"], cells["size"]["difference"]) == (30.0, pytest.approx(-3.6))
    assert (cells["lost"]["state"], cells["lost"]["difference"]) == ("lost", None)
    assert (cells["word"]["ours"], cells["word"]["difference"]) == ("a@@ bc", "differs")


def test_all_forms_have_the_same_numbers(tmp_path: Path) -> None:
    values = [value(f"r_{n}", f"c|{m}", f"{n}{m}.5", direction=f"x{n}-y{m}") for n in range(1, 4) for m in range(1, 8)]
    rows = [score(float(v.value) + 0.25, direction=v.direction) for v in values]
    table = made(beside(values, frame(rows)))
    write_csv(tmp_path / "t.csv", table)
    with open(tmp_path / "t.csv", encoding="utf-8", newline="") as stream:
        cells = list(csv.DictReader(stream))
    assert [float(cell["ours"]) for cell in cells] == [row["value"] for row in rows]
    assert {float(cell["difference"]) for cell in cells} == {0.25}
    shown = [cell for part in parts(table) for line in part.lines for cell in line.cells]
    for text, escaped in ((markdown(table), r"c\|1"), (latex(table), r"c\textbar{}1")):
        assert escaped in text
        for cell in shown:
            assert cell.text.replace("−", "").lstrip("+") in text
    assert latex(table).count(r"\begin{tabular}") == len(parts(table, 36))
    assert re.search(r"Δ is ours minus the paper's", " ".join(notes(table)))


def test_a_table_of_ours_alone() -> None:
    rows = [
        {"corpus": "k", "metric": m, "value": v, "split": s}
        for m, v, s in (("a", 1, "x"), ("a", 2.5, "y"), ("b", 3, "x"))
    ]
    cells = alone(frame(rows), rows="split", decimals={"a": 1}).to_dict("records")
    found = {(cell["row"], cell["column"]): (cell["ours"], cell["decimals"]) for cell in cells}
    assert found == {("x", "a"): (1.0, 1), ("y", "a"): (2.5, 1), ("x", "b"): (3.0, 0)}
