"""Which measure of a segmented text, known before anything is trained, predicts the score?

The correlation is Spearman's, over systems, each with the mean of its seeds. Sizes of one algorithm
resemble each other, and so do seeds of one system. So intervals come from a hierarchical bootstrap: algorithms are
drawn with replacement, a drawn algorithm keeps all its sizes, and of each system the seeds are drawn with replacement.
Its percentiles are widened for the number of algorithms (`tail`).

The score of a system that has learned nothing says nothing of its pieces: such systems are left out.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from experiment.scoring.comparison import learned_nothing
from experiment.scoring.contrasts import Interval
from experiment.scoring.scorebook import Row
from experiment.scoring.sentence_statistics import Array
from experiment.scoring.significance import resampling_seed

#: Column of scores.csv -> what it is called in figures and tables.
MEASURES = {
    "vocabulary": "entries in the vocabulary",
    "pieces_per_sentence_target": "target pieces per sentence",
    "renyi_efficiency_target": "Rényi efficiency of target pieces",
    "boundary_f1_target": "F1 of target morpheme boundaries",
    "boundary_f1_source": "F1 of source morpheme boundaries",
}
#: The measure of size: what another measure says beyond it is its partial correlation.
SIZE = "vocabulary"
DRAWS = 10_000
#: So many draws at a time, for memory.
BATCH = 500
#: With fewer algorithms the bootstrap over them has too few different draws for an interval to mean anything.
FEWEST_ALGORITHMS = 5


@dataclass(frozen=True)
class Swept:
    """A system of a sweep: what was measured of its pieces, and its score with each seed."""

    algorithm: str
    measures: Mapping[str, float]
    scores: tuple[float, ...]
    learned: bool = True


@dataclass(frozen=True)
class Prediction:
    """How well each measure predicts the score.

    `rho` is Spearman's correlation with the score, `beyond_size` the partial correlation given `SIZE`, `better` the
    difference |rho| - |rho'| of two measures. `untrained` systems had learned nothing and are not among `systems`.
    """

    systems: int
    algorithms: int
    untrained: int
    rho: Mapping[str, Interval]
    beyond_size: Mapping[str, Interval]
    better: Mapping[tuple[str, str], Interval]


def swept_systems(rows: Sequence[Row], testset: str, metric: str) -> list[Swept]:
    """Return the systems of all algorithms that have two sizes or more, with the measures that all of them have."""
    named: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if (row["testset"], row["metric"]) == (testset, metric) and row["size"] is not None:
            named.setdefault((row["algorithm"], row["segmentation"]), []).append(row)
    sizes: dict[str, set[int]] = {}
    for (algorithm, _), runs in named.items():
        sizes.setdefault(algorithm, set()).add(runs[0]["size"])
    kept = {key: runs for key, runs in named.items() if len(sizes[key[0]]) > 1}
    known = [name for name in MEASURES if kept and all(row[name] is not None for runs in kept.values() for row in runs)]
    return [
        Swept(
            algorithm,
            {name: statistics.fmean(row[name] for row in runs) for name in known},
            tuple(row["score"] for row in runs),
            not any(map(learned_nothing, runs)),
        )
        for (algorithm, _), runs in kept.items()
    ]


def spearman(values: Array, present: NDArray[np.bool_] | None = None) -> Array:
    """Return the rank correlations of variables with each other, with average ranks for ties.

    `values` is (..., variables, systems), the result (..., variables, variables); nan where something does not vary.
    Systems that are not `present` (..., systems) do not count.
    """
    from scipy.stats import rankdata

    counted = values if present is None else np.where(present[..., None, :], values, np.nan)
    ranks = rankdata(counted, axis=-1, nan_policy="omit")
    centred = np.nan_to_num(ranks - np.nanmean(ranks, axis=-1, keepdims=True))
    products = centred @ centred.swapaxes(-1, -2)
    variances = np.diagonal(products, axis1=-2, axis2=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return products / np.sqrt(variances[..., :, None] * variances[..., None, :])


def partial(correlations: Array, one: int, other: int, given: int) -> Array:
    """Return the partial correlation of two variables given a third, of one matrix of correlations or of many.

    nan where the third determines one of them.

    >>> ranks = np.array([[1.0, 0.5, 0.5], [0.5, 1.0, 0.5], [0.5, 0.5, 1.0]])
    >>> round(float(partial(ranks, 0, 1, given=2)), 3)
    0.333
    """
    r, a, b = (correlations[..., i, j] for i, j in ((one, other), (one, given), (other, given)))
    left = (1 - a**2) * (1 - b**2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(left > 1e-12, (r - a * b) / np.sqrt(left), np.nan)


def predict(systems: Sequence[Swept], *, draws: int = DRAWS, seed: int | None = None) -> Prediction | None:
    """Return how well each measure predicts the score, over the systems that have learned something.

    None below two algorithms, three systems or one measure.
    """
    given, systems = systems, [system for system in systems if system.learned]
    algorithms = list(dict.fromkeys(system.algorithm for system in systems))
    if len(algorithms) < 2 or len(systems) < 3 or not systems[0].measures:
        return None
    names = list(systems[0].measures)
    measured = np.array([[system.measures[name] for name in names] for system in systems])
    means = np.array([statistics.fmean(system.scores) for system in systems])
    random = np.random.default_rng(resampling_seed() if seed is None else seed)
    found = _correlations(names, spearman(np.column_stack([measured, means]).T))
    parts = [
        _correlations(names, spearman(*_draw(systems, measured, min(BATCH, draws - begun), random)))
        for begun in range(0, draws, BATCH)
    ]
    samples = [np.concatenate(part) for part in zip(*parts, strict=True)]
    outside = tail(len(algorithms))

    def interval(kind: int, key: int) -> Interval:
        values = samples[kind][:, key]
        known = values[~np.isnan(values)]
        low, high = np.quantile(known, [outside, 1 - outside]) if len(known) else (np.nan, np.nan)
        return Interval(float(found[kind][key]), float(low), float(high))

    others, pairs = [k for k, name in enumerate(names) if name != SIZE], list(combinations(range(len(names)), 2))
    return Prediction(
        len(systems),
        len(algorithms),
        len(given) - len(systems),
        rho={name: interval(0, k) for k, name in enumerate(names)},
        beyond_size={names[k]: interval(1, k) for k in others} if SIZE in names else {},
        better={(names[a], names[b]): interval(2, k) for k, (a, b) in enumerate(pairs)},
    )


def tail(algorithms: int) -> float:
    """Return the share of draws that lies outside of an interval, on each side.

    A percentile interval of n drawn things is too narrow as a normal interval with the variance of n instead of n - 1
    is. Expanded percentiles (Hesterberg 2015, The American Statistician 69, section 3.2) make up for both.

    >>> round(tail(8), 4), round(tail(1000), 4)
    (0.0057, 0.0248)
    """
    from scipy.stats import norm, t

    return float(norm.cdf(t.ppf(0.025, algorithms - 1) * math.sqrt(algorithms / (algorithms - 1))))


def _draw(
    systems: Sequence[Swept], measured: Array, draws: int, random: np.random.Generator
) -> tuple[Array, NDArray[np.bool_]]:
    """Draw algorithms, and seeds of each system; return measures and score (draws, variables, places).

    An algorithm has as many places as the largest has systems. The second array, (draws, places), says which hold one.
    """
    names = np.array([system.algorithm for system in systems])
    members = [np.flatnonzero(names == algorithm) for algorithm in dict.fromkeys(names)]
    places = np.full((len(members), max(map(len, members))), -1)
    for row, member in zip(places, members, strict=True):
        row[: len(member)] = member
    chosen = places[random.integers(len(members), size=(draws, len(members)))].reshape(draws, -1)
    seeds = np.array([len(system.scores) for system in systems])
    scores = np.zeros((len(systems), seeds.max()))
    for row, system in zip(scores, systems, strict=True):
        row[: len(system.scores)] = system.scores
    drawn = (random.random((*chosen.shape, seeds.max())) * seeds[chosen][..., None]).astype(int)
    counted = np.arange(seeds.max()) < seeds[chosen][..., None]
    means = (scores[chosen[..., None], drawn] * counted).sum(-1) / seeds[chosen]
    return np.concatenate([measured[chosen], means[..., None]], axis=-1).swapaxes(-1, -2), chosen >= 0


def _correlations(names: Sequence[str], matrix: Array) -> tuple[Array, Array, Array]:
    """Return rho of each measure, its partial correlation given size, and |rho| - |rho'| of each pair of measures.

    `matrix` has the correlations of the measures and of the score, its last row, once or for each draw.
    """
    rho, size = matrix[..., -1, :-1], names.index(SIZE) if SIZE in names else None
    known = [k for k in range(len(names)) if size not in (None, k)]
    beyond = np.full(rho.shape, np.nan)
    for k in known:
        beyond[..., k] = partial(matrix, k, -1, names.index(SIZE))
    pairs = [abs(rho[..., a]) - abs(rho[..., b]) for a, b in combinations(range(len(names)), 2)]
    return rho, beyond, np.stack(pairs, axis=-1) if pairs else np.empty((*rho.shape[:-1], 0))
