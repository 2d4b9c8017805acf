"""Tables: a function returns the cells of a paper's table, each with what was printed, ours and the difference.

    @table("BLEU of five runs of each system")
    def table1(printed: Frames, ours: DataFrame) -> DataFrame:
        \"\"\"A sentence that is shown below the table.\"\"\"
        return beside(printed["table1"], ours)

`beside` joins a published table with ours; `alone` lays out measurements that the paper does not have. Both return a
frame with the columns of `COLUMNS`, a row per cell, in the order of the paper. `layout` makes of it what is shown:
`paper`, `ours` and `Δ` (ours minus paper) side by side under each printed column, or, where that is too wide, one below
the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Any, NamedTuple

import numpy
import pandas
from pandas import DataFrame, Series

from experiment.reporting.table import Cell, Line, Table
from experiment.scoring.significance import mean_and_interval
from replication.measurements import COLUMNS as MEASURED
from replication.measurements import KEYS, UNITS, Made, comparable, filled, half_interval, listed, matching, records
from subwords.errors import InputError

#: A paper's published tables, by name.
Frames = Mapping[str, DataFrame]
#: The state of a cell that the paper does not have.
ALONE = "ours alone"
#: Every column of a table's cells, with what it holds. Numbers are in full and in the cell's unit.
COLUMNS: dict[str, str] = {
    "row": "label of the row as printed",
    "column": "label of the column as printed",
    "extra": "empty: what the cell is compared with; else the name of what is shown beside it",
    "state": f"compared, not measured (by us), lost (from the paper's text) or {ALONE}",
    "kind": "number or text; where the paper's and ours are not of one kind, both: text/number or number/text",
    "published": "as printed",
    "published_error": "what follows ±",
    "published_mark": "what else stands at it",
    "ours": "our mean over runs, or our text",
    "ci95": "half of the 95% t interval of ours, over runs; empty for one run",
    "runs": "training runs (seeds) that ours is the mean of; empty where it is measured without any",
    "ours_mark": "marks of ours, by the rules of the table",
    "difference": "ours minus published; equal or differs for texts",
    "unit": "unit of published, ours, ci95 and difference: %, K, M, h or none",
    "decimals": "digits after the decimal point as printed",
    **{name: f"{name} of the cell, as published" for name in KEYS},
    "split": "split of the cell, as published",
}
#: What a cell has that nobody printed.
UNPRINTED = dict.fromkeys(("printed", "printed_error", "mark", "text"), "")
#: What is shown beside BLEU where a paper has no other metric: label, metric as published, ours.
CHRF: Mapping[str, Mapping[str, str]] = {"chrF": {"bleu": "chrf", "bleu_increment": "chrf_increment"}}
#: Columns in which the measurements of one mean may differ.
AVERAGED_OVER = ("seed", "value", "error", "freedom", "text")
Record = Mapping[str, Any]


@dataclass(frozen=True)
class PaperTable(Made):
    """A paper's table, whose cells are made of the published tables and our measurements."""

    shows: str = ""  # the published table; empty: the one of the function's name


def table(title: str, needs: str | Sequence[str] = "scores", shows: str = "") -> Callable[..., PaperTable]:
    """Return the decorator that makes a table of a function. `needs` names measures, or `scores`."""
    return lambda make: PaperTable(title, tuple(listed(needs)), make, shows=shows)


def as_printed(
    name: str, title: str, needs: str | Sequence[str] = "scores", note: str = "", **options: Any
) -> PaperTable:
    """Return a published table with ours beside it. `note` is shown below it, `options` are those of `beside`."""
    return PaperTable(
        title, tuple(listed(needs)), lambda printed, ours: beside(printed[name], ours, **options), note, name
    )


def as_measured(title: str, needs: str | Sequence[str], note: str = "", **options: Any) -> PaperTable:
    """Return a table that the paper does not have. `note` is shown below it, `options` are those of `alone`."""
    return PaperTable(title, tuple(listed(needs)), lambda _, ours: alone(ours, **options), note)


class Ours(NamedTuple):
    """What we measured for a cell: a number in base units, half of its 95% interval and number of runs, or a text."""

    number: float | None = None
    ci95: float | None = None
    runs: int | None = None
    text: str = ""


