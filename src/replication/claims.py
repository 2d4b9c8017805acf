"""Claims: a function reads like the sentence that it tests, and judges the paper's numbers and ours alike.

    @claim("a better average NMT performance on both datasets", where="section 2.4")
    def better(runs: Runs) -> Finding:
        \"\"\"HFT has a higher BLEU than BPE in every direction.\"\"\"
        return in_all(difference(runs, "bleu", of(algorithm="hft"), of(algorithm="bpe"), each=PLACE) > 0)

`runs` are measurements: the paper's (the printed tables) or ours. `of` says which of them a side takes; `values`,
`difference` and `ratio` give `Numbers`, one for each combination of the columns in `each` (seeds are averaged first);
comparing `Numbers` gives `Cases`; `in_all`, `in_most` and the like turn `Cases` into a `Finding`; findings are combined
with `&`. A claim asks for all its numbers before it decides anything: what the paper has is what ours must have, too.

Scores of systems have 95% intervals: over seeds, else of the test set's sentences. A claim about them is confirmed or
not only where the interval excludes the contrary; else it is undecided. Printed numbers without any interval can only
be so, or not so, as printed. What involves no sampling (vocabularies, frequencies) has no interval and needs none.
That a number is as large as printed is a claim of its own, beside the one that it is at least as good.

There is no verdict where a number of ours is missing, where averages over different corpora, directions, test sets or
models are compared, where a ratio's denominator is zero, where translations of fewer than 200 lines or of systems
below 1 BLEU are compared, on generated text, and where the paper's text at hand has lost most numbers.
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.intervals import FEWEST_SEEDS, different, half_widths
from replication.measurements import COLUMNS, KEYS, SLACK, comparable, fits, matching
from subwords.files import whole_file

if TYPE_CHECKING:
    from pandas import DataFrame, Series

CONFIRMED, UNDECIDED, NOT_CONFIRMED, NOT_TESTABLE = "confirmed", "undecided", "not confirmed", "not testable"
AS_PRINTED, NOT_AS_PRINTED = "so as printed", "not so as printed"
#: Every state, with the sign that a page shows.
STATES = {CONFIRMED: "✓", AS_PRINTED: "✓", UNDECIDED: "?", NOT_CONFIRMED: "✗", NOT_AS_PRINTED: "✗", NOT_TESTABLE: "–"}
#: The smallest test set of the papers has 250 lines (HFT, Irish to English), the largest of a smoke run 40.
FEWEST_SENTENCES = 200
#: The lowest BLEU of the papers is 4.06 (HFT, English to Irish): a system below 1 has learned nothing.
LEAST_BLEU = 1
#: How metrics begin that are computed from translations of test sets.
OF_TRANSLATIONS = ("bleu", "chrf", "comet", "undecodable_output", "effect_", "spearman")
#: How metrics begin, and do not end, whose numbers need an interval: scores of trained systems.
UNCERTAIN, CERTAIN = ("bleu", "chrf", "comet"), ("_against_bpe", "_against_best_bpe")
#: What both sides of a comparison must be of, unless the sides name it: averages over different things do not compare.
ALIKE = ("corpus", "direction", "testset", "model")
PLACE = ("corpus", "direction")
#: In place of a value: the largest that the comparison has.
LARGEST = object()
#: What distinguishes measurements of one metric.
_RUN = [*KEYS, "testset"]
_OWN = [name for name in COLUMNS if name not in ("value", "error", "text")]


# ---- which runs, and what is compared


@dataclass(frozen=True)
class Side:
    """Which measurements one side of a comparison takes, and what becomes of several: mean, max, min or range."""

    where: Mapping[str, Any]
    take: str = "mean"
    error: bool = False  # the standard error in place of the value


def of(take: str = "mean", error: bool = False, **where: Any) -> Side:
    """Return a side: columns with a value, a list, a predicate (`other_than`, `at_least`) or `LARGEST`.

    A list of a column that is in `each` names what must be there: ours needs a comparison for each of its values.
    """
    return Side(where, take, error)


class Runs:
    """The measurements that a claim is judged by: the paper's own, or ours.

    With `printed`, the paper's runs after the same claim was judged on them: every number that the paper has must be
    there. With `bleu`, that of our systems shows whether they have learned anything.
    """

    def __init__(self, measured: DataFrame, printed: Runs | None = None, bleu: DataFrame | None = None) -> None:
        self.measured = measured
        self.printed = printed
        self.bleu = bleu
        self.asked: list[Numbers] = []

    @property
    def are_printed(self) -> bool:
        """Whether these are the paper's own numbers."""
        return self.printed is None

    @property
    def expected(self) -> Numbers | None:
        """What the paper has for the numbers that are asked for next."""
        return self.printed.asked[len(self.asked)] if self.printed else None


