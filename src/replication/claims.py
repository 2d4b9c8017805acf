"""Claims: a function reads like the sentence that it tests, and judges the paper's numbers and ours alike.

    @claim("a better average NMT performance on both datasets", where="section 2.4")
    def better(runs: Runs) -> Finding:
        \"\"\"HFT has a higher BLEU than BPE in every direction.\"\"\"
        return in_all(difference(runs, "bleu", of(algorithm="hft"), of(algorithm="bpe"), each=PLACE) > 0)

`runs` are measurements: the paper's (the printed tables) or ours. `of` says which of them a side takes; `values`,
`difference` and `ratio` give `Numbers`, one for each combination of the columns in `each` (seeds are averaged first);
comparing `Numbers` gives `Cases`; `in_all`, `in_most` and the like turn `Cases` into a `Finding`; findings are combined
with `&`. A claim asks for all its numbers before it decides anything: what the paper has is what ours must have, too.

What trained systems give (scores, their correlations and standard errors, undecodable output, speed) needs a 95%
interval: over seeds, else of the test set's sentences. A claim about it is confirmed or not only where the interval
excludes the opposite; otherwise it is undecided. Printed numbers without any interval can only be so, or not so, as
printed. What involves no sampling (vocabularies, frequencies) has no interval and needs none.
That a number is as large as printed is a claim of its own, beside the one that it is at least as good.

There is no verdict where a number of ours is missing, where averages over different corpora, directions, test sets or
models are compared, where a ratio's denominator is zero, where translations of fewer than 200 lines are compared, or of
a system that has learned nothing (docs/metrics-and-tables.md), on generated text,
and where the paper's text at hand has lost most numbers.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import pandas
from pandas import DataFrame

from experiment.scoring.significance import ALPHA, welch_p_value
from replication.measurements import COLUMNS, KEYS, Made, comparable, filled, half_interval, listed, matching, records

CONFIRMED, UNDECIDED, NOT_CONFIRMED, NOT_TESTABLE = "confirmed", "undecided", "not confirmed", "not testable"
AS_PRINTED, NOT_AS_PRINTED = "holds as printed", "does not hold as printed"
#: Every state, with the sign that a page shows.
STATES = {CONFIRMED: "✓", AS_PRINTED: "✓", UNDECIDED: "?", NOT_CONFIRMED: "✗", NOT_AS_PRINTED: "✗", NOT_TESTABLE: "–"}
#: The smallest test set of the papers has 250 lines (HFT, Irish to English), the largest of a smoke run 40.
FEWEST_SENTENCES = 200
FEWEST_SEEDS = 3
#: How metrics begin that are computed from translations of test sets.
OF_TRANSLATIONS = ("bleu", "chrf", "comet", "undecodable_output", "effect_", "spearman")
#: How metrics begin, and do not end, whose numbers need an interval: what trained systems give.
UNCERTAIN = ("bleu", "chrf", "comet", "undecodable_output", "sentences_per_second", "spearman")
CERTAIN = ("_against_bpe", "_against_best_bpe")
#: What both sides of a comparison must be of, unless the sides name it: averages over different things do not compare.
ALIKE = ("corpus", "direction", "testset", "model")
PLACE = ("corpus", "direction")
#: The columns that tell apart what is no other run of the same.
SYSTEM = [name for name in COLUMNS if name not in ("seed", "value", "error", "text")]
#: Differences of floating-point numbers are not exact: 0.3 - 0.2 is not above 0.1.
SLACK = 1e-9
#: In place of a value: the largest that the comparison has.
LARGEST = object()
Cell = tuple[Any, ...]


# ---- which runs, and what is compared


class Side(NamedTuple):
    """Which measurements one side of a comparison takes, and what becomes of several: mean, max, min or range."""

    where: Mapping[str, Any]
    take: str = "mean"
    error: bool = False  # the standard error in place of the value


def of(take: str = "mean", error: bool = False, **where: Any) -> Side:
    """Return a side: columns with a value, a list, a condition (`other_than`, `at_least`) or `LARGEST`.

    A list of a column that is in `each` names what must be there: ours needs a comparison for each of its values.
    """
    return Side(where, take, error)


@dataclass
class Runs:
    """The measurements that a claim is judged by: the paper's own, or ours.

    With `printed`, the paper's runs after the same claim was judged on them: every number that the paper has must be
    there. `trained` are our systems' BLEU and `learned_nothing`.
    """

    measured: DataFrame
    printed: Runs | None = None
    trained: DataFrame | None = None
    asked: list[Numbers] = field(default_factory=list)

    @property
    def are_printed(self) -> bool:
        return self.printed is None


@dataclass(frozen=True)
class Numbers:
    """What a claim compares: a number for each cell (metric, then `each`, then `along`), and half its 95% interval
    (0: certain, NaN: not known); or what makes the comparison impossible."""

    cells: Mapping[Cell, float]  # NaN: lost in the paper's text
    halves: Mapping[Cell, float]
    metrics: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()  # of a cell
    along: str = ""
    order: Sequence[Any] = ()
    rows: Sequence[DataFrame] = ()  # the measurements behind them, side by side
    printed: bool = False  # the paper's numbers
    obstacle: str = ""
    behind: Mapping[Cell, float] | None = None  # a mean: what it is the mean of
    step: float = 0  # what is judged is the number, and the ends of its interval, rounded to multiples of this

    def __gt__(self, bound: float) -> Cases:
        return self._cases(lambda value: value <= bound + SLACK)

    def __ge__(self, bound: float) -> Cases:
        return self._cases(lambda value: value < bound - SLACK)

    def __lt__(self, bound: float) -> Cases:
        return self._cases(lambda value: value >= bound - SLACK)

    def __le__(self, bound: float) -> Cases:
        return self._cases(lambda value: value > bound + SLACK)

    def between(self, low: float, high: float) -> Cases:
        """Return which numbers lie within two bounds, both included."""
        return self._cases(lambda value: (value > high + SLACK) - (value < low - SLACK))

    def minus(self, other: Numbers) -> Numbers:
        """Return these numbers minus others of the same cells. A cell that others lack is their obstacle.

        Both may be of the same runs, as in (H − C) − (B − H): so halves are added, which no correlation exceeds.
        """
        cells = {cell: value - other.cells[cell] for cell, value in self.cells.items() if cell in other.cells}
        halves = {cell: self.halves[cell] + other.halves[cell] for cell in cells}
        return replace(self, cells=cells, halves=halves, obstacle=self.obstacle or other.obstacle)

    def absolute(self) -> Numbers:
        return replace(self, cells={cell: abs(value) for cell, value in self.cells.items()})

    def rounded(self, step: float) -> Numbers:
        """Return numbers that are judged by multiples of a step (0.01, 0.5, 1000), to which they and the ends of their
        intervals are rounded."""
        return replace(self, step=step)

    def _judged(self, value: float) -> float:
        return round(value / self.step + SLACK) * self.step if self.step and not math.isnan(value) else value

    def mean(self) -> Numbers:
        """Return the mean over all cells as the only number.

        Metrics of the same trainings err together: their halves are added, those of other cells are independent.
        """
        known = self.known
        if self.obstacle or not known:
            return self
        of_trainings: defaultdict[Cell, float] = defaultdict(float)
        for cell in known:
            of_trainings[cell[1:]] += self.halves[cell]
        half = math.hypot(*of_trainings.values()) / len(known)
        mean = math.fsum(known.values()) / len(known)
        return replace(self, cells={("mean",): mean}, halves={("mean",): half}, behind=self.cells)

    @property
    def known(self) -> dict[Cell, float]:
        """The numbers that are not lost."""
        return {cell: value for cell, value in self.cells.items() if not math.isnan(value)}

    def members(self) -> DataFrame:
        """Return the keys of the measurements behind the cells."""
        rows = pandas.concat(self.rows)
        inside = [cell in self.cells for cell in rows[list(self.columns)].itertuples(index=False, name=None)]
        return rows.loc[inside, list(KEYS[:-1])].drop_duplicates()

    def sides(self, cell: Cell) -> list[list[float]]:
        """Return what is compared in a cell, side by side: one number a seed, where there are seeds."""
        where = filled(dict(zip(self.columns, cell, strict=True)))
        sides = (matching(rows, **where) for rows in self.rows)
        return [side.groupby("seed", dropna=False)["value"].mean().tolist() for side in sides]

    def _cases(self, missed: Callable[[float], int]) -> Cases:
        """Return where something is so, and where one thing is true all over the interval: that it is so, or that it is
        missed on one side. `missed` is 0 where it is so, and else tells the sides apart."""
        holds, clear = {}, {}
        for cell, value in self.known.items():
            half = self.halves[cell]
            low, middle, high = (missed(self._judged(place)) for place in (value - half, value, value + half))
            holds[cell] = not middle
            clear[cell] = not math.isnan(half) and low == middle == high
        return Cases(self, holds, clear, self.obstacle)


def values(runs: Runs, metrics: Any, side: Side, each: Sequence[str] = (), **along: Any) -> Numbers:
    """Return the numbers of one side. `along` names a column whose values make a sequence, `order` their order."""
    return _asked(runs, metrics, [side], each, lambda value, half: (value, half), **along)


def difference(runs: Runs, metrics: Any, left: Side, right: Side, each: Sequence[str] = (), **along: Any) -> Numbers:
    """Return left minus right, for each metric by itself."""
    return _asked(runs, metrics, [left, right], each, _minus, **along)


def ratio(runs: Runs, metrics: Any, left: Side, right: Side, each: Sequence[str] = (), **along: Any) -> Numbers:
    """Return left over right, for each metric by itself."""
    return _asked(runs, metrics, [left, right], each, _over, **along)


def _minus(one: float, half: float, other: float, other_half: float) -> tuple[float, float]:
    return one - other, math.hypot(half, other_half)


def _over(one: float, half: float, other: float, other_half: float) -> tuple[float, float]:
    return (one / other, math.hypot(half / other, other_half * one / other**2)) if other else (math.nan, math.nan)


def _asked(
    runs: Runs,
    metrics: str | Sequence[str],
    sides: list[Side],
    each: Sequence[str],
    compare: Callable[..., tuple[float, float]],
    along: str = "",
    order: Sequence[Any] = (),
) -> Numbers:
    """Return the compared numbers with what makes them impossible to judge, and note that they were asked for."""
    metrics = tuple(listed(metrics))
    columns = ("metric", *each, *([along] if along else []))
    rows = [_selected(metrics, side.where, runs.measured, columns) for side in sides]
    taken = [_taken(side, found, columns, runs.measured) for side, found in zip(sides, rows, strict=True)]
    certain = not any(m.startswith(UNCERTAIN) and not m.endswith(CERTAIN) for m in metrics)
    cells, halves = {}, {}
    for cell in taken[0]:
        if all(cell in side for side in taken):
            cells[cell], half = compare(*itertools.chain.from_iterable(side[cell] for side in taken))
            halves[cell] = 0.0 if certain else half
    found = Numbers(cells, halves, metrics, columns, along, tuple(order), rows, runs.are_printed)
    zeros = [cell for cell in cells if compare is _over and taken[1][cell][0] == 0]
    found = replace(found, obstacle=_obstacle(runs, found, sides, zeros))
    runs.asked.append(found)
    return found


def _selected(metrics: Sequence[str], where: Mapping[str, Any], measured: DataFrame, columns: Sequence[str]) -> Any:
    """Return the rows of a side; those of single seeds where there are seeds and a printed mean beside them."""
    rows = comparable(measured[measured["metric"].isin(metrics)], {*where, *columns})
    rows = matching(rows, **{c: v for c, v in where.items() if v is not LARGEST and c != "testset"})
    if "testset" in where:  # published scores do not say on which test set where a paper has one
        rows = matching(rows, or_empty=True, testset=where["testset"])
    for column in (column for column, wanted in where.items() if wanted is LARGEST):
        groups = rows.groupby([name for name in columns if name != column], dropna=False)[column]
        rows = rows[rows[column] == groups.transform("max")]
    if "seed" not in columns and rows["seed"].notna().any():
        has_seeds = rows.groupby(SYSTEM, dropna=False)["seed"].transform("count") > 0
        rows = rows[rows["seed"].notna() | ~has_seeds]
    return rows


def _taken(side: Side, rows: DataFrame, columns: Sequence[str], measured: DataFrame) -> dict[Cell, tuple[float, float]]:
    """Return the number of each cell, and half its 95% interval: over seeds the mean (or its standard error), over the
    rest what is taken. A maximum or minimum has the widest interval of its candidates."""
    if rows.empty:
        return {}
    run = [*KEYS, "testset"]
    sampled = measured[measured["metric"].str.endswith("_ci95")].drop_duplicates(run)
    sampled = sampled.assign(metric=sampled["metric"].str.removesuffix("_ci95"), sampled=sampled["value"])
    with_sampled = rows.merge(sampled[[*run, "sampled"]], how="left", on=run)
    groups = with_sampled.groupby(SYSTEM, dropna=False, sort=False)
    number, error = groups["value"].count(), groups["value"].sem().fillna(groups["error"].mean())
    freedom = (number - 1).where(number > 1, groups["freedom"].mean())
    # Of a single run, half the bootstrap interval over sentences, which says nothing of training.
    half = half_interval(error, freedom).fillna(groups["sampled"].mean())
    value = groups["value"].mean()
    if side.error:  # of normal scores, a standard error's own is 1/√(2 · freedom) of it
        value, half = error, half_interval(error / (2 * freedom) ** 0.5, math.nan)
    means = value.to_frame("value").assign(half=half).reset_index()
    of_cell = means.assign(square=means["half"] ** 2).groupby(list(columns), dropna=False, sort=False)
    taken = of_cell["value"]
    value = taken.max() - taken.min() if side.take == "range" else taken.agg(side.take)
    widest = of_cell["half"].max() * (2**0.5 if side.take == "range" else 1)
    if side.take == "mean":
        widest = of_cell["square"].sum() ** 0.5 / of_cell.size()
    widest = widest.where(of_cell["half"].count() == of_cell.size())
    cells = [cell if isinstance(cell, tuple) else (cell,) for cell in value.index]
    return dict(zip(cells, zip(value, widest, strict=True), strict=True))


# ---- what makes a judgement impossible


def _obstacle(runs: Runs, found: Numbers, sides: list[Side], zeros: list[Cell]) -> str:
    """Return why the numbers cannot be judged; nothing where they can."""
    expected = runs.printed.asked[len(runs.asked)] if runs.printed else None
    if zeros:
        return f"the ratio's denominator is zero: {_first_few(map(_cell_name, zeros))}"
    known = {cell[0] for cell in found.known}
    if lacking := [metric for metric in found.metrics if metric not in known]:
        reason = "the numbers that the rule needs were not measured" if expected else "the paper has no such numbers"
        return f"{reason}: {', '.join(lacking)}"
    if several := _several_test_sets(found):
        return f"scores of several test sets, {', '.join(several)}: the rule has to name one"
    if missing := (_missing(expected, found) or _not_as_named(found, sides)) if expected else []:
        return f"not measured: {_first_few(missing)}"
    if unlike := _unlike(sides, found):
        return f"left and right are not of the same {unlike}"
    if not any(metric.startswith(OF_TRANSLATIONS) for metric in found.metrics):
        return ""
    members = found.members()
    sentences = _fewest_sentences(members, runs.measured)
    if sentences < FEWEST_SENTENCES:
        return f"a test set of {sentences:.0f} lines; {FEWEST_SENTENCES} are needed"
    untrained = [] if runs.trained is None else _untrained(members, runs.trained)
    return f"learned nothing: {_first_few(untrained)}" if untrained else ""


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
    return names or [_cell_name(cell) for cell in sorted(cells, key=str)]


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


# ---- from cases to a finding


@dataclass(frozen=True)
class Finding:
    """Whether a claim holds (one of `STATES`), and the numbers that say so."""

    state: str
    reason: str

    def __and__(self, other: Finding) -> Finding:
        """Return the finding of both: the weaker state, with its reasons."""
        weakest_first = (NOT_CONFIRMED, NOT_AS_PRINTED, NOT_TESTABLE, UNDECIDED, AS_PRINTED, CONFIRMED)
        state = min(self.state, other.state, key=weakest_first.index)
        reasons = dict.fromkeys(one.reason for one in (self, other) if one.state == state)
        return Finding(state, "; ".join(reasons))

    def noting(self, note: str) -> Finding:
        """Return the finding with a remark behind its reason."""
        return replace(self, reason=f"{self.reason}; {note}")


@dataclass(frozen=True)
class Cases:
    """In which cells something is so, and where that is clear: so, or not so, all over the interval.

    With `sequences`, a cell is a whole sequence.
    """

    numbers: Numbers
    holds: Mapping[Cell, bool]
    clear: Mapping[Cell, bool]
    obstacle: str = ""
    sequences: bool = False


def in_all(cases: Cases) -> Finding:
    return _found(cases, lambda good, total: good == total)


def in_most(cases: Cases) -> Finding:
    """Return whether something is so in more than half of the cases."""
    return _found(cases, lambda good, total: 2 * good > total)


def in_none(cases: Cases) -> Finding:
    return _found(cases, lambda good, total: not good)


def in_at_least(number: float, cases: Cases) -> Finding:
    """Return whether something is so in a number of cases, or, below 1, in a share of them, or more."""
    return _found(cases, lambda good, total: good >= (number * total - SLACK if number < 1 else number))


def _found(cases: Cases, so: Callable[[int, int], bool]) -> Finding:
    """Return whether something is so for as many cases as there are, whichever way the unclear ones turn out."""
    numbers = cases.numbers
    if cases.obstacle:
        return Finding(NOT_TESTABLE, cases.obstacle)
    behind = numbers.cells if numbers.behind is None else numbers.behind
    lost = sum(map(math.isnan, behind.values()))
    told = f"{lost} of {len(behind)} numbers are lost in our copy of the text"
    if 2 * lost > len(behind):
        return Finding(NOT_TESTABLE, told)
    good, number = sum(cases.holds.values()), len(cases.holds)
    clear = sum(cases.clear.values())
    fewest = sum(holds for cell, holds in cases.holds.items() if cases.clear[cell])
    outcomes = {so(count, number) for count in range(fewest, fewest + number - clear + 1)}
    state = UNDECIDED if len(outcomes) > 1 else CONFIRMED if so(good, number) else NOT_CONFIRMED
    reason = _reason(cases)
    if state == UNDECIDED and numbers.printed and all(math.isnan(numbers.halves[cell]) for cell in numbers.known):
        state = AS_PRINTED if so(good, number) else NOT_AS_PRINTED
    elif state == UNDECIDED:
        reason += f"; the 95% interval decides it in {clear} of {number}"
    return Finding(state, f"{reason}; {told}" if lost else reason)


def _reason(cases: Cases) -> str:
    numbers, total = list(cases.numbers.known.values()), len(cases.holds)
    if total == 1 and not cases.sequences:
        known = sum(not math.isnan(value) for value in (cases.numbers.behind or {}).values())
        return (f"mean of {known}: " if known else "value ") + f"{numbers[0]:.4g}"
    reason = f"holds in {sum(cases.holds.values())} of {total}"
    if not cases.sequences:
        reason += f"; values from {min(numbers):.4g} to {max(numbers):.4g}"
    failing = [cell for cell, so in cases.holds.items() if not so]
    if failing and total > 1:
        named = [cell if len(cases.numbers.metrics) > 1 else cell[1:] or cell for cell in failing]
        reason += f"; not: {_first_few(map(_cell_name, named))}"
    return reason


def rising(numbers: Numbers) -> Cases:
    """Return which sequences rise from each value to the next; clear where no step, or some step, is within noise."""
    cells, halves = numbers.cells, numbers.halves

    def rises(sequence: list[Cell]) -> tuple[bool, bool]:
        steps = [(cells[b] - cells[a], math.hypot(halves[a], halves[b])) for a, b in itertools.pairwise(sequence)]
        clear = all(step - half > 0 for step, half in steps) or any(step + half <= 0 for step, half in steps)
        return all(step > 0 for step, _ in steps), clear

    return _trend(numbers, rises)


def crossing(cases: Cases) -> Cases:
    """Return along which sequences something is not so at first, and so from some place to the end."""

    def crosses(sequence: list[Cell]) -> tuple[bool, bool]:
        so = [cases.holds[cell] for cell in sequence]
        return so[-1] and not so[0] and so == sorted(so), all(cases.clear[cell] for cell in sequence)

    return _trend(cases.numbers, crosses)


def _trend(numbers: Numbers, so: Callable[[list[Cell]], tuple[bool, bool]]) -> Cases:
    sequences: dict[Cell, list[Cell]] = {}
    for cell in numbers.known:
        if not numbers.order or cell[-1] in numbers.order:
            sequences.setdefault(cell[:-1], []).append(cell)
    for cells in sequences.values():
        cells.sort(key=lambda cell: numbers.order.index(cell[-1]) if numbers.order else cell[-1])
    obstacle = numbers.obstacle
    if not obstacle and min(map(len, sequences.values()), default=0) < 2:
        obstacle = f"fewer than two values along {numbers.along}"
    found = {} if obstacle else {key: so(cells) for key, cells in sequences.items()}
    holds, clear = ({key: one[place] for key, one in found.items()} for place in (0, 1))
    return Cases(numbers, holds, clear, obstacle, sequences=True)


def significant(cases: Cases) -> Cases:
    """Return the cases in which Welch's t test over seeds finds the sides different, too, at 0.05."""
    clear = {}
    for cell in cases.holds if not cases.obstacle else ():
        left, right = cases.numbers.sides(cell)
        if min(len(left), len(right)) < FEWEST_SEEDS:
            few = f"a test over seeds needs {FEWEST_SEEDS} a side, here {len(left)} and {len(right)}"
            return replace(cases, obstacle=few)
        p_value = welch_p_value(left, right)
        clear[cell] = p_value is not None and p_value < ALPHA
    return replace(cases, holds={cell: cases.holds[cell] and so for cell, so in clear.items()}, clear=clear)


