"""A published table beside ours: every printed cell with our value and the difference, in the paper's own layout.

A table's entry in a paper's file says what ours is:

    title: …               what stands above it
    note: …                a sentence that stands below it
    published: …           the published table, where it is called otherwise; null: a table of ours alone
    where: {model: base}   which of our measurements count, where the printed cell does not say (`papers.selection`);
                           those to which the column does not apply (a corpus has no model) count always
    extra:                 ours that the paper does not have: a name, and the columns in which it differs from the cell
      chosen on test: {selection: test}                         beside every cell
      Czech: {as: row, corpus: sigmorphon-cs}                   another row: what a column's cells share, but for this
      pieces: {as: column, metric: pieces_per_sentence_source}  another column: what a row's cells share, but for this
    means:                 columns that are the mean of others, which are named
      Avg: [Es, Fr, Ru]
    marks:                 marks at our values (in some columns), by another measurement of the same system
      bold: {metric: bleu_below_best_bpe, at_most: 0.4, columns: [S-BPE]}
                           the number is as one or several relations of `papers.selection` say

Beside a cell, `metric` maps published metrics to ours ({bleu: bleu_tokenized}); cells of other metrics have none there.
A mark's `metric` may be such a map, too.
In a table of ours alone, `rows` and `columns` name the columns of the measurements that label them (row and metric, if
nothing is said), `decimals` the digits of each metric.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from experiment.scoring.significance import mean_and_error
from papers.measurements import COLUMNS as MEASURED
from papers.published import KEYS, Value
from papers.rendering.table import Cell, Ours, Table, assembled
from papers.selection import RELATIONS, check_bound, check_selectors, listed, matching, matching_or_empty, of_value
from subwords.errors import InputError, unknown

if TYPE_CHECKING:
    from pandas import DataFrame, Series

_PLACES = ("cell", "row", "column")
#: What a table's entry may say; the module's docstring explains it.
ENTRY_KEYS = ("title", "note", "from", "published", "where", "extra", "means", "marks", "rows", "columns", "decimals")
#: Columns of measurements that a published value has too (beside the metric).
_CELL_KEYS = (*KEYS[1:], "split", "testset", "row")
#: Columns in which the measurements of one mean may differ.
AVERAGED_OVER = ("seed", "value", "error", "text")


def build_table(
    paper: str, scale: str, name: str, values: Sequence[Value], entry: Mapping[str, Any], measured: DataFrame
) -> Table:
    """Return a table of a paper at a scale.

    `values` are the published ones (empty: a table of ours alone), `entry` is the table's entry in the paper's file,
    `measured` is what it is made from. Raises InputError where what we measured for a cell is not of one thing (see
    `summary`), and for entries that name what does not exist.
    """
    check_entry(name, entry)
    cells = list(_published_cells(values, entry, measured) if values else _own_cells(paper, name, entry, measured))
    return assembled(cells, paper, name, scale, entry)


def check_entry(name: str, entry: Mapping[str, Any]) -> None:
    """Raise InputError for what a table's entry cannot say."""
    where = f"tables.{name}"
    for key in entry:
        if key not in ENTRY_KEYS:
            raise unknown(f"key in {where}", key, ENTRY_KEYS, next_step="see src/papers/rendering/table_building.py")
    check_selectors(entry.get("where") or {}, f"{where}.where")
    for label, selector in (entry.get("extra") or {}).items():
        if not isinstance(selector, Mapping):
            raise InputError(f"{where}.extra.{label}: {selector!r}", allowed="columns and values, as {selection: test}")
        for column in selector:
            if column not in (*MEASURED, "as"):
                raise unknown(f"column in {where}.extra.{label}:", column, [*MEASURED, "as"])
        if selector.get("as", "cell") not in _PLACES:
            raise unknown(f"place in {where}.extra.{label}:", selector["as"], _PLACES)
    for label, rule in (entry.get("marks") or {}).items():
        relations = {key: rule[key] for key in rule if key in RELATIONS} if isinstance(rule, Mapping) else {}
        if not relations or set(rule) - {"columns", *RELATIONS} != {"metric"}:
            allowed = f"metric, one or more of {', '.join(RELATIONS)}, and columns where not all are meant"
            raise InputError(f"{where}.marks.{label}: {rule}", allowed=allowed)
        for name, bound in relations.items():
            check_bound(name, bound, f"{where}.marks.{label}")


# ---- cells that the paper has, and what stands beside them


