"""The numbers of a rule: which measurements stand on each side, and what left against right comes to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from papers.claims.rules import Condition, Side
from papers.measurements import COLUMNS
from papers.selection import comparable, matching, matching_or_empty

if TYPE_CHECKING:
    from pandas import DataFrame, Series

#: What tells measurements of different things apart.
KEYS = [name for name in COLUMNS if name not in ("value", "error", "text")]
#: Selectors beside those of `papers.selection`: of what the others leave.
EXTREMES = ("largest", "smallest")
#: By what a published number is known among ours; an empty one does not distinguish.
MEMBER_KEYS = ["metric", "corpus", "direction", "model", "segmentation", "algorithm", "size"]
#: Of what the averages on both sides have to be.
ALIKE = ("corpus", "direction", "testset", "model")


def columns_of(rule: Condition) -> list[str]:
    """Return the columns whose values make a comparison."""
    return ["metric", *rule.each, *([rule.along] if rule.along else [])]


def compared(rule: Condition, measured: DataFrame) -> Series[float]:
    """Return left against right, indexed by metric, `each` and `along`; NaN where that is no finite number."""
    columns = columns_of(rule)
    left = _side_values(rule, rule.left, measured, columns)
    if rule.right is None:
        values = left
    else:
        right = _side_values(rule, rule.right, measured, columns)
        left, right = left.align(right, join="inner")
        values = left / right if rule.measure == "ratio" else left - right
    values = values.replace([math.inf, -math.inf], math.nan)
    if rule.round is not None:
        step = 10.0**-rule.round if rule.round == int(rule.round) else rule.round
        values = (values / step + 1e-9).round() * step
    return values


def zero_denominators(rule: Condition, measured: DataFrame, cells: frozenset[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return those of the compared `cells` whose ratio has a denominator of zero."""
    if rule.right is None or rule.measure != "ratio":
        return []
    right = _side_values(rule, rule.right, measured, columns_of(rule))
    return [cell for cell in right.index[right == 0].tolist() if cell in cells]


def members(rule: Condition, measured: DataFrame, cells: frozenset[tuple[Any, ...]]) -> DataFrame:
    """Return what the numbers that are compared are numbers of."""
    import pandas

    columns = columns_of(rule)
    found = []
    for side in filter(None, (rule.left, rule.right)):
        rows = selected(rule.metrics, side.where, measured, columns)
        compared_in = rows[columns].itertuples(index=False, name=None)
        taken = pandas.Series([cell in cells for cell in compared_in], index=rows.index, dtype=bool)
        found.append(rows.loc[taken, MEMBER_KEYS])
    return pandas.concat(found).drop_duplicates()


def several_test_sets(rule: Condition, measured: DataFrame) -> list[str]:
    """Return the test sets that a rule's scores of one direction come from, where they are several."""
    if "testset" in columns_of(rule):
        return []
    for side in filter(None, (rule.left, rule.right)):
        rows = selected(rule.metrics, side.where, measured, columns_of(rule))
        for _, group in rows[rows["testset"] != ""].groupby(["corpus", "direction"]):
            if group["testset"].nunique() > 1:
                return sorted(group["testset"].unique())
    return []


def unlike(rule: Condition, measured: DataFrame) -> str:
    """Return what one side of a comparison was measured on and the other was not; nothing where both are alike.

    Only what the rule takes together counts: no column in `each`, and none that its sides set against each other. Sides
    of different corpora or directions may differ in everything: a corpus has directions, test sets and models of its
    own. Nothing is known where a number, as many of a paper, does not say what it is of.
    """
    import pandas

    if rule.right is None:
        return ""
    columns = columns_of(rule)
    together = [name for name in ALIKE if name not in columns]
    apart = {name for name in together if rule.left.where.get(name) != rule.right.where.get(name)}
    if apart & {"corpus", "direction"}:
        return ""
    names = [name for name in together if name not in apart]
    rows = [selected(rule.metrics, side.where, measured, columns) for side in (rule.left, rule.right)]
    both = pandas.concat(rows, keys=["left", "right"], names=["side"]).dropna(subset="value")
    for _, compared_rows in both.groupby(columns, dropna=False, sort=False):
        if difference := _difference(compared_rows, names):
            return difference
    return ""


def _difference(rows: DataFrame, names: list[str]) -> str:
    """Return what of `names` only one side of a comparison has; nothing where a side has no rows at all."""
    known = [name for name in names if (rows[name] != "").all()]
    covered = {side: _found_in(of_side, known) for side, of_side in rows.groupby("side")}
    if len(covered) < 2 or covered["left"] == covered["right"]:
        return ""
    told = [
        f"{one} has {', '.join(sorted(covered[one] - covered[other]))}, which {other} has not"
        for one, other in (("left", "right"), ("right", "left"))
        if covered[one] - covered[other]
    ]
    return f"{', '.join(known)}: {'; '.join(told)}"


def _found_in(rows: DataFrame, columns: list[str]) -> set[str]:
    return {" ".join(row) for row in rows[columns].itertuples(index=False, name=None)}


def of_member(rows: DataFrame, member: Mapping[Any, Any]) -> DataFrame:
    """Return the rows that agree with a member in every key that it fills."""
    import pandas

    for key, value in member.items():
        if not (pandas.isna(value) or value == ""):
            rows = rows[(rows[key] == value).fillna(False)]
    return rows


def _side_values(rule: Condition, side: Side, measured: DataFrame, columns: list[str]) -> Series[float]:
    rows = selected(rule.metrics, side.where, measured, columns)
    keys = [name for name in KEYS if name != "seed"]
    groups = rows.groupby(keys, dropna=False, sort=False)
    if side.statistic == "error":
        several = groups["value"].sem()
        means = several.where(several.notna(), groups["error"].mean()).reset_index(name="value")
    else:
        means = groups["value"].mean().reset_index(name="value")
    taken = means.groupby(columns, dropna=False, sort=False)["value"]
    values: Series[float] = taken.max() - taken.min() if side.take == "range" else taken.agg(side.take)
    if len(columns) == 1:
        values.index = values.index.map(lambda name: (name,))
    return values


def selected(metrics: Iterable[str], where: Mapping[str, Any], measured: DataFrame, columns: list[str]) -> DataFrame:
    """Return the rows of a side, those of one seed each where there are seeds and a mean."""
    extremes = {column: wanted for column, wanted in where.items() if wanted in EXTREMES}
    rows = comparable(measured[measured["metric"].isin(list(metrics))], {*where, *columns} - {"metric"})
    rows = matching(rows, {column: wanted for column, wanted in where.items() if column not in (*extremes, "testset")})
    # Published scores do not say on which test set where a paper has one.
    rows = matching_or_empty(rows, {column: wanted for column, wanted in where.items() if column == "testset"})
    for column, extreme in extremes.items():
        of_all = rows.groupby([name for name in columns if name != column], dropna=False)[column]
        rows = rows[rows[column] == (of_all.transform("max") if extreme == "largest" else of_all.transform("min"))]
    if "seed" not in columns and rows["seed"].notna().any():  # a printed mean beside the runs that it is the mean of
        keys = [name for name in KEYS if name != "seed"]
        has_seeds = rows.groupby(keys, dropna=False)["seed"].transform("count") > 0
        rows = rows[rows["seed"].notna() | ~has_seeds]
    return rows
