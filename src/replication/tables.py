"""Tables: a function returns the cells of a paper's table, each with what was printed, ours and the difference.

    @table("BLEU of five runs of each system")
    def table1(printed: Printed, ours: DataFrame) -> DataFrame:
        \"\"\"A sentence that is shown below the table.\"\"\"
        return beside(printed["table1"], ours)

`beside` joins a published table with ours; `alone` lays out measurements that the paper does not have. Both return a
frame with the columns of `COLUMNS`, a row per cell, in the order of the paper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from experiment.scoring.significance import mean_and_error
from replication.measurements import COLUMNS as MEASURED
from replication.measurements import KEYS, WHOLE_NUMBERS, comparable, matching
from replication.published import UNITS, Value
from subwords.errors import InputError, unknown

if TYPE_CHECKING:
    from pandas import DataFrame

#: A paper's published tables, by name.
Printed = Mapping[str, Sequence[Value]]
#: Every column of a table's cells, with what it holds. Numbers are in full and in the cell's unit.
COLUMNS: dict[str, str] = {
    "row": "label of the row as printed",
    "column": "label of the column as printed",
    "extra": "empty: what the cell is compared with; else the name of what is shown beside it",
    "state": "compared, not measured (by us), lost (from the paper's text) or ours alone",
    "kind": "number or text; where the paper's and ours are not of one kind, both: text/number or number/text",
    "published": "as printed",
    "published_error": "what follows ±",
    "published_mark": "what else stands at it",
    "ours": "our mean over runs, or our text",
    "error": "standard error of our mean over runs, or that of the measurement itself",
    "runs": "training runs (seeds) that ours is the mean of; empty where it is measured without any",
    "ours_mark": "marks of ours, by the rules of the table",
    "difference": "ours minus published; equal or differs for texts",
    "unit": "unit of published, ours, error and difference: %, K, M, h or none",
    "decimals": "digits after the decimal point as printed",
    **{name: f"{name} of the cell, as published" for name in KEYS},
    "split": "split of the cell, as published",
}
TEXT_METRICS = frozenset({"pieces"})
#: Columns of measurements that a published value has too, beside the metric.
_CELL_KEYS = (*KEYS[1:], "split", "testset", "row")
#: Columns in which the measurements of one mean may differ.
_AVERAGED_OVER = ("seed", "value", "error", "text")


@dataclass(frozen=True)
class Table:
    """A paper's table: what is above it, what its numbers come from, and the function that makes its cells."""

    title: str
    needs: tuple[str, ...]
    shows: str  # the published table; empty: the one of the function's name
    make: Callable[[Printed, DataFrame], DataFrame]

    @property
    def note(self) -> str:
        """The sentences below the table: the function's docstring."""
        return " ".join((self.make.__doc__ or "").split())


def table(title: str, needs: str | Sequence[str] = "scores", shows: str = "") -> Callable[..., Table]:
    """Return the decorator that makes a table of a function. `needs` names measures, or `scores`."""
    named = (needs,) if isinstance(needs, str) else tuple(needs)
    return lambda make: Table(title, named, shows, make)


@dataclass(frozen=True)
class Mark:
    """A mark at our values: where another measurement of the same system is so.

    `metric` is that measurement, or published metric -> measurement; `columns` are the printed columns that are marked.
    """

    metric: str | Mapping[str, str]
    so: Callable[[float], bool]
    columns: Sequence[str] = ()


@dataclass(frozen=True)
class Ours:
    """What we measured for a cell: a number in base units with its error and number of runs, or a text."""

    number: float | None = None
    error: float | None = None
    runs: int | None = None
    text: str = ""


# ---- cells that the paper has, and what is beside them


