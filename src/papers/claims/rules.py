"""The rule of a claim: what is compared with what, and how it must come out.

A condition of a paper's file, with the default of each key in brackets:

    metric       what is compared, by its name in the measurements; of several, each with itself
    each         columns: there is a comparison for every combination of their values [none: one comparison]
    left, right  columns and values as in `papers.selection`; or largest, smallest (of what the comparison has). `take`
                 says what becomes of several: mean, median, max, min, range [mean]; seeds are averaged before.
                 `statistic: error` is the standard error in place of the value. A list of a column that is in `each`
                 names what must be there: of ours, each of its values needs a comparison. What is taken together (its
                 column is not in `each`) must be of the same corpora, directions, test sets and models on both sides,
                 unless these are what the sides set against each other.
    measure      difference (left - right), or ratio (left / right) [difference]
    is           one of `papers.selection`'s relations [above: 0]
    round        decimals that the measure is rounded to before [not rounded]; 0.5 and the like: to multiples of it
    in           all; most (more than half); none; {at_least: n} comparisons, {share: x} or more of them; or mean,
                 median, min, max: of the measure over all comparisons [all]
    along        a column whose values make a sequence in every comparison, or {column: [values in order]}
    trend        of that sequence: rising, falling (from each to the next), lasting (once `is` holds, it holds for all
                 that follow, and for the last), or crossing (lasting, and not so at the first) [rising]
    test         welch: Welch's t test over seeds; wins: binomial test, that left wins more of the sentences [no test]
    alpha        its level [0.05]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from experiment import schema
from papers.selection import check_bound, check_selectors
from subwords.errors import InputError

#: What a rule may say of all its comparisons together, in one number.
SUMMARIES = ("mean", "median", "min", "max")


@dataclass(frozen=True)
class Side:
    """One side of a comparison: which measurements, and what is taken of them."""

    where: Mapping[str, Any]
    take: str = "mean"
    statistic: str = "value"


@dataclass(frozen=True)
class Condition:
    """One condition of a rule; the module's docstring explains the keys."""

    metrics: tuple[str, ...]
    left: Side
    right: Side | None = None
    each: tuple[str, ...] = ()
    measure: str = "difference"
    relation: tuple[str, Any] = ("above", 0)
    round: float | None = None
    inside: Any = "all"
    along: str = ""
    order: tuple[Any, ...] = ()
    trend: str = ""
    test: str = ""
    alpha: float = 0.05


def condition(given: Mapping[str, Any], where: str) -> Condition:
    """Return a condition of a paper's file. Raises InputError for one that cannot be judged."""
    schema.check(given, "condition", where)
    _check_combinations(given, where)
    along, order = given.get("along", ""), ()
    if isinstance(along, Mapping):
        ((along, order),) = along.items()
    metrics = given["metric"]
    left, right = _side(given["left"]), _side(given["right"]) if "right" in given else None
    ((relation, bound),) = given.get("is", {"above": 0}).items()
    for side in filter(None, (left, right)):
        check_selectors(side.where, where)
    check_bound(relation, bound, f"{where}: is")
    return Condition(
        metrics=tuple([metrics] if isinstance(metrics, str) else metrics),
        left=left,
        right=right,
        each=tuple(given.get("each", ())),
        measure=given.get("measure", "difference"),
        relation=(relation, bound),
        round=given.get("round"),
        inside=given.get("in", "all"),
        along=along,
        order=tuple(order),
        trend=given.get("trend", "rising") if along else "",
        test=given.get("test", ""),
        alpha=given.get("alpha", 0.05),
    )


def _side(given: Mapping[str, Any]) -> Side:
    columns = {key: value for key, value in given.items() if key not in ("take", "statistic")}
    return Side(columns, given.get("take", "mean"), given.get("statistic", "value"))


def _check_combinations(given: Mapping[str, Any], where: str) -> None:
    """Raise InputError for keys that are right one by one, and not together."""
    test, summarized = given.get("test"), given.get("in") in SUMMARIES
    taken = any("take" in given.get(side, {}) for side in ("left", "right"))
    stepwise = given.get("trend", "rising") in ("rising", "falling")
    wrong = [
        (test and "right" not in given, f"test: {test} without right", "a test has two sides"),
        (test == "welch" and taken, "test: welch with take", "a test over seeds is about their means"),
        (
            test and summarized,
            f"test: {test} with in: {given.get('in')}",
            "a test of every comparison: in all, most, …",
        ),
        (test and "along" in given, f"test: {test} with along", "a trend without a test"),
        ("trend" in given and "along" not in given, "trend without along", "along: the column that it is along"),
        ("along" in given and summarized, f"along with in: {given.get('in')}", "a trend in all, most, none, …"),
        ("along" in given and stepwise and "is" in given, "is with trend: rising or falling", "lasting or crossing"),
    ]
    for found, what, allowed in wrong:
        if found:
            raise InputError(f"{where}: {what}", allowed=allowed)