@dataclass(frozen=True)
class Numbers:
    """What a claim compares: a number for each cell (metric, then `each`, then `along`), or what makes it
    impossible."""

    values: Series[float]  # NaN: lost in the paper's text
    metrics: tuple[str, ...] = ()
    along: str = ""
    order: tuple[Any, ...] = ()
    obstacle: str = ""
    summary: str = ""  # what a single number is a summary of
    lost: int = 0  # numbers behind a summary that the paper's text has lost
    total: int = 0
    #: cell -> what is compared in it, by side: one number a seed, where there are seeds
    sides: Callable[[Any], list[list[float]]] = field(default=lambda cell: [], repr=False)
    members: DataFrame | None = field(default=None, repr=False)
    halves: Series[float] | None = field(default=None, repr=False)  # of the 95% intervals; NaN: not known
    printed: bool = False  # the paper's numbers

    def __gt__(self, bound: float) -> Cases:
        return self._cases(lambda value: value > bound + SLACK)

    def __ge__(self, bound: float) -> Cases:
        return self._cases(lambda value: value >= bound - SLACK)

    def __lt__(self, bound: float) -> Cases:
        return self._cases(lambda value: value < bound - SLACK)

    def __le__(self, bound: float) -> Cases:
        return self._cases(lambda value: value <= bound + SLACK)

    def between(self, low: float, high: float) -> Cases:
        """Return which numbers lie within two bounds, both included."""
        return self._cases(lambda value: low - SLACK <= value <= high + SLACK)

    @property
    def known(self) -> Series[float]:
        return self.values.dropna()

    @property
    def cells(self) -> list[Any]:
        return self.known.index.tolist()

    def half(self, cell: Any) -> float:
        """Return half the 95% interval of a cell: 0 where the numbers are certain, NaN where nothing is known."""
        if not any(m.startswith(UNCERTAIN) and not m.endswith(CERTAIN) for m in self.metrics):
            return 0.0
        return math.nan if self.halves is None else float(self.halves[cell])

    def minus(self, other: Numbers) -> Numbers:
        """Return these numbers minus others of the same cells."""
        assert self.halves is not None
        assert other.halves is not None
        halves = (self.halves**2 + other.halves**2) ** 0.5
        obstacle = self.obstacle or other.obstacle
        return replace(self, values=self.values - other.values, halves=halves, obstacle=obstacle)

    def absolute(self) -> Numbers:
        """Return the numbers without their signs."""
        return replace(self, values=self.values.abs())

    def rounded(self, step: float) -> Numbers:
        """Return the numbers rounded to multiples of a step (0.01, 0.5, 1000)."""
        rounded: Any = (self.values / step + 1e-9).round() * step
        return replace(self, values=rounded)

    def mean(self) -> Numbers:
        """Return the mean over all cells as the only number."""
        import pandas

        if self.obstacle:
            return self
        total, known = len(self.values), len(self.known)
        cell = ("mean",)
        squares = [self.half(one) ** 2 for one in self.cells]
        halves = pandas.Series([math.fsum(squares) ** 0.5 / known], index=[cell])
        mean: Any = pandas.Series([self.known.mean()], index=[cell])
        summary = f"mean of {known}: "
        return replace(self, values=mean, halves=halves, summary=summary, lost=total - known, total=total)

    def _cases(self, so: Callable[[float], bool]) -> Cases:
        """Return where something is so, and where it is so, or not, all over the interval."""
        holds, clear = {}, {}
        for cell, value in zip(self.cells, self.known, strict=True):
            half = self.half(cell)
            holds[cell] = so(value)
            clear[cell] = not math.isnan(half) and so(value - half) == so(value) == so(value + half)
        return Cases(self, holds, clear, self.obstacle)


def values(runs: Runs, metrics: Any, side: Side, each: Sequence[str] = (), **along: Any) -> Numbers:
    """Return the numbers of one side. `along` names a column whose values make a sequence, `order` their order."""
    return _asked(runs, metrics, [side], each, **along)


