"""Intervals and tests over training runs: the only place that claims take them from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiment.scoring.significance import welch_p_value

if TYPE_CHECKING:
    from pandas import Series

#: Two-sided level of every interval.
LEVEL = 0.95
FEWEST_SEEDS = 3
#: 97.5% point of the normal distribution, for standard errors whose number of runs is not known.
_NORMAL = 1.959964


def half_widths(number: Series[int], error: Series[float], sampled: Series[float]) -> Series[float]:
    """Return half the 95% interval of means; NaN where nothing is known of it.

    `number` runs with a standard error of their mean: Student's t. One number with a standard error (a printed mean):
    the normal distribution. A single run: `sampled`, half the bootstrap interval over sentences, which says nothing of
    training.
    """
    from scipy.stats import t

    several = error * t.ppf((1 + LEVEL) / 2, (number - 1).clip(lower=1))
    return several.where(number > 1, (_NORMAL * error).fillna(sampled))


def different(left: Sequence[float], right: Sequence[float], alpha: float) -> bool:
    """Return whether Welch's t test over seeds finds two systems different at a level."""
    p_value = welch_p_value(left, right)
    return p_value is not None and p_value < alpha
