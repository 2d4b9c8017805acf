"""Entropic optimal transport along the edges of a sparse graph, in the log domain.

It finds the transport plan P that minimizes <P, D> - gamma H(P), where H(P) = -sum P ln P, mass moves along given edges
only (every other distance is infinite), each row sends exactly its mass, and each column receives its mass up to
epsilon: the problem of Xu et al. 2021, section 4.2. The algorithm is the generalized Sinkhorn iteration (Peyré and
Cuturi 2019, section 4.6). A row factor makes the row's sum exact; a column factor projects the column's sum, in the
Kullback-Leibler sense, on the interval mass +- epsilon, which is to clip it. With epsilon = 0 this is Sinkhorn's
algorithm.

The factors are kept as logarithms: they may drift apart without bound (they do when no plan meets all columns) while
the plan stays exact. The first round is done in logarithms; the others scale the plan that it left, which is the same
arithmetic without exponentials, until factors have changed so much that doubles do not reach (section 4.4 there): then
one more round in logarithms writes the plan anew. The last step is a row step, so rows are met to rounding; columns
that cannot be met are missed by as little as possible, and the plan says by how much.

Two rows, two columns, all four edges at no distance: the plan is the product of the masses.

>>> import numpy as np
>>> rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
>>> plan = transport(rows, columns, np.zeros(4), np.array([0.5, 0.5]), np.array([0.25, 0.75]))
>>> plan.mass.round(6).tolist()
[0.125, 0.375, 0.125, 0.375]

Complexity: O(edges) time per round, O(edges) memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subwords.core import transport as core

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Rounds between two looks at what the columns receive.
SCALED = 15
#: Factors that change by more than this, or its inverse, since the plan was written have it written anew: entries that
#: were too small for a double then might count now.
REACH = 1e100


@dataclass(frozen=True)
class Plan:
    """Mass per edge, in the order of the edges, with the column sums that it makes.

    `miss` is the largest distance of a column's sum from its interval; `converged` is False when the rounds ended at
    their limit with column sums still moving.
    """

    mass: Floats
    columns: Floats
    miss: float
    rounds: int
    converged: bool


def _degrees(ends: Ints, count: int, what: str) -> Ints:
    """Return the number of edges of each end. Raises ValueError for an end without edge or mass."""
    degrees = np.bincount(ends, minlength=count)
    if len(degrees) > count or not degrees.all():
        raise ValueError(f"every {what} needs an edge and a mass")
    return degrees


class _Groups:
    """Edges by their end (row or column), to sum exponentials over each end."""

    def __init__(self, ends: Ints, count: int, what: str) -> None:
        self.sizes = _degrees(ends, count, what)
        self.order = np.argsort(ends, kind="stable")
        self.starts = np.concatenate(([0], np.cumsum(self.sizes)))[:-1]

    def log_sum(self, values: Floats) -> Floats:
        """Return ln(sum(exp(values))) over the edges of each end, which `order` gives, safe for any magnitude."""
        highest = np.maximum.reduceat(values, self.starts)
        # A column whose edges all carry exp(-inf) = 0 would subtract infinities.
        shift = np.where(np.isfinite(highest), highest, 0.0)
        with np.errstate(divide="ignore"):
            return shift + np.log(np.add.reduceat(np.exp(values - np.repeat(shift, self.sizes)), self.starts))


class _Level:
    """The free constant between row and column factors, for each connected part of the graph.

    Adding it to the one and taking it from the other leaves the plan as it is, but not the dual objective, in which a
    column pays its lowest sum for a positive factor and its highest sum for a negative one. Alone, the rounds find the
    best constant only in tiny steps when the intervals are narrow.
    """

    def __init__(self, rows: Ints, columns: Ints, row_mass: Floats, lowest: Floats, highest: Floats) -> None:
        m, n = len(row_mass), len(lowest)
        parts = np.array(core.parts(rows.astype(np.int64), columns.astype(np.int64), m, n))
        count = int(parts.max()) + 1
        self.part = parts[m:]
        self.width = highest - lowest
        self._order = np.arange(n)
        sent = np.bincount(parts[:m], row_mass, count)
        self.wanting = sent - np.bincount(self.part, lowest, count)

    def best(self, factor: Floats) -> Floats:
        """Return, for each column, the constant that its part should lose: the weighted quantile of its factors."""
        order = self._order[np.argsort(factor[self._order], kind="stable")]  # hardly other than the last time
        self._order = order = order[np.argsort(self.part[order], kind="stable")]
        part = self.part[order]
        first = np.flatnonzero(np.diff(part, prepend=-1))
        last = np.append(first[1:], len(part)) - 1
        given = np.cumsum(self.width[order])
        given -= (given[first] - self.width[order][first])[part]
        enough = np.where(given >= self.wanting[part], np.arange(len(part)), len(part))
        level = factor[order][np.minimum(np.minimum.reduceat(enough, first), last)]
        return np.where(np.isfinite(level), level, 0.0)[self.part]


def transport(
    rows: Ints,
    columns: Ints,
    distance: Floats,
    row_mass: Floats,
    column_mass: Floats,
    *,
    epsilon: float = 0.0,
    gamma: float = 1.0,
    tolerance: float = 1e-10,
    still: float = 1e-10,
    limit: int = 4000,
) -> Plan:
    """Return the optimal plan over the edges rows[e] -> columns[e] with distance[e].

    `row_mass` must be positive and is met exactly; `column_mass` (not negative) up to `epsilon`. The rounds end when
    all columns are met within `tolerance`, when no column sum has changed by more than `still` in 16 rounds (then the
    columns cannot be met; with a small `gamma` a plan may rest for long and move on, so lower `still`), or after
    `limit` rounds. Raises ValueError for a row or column without an edge.
    """
    # From here on columns are in the order of their degrees: then the processor foresees where loops over their edges
    # end (a third of the time). Edges are in the order of their columns.
    places = np.argsort(_degrees(columns, len(column_mass), "column"), kind="stable")
    numbers = np.argsort(places)
    column_mass, by_column = column_mass[places], _Groups(numbers[columns], len(column_mass), "column")
    given = by_column.order
    rows, columns, distance = rows[given], numbers[columns[given]], distance[given]
    by_row = _Groups(rows, len(row_mass), "row")
    kernel = -distance / gamma
    lowest = np.maximum(column_mass - epsilon, 0.0)
    highest = column_mass + epsilon
    with np.errstate(divide="ignore"):
        log_mass, log_lowest, log_highest = np.log(row_mass), np.log(lowest), np.log(highest)
    level = _Level(rows, columns, row_mass, lowest, highest) if epsilon > 0 else None
    edges = np.ascontiguousarray(rows, np.int32), np.append(by_column.starts, len(columns))
    plan = np.empty(len(columns))
    # A column's factor is e to the column_factor of when the plan was written, times its change since then.
    column_factor, sums, before = np.zeros((3, len(column_mass)))
    change, row_change = np.ones(len(column_mass)), np.ones(len(row_mass))

    def scale(rounds: int) -> None:
        with np.errstate(over="ignore"):
            undone = np.exp(-column_factor)
        core.scale(*edges, plan, row_mass, lowest, highest, undone, row_change, change, sums, rounds)

    def send(factor: Floats) -> Floats:
        """Return the logarithms of the plan, but for the column factors, once its rows are met."""
        shares = kernel + np.repeat(factor, by_column.sizes)
        return kernel + (log_mass - by_row.log_sum(shares[by_row.order]))[rows]

    rounds, in_reach = 0, False
    while True:
        with np.errstate(divide="ignore"):
            factor = column_factor + np.log(change)
        if in_reach:
            scale(1)
        else:
            sent = send(factor)
            received = by_column.log_sum(sent)
            sums[:] = np.exp(received + factor)
            column_factor = np.clip(received, log_lowest, log_highest) - received
            plan[:] = np.exp(sent + np.repeat(column_factor, by_column.sizes))
            change[:], row_change[:] = 1.0, 1.0
        rounds += 1
        moved = np.abs(sums - before).max()
        before[:] = sums
        miss = max(float((np.abs(sums - column_mass) - epsilon).max()), 0.0)
        converged = bool(max(miss, moved) <= tolerance or moved <= still)
        if converged or rounds >= limit:
            break
        if level:  # the next row step moves the rows
            column_factor = column_factor - level.best(column_factor + np.log(change))
        scale(SCALED)
        rounds += SCALED
        in_reach = bool(sums[lowest > 0].all()) and all(
            changes.min() > 1 / REACH and changes.max() < REACH for changes in (change, row_change)
        )
    mass = np.empty(len(columns))
    mass[given] = np.exp(send(factor) + np.repeat(factor, by_column.sizes))
    return Plan(mass, sums[numbers], miss, rounds, converged)