def beside(
    values: Sequence[Value],
    measured: DataFrame,
    where: Mapping[str, Any] | None = None,
    extra: Mapping[str, Mapping[str, Any]] | None = None,
    means: Mapping[str, Sequence[str]] | None = None,
    marks: Mapping[str, Mark] | None = None,
) -> DataFrame:
    """Return the cells of a published table with ours and the difference.

    `where` says which measurements count where the printed cell does not (those to which a column does not apply count
    always). `extra` adds what the paper does not have: a label, and the keys in which it differs from the cell beside
    it; with `as: row` or `as: column` a further row or column. Its `metric` may map published metrics to ours. `means`
    names columns that are the mean of others; `marks` are marks at our values.

    Raises InputError where our measurements for a cell are not of one thing (see `summary`).
    """
    eligible = matching(measured, or_empty=True, **(where or {}))
    means, extra = means or {}, extra or {}
    for name in {*means, *(each for names in means.values() for each in names)}:
        if name not in {value.column for value in values}:
            raise unknown("column of a mean", name, {value.column for value in values})
    records: dict[tuple[str, str, str], dict[str, Any]] = {}
    for label, selector in {"": {}, **extra}.items():
        among = _exactly(eligible, selector)
        for value in values:
            changed = _beside(value, selector)
            if changed is None:
                continue  # the extra is no matter of this cell
            names = means.get(value.column)
            if names:
                mates = [m for m in values if m.row == value.row and m.column in names]
                asked = [_beside(mate, selector) for mate in mates]
                found = _mean([our_value(mate, among) if mate else Ours() for mate in asked])
            else:
                found = our_value(changed, among)
            mark = "" if label else _marks(value, found, marks or {}, eligible)
            cell = _record(value, found, label, _decimals(value, values), mark)
            records[value.row, value.column, label] = cell
    for label, selector in extra.items():
        if selector.get("as", "cell") != "cell":
            for value, found, decimals in _more(label, selector, values, eligible):
                records[value.row, value.column, ""] = _record(value, found, "", decimals, printed=False)
    return as_cells(records.values())


def as_cells(records: Iterable[Mapping[str, Any]]) -> DataFrame:
    import pandas

    return pandas.DataFrame(list(records), columns=list(COLUMNS), dtype=object)


def _record(
    value: Value, ours: Ours, extra: str, decimals: int, mark: str = "", printed: bool = True
) -> dict[str, Any]:
    """Return a cell: what was printed, what we measured, and the difference, in the cell's unit."""
    unit = float(UNITS[value.unit])
    known = ours.number is not None or bool(ours.text)
    kinds = dict.fromkeys(
        "text" if text else "number" for has, text in ((value.known, value.text), (known, ours.text)) if has
    )
    number = None if ours.number is None else ours.number / unit
    difference: Any = None if number is None or not value.value else number - float(value.value)
    if value.text and ours.text:
        difference = "equal" if value.text == ours.text else "differs"
    state = "compared" if known else "not measured"
    return {
        "row": value.row,
        "column": value.column,
        "extra": extra,
        "state": "ours alone" if not printed else state if value.known else "lost",
        "kind": "/".join(kinds) or ("text" if value.metric in TEXT_METRICS else "number"),
        "published": value.value or value.text,
        "published_error": value.error,
        "published_mark": value.mark,
        "ours": ours.text or number,
        "error": None if ours.error is None else ours.error / unit,
        "runs": ours.runs,
        "ours_mark": mark,
        "difference": difference,
        "unit": value.unit,
        "decimals": decimals,
        **{name: getattr(value, name) for name in (*KEYS, "split")},
    }


def _decimals(value: Value, values: Sequence[Value]) -> int:
    """Return the digits of a value as printed; of a lost one, those of its table's other values of the metric."""
    mates = [mate.decimals for mate in values if mate.value and mate.metric == value.metric]
    return value.decimals if value.value else max(mates, default=0)


def _mean(found: Sequence[Ours]) -> Ours:
    """Return the mean of several cells, with the error of independent ones; nothing where one of them is missing."""
    numbers = [ours.number for ours in found if ours.number is not None]
    if not numbers or len(numbers) < len(found):
        return Ours()
    errors = [ours.error for ours in found if ours.error is not None]
    error = math.hypot(*errors) / len(numbers) if len(errors) == len(numbers) else None
    runs = {ours.runs for ours in found}
    return Ours(math.fsum(numbers) / len(numbers), error, runs.pop() if len(runs) == 1 else None)


