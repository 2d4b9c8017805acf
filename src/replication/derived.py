"""Numbers that follow from scores: shares of BPE's score, increments over BPE, distances to the best BPE.

A paper prints them, and nothing has to run for them. They come from means over seeds, so that they agree with the means
beside them. Their errors are those of independent means: sqrt(a² + b²) for a difference, in relative terms for a ratio
(first order); their degrees of freedom are Welch's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from pandas import DataFrame

from experiment.scoring.comparison import satterthwaite
from replication.measurements import comparable, frame, records, together

#: Metrics that are compared with BPE's, and what is derived from each of them.
AGAINST_BPE = ("bleu", "chrf", "comet")
#: Algorithms that are BPE, the preferred one first. Huffman's shares are of SentencePiece's, HFT's increments of
#: subword-nmt's; where only one of them was run it serves for both.
SHARE_BASELINES = ("spm-bpe", "bpe")
INCREMENT_BASELINES = ("bpe", "spm-bpe")
#: What the systems of one comparison have in common; the model, too, where both have the same.
BLOCK = ["metric", "corpus", "direction", "testset", "selection"]
SYSTEM = ["model", "segmentation", "algorithm", "size"]
System = dict[Any, Any]


def with_derived(measured: DataFrame) -> DataFrame:
    """Return `measured` and what follows from it, for BLEU, chrF and COMET: `{score}_percent_of_bpe` (a share),
    `{score}_increment` (the difference to BPE) and `{score}_below_best_bpe` (the best BPE of any size minus the score).
    What was measured under one of these names already stays as it is.
    """
    taken = set(measured["metric"])
    scored = comparable(measured[measured["metric"].isin(AGAINST_BPE) & measured["value"].notna()], ["selection"])
    means = scored.groupby([*BLOCK, *SYSTEM], dropna=False, sort=False)["value"].agg(["mean", "sem", "count"])
    means = means.reset_index().fillna({"size": 0})  # no size is equal to no size
    found = []
    for _, place in means.groupby(BLOCK, dropna=False, sort=False):
        systems = records(place)
        for system in systems:
            names = {name: system[name] for name in (*BLOCK, *SYSTEM)} | {"size": system["size"] or None}
            for kind, value, (error, freedom) in _against_bpe(system, systems):
                metric = f"{system['metric']}_{kind}"
                if metric not in taken:
                    found.append(names | {"metric": metric, "value": value, "error": error, "freedom": freedom})
    return together([measured, frame(found)])


def _against_bpe(system: System, rivals: Sequence[System]) -> Iterator[tuple[str, float, tuple[float, float]]]:
    mean = system["mean"]
    base = _baseline(system, rivals, SHARE_BASELINES)
    if base and base["mean"]:
        share = mean / base["mean"]
        yield "percent_of_bpe", share, _error(system, base, 1 / base["mean"], share / base["mean"])
    if base := _baseline(system, rivals, INCREMENT_BASELINES):
        yield "increment", mean - base["mean"], _error(system, base)
    bpe = [each for each in rivals if each["algorithm"] in INCREMENT_BASELINES and each["model"] == system["model"]]
    if bpe:
        best = max(bpe, key=lambda each: each["mean"])
        yield "below_best_bpe", best["mean"] - mean, (math.nan, math.nan) if best is system else _error(system, best)


def _error(one: System, other: System, weight: float = 1, other_weight: float = 1) -> tuple[float, float]:
    """Return the standard error of a weighted sum of two means, and its degrees of freedom."""
    variances = [(weight * one["sem"]) ** 2, (other_weight * other["sem"]) ** 2]
    if not sum(variances) > 0:  # one run, or runs that are all alike
        return math.sqrt(sum(variances)), math.nan
    parts = zip(variances, (one["count"] - 1, other["count"] - 1), strict=True)
    return math.sqrt(sum(variances)), satterthwaite(sum(variances), parts)


def _baseline(system: System, rivals: Sequence[System], algorithms: Sequence[str]) -> System | None:
    """Return the BPE of the same size, and of the same model where there is one; None for BPE itself.

    Two segmentations that fit equally well decide nothing.
    """
    for algorithm in algorithms if system["algorithm"] not in algorithms else ():
        fit = [each for each in rivals if (each["algorithm"], each["size"]) == (algorithm, system["size"])]
        fit = [each for each in fit if each["model"] == system["model"]] or fit
        if fit:
            return fit[0] if len(fit) == 1 else None
    return None
