"""Verdicts on predicted differences: are sums of means over seeds, such as a gain or the change of a gain, above 0?

The pages in docs/experiments judge their hypotheses with it. Systems of scores.csv have verdicts of their own, over
seeds and sentences (`comparison`).
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiment.scoring.comparison import OPEN, holm, satterthwaite
from experiment.scoring.significance import ALPHA

CONFIRMED, REFUTED = "confirmed", "refuted"

#: Groups of values with their signs or weights: the weighted sum of their means is asked for. No group comes twice:
#: what counts double has the weight 2.
Signed = Sequence[tuple[float, Sequence[float]]]


@dataclass(frozen=True)
class Interval:
    """A value and its 95% interval."""

    value: float
    low: float
    high: float

    @classmethod
    def around(cls, value: float, half: float) -> Interval:
        """Return the interval that reaches `half` to both sides."""
        return cls(value, value - half, value + half)

    @classmethod
    def effect(cls, row: Mapping[str, Any]) -> Interval:
        """Return the effect of a row of scores.csv (a system less its baseline)."""
        return cls(row["effect"], row["effect_low"], row["effect_high"])

    def text(self, decimals: int = 2) -> str:
        """Return it as in `+1.20 [−0.31, +2.71]`. What rounds to 0 keeps its sign: [−0.82, −0.00] is below 0."""
        value, low, high = (f"{each:+.{decimals}f}" for each in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]".replace("-", "−")


@dataclass(frozen=True)
class Judged:
    """A sum of means, its p-value, corrected for all that were asked with it, and the verdict."""

    change: Interval
    p_value: float
    verdict: str

    def text(self, decimals: int = 2) -> str:
        return f"{self.change.text(decimals)}, p = {self.p_value:.2g}"


def judge(asked: Mapping[Any, Signed], expected: int = 1, none_within: float = 0.0) -> dict[Any, Judged]:
    """Judge sums of means whose sign, `expected`, was predicted, with Holm's correction over all of them.

    A sum that is shown to be there is confirmed or refuted by its sign. One that is not is open, or refuted where its
    whole interval is within `none_within` of 0. Raises ValueError as `contrast` does.
    """
    found = {name: contrast(signed) for name, signed in asked.items()}
    corrected = holm([p_value for _, p_value in found.values()])
    judged = {}
    for (name, (change, _)), p_value in zip(found.items(), corrected, strict=True):
        verdict = REFUTED if max(-change.low, change.high) < none_within else OPEN
        if p_value < ALPHA:
            verdict = CONFIRMED if change.value * expected > 0 else REFUTED
        judged[name] = Judged(change, p_value, verdict)
    return judged


def contrast(signed: Signed) -> tuple[Interval, float]:
    """Return a sum of means with its 95% t interval, and p: Welch's test, of any number of groups.

    Raises ValueError for a group of one value, or if no group varies.
    """
    from scipy.stats import t

    effect = sum(sign * statistics.fmean(values) for sign, values in signed)
    parts = [(sign**2 * statistics.variance(values) / len(values), len(values) - 1) for sign, values in signed]
    variance = sum(part for part, _ in parts)
    if not variance:
        raise ValueError("no group varies over seeds, so a difference of means has no interval")
    freedom = satterthwaite(variance, parts)
    half = float(t.ppf(1 - ALPHA / 2, freedom)) * variance**0.5
    return Interval.around(effect, half), 2 * float(t.sf(abs(effect) / variance**0.5, freedom))