# ---- cells that the paper has, and what is beside them


def beside(
    printed: DataFrame,
    measured: DataFrame,
    extra: Mapping[str, Record] | None = None,
    unprinted: Mapping[str, Mapping[str, str]] | None = None,
    **where: Any,
) -> DataFrame:
    """Return the cells of a published table with ours and the difference.

    `extra` adds what the paper does not have: a label, and the keys in which it differs from the cell beside it; its
    `metric` maps published metrics to ours, and cells of others have none. `unprinted` has a label and metrics alone
    (`CHRF`), which are compared with nothing, and left out where we measured nothing. `where` says which measurements
    count where the printed cell does not (those to which a column does not apply count always).

    Raises InputError where our measurements for a cell are not of one thing (see `summary`).
    """
    measured = matching(measured, or_empty=True, **where)
    values = records(printed)
    made = []
    for label, changes in {"": {}, **(extra or {})}.items():
        among = measured[measured["selection"] == "test"].assign(selection="") if "selection" in changes else measured
        for value in values:
            metric = changes.get("metric", {value["metric"]: value["metric"]}).get(value["metric"])
            if metric:
                found = our_value({**value, **changes, "metric": metric}, among)
                made.append(record(value, found, label, _decimals(value, values)))
    for label, metrics in (unprinted or {}).items():
        for value in values:
            own = {**value, **UNPRINTED, "metric": metrics.get(value["metric"], "")}
            if own["metric"] and (found := our_value(own, measured)) != Ours():
                made.append(record(own, found, label, _decimals(value, values)) | {"state": ALONE})
    return as_cells(made)


def further(values: DataFrame, measured: DataFrame, decimals: int | None = None) -> DataFrame:
    """Return the cells of a row or column that a printed table does not have: `values` is some of the table with other
    labels and keys (`assign`)."""
    cells = beside(values.assign(**UNPRINTED), measured)
    return cells.assign(state=ALONE, decimals=cells["ours"].map(_digits) if decimals is None else decimals)


def as_cells(cells: Iterable[Record]) -> DataFrame:
    """Return cells as a frame with every column."""
    return pandas.DataFrame(list(cells), columns=list(COLUMNS), dtype=object)


def record(value: Record, ours: Ours, extra: str = "", decimals: int = 0) -> dict[str, Any]:
    """Return a cell: what was printed, what we measured, and the difference, in the cell's unit."""
    unit = float(UNITS[value["unit"]])
    known = ours.number is not None or bool(ours.text)
    shown = value["printed"] or value["text"]
    both = ((shown, value["text"]), (known, ours.text))
    kinds = dict.fromkeys("text" if text else "number" for has, text in both if has)
    number = None if ours.number is None else ours.number / unit
    difference: Any = None if number is None or not value["printed"] else number - float(value["printed"])
    if value["text"] and ours.text:
        difference = "equal" if value["text"] == ours.text else "differs"
    return {
        "row": value["row"],
        "column": value["column"],
        "extra": extra,
        "state": "lost" if not shown else "compared" if known else "not measured",
        "kind": "/".join(kinds) or ("text" if value["metric"] == "pieces" else "number"),
        "published": shown,
        "published_error": value["printed_error"],
        "published_mark": value["mark"],
        "ours": ours.text or number,
        "ci95": None if ours.ci95 is None else ours.ci95 / unit,
        "runs": ours.runs,
        "ours_mark": "",
        "difference": difference,
        "unit": value["unit"],
        "decimals": decimals,
        **{name: _text(value.get(name, "")) for name in (*KEYS, "split")},
    }


def _decimals(value: Record, values: Sequence[Record]) -> int:
    """Return the digits of a value as printed; of a lost one, those of its table's other values of the metric."""
    mates = [value] if value["printed"] else [mate for mate in values if mate["metric"] == value["metric"]]
    return max((len(mate["printed"].partition(".")[2]) for mate in mates), default=0)