def difference(runs: Runs, metrics: Any, left: Side, right: Side, each: Sequence[str] = (), **along: Any) -> Numbers:
    """Return left minus right, for each metric by itself."""
    return _asked(runs, metrics, [left, right], each, **along)


def ratio(runs: Runs, metrics: Any, left: Side, right: Side, each: Sequence[str] = (), **along: Any) -> Numbers:
    """Return left over right, for each metric by itself."""
    return _asked(runs, metrics, [left, right], each, divide=True, **along)


def _asked(
    runs: Runs,
    metrics: str | Sequence[str],
    sides: list[Side],
    each: Sequence[str],
    divide: bool = False,
    along: str = "",
    order: Sequence[Any] = (),
) -> Numbers:
    """Return the compared numbers with what makes them impossible to judge, and note that they were asked for."""
    import pandas

    metrics = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    columns = ["metric", *each, *([along] if along else [])]
    rows = [_selected(metrics, side.where, runs.measured, columns) for side in sides]
    sampled = runs.measured[runs.measured["metric"].isin([f"{metric}_ci95" for metric in metrics])]
    sampled = sampled.assign(metric=sampled["metric"].str.removesuffix("_ci95"), sampled=sampled["value"])
    sampled = sampled[[*_RUN, "sampled"]].drop_duplicates(_RUN)
    taken = [_side_values(side, found, columns, sampled) for side, found in zip(sides, rows, strict=True)]
    every, halves = taken[0]
    zeros: list[Any] = []
    for other, other_halves in taken[1:]:
        every, right = every.align(other, join="inner")
        zeros = right.index[right == 0].tolist() if divide else []
        left, of_right = halves.loc[every.index], other_halves.loc[every.index]
        halves = (
            ((left / right) ** 2 + (of_right * every / right**2) ** 2) ** 0.5
            if divide
            else (left**2 + of_right**2) ** 0.5
        )
        every = every / right if divide else every - right
    every = every.replace([math.inf, -math.inf], math.nan)
    cells = set(every.index.tolist())
    members = pandas.concat([_in_cells(found, columns, cells) for found in rows]).drop_duplicates()

    def by_side(cell: Any) -> list[list[float]]:
        here = [_at(found, columns, cell) for found in rows]
        return [found.groupby("seed", dropna=False)["value"].mean().tolist() for found in here]

    found = Numbers(
        every, metrics, along, tuple(order), sides=by_side, members=members, halves=halves, printed=runs.are_printed
    )
    found = replace(found, obstacle=_obstacle(runs, found, sides, rows, columns, zeros))
    runs.asked.append(found)
    return found


def _selected(metrics: Sequence[str], where: Mapping[str, Any], measured: DataFrame, columns: list[str]) -> DataFrame:
    """Return the rows of a side; those of single seeds where there are seeds and a printed mean beside them."""
    rows = comparable(measured[measured["metric"].isin(metrics)], {*where, *columns})
    rows = matching(rows, **{c: v for c, v in where.items() if v is not LARGEST and c != "testset"})
    if "testset" in where:  # published scores do not say on which test set where a paper has one
        rows = matching(rows, or_empty=True, testset=where["testset"])
    for column in (column for column, wanted in where.items() if wanted is LARGEST):
        groups = rows.groupby([name for name in columns if name != column], dropna=False)[column]
        rows = rows[rows[column] == groups.transform("max")]
    if "seed" not in columns and rows["seed"].notna().any():
        keys = [name for name in _OWN if name != "seed"]
        has_seeds = rows.groupby(keys, dropna=False)["seed"].transform("count") > 0
        rows = rows[rows["seed"].notna() | ~has_seeds]
    return rows