def _beside(value: Value, selector: Mapping[str, Any]) -> Value | None:
    """Return the value to look up for a cell or beside it; None where the selector is no matter of this cell."""
    metric = selector.get("metric", value.metric)
    if isinstance(metric, Mapping):
        metric = metric.get(value.metric, "")
    return _changed(value, selector, metric) if metric and selector.get("as", "cell") == "cell" else None


def _more(
    label: str, selector: Mapping[str, Any], values: Sequence[Value], eligible: DataFrame
) -> Iterator[tuple[Value, Ours, int]]:
    """Yield the cells of a further row or column: the keys that all cells across it share, changed by the selector."""
    across, place = ("column", "row") if selector["as"] == "row" else ("row", "column")
    for other in dict.fromkeys(getattr(value, across) for value in values):
        mates = [value for value in values if getattr(value, across) == other]
        shared = {name: _only(mates, name) for name in (*KEYS, "split", "testset", "unit")}
        printed = shared.pop("metric")
        metric = str(selector.get("metric") or printed)
        # A variant of the printed metric (boundary_f1_sigmorphon) has its unit and digits.
        kin = bool(printed) and (metric == printed or metric.startswith(f"{printed}_"))
        shared["unit"] *= kin
        if not metric:
            raise InputError(f"extra {label!r}: the cells of {across} {other!r} have several metrics", allowed="one")
        label_of_row = other if across == "row" else ""  # a measurement may be made for this row alone
        blank = Value(row=label_of_row, column="", value="", metric=metric, **shared)
        blank = _changed(blank, selector, metric)
        found = our_value(blank, _exactly(eligible, selector))
        decimals = max(value.decimals for value in mates) if kin else _digits(found.number)
        yield replace(blank, **{place: label, across: other}), found, decimals


def _only(values: Iterable[Value], name: str) -> str:
    """Return what all values have in a column; nothing where they differ."""
    found = {getattr(value, name) for value in values}
    return found.pop() if len(found) == 1 else ""


def _changed(value: Value, selector: Mapping[str, Any], metric: str) -> Value:
    return replace(value, metric=metric, **{name: str(selector[name]) for name in _CELL_KEYS if name in selector})


def _exactly(measured: DataFrame, selector: Mapping[str, Any]) -> DataFrame:
    """Return the measurements that a selector means by columns that a published value does not have."""
    own = {name: selector[name] for name in selector if name in MEASURED and name not in ("metric", *_CELL_KEYS)}
    measured = matching(measured, **own)
    if "selection" in own:
        # Cells are never compared with what was chosen on a test set, unless it is asked for, as here.
        measured = measured.assign(selection="")
    return measured


def of_value(value: Value, measured: DataFrame) -> DataFrame:
    """Return our measurements that a published value is compared with.

    They agree with it in every key that the value fills. `split` and `row` must agree exactly when they are filled in
    the measurement: one that is made for a certain cell belongs to no other. A value that names no segmentation is none
    of a system of ours (another paper's score, a corpus's count).
    """
    filled = {name: getattr(value, name) for name in (*KEYS, "testset") if getattr(value, name)}
    filled = {name: int(key) if name in WHOLE_NUMBERS else key for name, key in filled.items()}
    measured = matching(comparable(measured), **filled)
    chosen = measured["split"] == value.split
    chosen &= (measured["row"] == "") | (measured["row"] == value.row)
    if not (value.segmentation or value.algorithm):
        chosen &= ((measured["segmentation"] == "") & (measured["algorithm"] == "")) | (measured["row"] != "")
    return measured[chosen]


def our_value(value: Value, measured: DataFrame) -> Ours:
    """Return what we measured for a published value: the mean over seeds of all measurements that fit it.

    Measurements that were made for its row come before those that merely agree with it. Raises InputError as `summary`.
    """
    found = of_value(value, measured)
    for_row = found[found["row"] == value.row] if value.row else found[:0]
    return summary(for_row if len(for_row) else found, f"{value.row!r}, {value.column!r}, {value.metric}")


