"""What makes a judgement impossible: numbers that are missing, unlike, of few sentences, or of an untrained system."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas
from pandas import DataFrame

from replication.claims.cases import Cell, cell_name, first_few
from replication.measurements import PLACE, filled, matching, records

if TYPE_CHECKING:
    from replication.claims.numbers import Numbers, Runs, Side

#: The smallest test set of the papers has 250 lines (HFT, Irish to English), the largest of a smoke run 40.
FEWEST_SENTENCES = 200
#: How metrics begin that are computed from translations of test sets.
OF_TRANSLATIONS = ("bleu", "chrf", "comet", "undecodable_output", "effect_", "spearman")
#: What both sides of a comparison must be of, unless the sides name it: averages over different things do not compare.
ALIKE = ("corpus", "direction", "testset", "model")


def obstacle(runs: Runs, found: Numbers, sides: list[Side], zeros: list[Cell]) -> str:
    """Return why the numbers cannot be judged; nothing where they can."""
    expected = runs.printed.asked[len(runs.asked)] if runs.printed else None
    if zeros:
        return f"the ratio's denominator is zero: {first_few(map(cell_name, zeros))}"
    known = {cell[0] for cell in found.known}
    if lacking := [metric for metric in found.metrics if metric not in known]:
        reason = "the numbers that the rule needs were not measured" if expected else "the paper has no such numbers"
        return f"{reason}: {', '.join(lacking)}"
    if several := _several_test_sets(found):
        return f"scores of several test sets, {', '.join(several)}: the rule has to name one"
    if missing := (_missing(expected, found) or _not_as_named(found, sides)) if expected else []:
        return f"not measured: {first_few(missing)}"
    if unlike := _unlike(sides, found):
        return f"left and right are not of the same {unlike}"
    if not any(metric.startswith(OF_TRANSLATIONS) for metric in found.metrics):
        return ""
    members = found.members()
    sentences = _fewest_sentences(members, runs.measured)
    if sentences < FEWEST_SENTENCES:
        return f"a test set of {sentences:.0f} lines; {FEWEST_SENTENCES} are needed"
    untrained = [] if runs.trained is None else _untrained(members, runs.trained)
    return f"learned nothing: {first_few(untrained)}" if untrained else ""


def _several_test_sets(found: Numbers) -> list[str]:
    """Return the test sets that the scores of one direction come from, where they are several."""
    for side in found.rows if "testset" not in found.columns else ():
        for _, group in side[side["testset"] != ""].groupby(list(PLACE)):
            if group["testset"].nunique() > 1:
                return sorted(group["testset"].unique())
    return []


def _missing(expected: Numbers, found: Numbers) -> list[str]:
    """Return what ours lack: numbers that the paper has, comparisons of them, and comparisons without a value.

    A best of seven sizes is no best of the two that were run: what is behind a maximum has to be there, too.
    """
    ours = found.members()
    lacking = [row for row in records(expected.members()) if matching(ours, **filled(row)).empty]
    names = [" ".join(str(v) for k, v in filled(row).items() if k not in ("algorithm", "size")) for row in lacking]
    cells = {*expected.known, *found.cells} - set(found.known)
    return names or [cell_name(cell) for cell in sorted(cells, key=str)]


def _not_as_named(found: Numbers, sides: Iterable[Side]) -> list[str]:
    """Return the values that a side lists of a column in `each`, and that have no comparison."""
    named = [
        (found.columns.index(column), value)
        for side in sides
        for column, wanted in side.where.items()
        if column in found.columns and column != found.along and isinstance(wanted, list)
        for value in wanted
    ]
    there = {(cell[0], place, cell[place]) for cell in found.known for place, _ in named}
    lacking = [f"{m} {value}" for m in found.metrics for place, value in named if (m, place, value) not in there]
    return list(dict.fromkeys(lacking))


def _unlike(sides: list[Side], found: Numbers) -> str:
    """Return what one side was measured on and the other was not; nothing where both are alike.

    Only what is taken together counts: no column in `each`, none that the sides set against each other, and none that
    some number does not say. Sides of different corpora or directions may differ in everything.
    """
    free = [name for name in ALIKE if name not in found.columns]
    apart = {name for name in free if sides[0].where.get(name) != sides[-1].where.get(name)}
    if len(sides) == 1 or apart & set(PLACE):
        return ""
    both = pandas.concat(found.rows, keys=["left", "right"], names=["side"]).dropna(subset="value")
    for _, compared in both.groupby(list(found.columns), dropna=False, sort=False):
        known = [name for name in free if name not in apart and (compared[name] != "").all()]
        covered = {
            side: {" ".join(row) for row in of_side[known].itertuples(index=False, name=None)}
            for side, of_side in compared.groupby("side")
        }
        if len(covered) == 2 and covered["left"] != covered["right"]:
            told = (f"{side} has {', '.join(sorted(covered[side]))}" for side in ("left", "right"))
            return f"{', '.join(known)}: {'; '.join(told)}"
    return ""


def _fewest_sentences(members: DataFrame, measured: DataFrame) -> float:
    """Return the lines of the smallest test set that the numbers come from; infinity where none is known.

    An effect is of no one corpus: the smallest of all of them counts.
    """
    lines = measured[measured["metric"] == "test_sentences"]
    for column in PLACE:
        named = sorted(set(members[column]) - {""})
        lines = lines[lines[column].isin(named)] if named else lines
    return float(lines["value"].min()) if len(lines) else math.inf


def _untrained(members: DataFrame, trained: DataFrame) -> list[str]:
    """Return the systems of those compared that have learned nothing, with their directions.

    Where none is known by its name (an effect is of no one system), those of the same corpora and directions count.
    """
    for columns in (members.columns.drop("metric"), list(PLACE)):
        systems = records(members[columns].drop_duplicates())
        found = pandas.concat([matching(trained, **filled(system)) for system in systems] or [trained[:0]])
        if len(found):
            nothing = found[found["metric"] == "learned_nothing"]
            return list(dict.fromkeys(nothing["segmentation"] + " " + nothing["direction"]))
    return []