def _side_values(
    side: Side, rows: DataFrame, columns: list[str], sampled: DataFrame
) -> tuple[Series[float], Series[float]]:
    """Return the number of each cell, and half its 95% interval: over seeds the mean (or its standard error), over the
    rest what is taken. An extreme has the widest interval of those that it is taken of.

    `sampled` has half the bootstrap intervals over sentences of single runs, where scores.csv has them.
    """
    own = [name for name in _OWN if name != "seed"]
    groups = rows.merge(sampled, how="left", on=_RUN).groupby(own, dropna=False, sort=False)
    number, error = groups["value"].count(), groups["value"].sem()
    error = error.fillna(groups["error"].mean())
    half = half_widths(number, error, groups["sampled"].mean())
    value = error if side.error else groups["value"].mean()
    means = value.to_frame("value").assign(half=0.0 if side.error else half).reset_index()
    means = means.assign(square=means["half"] ** 2)
    of_cell = means.groupby(columns, dropna=False, sort=False)
    taken, known = of_cell["value"], of_cell["half"].count() == of_cell.size()
    values: Series[float] = taken.max() - taken.min() if side.take == "range" else taken.agg(side.take)
    widest = of_cell["half"].max() * (2**0.5 if side.take == "range" else 1)
    if side.take == "mean":
        widest = of_cell["square"].sum() ** 0.5 / of_cell.size()
    widest = widest.where(known)
    if len(columns) == 1:
        values.index = widest.index = values.index.map(lambda name: (name,))
    return values, widest


def _in_cells(rows: DataFrame, columns: list[str], cells: set[Any]) -> DataFrame:
    import pandas

    inside = [cell in cells for cell in rows[columns].itertuples(index=False, name=None)]
    return rows.loc[pandas.Series(inside, index=rows.index, dtype=bool), list(KEYS[:-1])]


def _at(rows: DataFrame, columns: list[str], cell: Any) -> DataFrame:
    for column, value in zip(columns, cell, strict=True):
        rows = rows[rows[column] == value]
    return rows


# ---- what makes a judgement impossible


def _obstacle(
    runs: Runs, found: Numbers, sides: list[Side], rows: list[DataFrame], columns: list[str], zeros: list[Any]
) -> str:
    """Return why the numbers cannot be judged; nothing where they can."""
    expected = runs.expected
    if zeros:
        return f"the ratio's denominator is zero: {_first_few(map(_cell_name, zeros))}"
    known = {cell[0] for cell in found.cells}
    if lacking := [metric for metric in found.metrics if metric not in known]:
        reason = "the numbers that the rule needs were not measured" if expected else "the paper has no such numbers"
        return f"{reason}: {', '.join(lacking)}"
    if several := _several_test_sets(rows, columns):
        return f"scores of several test sets, {', '.join(several)}: the rule has to name one"
    if missing := (_missing(expected, found) or _not_as_named(found, sides, columns)) if expected else []:
        return f"not measured: {_first_few(missing)}"
    if unlike := _unlike(sides, rows, columns):
        return f"left and right are not of the same {unlike}"
    if not any(metric.startswith(OF_TRANSLATIONS) for metric in found.metrics):
        return ""
    sentences = _fewest_sentences(found, runs.measured)
    if sentences < FEWEST_SENTENCES:
        return f"a test set of {sentences:.0f} lines; {FEWEST_SENTENCES} are needed"
    if runs.bleu is not None and _nothing_learned(found, runs.bleu):
        return f"nothing has been learned: BLEU below {LEAST_BLEU}"
    return ""


def _several_test_sets(rows: Iterable[DataFrame], columns: list[str]) -> list[str]:
    """Return the test sets that the scores of one direction come from, where they are several."""
    for side in rows if "testset" not in columns else ():
        for _, group in side[side["testset"] != ""].groupby(list(PLACE)):
            if group["testset"].nunique() > 1:
                return sorted(group["testset"].unique())
    return []


def _missing(expected: Numbers, found: Numbers) -> list[str]:
    """Return what ours lack: numbers that the paper has, comparisons of them, and comparisons without a value.

    A best of seven sizes is no best of the two that were run: what is behind a maximum has to be there, too.
    """
    import pandas

    assert expected.members is not None
    assert found.members is not None
    names = []
    for row in expected.members.to_dict("records"):
        if _of_member(found.members, row).empty:
            filled = {key: value for key, value in row.items() if not (pandas.isna(value) or value == "")}
            names.append(" ".join(str(value) for key, value in filled.items() if key not in ("algorithm", "size")))
    lacking = {*expected.cells, *found.values.index.tolist()} - set(found.cells)
    return names or [_cell_name(cell) for cell in sorted(lacking, key=str)]


def _of_member(rows: DataFrame, member: Mapping[Any, Any]) -> DataFrame:
    """Return the rows that agree with a member in every key that it fills."""
    import pandas

    for key, value in member.items():
        if not (pandas.isna(value) or value == ""):
            rows = rows[(rows[key] == value).fillna(False)]
    return rows


