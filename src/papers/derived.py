"""Measurements that follow from other measurements: shares of BPE's score, increments, distances to the best BPE.

A paper prints them, but nothing has to be run for them. They are computed from means over seeds, so that they agree
with the means that stand beside them. Their errors are those of independent means: sqrt(a² + b²) for a difference, and
in relative terms for a ratio (first order).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from experiment.scoring.significance import mean_and_error
from papers.measurements import frame, together

if TYPE_CHECKING:
    from pandas import DataFrame

#: Metrics that are set against BPE's.
AGAINST_BPE = ("bleu", "chrf", "comet")
#: What is said of each of them.
DERIVED = ("_percent_of_bpe", "_increment", "_below_best_bpe")
#: Algorithms that are BPE, the one that is preferred first. Huffman's shares are of SentencePiece's, HFT's increments
#: of subword-nmt's; where only one of them was run it serves for both.
SHARE_BASELINES = ("spm-bpe", "bpe")
INCREMENT_BASELINES = ("bpe", "spm-bpe")

#: What two systems of one comparison have in common. The model is compared where both have the same.
PLACE = ["metric", "corpus", "direction", "testset", "selection"]
SYSTEM = ["model", "segmentation", "algorithm", "size"]


class _System(NamedTuple):
    """A system's mean over seeds in one place."""

    place: dict[str, Any]
    model: str
    segmentation: str
    algorithm: str
    size: int | None
    mean: float
    error: float


def with_derived(measured: DataFrame) -> DataFrame:
    """Return `measured` and what follows from it: `{score}_percent_of_bpe` (a share), `{score}_increment` (the
    difference to BPE) and `{score}_below_best_bpe` (best BPE of any size minus the score), for BLEU, chrF and COMET.

    What was measured under one of these names already is left as it is.
    """
    taken = set(measured["metric"])
    rows = [row for row in _derived(measured) if row["metric"] not in taken]
    return together([measured, frame(rows)])


def _derived(measured: DataFrame) -> Iterator[dict[str, Any]]:
    places: dict[tuple[Any, ...], list[_System]] = {}
    for system in _systems(measured):
        places.setdefault(tuple(system.place.values()), []).append(system)
    for system, rivals in ((system, mates) for mates in places.values() for system in mates):
        score = system.place["metric"]
        base = _baseline(system, rivals, SHARE_BASELINES)
        if base and base.mean:
            share = system.mean / base.mean
            error = math.hypot(system.error / base.mean, share * base.error / base.mean)
            yield _row(system, f"{score}_percent_of_bpe", share, error)
        base = _baseline(system, rivals, INCREMENT_BASELINES)
        if base:
            error = math.hypot(system.error, base.error)
            yield _row(system, f"{score}_increment", system.mean - base.mean, error)
        best = _best(system, rivals)
        if best:
            error = math.hypot(system.error, best.error) if best is not system else math.nan
            yield _row(system, f"{score}_below_best_bpe", best.mean - system.mean, error)


def _systems(measured: DataFrame) -> Iterator[_System]:
    import pandas

    scored = measured[measured["metric"].isin(AGAINST_BPE) & measured["value"].notna() & measured["x"].isna()]
    for _, rows in scored.groupby([*PLACE, *SYSTEM], dropna=False, sort=False):
        facts: dict[str, Any] = {name: rows[name].iloc[0] for name in (*PLACE, *SYSTEM)}
        mean, error = mean_and_error(list(rows["value"]))
        yield _System(
            {name: facts[name] for name in PLACE},
            facts["model"],
            facts["segmentation"],
            facts["algorithm"],
            None if pandas.isna(facts["size"]) else int(facts["size"]),
            mean,
            math.nan if error is None else error,
        )


def _baseline(system: _System, rivals: list[_System], algorithms: tuple[str, ...]) -> _System | None:
    """Return the BPE system of the same size, of the same model where there is one; None for BPE itself.

    Several that fit equally well (two segmentations of one size by one algorithm) decide nothing.
    """
    if system.algorithm in algorithms:
        return None
    for algorithm in algorithms:
        fit = [other for other in rivals if other.algorithm == algorithm and other.size == system.size]
        same_model = [other for other in fit if other.model == system.model]
        fit = same_model or fit
        if fit:
            return fit[0] if len(fit) == 1 else None
    return None


def _best(system: _System, rivals: list[_System]) -> _System | None:
    fit = [other for other in rivals if other.algorithm in INCREMENT_BASELINES and other.model == system.model]
    return max(fit, key=lambda other: other.mean, default=None)


def _row(system: _System, metric: str, value: float, error: float) -> dict[str, Any]:
    names = {"model": system.model, "segmentation": system.segmentation, "algorithm": system.algorithm}
    return system.place | names | {"size": system.size, "metric": metric, "value": value, "error": error}