def _published_cells(values: Sequence[Value], entry: Mapping[str, Any], measured: DataFrame) -> Iterable[Cell]:
    eligible = matching_or_empty(measured, entry.get("where") or {})
    extras: Mapping[str, Mapping[str, Any]] = entry.get("extra") or {}
    of: dict[str, Sequence[str]] = entry.get("means") or {}
    _check_means(values, of)

    def ours(value: Value, among: DataFrame, selector: Mapping[str, Any]) -> Ours | None:
        changed = _beside(value, selector)
        return our_value(changed, among) if changed else None

    selectors: dict[str, Mapping[str, Any]] = {"": {}, **extras}
    for label, selector in selectors.items():
        among = _exactly(eligible, selector)
        for value in values:
            names = of.get(value.column)
            mates = [mate for mate in values if names and mate.row == value.row and mate.column in names]
            if _beside(value, selector) is None:
                continue  # the extra is no matter of this cell
            found = _mean([ours(mate, among, selector) for mate in mates]) if names else ours(value, among, selector)
            if found is not None:
                # The paper's cell stays what it is: its metric too, which is what its unit and digits belong to.
                mark = "" if label else _marks(value, found, entry, eligible)
                yield Cell(value, found, label, decimals=_decimals(value, values), mark=mark)
    for label, selector in extras.items():
        if selector.get("as", "cell") != "cell":
            yield from _more(label, selector, values, eligible)


def _decimals(value: Value, values: Sequence[Value]) -> int:
    """Return the digits of a value as printed; of a lost one, those of its table's other values of the metric."""
    mates = [mate.decimals for mate in values if mate.value and mate.metric == value.metric]
    return value.decimals if value.value else max(mates, default=0)


def _check_means(values: Sequence[Value], of: Mapping[str, Sequence[str]]) -> None:
    columns = list(dict.fromkeys(value.column for value in values))
    for name in [*of, *(each for names in of.values() for each in names)]:
        if name not in columns:
            raise unknown("column of a mean", name, columns)


def _mean(found: Sequence[Ours | None]) -> Ours:
    """Return the mean of several cells, with the error of independent ones; nothing where one of them is missing."""
    numbers = [ours.number for ours in found if ours is not None and ours.number is not None]
    if not numbers or len(numbers) < len(found):
        return Ours()
    errors = [ours.error for ours in found if ours is not None and ours.error is not None]
    error = math.hypot(*errors) / len(numbers) if len(errors) == len(numbers) else None
    runs = {ours.runs for ours in found if ours is not None}
    return Ours(math.fsum(numbers) / len(numbers), error, runs.pop() if len(runs) == 1 else None)


def _beside(value: Value, selector: Mapping[str, Any]) -> Value | None:
    """Return the value to look up for a cell or beside it; None where the selector is no matter of this cell."""
    if selector.get("as", "cell") != "cell":
        return None
    metric = selector.get("metric", value.metric)
    if isinstance(metric, Mapping):
        metric = metric.get(value.metric, "")
    return _changed(value, selector, metric) if metric else None


def _more(label: str, selector: Mapping[str, Any], values: Sequence[Value], eligible: DataFrame) -> Iterable[Cell]:
    """Yield the cells of a further row or column: keys that all cells across it share, changed by the selector."""
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
            raise InputError(
                f"extra {label!r}: the cells of {across} {other!r} have several metrics", next_step="name the metric"
            )
        label_of_row = other if across == "row" else ""  # a measurement may be made for this row alone
        head = {"paper": mates[0].paper, "table": mates[0].table, "row": label_of_row, "column": ""}
        blank = Value(**head, value="", metric=metric, **shared)
        blank = _changed(blank, selector, metric)
        found = our_value(blank, _exactly(eligible, selector))
        decimals = max(value.decimals for value in mates) if kin else _digits(found.number)
        yield Cell(replace(blank, **{place: label, across: other}), found, printed=False, decimals=decimals)


def _only(values: Iterable[Value], name: str) -> str:
    """Return what all values have in a column; nothing where they differ."""
    found = {getattr(value, name) for value in values}
    return found.pop() if len(found) == 1 else ""


def _changed(value: Value, selector: Mapping[str, Any], metric: str) -> Value:
    return replace(value, metric=metric, **{name: str(selector[name]) for name in _CELL_KEYS if name in selector})


def _exactly(measured: DataFrame, selector: Mapping[str, Any]) -> DataFrame:
    """Return the measurements that a selector means by columns that a published value does not have."""
    own = {name: selector[name] for name in selector if name in MEASURED and name not in ("metric", *_CELL_KEYS)}
    measured = matching(measured, own)
    if "selection" in own:
        # Cells are never compared with what was chosen on a test set, unless it is asked for, as here.
        measured = measured.assign(selection="")
    return measured


def our_value(value: Value, measured: DataFrame) -> Ours:
    """Return what we measured for a published value: the mean over seeds of all measurements that fit it.

    Measurements that were made for its row come before those that merely agree with it. Raises InputError as `summary`
    does.
    """
    found = of_value(value, measured)
    for_row = found[found["row"] == value.row] if value.row else found[:0]
    place = f"{value.paper} {value.table}, {value.row!r}, {value.column!r}, {value.metric}"
    return summary(for_row if len(for_row) else found, place, "the published file")