def _not_as_named(found: Numbers, sides: Iterable[Side], columns: list[str]) -> list[str]:
    """Return the values that a side lists of a column in `each`, and that have no comparison."""
    named = [
        (columns.index(column), value)
        for side in sides
        for column, wanted in side.where.items()
        if column in columns and column != found.along and isinstance(wanted, list)
        for value in wanted
    ]
    pairs = [(metric, place, value) for metric in found.metrics for place, value in named]
    lacking = [
        f"{metric} {value}"
        for metric, place, value in pairs
        if not any(cell[0] == metric and cell[place] == value for cell in found.cells)
    ]
    return list(dict.fromkeys(lacking))


def _unlike(sides: list[Side], rows: list[DataFrame], columns: list[str]) -> str:
    """Return what one side was measured on and the other was not; nothing where both are alike.

    Only what is taken together counts: no column in `each`, none that the sides set against each other, and none that
    some number does not say. Sides of different corpora or directions may differ in everything.
    """
    import pandas

    if len(sides) == 1:
        return ""
    free = [name for name in ALIKE if name not in columns]
    apart = {name for name in free if not _same(sides[0].where.get(name), sides[1].where.get(name))}
    if apart & set(PLACE):
        return ""
    both = pandas.concat(rows, keys=["left", "right"], names=["side"]).dropna(subset="value")
    for _, compared in both.groupby(columns, dropna=False, sort=False):
        known = [name for name in free if name not in apart and (compared[name] != "").all()]
        covered = {
            side: {" ".join(row) for row in of_side[known].itertuples(index=False, name=None)}
            for side, of_side in compared.groupby("side")
        }
        if len(covered) == 2 and covered["left"] != covered["right"]:
            told = [
                f"{one} has {', '.join(sorted(covered[one] - covered[other]))}, which {other} has not"
                for one, other in (("left", "right"), ("right", "left"))
                if covered[one] - covered[other]
            ]
            return f"{', '.join(known)}: {'; '.join(told)}"
    return ""


def _same(one: Any, other: Any) -> bool:
    """Return whether two selectors mean the same; two predicates do when they were made of the same values."""
    if callable(one) and callable(other):
        return [c.cell_contents for c in one.__closure__ or ()] == [c.cell_contents for c in other.__closure__ or ()]
    return bool(one == other)


def _fewest_sentences(found: Numbers, measured: DataFrame) -> float:
    """Return the lines of the smallest test set that the numbers come from; infinity where none is known.

    An effect is of no one corpus: the smallest of all of them counts.
    """
    assert found.members is not None
    lines = measured[measured["metric"] == "test_sentences"]
    for column in PLACE:
        named = sorted(set(found.members[column]) - {""})
        lines = lines[fits(lines[column], named)] if named else lines
    return float(lines["value"].min()) if len(lines) else math.inf


def _nothing_learned(found: Numbers, bleu: DataFrame) -> bool:
    """Return whether no system of those compared has a BLEU that says anything.

    Where none is known by its name (an effect is of no one system), those of the same corpora and directions count.
    """
    assert found.members is not None
    for columns in (found.members.columns.drop("metric"), list(PLACE)):
        systems = found.members[columns].drop_duplicates().to_dict("records")
        scores = [score for system in systems for score in _of_member(bleu, system)["value"].dropna()]
        if scores:
            return max(scores) < LEAST_BLEU
    return False


# ---- from cases to a finding


@dataclass(frozen=True)
class Finding:
    """Whether a claim holds (one of `STATES`), and the numbers that say so."""

    state: str
    reason: str

    def __and__(self, other: Finding) -> Finding:
        """Return the finding of both: the weaker state, with its reasons."""
        for state in (NOT_CONFIRMED, NOT_AS_PRINTED, NOT_TESTABLE, UNDECIDED, AS_PRINTED):
            found = [one.reason for one in (self, other) if one.state == state]
            if found:
                return Finding(state, "; ".join(dict.fromkeys(found)))
        return Finding(CONFIRMED, "; ".join(dict.fromkeys((self.reason, other.reason))))

    def noting(self, note: str) -> Finding:
        """Return the finding with a remark behind its reason."""
        return replace(self, reason=f"{self.reason}; {note}")