def _first_few(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:3]) + (f" and {len(every) - 3} more" if len(every) > 3 else "")


def _cell_name(cell: Cell) -> str:
    return " ".join(str(part) for part in cell if str(part))


# ---- claims and verdicts


@dataclass(frozen=True)
class Claim(Made):
    """A claim of a paper: its sentence (`title`), its place in the paper, and the function that judges `Runs`."""

    where: str = ""
    scales: tuple[str, ...] = ()  # none: any; else those whose corpora the claim is about

    @property
    def rule(self) -> str:
        return self.note.rstrip(".")


def claim(
    says: str, where: str, needs: str | Sequence[str] = "scores", scales: Sequence[str] = ()
) -> Callable[[Callable[[Runs], Finding]], Claim]:
    """Return the decorator that makes a claim of a function. `needs` names measures, or `scores`."""
    return lambda judge: Claim(says, tuple(listed(needs)), judge, where=where, scales=tuple(scales))


class Verdict(NamedTuple):
    """What became of a claim by the paper's own numbers and by ours."""

    published: Finding
    ours: Finding


def verdict(
    claim: Claim,
    printed: DataFrame,
    ours: DataFrame,
    scale: str = "full",
    generated: bool = False,
    trained: DataFrame | None = None,
) -> Verdict:
    """Return the verdict on a claim at a scale.

    `trained` are our systems' BLEU and `learned_nothing`, where `ours` does not hold them. On generated text the
    finding is told, but it is no verdict: the claim is not about such text.
    """
    theirs = Runs(printed)
    by_paper = claim(theirs)
    trained = ours if trained is None else trained
    found = claim(Runs(ours, theirs, trained[trained["metric"].isin(["bleu", "learned_nothing"])]))
    if claim.scales and scale not in claim.scales:
        found = Finding(NOT_TESTABLE, f"about corpora of scale {' or '.join(claim.scales)}")
    elif generated and found.state != NOT_TESTABLE:
        found = Finding(NOT_TESTABLE, f"on generated text (there by the rule {found.state}: {found.reason})")
    return Verdict(by_paper, found)