def summary(rows: DataFrame, place: str) -> Ours:
    """Return the mean of measurements over seeds with its standard error; a single one keeps its own error.

    What was measured in several directions and is the same in each (a joint vocabulary, the sentences of a corpus) is
    one measurement. Raises InputError for measurements that differ in more than their seed, be it that some have a
    corpus and others have none: a mean of those would be nobody's number. `place` says where in the paper they meet.
    """
    if len(rows) > 1:
        rows = rows.drop_duplicates([name for name in MEASURED if name != "direction"])
        for name in MEASURED:
            if name not in _AVERAGED_OVER and rows[name].nunique(dropna=False) > 1:
                several = ", ".join(sorted({_text(each) or "(none)" for each in rows[name]}))
                raise InputError(
                    f"{place}: a mean would be of more than one {name}: {several}",
                    next_step=f"name one {name} (`where`), or name it in the published file, rows or columns",
                )
    numbers = rows[rows["value"].notna()]
    if numbers.empty:
        return Ours(text=" / ".join(dict.fromkeys(text for text in rows["text"] if text)))
    seeds = numbers["seed"].dropna().nunique() or None
    if len(numbers) == 1:
        value, error = float(numbers["value"].iloc[0]), float(numbers["error"].iloc[0])
        return Ours(value, None if math.isnan(error) else error, seeds)
    means = numbers.groupby("seed", dropna=False, sort=True)["value"].mean()
    mean, error_of_mean = mean_and_error([float(each) for each in means])
    return Ours(mean, error_of_mean, seeds)


def _marks(value: Value, ours: Ours, marks: Mapping[str, Mark], measured: DataFrame) -> str:
    found = []
    for label, mark in marks.items():
        metric = mark.metric if isinstance(mark.metric, str) else mark.metric.get(value.metric)
        if ours.number is None or metric is None or (mark.columns and value.column not in mark.columns):
            continue
        measurement = our_value(replace(value, metric=metric), measured)
        if measurement.number is not None and mark.so(measurement.number):
            found.append(label)
    return " ".join(found)


# ---- tables of ours alone


def alone(
    measured: DataFrame,
    rows: str | Sequence[str] = "row",
    columns: str | Sequence[str] = "metric",
    decimals: Mapping[str, int] | None = None,
    where: Mapping[str, Any] | None = None,
) -> DataFrame:
    """Return the cells of a table that the paper does not have.

    `rows` and `columns` name the columns of the measurements that label them, `decimals` the digits of each metric.
    """
    labels = [[side] if isinstance(side, str) else list(side) for side in (rows, columns)]
    eligible = matching(measured, or_empty=True, **(where or {}))
    groups: dict[tuple[str, ...], list[int]] = {}
    for index, record in enumerate(eligible.to_dict("records")):
        key = tuple(" ".join(filter(None, (_text(record[name]) for name in side))) or "–" for side in labels)
        groups.setdefault(key, []).append(index)
    records = []
    for (row, column), indices in groups.items():
        cells = eligible.iloc[indices]
        found = summary(cells, f"{row!r}, {column!r}")
        keys = {key: _text(cells[key].iloc[0]) for key in (*KEYS, "split") if cells[key].nunique(dropna=False) == 1}
        value = Value(row=row, column=column, value="", **{"metric": "", **keys})
        digits = (decimals or {}).get(value.metric, _digits(found.number))
        records.append(_record(value, found, "", digits, printed=False))
    return as_cells(records)


def _text(given: Any) -> str:
    import pandas

    return "" if pandas.isna(given) else f"{given}"


def _digits(number: float | None) -> int:
    """Return how many digits after the point show four that count, with at least two for small numbers."""
    if number is None or number == int(number):
        return 0
    return max(0, min(4, 3 - math.floor(math.log10(abs(number)))))
