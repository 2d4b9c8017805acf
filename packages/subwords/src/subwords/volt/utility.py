"""Entropy of a vocabulary, its marginal utility, and the choice of a size by it (Xu et al. 2021, section 3)."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from subwords.errors import InputError


@dataclass(frozen=True)
class Step:
    """One size that was looked at. `vocabulary` is how many tokens it has; `muv` and `gain` are None for the first.

    `entropy` is Eq. 2, in nats per character; `gain` is its rise since the step before, per unit of size, which Eq. 3
    maximizes as it is printed; `muv` is Eq. 1, the gain with the opposite sign.
    """

    size: int
    entropy: float
    vocabulary: int
    length: float | None = None
    gain: float | None = None
    muv: float | None = None
    rounds: int | None = None
    miss: float | None = None


def entropy(frequencies: Collection[float], length: float) -> float:
    """Return Eq. 2: the entropy of tokens with these frequencies (nats) over their mean length (characters).

    >>> entropy([3, 3], 2.0) == math.log(2) / 2
    True
    """
    total = math.fsum(frequencies)
    shares = [frequency / total for frequency in frequencies if frequency > 0]
    return -math.fsum(share * math.log(share) for share in shares) / length


def with_utility(steps: Sequence[Step], widths: Sequence[int]) -> list[Step]:
    """Return the steps with `gain` and `muv`; `widths` are the sizes by which differences are divided.

    >>> steps = with_utility([Step(1000, 1.5, 1100), Step(2000, 1.25, 2100)], [1000, 2000])
    >>> steps[1].gain, steps[1].muv
    (-0.00025, 0.00025)
    """
    found = list(steps[:1])
    for (before, narrow), (step, wide) in pairwise(zip(steps, widths, strict=True)):
        gain = (step.entropy - before.entropy) / (wide - narrow) if wide != narrow else 0.0
        found.append(replace(step, gain=gain, muv=-gain))
    return found


def best(steps: Sequence[Step], utility: str) -> Step:
    """Return the step with the highest "gain" or "muv" (the first of equals); the first step has neither."""
    return max(steps[1:], key=lambda step: getattr(step, utility))


def sizes_up_to(last: int, interval: int, available: int, what: str) -> list[int]:
    """Return interval, 2 * interval, ... up to `last`. Raises InputError for fewer than two sizes to choose from."""
    sizes = list(range(interval, min(last, available) + 1, interval))
    if len(sizes) < 2:
        raise InputError(
            f"there is no choice of sizes: interval={interval}, maximum={last}, and {available} {what} in this text",
            allowed="an interval that goes twice into the maximum and into the number of candidates",
            next_step=f"--set interval={max(1, min(last, available) // 10)}, or give --size N",
        )
    return sizes