def of_value(value: Record, measured: DataFrame) -> DataFrame:
    """Return our measurements that a published value is compared with.

    They agree with it in every key that the value fills. `split` and `row` must agree exactly when they are filled in
    the measurement: one that is made for a certain cell belongs to no other. A value that names no
    segmentation belongs to none of our systems (another paper's score, a corpus's count).
    """
    keys = filled({name: value[name] for name in (*KEYS, "testset")})
    measured = matching(comparable(measured), **keys)
    chosen = measured["split"] == value["split"]
    chosen &= (measured["row"] == "") | (measured["row"] == value["row"])
    if not (value["segmentation"] or value["algorithm"]):
        chosen &= ((measured["segmentation"] == "") & (measured["algorithm"] == "")) | (measured["row"] != "")
    return measured[chosen]


def our_value(value: Record, measured: DataFrame) -> Ours:
    """Return what we measured for a published value: the mean over seeds of all measurements that fit it.

    Measurements that were made for its row come before those that merely agree with it. Raises InputError as `summary`.
    """
    found = of_value(value, measured)
    for_row = found[found["row"] == value["row"]] if value["row"] else found[:0]
    return summary(for_row if len(for_row) else found, f"{value['row']!r}, {value['column']!r}, {value['metric']}")


def summary(rows: DataFrame, place: str) -> Ours:
    """Return the mean of measurements over seeds with its 95% t interval; a single one keeps its own.

    What was measured in several directions and is the same in each (a joint vocabulary, the sentences of a corpus) is
    one measurement. Raises InputError for measurements that differ in more than their seed, for example where
    only some have a corpus: their mean would mean nothing. `place` says where in the paper they meet.
    """
    if len(rows) > 1:
        rows = rows.drop_duplicates([name for name in MEASURED if name != "direction"])
        for name in MEASURED:
            if name not in AVERAGED_OVER and rows[name].nunique(dropna=False) > 1:
                several = ", ".join(sorted({_text(each) or "(none)" for each in rows[name]}))
                raise InputError(
                    f"{place}: the mean would mix more than one {name}: {several}",
                    next_step=f"name one {name} (`where`), or name it in the published file, rows or columns",
                )
    numbers = rows[rows["value"].notna()]
    if numbers.empty:
        return Ours(text=" / ".join(dict.fromkeys(text for text in rows["text"] if text)))
    seeds = numbers["seed"].dropna().nunique() or None
    if len(numbers) == 1:
        value, error, freedom = (float(numbers[name].iloc[0]) for name in ("value", "error", "freedom"))
        return Ours(value, None if math.isnan(error) else float(half_interval(error, freedom)), seeds)
    means = numbers.groupby("seed", dropna=False, sort=True)["value"].mean()
    return Ours(*mean_and_interval([float(each) for each in means]), seeds)


def alone(
    measured: DataFrame,
    rows: str | Sequence[str] = "row",
    columns: str | Sequence[str] = "metric",
    decimals: Mapping[str, int] | None = None,
    **where: Any,
) -> DataFrame:
    """Return the cells of a table that the paper does not have.

    `rows` and `columns` name the columns of the measurements that label them, `decimals` the digits of each metric.
    """
    measured = matching(measured, or_empty=True, **where)
    sides = [labels(measured, listed(side)).replace("", MISSING) for side in (rows, columns)]
    made = []
    for (row, column), cells in measured.groupby(sides, sort=False):
        found = summary(cells, f"{row!r}, {column!r}")
        keys = {key: cells[key].iloc[0] for key in (*KEYS, "split") if cells[key].nunique(dropna=False) == 1}
        blank = dict.fromkeys(("metric", "unit", "printed", "printed_error", "text", "mark"), "")
        value = blank | keys | {"row": row, "column": column}
        digits = (decimals or {}).get(value["metric"], _digits(found.number))
        made.append(record(value, found, "", digits))
    return as_cells(made).assign(state=ALONE)


def labels(rows: DataFrame, columns: Sequence[str], called: Callable[[str], str] = str) -> Series[str]:
    """Return a label for each row: its texts in some columns, each as it is called, with spaces between them."""
    texts = (filter(None, map(_text, row)) for row in rows[list(columns)].to_numpy(dtype=object))
    return Series([" ".join(map(called, row)) for row in texts], index=rows.index, dtype=object)


def _text(given: Any) -> str:
    return "" if pandas.isna(given) else f"{given}"


