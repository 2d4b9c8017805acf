"""Scores that a printed mean and standard error could have come from."""

from __future__ import annotations

from subwords.errors import InputError


def replicates(mean: float, error: float, number: int) -> list[float]:
    """Return `number` evenly spaced scores with exactly this mean and this standard error of the mean.

    A linear model with normal noise sees no more of a cell's scores than these two, so any others with the same mean
    and standard error have the same posterior. Raises InputError for less than two scores with an error.
    """
    if number < 1 or (number == 1 and error):
        raise InputError(f"{number} scores with a standard error of {error}", allowed="two or more")
    steps = [place - (number - 1) / 2 for place in range(number)]
    spread = (sum(step * step for step in steps) / max(number - 1, 1)) ** 0.5 or 1.0
    return [mean + error * number**0.5 * step / spread for step in steps]
