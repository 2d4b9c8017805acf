"""Which runs a claim is judged by, and the numbers that it compares."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import pandas
from pandas import DataFrame

from replication.claims.cases import SLACK, Cases, Cell
from replication.claims.obstacles import obstacle
from replication.measurements import COLUMNS, KEYS, comparable, filled, half_interval, listed, matching

#: How metrics begin, and do not end, whose numbers need an interval: what trained systems give.
UNCERTAIN = ("bleu", "chrf", "comet", "undecodable_output", "sentences_per_second", "spearman")
CERTAIN = ("_against_bpe", "_against_best_bpe")
#: The columns that tell apart what is no other run of the same.
SYSTEM = [name for name in COLUMNS if name not in ("seed", "value", "error", "text")]
#: In place of a value: the largest that the comparison has.
LARGEST = object()


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
    found = replace(found, obstacle=obstacle(runs, found, sides, zeros))
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
