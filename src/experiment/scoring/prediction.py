"""Which measure of a segmented text, known before anything is trained, predicts the score?

The correlation is Spearman's, over systems, each with the mean of its seeds. Sizes of one algorithm
resemble each other, and so do seeds of one system. So intervals come from a hierarchical bootstrap: algorithms are
drawn with replacement, a drawn algorithm keeps all its sizes, and of each system the seeds are drawn with replacement.

The score of a system that has learned nothing says nothing of its pieces: such systems are left out.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from experiment.scoring.comparison import learned_nothing
from experiment.scoring.scorebook import Row
from experiment.scoring.significance import resampling_seed

#: Column of scores.csv -> what it is called in figures and tables.
MEASURES = {
    "vocabulary": "entries in the vocabulary",
    "pieces_per_sentence_target": "target pieces per sentence",
    "renyi_efficiency_target": "Rényi efficiency of target pieces",
    "boundary_f1_target": "F1 of target morpheme boundaries",
}
#: The measure of size: what another measure says beyond it is its partial correlation.
SIZE = "vocabulary"
DRAWS = 2000
#: With fewer algorithms the bootstrap over them has too few different draws for an interval to mean anything.
FEWEST_ALGORITHMS = 5

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Swept:
    """A system of a sweep: what was measured of its pieces, and its score with each seed."""

    algorithm: str
    measures: Mapping[str, float]
    scores: tuple[float, ...]
    learned: bool = True


@dataclass(frozen=True)
class Interval:
    """A value and its 95% percentile interval."""

    value: float
    low: float
    high: float


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


def spearman(measures: Array, scores: Array) -> Array:
    """Return the rank correlation of each row of `measures` with `scores`, and of these rows with each other.

    A matrix with the score in its last row and column; nan where something does not vary.
    """
    from scipy.stats import rankdata

    with np.errstate(invalid="ignore", divide="ignore"):
        return np.atleast_2d(np.corrcoef(rankdata(np.vstack([measures, scores]), axis=1)))


def partial(correlations: Array, one: int, other: int, given: int) -> float:
    """Return the partial correlation of two variables given a third, of the matrix of their correlations.

    nan where the third determines one of them.

    >>> ranks = np.array([[1.0, 0.5, 0.5], [0.5, 1.0, 0.5], [0.5, 0.5, 1.0]])
    >>> round(partial(ranks, 0, 1, given=2), 3)
    0.333
    """
    r, a, b = correlations[one, other], correlations[one, given], correlations[other, given]
    left = (1 - a**2) * (1 - b**2)
    return float((r - a * b) / np.sqrt(left)) if left > 1e-12 else float("nan")


def predict(systems: Sequence[Swept], *, draws: int = DRAWS, seed: int | None = None) -> Prediction | None:
    """Return how well each measure predicts the score, over the systems that have learned something.

    None below two algorithms, three systems or one measure.
    """
    given, systems = systems, [system for system in systems if system.learned]
    algorithms = list(dict.fromkeys(system.algorithm for system in systems))
    if len(algorithms) < 2 or len(systems) < 3 or not systems[0].measures:
        return None
    names = list(systems[0].measures)
    measured = np.array([[system.measures[name] for system in systems] for name in names])
    names_of = np.array([system.algorithm for system in systems])
    members = [np.flatnonzero(names_of == algorithm) for algorithm in algorithms]
    random = np.random.default_rng(resampling_seed() if seed is None else seed)

    def drawn_mean(scores: tuple[float, ...]) -> float:
        return float(np.mean(random.choice(scores, len(scores))))

    found = _correlations(names, measured, np.array([statistics.fmean(system.scores) for system in systems]))
    samples = []
    for _ in range(draws):
        chosen = np.concatenate([members[k] for k in random.integers(len(members), size=len(members))])
        scores = np.array([drawn_mean(systems[k].scores) for k in chosen])
        samples.append(_correlations(names, measured[:, chosen], scores))

    def interval(kind: int, key: int) -> Interval:
        values = np.array([sample[kind][key] for sample in samples])
        known = values[~np.isnan(values)]
        low, high = np.percentile(known, [2.5, 97.5]) if len(known) else (np.nan, np.nan)
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


def _correlations(names: Sequence[str], measured: Array, scores: Array) -> tuple[Array, Array, Array]:
    """Return rho of each measure, its partial correlation given size, and |rho| - |rho'| of each pair of measures."""
    matrix = spearman(measured, scores)
    rho, size = matrix[-1, :-1], names.index(SIZE) if SIZE in names else None
    beyond = [partial(matrix, k, -1, size) if size not in (None, k) else np.nan for k in range(len(names))]
    better = [abs(rho[a]) - abs(rho[b]) for a, b in combinations(range(len(names)), 2)]
    return rho, np.array(beyond), np.array(better)
