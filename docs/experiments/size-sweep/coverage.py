"""How often does the interval of H2 (analysis.py) hold the truth? Made scores with known means, three seeds each.

cd docs/experiments/size-sweep && python coverage.py > coverage.txt
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from analysis import SIZES, range_difference

TRIALS, DRAWS = 400, 400
#: Standard deviations over seeds: those of the run of 800 updates, and of 2,400 (en-de).
NOISE = (0.7, 0.3)
#: What is true at 1,000 entries of the other algorithms, and of bpe at its four sizes.
TRUTHS = {
    "all algorithms alike": ([41] * 5, [37, 41, 41, 41]),
    "one algorithm is worse": ([40, 41, 41, 41, 41], [37, 41, 41.5, 41]),
    "algorithms matter more": ([39, 42, 41, 40.5, 41], [40, 41, 42, 42.5]),
    "both alike": ([39, 40, 41, 42, 42], [37, 38, 39.5, 41]),
}


def coverage(others: Sequence[float], bpe: Sequence[float], noise: float) -> float:
    """Return the share of trials in which the interval holds the truth."""
    truth = float(np.ptp(bpe) - np.ptp([bpe[1], *others]))
    means = {"bpe": bpe} | {f"other{number}": (0, value, 0, 0) for number, value in enumerate(others)}
    random, held = np.random.default_rng(1), 0
    for _ in range(TRIALS):
        curves = {
            algorithm: {
                size: (float(size), tuple(random.normal(mean, noise, 3)))
                for size, mean in zip(SIZES, each, strict=True)
            }
            for algorithm, each in means.items()
        }
        _, _, difference = range_difference(curves, draws=DRAWS)
        held += difference.low <= truth <= difference.high
    return held / TRIALS


def main() -> None:
    for noise in NOISE:
        print(f"{TRIALS} trials, standard deviation over seeds {noise}:")
        for name, (others, bpe) in TRUTHS.items():
            print(f"- {name}: the interval holds the truth in {coverage(others, bpe, noise):.1%}")


if __name__ == "__main__":
    main()