def _digits(number: float | None) -> int:
    """Return how many digits after the point show four that count, with at least two for small numbers."""
    if number is None or number == int(number):
        return 0
    return max(0, min(4, 3 - math.floor(math.log10(abs(number)))))


# ---- what is shown where

#: Most numbers in a line, beside the labels. More columns than that are cut into parts of equal width.
WIDEST = 14
#: Longest text that fits beside others in a line; tables of longer ones are stacked.
LONGEST_TEXT = 24
#: Most digits after the point that are shown; authors' files, unlike their papers, have fourteen.
MOST_DECIMALS, FEWER_DECIMALS = 4, 3
MISSING = "–"  # not measured
LOST = "?"  # cannot be read in the paper's text
PAPER, OURS, DIFFERENCE = "paper", "ours", "Δ"
#: Metrics that are an answer, not an amount.
_ANSWERS = {"effect_includes_zero": {0.0: "no", 1.0: "yes"}}
_FACTORS = {"K": 1e3, "M": 1e6}


def layout(cells: DataFrame, widest: int = WIDEST, longest: int = 10**6) -> list[Table]:
    """Return what is shown, in parts of at most `widest` numbers a line and `longest` printed rows; none of nothing."""
    by_place = {(cell["row"], cell["column"], cell["extra"]): cell for cell in records(cells)}
    rows, columns, extras = (list(dict.fromkeys(key[place] for key in by_place)) for place in range(3))
    kinds = [(OURS, "")]
    if any(cell["state"] != ALONE for cell in by_place.values()):
        compared = {cell["extra"] for cell in by_place.values() if cell["state"] != ALONE}
        kinds = [(PAPER, "")]
        for extra in extras:
            kinds += [(extra or OURS, extra), *([(DIFFERENCE, extra)] if extra in compared else [])]
    # An extra may belong to some columns alone: it would leave empty ones under others.
    filled_in = {key[1:] for key, cell in by_place.items() if cell["ours"] is not None}
    partly = any(0 < sum((c, extra) in filled_in for c in columns) < len(columns) for extra in extras if extra)
    texts = [cell[side] for cell in by_place.values() for side in ("published", "ours") if isinstance(cell[side], str)]
    too_wide = len(columns) * len(kinds) > widest or partly or any(len(text) > LONGEST_TEXT for text in texts)
    stacked = len(kinds) > 1 and too_wide

    def shown(row: str, column: str, kind: tuple[str, str]) -> Cell:
        cell = by_place.get((row, column, kind[1]))
        return _shown(cell, kind[0]) if cell else Cell("")

    def lines(row: str, some: Sequence[str]) -> list[list[Cell]]:
        if not stacked:
            return [[shown(row, column, kind) for column in some for kind in kinds]]
        found = ((kind, [shown(row, column, kind) for column in some]) for kind in kinds)
        there = ((kind, line) for kind, line in found if not kind[1] or any(cell.text for cell in line))
        return [[Cell(kind[0], style="kind"), *line] for kind, line in there]

    tables = []
    for some_rows, some in product(_cut(rows, longest), _cut(columns, widest)):
        headings = [f"{c}: {kind}" if not n else kind for c in some for n, (kind, _) in enumerate(kinds)]
        if stacked or len(kinds) == 1:
            headings = [*[""] * stacked, *some]
        shown_lines = [Line("" if n else row, line) for row in some_rows for n, line in enumerate(lines(row, some))]
        tables.append(Table("paper stacked" if stacked else "paper", "", headings, shown_lines, lines_are=""))
    return tables