def summary(rows: DataFrame, place: str, names: str) -> Ours:
    """Return the mean of measurements over seeds with its standard error; a single one keeps its own error.

    What was measured in several directions and is the same in each (a joint vocabulary, the sentences of a corpus) is
    one measurement. Raises InputError for measurements that differ in more than their seed, be it that some have a
    corpus and others have none: a mean of those would be nobody's number. The message says at which `place` of the
    paper's file they meet, and that `names` (as in "rows or columns") can tell them apart.
    """
    if len(rows) > 1:
        rows = rows.drop_duplicates([name for name in MEASURED if name != "direction"])
        _check_one_of_each(rows, place, names)
    numbers = rows[rows["value"].notna()]
    if numbers.empty:
        texts = dict.fromkeys(text for text in rows["text"] if text)
        return Ours(text=" / ".join(texts))
    seeds = numbers["seed"].dropna().nunique()
    if len(numbers) == 1:
        return Ours(_number(numbers["value"].iloc[0]), _number(numbers["error"].iloc[0]), seeds or None)
    means = list(numbers.groupby("seed", dropna=False, sort=True)["value"].mean())
    mean, error = mean_and_error([float(each) for each in means])
    return Ours(mean, error, seeds or None)


def _check_one_of_each(rows: DataFrame, place: str, names: str) -> None:
    for name in MEASURED:
        if name in AVERAGED_OVER or rows[name].nunique(dropna=False) < 2:
            continue
        several = sorted({_label(rows.iloc[index], [name]) for index in range(len(rows))})
        example = next(filter(None, several))
        raise InputError(
            f"{place}: a mean would be of more than one {name}: {', '.join(each or '(none)' for each in several)}",
            next_step=f"write where: {{{name}: {example}}} in the entry, or name {name} in {names}",
        )


def _number(value: Any) -> float | None:
    return None if math.isnan(value) else float(value)


def _marks(value: Value, ours: Ours, entry: Mapping[str, Any], measured: DataFrame) -> str:
    marks = []
    for mark, rule in (entry.get("marks") or {}).items():
        relations = set(rule) & set(RELATIONS)
        # Where no columns are named, the mark is for the metric that the rule's begins with: bleu_below_best_bpe, bleu.
        columns = rule.get("columns")
        metric = rule["metric"]
        if isinstance(metric, Mapping):
            metric = metric.get(value.metric)
            about = metric is not None and (not columns or value.column in columns)
        else:
            about = value.column in columns if columns else str(metric).startswith(f"{value.metric}_")
        if ours.number is None or not about:
            continue
        found = our_value(replace(value, metric=str(metric)), measured)
        if found.number is not None and all(RELATIONS[name](found.number, rule[name]) for name in relations):
            marks.append(mark)
    return " ".join(marks)


# ---- tables of ours alone


def _own_cells(paper: str, name: str, entry: Mapping[str, Any], measured: DataFrame) -> Iterable[Cell]:
    labels = {"rows": listed(entry.get("rows", "row")), "columns": listed(entry.get("columns", "metric"))}
    for side, columns in labels.items():
        for column in columns:
            if column not in MEASURED:
                raise unknown(f"column in tables.{name}.{side}:", column, MEASURED)
    eligible = matching_or_empty(measured, entry.get("where") or {})
    digits = entry.get("decimals") or {}
    groups: dict[tuple[str, str], list[int]] = {}
    for index in range(len(eligible)):
        measurement = eligible.iloc[index]
        key = (_label(measurement, labels["rows"]) or "–", _label(measurement, labels["columns"]) or "–")
        groups.setdefault(key, []).append(index)
    for (row, column), indices in groups.items():
        rows = eligible.iloc[indices]
        found = summary(rows, f"{paper} {name}, {row!r}, {column!r}", "rows or columns")
        keys = {key: _label(rows.iloc[0], [key]) for key in (*KEYS, "split") if rows[key].nunique(dropna=False) == 1}
        keys.setdefault("metric", "")
        value = Value(paper=paper, table=name, row=row, column=column, value="", **keys)
        decimals = int(digits.get(value.metric, _digits(found.number)))
        yield Cell(value, found, printed=False, decimals=decimals)


def _label(measurement: Series[Any], columns: Sequence[str]) -> str:
    import pandas

    texts = ["" if pandas.isna(measurement[name]) else f"{measurement[name]}" for name in columns]
    return " ".join(text for text in texts if text)


def _digits(number: float | None) -> int:
    """Return how many digits after the point show four that count, with at least two for small numbers."""
    if number is None or number == int(number):
        return 0
    return max(0, min(4, 3 - math.floor(math.log10(abs(number)))))