@dataclass(frozen=True)
class Cases:
    """In which cells something is so, and where that is clear: so, or not so, all over the interval.

    With `sequences`, a cell is a whole sequence.
    """

    numbers: Numbers
    holds: Mapping[Any, bool]
    clear: Mapping[Any, bool]
    obstacle: str = ""
    sequences: bool = False


def in_all(cases: Cases) -> Finding:
    """Return the finding that something is so in all cases."""
    return _found(cases, lambda good, total: good == total)


def in_most(cases: Cases) -> Finding:
    """Return the finding that something is so in more than half of the cases."""
    return _found(cases, lambda good, total: 2 * good > total)


def in_none(cases: Cases) -> Finding:
    """Return the finding that something is so in no case."""
    return _found(cases, lambda good, total: not good)


def in_at_least(number: float, cases: Cases) -> Finding:
    """Return the finding that something is so in a number of cases, or, below 1, in a share of them, or more."""
    return _found(cases, lambda good, total: good >= (number * total - SLACK if number < 1 else number))


def _found(cases: Cases, so: Callable[[int, int], bool]) -> Finding:
    """Return whether something is so for as many cases as there are, whichever way the unclear ones turn out."""
    numbers = cases.numbers
    if cases.obstacle:
        return Finding(NOT_TESTABLE, cases.obstacle)
    total, lost = numbers.total, numbers.lost
    if not total:
        total, lost = len(numbers.values), len(numbers.values) - len(numbers.known)
    if 2 * lost > total:
        return Finding(NOT_TESTABLE, f"{lost} of {total} numbers are lost in the text at hand")
    good, number = sum(cases.holds.values()), len(cases.holds)
    unclear = [cell for cell, clear in cases.clear.items() if not clear]
    fewest = sum(cases.holds[cell] for cell in cases.holds if cases.clear[cell])
    outcomes = {so(count, number) for count in range(fewest, fewest + len(unclear) + 1)}
    state = UNDECIDED if len(outcomes) > 1 else CONFIRMED if so(good, number) else NOT_CONFIRMED
    reason = _reason(cases)
    if state == UNDECIDED and numbers.printed and all(map(math.isnan, map(numbers.half, numbers.cells))):
        state = AS_PRINTED if so(good, number) else NOT_AS_PRINTED
    elif state == UNDECIDED:
        reason += f"; the 95% interval decides it in {number - len(unclear)} of {number}"
    if lost:
        reason += f"; {lost} of {total} numbers are lost in the text at hand"
    return Finding(state, reason)


def _reason(cases: Cases) -> str:
    known, total = cases.numbers.known, len(cases.holds)
    if total == 1 and not cases.sequences:
        return f"{cases.numbers.summary}{known.iloc[0]:.4g}"
    reason = f"so in {sum(cases.holds.values())} of {total}"
    if not cases.sequences:
        reason += f"; from {known.min():.4g} to {known.max():.4g}"
    failing = [cell for cell, so in cases.holds.items() if not so]
    if failing and total > 1:
        named = [cell if len(cases.numbers.metrics) > 1 else cell[1:] or cell for cell in failing]
        reason += f"; not: {_first_few(map(_cell_name, named))}"
    return reason


def rising(numbers: Numbers) -> Cases:
    """Return which sequences rise from each value to the next; clear where no step, or some step, is within noise."""

    def rises(cells: list[Any]) -> tuple[bool, bool]:
        steps = [
            (numbers.known[after] - numbers.known[before], math.hypot(numbers.half(before), numbers.half(after)))
            for before, after in itertools.pairwise(cells)
        ]
        up = all(step > 0 for step, _ in steps)
        clear = all(step - half > 0 for step, half in steps) or any(step + half <= 0 for step, half in steps)
        return up, clear

    return _trend(numbers, rises)


def crossing(cases: Cases) -> Cases:
    """Return along which sequences something is not so at first, and so from some place to the end."""

    def crosses(cells: list[Any]) -> tuple[bool, bool]:
        so = [cases.holds[cell] for cell in cells]
        return so[-1] and not so[0] and so == sorted(so), all(cases.clear[cell] for cell in cells)

    return _trend(cases.numbers, crosses)