def _cut(labels: list[str], most: int) -> Iterator[list[str]]:
    """Yield the labels in as few pieces as possible, of nearly equal length."""
    if labels:
        yield from (part.tolist() for part in numpy.array_split(labels, -(-len(labels) // most)))


def _shown(cell: Record, heading: str) -> Cell:
    """Return one cell as it is shown under `paper`, `Δ`, or `ours` and the names of extras."""
    if heading == DIFFERENCE:
        return Cell(_difference(cell), style="difference")
    text, marks, style = (_paper, "published_mark", "paper") if heading == PAPER else (_ours, "ours_mark", "ours")
    signs = " ".join(mark for mark in cell[marks].split() if mark not in ("bold", "✓"))
    return Cell(text(cell), None, signs, "bold" in cell[marks].split(), style)


def _paper(cell: Record) -> str:
    text = str(cell["published"])
    if not text or cell["kind"].startswith("text"):
        return text or ("" if cell["state"] == ALONE else LOST)
    digits = len(text.partition(".")[2])
    shown = f"{Decimal(text):,}" if digits <= MOST_DECIMALS else f"{Decimal(text):,.{FEWER_DECIMALS}f}"
    shown += f" ± {cell['published_error']}" if cell["published_error"] else ""
    return _ANSWERS.get(cell["metric"], {}).get(float(text)) or shown.replace("-", "−") + _unit(cell["unit"])


def _ours(cell: Record) -> str:
    unit, decimals, number, half = cell["unit"], _shown_decimals(cell), cell["ours"], cell["ci95"]
    if number is None or isinstance(number, str):
        return number or MISSING
    if answer := _ANSWERS.get(cell["metric"], {}).get(number):
        return answer
    if unit in _FACTORS and number and abs(number) < 10.0 ** (1 - decimals):
        # A small scale: in the paper's unit nothing would be left of it.
        number, half = number * _FACTORS[unit], None if half is None else half * _FACTORS[unit]
        unit, decimals = "", 0
    text = number_text(number, decimals)
    if unit == "h" and number and not text.strip("-0.,"):
        text = f"{number:.1g}"  # minutes or seconds; "0 h" would say that it cost nothing
    return text + (f" ± {number_text(half, decimals)}" if half is not None else "") + _unit(unit)


def _difference(cell: Record) -> str:
    difference = cell["difference"]
    if isinstance(difference, str):
        return difference
    if difference is None:
        return "" if cell["state"] == ALONE else MISSING
    if cell["metric"] in _ANSWERS:
        return "differs" if difference else "equal"
    unit = cell["unit"] if cell["unit"] in _FACTORS else ""
    return number_text(difference, _shown_decimals(cell), signed=True) + unit


def _shown_decimals(cell: Record) -> int:
    return int(cell["decimals"]) if cell["decimals"] <= MOST_DECIMALS else FEWER_DECIMALS


def _unit(unit: str) -> str:
    return f" {unit}" if unit == "h" else unit


def number_text(number: float, decimals: int, signed: bool = False) -> str:
    """Return a number for reading: separators of thousands, a true minus, no minus before a zero.

    >>> number_text(-1234.56, 1), number_text(-0.01, 1, signed=True), number_text(0.25, 2, signed=True)
    ('−1,234.6', '0.0', '+0.25')
    """
    text = f"{number:,.{decimals}f}"
    if not text.strip("-0.,"):
        return text.lstrip("-")
    return ("+" + text if signed and number > 0 else text).replace("-", "−")


def notes(cells: DataFrame) -> list[str]:
    """Return sentences about a table: what our numbers are, and the signs that occur."""
    mine = cells[cells["extra"] == ""]
    if mine.empty:
        return ["Nothing was measured for this table."]
    runs = sorted(set(mine["runs"].dropna()))
    several = [each for each in runs if each > 1]
    number = " to ".join(f"{each}" for each in dict.fromkeys(several[:1] + several[-1:]))
    mean = f"the mean of {number} training runs"
    said = {
        "Ours is the score of 1 training run a cell.": runs == [1],
        f"Ours is {mean} a cell ± half of its 95% t interval.": bool(several) and 1 not in runs,
        f"Ours with ± is {mean} and half of its 95% t interval; without, it is of 1 run.": bool(several) and 1 in runs,
        f"{DIFFERENCE} is ours minus the paper's.": mine["difference"].notna().any(),
        f"{LOST}: cannot be read in the text of the paper at hand.": (mine["state"] == "lost").any(),
        f"{MISSING}: not measured by us.": mine["ours"].isna().any(),
        f"Shown to {FEWER_DECIMALS} digits; the CSV has all.": (mine["decimals"] > MOST_DECIMALS).any(),
    }
    return [sentence for sentence, so in said.items() if so]
