"""The rule of a claim: what is compared with what, and how it must come out. `condition` reads one, `in_words` says it.

A condition of a paper's file, with the default of each key in brackets:

    metric       what is compared, by its name in the measurements; of several, each with itself
    each         columns: there is a comparison for every combination of their values [none: one comparison]
    left, right  column: value, [values], {not: value}, {at_least: n}, {at_most: n}, largest or smallest (of what the
                 comparison has). `take` says what becomes of several: mean, median, max, min, range [mean]; seeds are
                 averaged before. `statistic: error` is the standard error in place of the value.
    measure      difference (left - right), or ratio (left / right) [difference]
    is           above, below, at_least, at_most: a number, or between: [low, high] (both belong to it) [above: 0]
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

from papers.measurements import COLUMNS, NUMBERS, WHOLE_NUMBERS
from subwords.errors import InputError, unknown

TAKES = ("mean", "median", "max", "min", "range")
RELATIONS = ("above", "below", "at_least", "at_most", "between")
SELECTORS = ("not", "at_least", "at_most")
INSIDE = ("all", "most", "none", "mean", "median", "min", "max")


@dataclass(frozen=True)
class Side:
    """Which measurements stand on one side of a comparison, and what becomes of several."""

    where: Mapping[str, Any]
    take: str = "mean"
    statistic: str = "value"


@dataclass(frozen=True)
class Condition:
    """One condition of a claim; the module's docstring explains every field."""

    metrics: tuple[str, ...]
    left: Side
    right: Side | None
    each: tuple[str, ...]
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
    """Return a condition of a paper's file. Raises InputError for an unknown key or value."""
    known = ("metric", "left", "right", "each", "measure", "is", "round", "in", "along", "trend", "test", "alpha")
    for key in given:
        if key not in known:
            raise unknown(f"key in {where}", key, known, next_step="see src/papers/claims/rules.py")
    for key in ("metric", "left"):
        if key not in given:
            raise InputError(f"{where}: a condition without {key}", next_step="see src/papers/claims/rules.py")
    relation = given.get("is", {"above": 0})
    _check_relation(relation, where)
    _check_inside(given.get("in", "all"), where)
    for key in ("round", "alpha"):
        if not _is_number(given.get(key, 0)):
            raise InputError(f"{where}: {key}: {given[key]!r}", allowed="a number")
    if "test" in given and "right" not in given:
        raise InputError(f"{where}: test: {given['test']} without right", allowed="a test has two sides")
    if given.get("test") == "welch" and any("take" in given[side] for side in ("left", "right")):
        raise InputError(f"{where}: test: welch with take", allowed="a test over seeds is about their means")
    if "trend" in given and "along" not in given:
        raise InputError(
            f"{where}: trend: {given['trend']} without along", allowed="along: the column that it is along"
        )
    if "along" in given and ("test" in given or given.get("in") in ("mean", "median", "min", "max")):
        raise InputError(
            f"{where}: along with test, or with in: {given.get('in')}", allowed="a trend in all, most, none, …"
        )
    if "test" in given and given.get("in") in ("mean", "median", "min", "max"):
        raise InputError(
            f"{where}: test with in: {given['in']}", allowed="a test of every comparison: all, most, none, …"
        )
    if "along" in given and given.get("trend", "rising") in ("rising", "falling") and "is" in given:
        raise InputError(f"{where}: is with trend: rising or falling", allowed="is with lasting or crossing")
    if not isinstance(given.get("each", []), list):
        raise InputError(f"{where}: each: {given['each']!r}", allowed="a list of columns, as in [corpus, direction]")
    along = given.get("along", "")
    order: tuple[Any, ...] = ()
    if isinstance(along, Mapping):
        if len(along) != 1 or not isinstance(next(iter(along.values())), list):
            raise InputError(f"{where}: along: {dict(along)!r}", allowed="a column, or {column: [values in order]}")
        along, values = next(iter(along.items()))
        order = tuple(values)
    for key, allowed in (
        ("measure", ("difference", "ratio")),
        ("trend", ("rising", "falling", "lasting", "crossing")),
        ("test", ("welch", "wins")),
    ):
        if given.get(key, allowed[0]) not in allowed:
            raise unknown(f"{key} in {where}", given[key], allowed)
    for column in (*given.get("each", ()), *([along] if along else [])):
        if column not in COLUMNS:
            raise unknown(f"column in {where}", column, COLUMNS)
    metrics = given["metric"]
    return Condition(
        metrics=tuple([metrics] if isinstance(metrics, str) else metrics),
        left=_side(given["left"], where),
        right=_side(given["right"], where) if "right" in given else None,
        each=tuple(given.get("each", ())),
        measure=given.get("measure", "difference"),
        relation=next(iter(relation.items())),
        round=given.get("round"),
        inside=given.get("in", "all"),
        along=along,
        order=order,
        trend=given.get("trend", "rising") if along else "",
        test=given.get("test", ""),
        alpha=given.get("alpha", 0.05),
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_relation(relation: Any, where: str) -> None:
    allowed = f"one of {', '.join(RELATIONS)}, with a number; between, with two"
    if not isinstance(relation, Mapping) or len(relation) != 1 or next(iter(relation)) not in RELATIONS:
        raise InputError(f"{where}: is: {relation!r}", allowed=allowed)
    name, bound = next(iter(relation.items()))
    bounds = bound if isinstance(bound, list) else [bound]
    if len(bounds) != (2 if name == "between" else 1) or not all(map(_is_number, bounds)):
        raise InputError(f"{where}: is: {dict(relation)!r}", allowed=allowed)


def _check_inside(inside: Any, where: str) -> None:
    number = isinstance(inside, Mapping) and len(inside) == 1 and next(iter(inside)) in ("at_least", "share")
    if not (inside in INSIDE if isinstance(inside, str) else number and _is_number(next(iter(inside.values())))):
        allowed = f"{', '.join(INSIDE)}, {{at_least: n}} or {{share: x}}"
        raise InputError(f"{where}: in: {inside!r}", allowed=allowed)


def _side(given: Any, where: str) -> Side:
    if not isinstance(given, Mapping):
        raise InputError(f"{where}: a side is {given!r}", allowed="columns and their values, as in {algorithm: bpe}")
    columns = {key: value for key, value in given.items() if key not in ("take", "statistic")}
    for column, wanted in columns.items():
        if column not in COLUMNS:
            raise unknown(f"column in {where}", column, COLUMNS)
        if isinstance(wanted, Mapping):
            key, value = next(iter(wanted.items())) if len(wanted) == 1 else ("", None)
            in_order = column in (*NUMBERS, *WHOLE_NUMBERS) and _is_number(value)
            if key not in SELECTORS or (key != "not" and not in_order):
                allowed = "a value, {not: value}, {at_least: number} or {at_most: number} of a number"
                raise InputError(f"{where}: {column}: {dict(wanted)!r}", allowed=allowed)
    take, statistic = given.get("take", "mean"), given.get("statistic", "value")
    if take not in TAKES:
        raise unknown(f"take in {where}", take, TAKES)
    if statistic not in ("value", "error"):
        raise unknown(f"statistic in {where}", statistic, ("value", "error"))
    return Side(columns, take, statistic)


def in_words(rule: Condition) -> str:
    """Return the rule as a sentence, made from what is computed."""
    left, right = _side_in_words(rule.left), _side_in_words(rule.right) if rule.right else ""
    subject = left
    if right:
        subject = f"{left} over {right}" if rule.measure == "ratio" else f"{left} minus {right}"
    name, bound = rule.relation
    words = {"above": ">", "below": "<", "at_least": "≥", "at_most": "≤"}
    is_so = f"lies in {bound[0]} to {bound[1]}" if name == "between" else f"{words[name]} {bound}"
    if rule.round is not None:
        whole = rule.round == int(rule.round)
        to = "whole numbers" if rule.round == 0 else f"{rule.round} decimals" if whole else f"multiples of {rule.round}"
        is_so = f"rounded to {to}, {is_so}"
    of = ", ".join(rule.metrics)
    each = f", for each {', '.join(rule.each)}" if rule.each else ""
    if rule.trend in ("rising", "falling"):
        return f"{of} of {subject} is {rule.trend} along {rule.along}{each}{_inside(rule.inside)}"
    if rule.trend:
        text = f"{of} of {subject} {is_so} at the largest {rule.along}, and never stops once it does along {rule.along}"
        text += f"; not at the smallest {rule.along}" if rule.trend == "crossing" else ""
        return f"{text}{each}{_inside(rule.inside)}"
    if rule.inside in ("mean", "median", "min", "max"):
        return f"{rule.inside} over {', '.join(rule.each) or 'all'} of {of} of {subject} {is_so}"
    tests = {"welch": "Welch's t test over seeds", "wins": "binomial test of the sentences won"}
    tested = f", {tests[rule.test]} p < {rule.alpha}" if rule.test else ""
    return f"{of} of {subject} {is_so}{tested}{each}{_inside(rule.inside)}"


def _inside(inside: Any) -> str:
    if isinstance(inside, Mapping):
        key, number = next(iter(inside.items()))
        return (
            f", in at least {number} cases"
            if key == "at_least"
            else f", in a share of at least {number:g} of the cases"
        )
    return {"all": "", "most": ", in more than half of the cases", "none": ", in no case"}[inside]


def _side_in_words(side: Side) -> str:
    parts = []
    for column, wanted in side.where.items():
        if isinstance(wanted, Mapping):
            key, value = next(iter(wanted.items()))
            sign = {"not": "other than ", "at_least": "≥ ", "at_most": "≤ "}[key]
            parts.append(f"{column} {sign}{_listed(value)}")
        else:
            parts.append(f"{column} {_listed(wanted)}")
    text = "[" + "; ".join(parts) + "]" if parts else "all"
    text = f"standard error of {text}" if side.statistic == "error" else text
    return text if side.take == "mean" else f"{side.take} of {text}"


def _listed(wanted: Any) -> str:
    return ", ".join(map(str, wanted)) if isinstance(wanted, list) else str(wanted)