def _trend(numbers: Numbers, so: Callable[[list[Any]], tuple[bool, bool]]) -> Cases:
    sequences: dict[Any, list[Any]] = {}
    for cell in numbers.cells:
        sequences.setdefault(cell[:-1], []).append(cell)
    if numbers.order:
        place = {wanted: index for index, wanted in enumerate(numbers.order)}
        sequences = {
            key: sorted((c for c in cells if c[-1] in place), key=lambda cell: place[cell[-1]])
            for key, cells in sequences.items()
        }
    else:
        sequences = {key: sorted(cells, key=lambda cell: cell[-1]) for key, cells in sequences.items()}
    obstacle = numbers.obstacle
    if not obstacle and min(map(len, sequences.values())) < 2:
        obstacle = f"fewer than two values along {numbers.along}"
    found = {} if obstacle else {key: so(cells) for key, cells in sequences.items()}
    holds, clear = ({key: one[place] for key, one in found.items()} for place in (0, 1))
    return Cases(numbers, holds, clear, obstacle, sequences=True)


def significant(cases: Cases, alpha: float = 0.05) -> Cases:
    """Return the cases in which Welch's t test over seeds finds the sides different, too."""
    holds = {}
    for cell, so in cases.holds.items() if not cases.obstacle else ():
        left, right = cases.numbers.sides(cell)
        if min(len(left), len(right)) < FEWEST_SEEDS:
            few = f"a test over seeds needs {FEWEST_SEEDS} a side, here {len(left)} and {len(right)}"
            return replace(cases, obstacle=few)
        holds[cell] = so and different(left, right, alpha)
    return replace(cases, holds=holds, clear=dict.fromkeys(holds, True))


def _first_few(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:3]) + (f" and {len(every) - 3} more" if len(every) > 3 else "")


def _cell_name(cell: Any) -> str:
    return " ".join(str(part) for part in (cell if isinstance(cell, tuple) else (cell,)) if str(part))


# ---- claims and verdicts


@dataclass(frozen=True)
class Claim:
    """A claim of a paper: its sentence, its place, what its numbers come from, and the function that judges it."""

    says: str
    where: str
    needs: tuple[str, ...]
    scales: tuple[str, ...]  # none: any; else those whose corpora the claim is about
    judge: Callable[[Runs], Finding]

    @property
    def rule(self) -> str:
        """The rule in English: the function's docstring."""
        return " ".join((self.judge.__doc__ or "").split()).rstrip(".")


def claim(
    says: str, where: str, needs: str | Sequence[str] = "scores", scales: Sequence[str] = ()
) -> Callable[[Callable[[Runs], Finding]], Claim]:
    """Return the decorator that makes a claim of a function. `needs` names measures, or `scores`."""
    named = (needs,) if isinstance(needs, str) else tuple(needs)
    return lambda judge: Claim(says, where, named, tuple(scales), judge)


@dataclass(frozen=True)
class Verdict:
    """A claim, and what became of it by the paper's own numbers and by ours."""

    name: str
    says: str
    where: str
    rule: str
    published: Finding
    ours: Finding


def verdict(
    name: str,
    claim: Claim,
    printed: DataFrame,
    ours: DataFrame,
    scale: str = "full",
    generated: bool = False,
    bleu: DataFrame | None = None,
) -> Verdict:
    """Return the verdict on a claim at a scale.

    `bleu` is that of our systems, where `ours` does not hold it. On generated text the finding is told, but it is no
    verdict: the claim is not about such text.
    """
    theirs = Runs(printed)
    by_paper = claim.judge(theirs)
    found = claim.judge(Runs(ours, theirs, ours[ours["metric"] == "bleu"] if bleu is None else bleu))
    if claim.scales and scale not in claim.scales:
        found = Finding(NOT_TESTABLE, f"about corpora of scale {' or '.join(claim.scales)}")
    elif generated and found.state != NOT_TESTABLE:
        found = Finding(NOT_TESTABLE, f"on generated text (there by the rule {found.state}: {found.reason})")
    return Verdict(name, claim.says, claim.where, claim.rule, by_paper, found)


VERDICT_COLUMNS = ("claim", "says", "where", "rule", "published", "published reason", "ours", "ours reason")


def write_verdicts(path: Path, verdicts: Iterable[Verdict]) -> None:
    """Write verdicts as CSV."""
    with whole_file(path) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(VERDICT_COLUMNS)
        for one in verdicts:
            findings = (one.published.state, one.published.reason, one.ours.state, one.ours.reason)
            writer.writerow([one.name, one.says, one.where, one.rule, *findings])
