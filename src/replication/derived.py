"""Numbers that follow from scores: shares of BPE's score, increments over BPE, distances to the best BPE.

A paper prints them, and nothing has to run for them. They come from means over seeds, so that they agree with the means
beside them. Their errors are those of independent means: sqrt(a² + b²) for a difference, in relative terms for a ratio
(first order).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from replication.measurements import frame, together

if TYPE_CHECKING:
    from pandas import DataFrame

#: Metrics that are compared with BPE's, and what is derived from each of them.
AGAINST_BPE = ("bleu", "chrf", "comet")
DERIVED = ("_percent_of_bpe", "_increment", "_below_best_bpe")
#: Algorithms that are BPE, the preferred one first. Huffman's shares are of SentencePiece's, HFT's increments of
#: subword-nmt's; where only one of them was run it serves for both.
SHARE_BASELINES = ("spm-bpe", "bpe")
INCREMENT_BASELINES = ("bpe", "spm-bpe")
#: What the systems of one comparison have in common; the model, too, where both have the same.
PLACE = ["metric", "corpus", "direction", "testset", "selection"]
SYSTEM = ["model", "segmentation", "algorithm", "size"]


class _System(NamedTuple):
    """A system's mean over seeds in one place."""

    place: tuple[Any, ...]
    model: str
    segmentation: str
    algorithm: str
    size: int | None
    mean: float
    error: float  # NaN for a single run


def with_derived(measured: DataFrame) -> DataFrame:
    """Return `measured` and what follows from it, for BLEU, chrF and COMET: `{score}_percent_of_bpe` (a share),
    `{score}_increment` (the difference to BPE) and `{score}_below_best_bpe` (the best BPE of any size minus the score).
    What was measured under one of these names already stays as it is.
    """
    taken = set(measured["metric"])
    return together([measured, frame(row for row in _derived(measured) if row["metric"] not in taken)])


def _derived(measured: DataFrame) -> Iterator[dict[str, Any]]:
    import pandas

    scored = measured[measured["metric"].isin(AGAINST_BPE) & measured["value"].notna() & measured["x"].isna()]
    places: dict[tuple[Any, ...], list[_System]] = {}
    key: Any
    scores: Any
    for key, scores in scored.groupby([*PLACE, *SYSTEM], dropna=False, sort=False)["value"]:
        *place, model, segmentation, algorithm, size = key
        size = None if pandas.isna(size) else int(size)
        mean, error = float(scores.mean()), float(scores.sem())
        places.setdefault(tuple(place), []).append(
            _System(tuple(place), model, segmentation, algorithm, size, mean, error)
        )
    for system, rivals in ((system, mates) for mates in places.values() for system in mates):
        score = system.place[0]
        base = _baseline(system, rivals, SHARE_BASELINES)
        if base and base.mean:
            share = system.mean / base.mean
            error = math.hypot(system.error / base.mean, share * base.error / base.mean)
            yield _row(system, f"{score}_percent_of_bpe", share, error)
        base = _baseline(system, rivals, INCREMENT_BASELINES)
        if base:
            error = math.hypot(system.error, base.error)
            yield _row(system, f"{score}_increment", system.mean - base.mean, error)
        bpe = [other for other in rivals if other.algorithm in INCREMENT_BASELINES and other.model == system.model]
        if bpe:
            best = max(bpe, key=lambda other: other.mean)
            error = math.hypot(system.error, best.error) if best is not system else math.nan
            yield _row(system, f"{score}_below_best_bpe", best.mean - system.mean, error)


def _baseline(system: _System, rivals: list[_System], algorithms: tuple[str, ...]) -> _System | None:
    """Return the BPE of the same size, and of the same model where there is one; None for BPE itself.

    Two segmentations that fit equally well decide nothing.
    """
    if system.algorithm in algorithms:
        return None
    for algorithm in algorithms:
        alike = [other for other in rivals if other.algorithm == algorithm]
        fit = [other for other in alike if other.size == system.size]
        fit = [other for other in fit if other.model == system.model] or fit
        if fit:
            return fit[0] if len(fit) == 1 else None
    return None


def _row(system: _System, metric: str, value: float, error: float) -> dict[str, Any]:
    names = {"model": system.model, "segmentation": system.segmentation, "algorithm": system.algorithm}
    place = dict(zip(PLACE, system.place, strict=True))
    return place | names | {"size": system.size, "metric": metric, "value": value, "error": error}
