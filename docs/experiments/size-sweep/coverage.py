"""How often does the interval of H2 (analysis.py) hold the truth? Made scores with known means, three seeds each.

cd docs/experiments/size-sweep && python coverage.py > coverage.txt
"""

from __future__ import annotations

import numpy as np
from analysis import SIZES, range_difference

TRIALS, DRAWS, NOISE = 400, 400, 0.7  # noise: standard deviation over seeds, as in en-de
#: What is true at 1,000 entries of the other algorithms, and of bpe at its four sizes.
TRUTHS = {
    "all algorithms alike": ([41] * 5, [37, 41, 41, 41]),
    "one algorithm is worse": ([40, 41, 41, 41, 41], [37, 41, 41.5, 41]),
    "algorithms matter more": ([39, 42, 41, 40.5, 41], [40, 41, 42, 42.5]),
    "both alike": ([39, 40, 41, 42, 42], [37, 38, 39.5, 41]),
}


def main() -> None:
    random = np.random.default_rng(1)
    for name, (others, bpe) in TRUTHS.items():
        truth = float(np.ptp(bpe) - np.ptp([bpe[1], *others]))
        means = {"bpe": bpe} | {f"other{k}": [0, value, 0, 0] for k, value in enumerate(others)}
        held = 0
        for _ in range(TRIALS):
            curves = {
                algorithm: {
                    size: (float(size), tuple(random.normal(mean, NOISE, 3)))
                    for size, mean in zip(SIZES, each, strict=True)
                }
                for algorithm, each in means.items()
            }
            _, _, difference = range_difference(curves, DRAWS)
            held += difference.low <= truth <= difference.high
        print(f"{name}: the interval holds the truth {truth:+.1f} in {held / TRIALS:.1%} of {TRIALS} trials")


if __name__ == "__main__":
    main()
