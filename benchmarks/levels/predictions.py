"""How often intervals of what predicts the score exclude zero where nothing predicts it (docs/significance.md).

python -m benchmarks.levels.predictions [--trials N]

Percent of trials in which the 95% interval of rho, or of the partial rho given the entries, excludes zero although the
scores were drawn without a look at the measure. In the second table scores rise and the measure falls with the size, so
that rho is not zero, but nothing is left of it at equal sizes. 400 trials take three minutes of one core;
predictions.txt has what they gave.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable

import numpy as np

from experiment.programs import command_line, program
from experiment.scoring.prediction import SIZE, Swept, predict

SIZES, SEEDS = 4, 3
ALGORITHMS = (2, 5, 8)
#: The share of the variance, of the measure and of the score, that the sizes of one algorithm have in common.
SHARED = (0.0, 0.5, 0.9)
#: Where scores rise and the measure falls with the size: by how much, and how far the entries of one size are apart.
TRENDS, APART = (1, 2, 3), (0.0, 0.1)
#: Standard deviation over seeds; over systems it is 1.
NOISE = 0.3
MEASURE = "renyi_efficiency_target"


def unrelated(
    random: np.random.Generator, algorithms: int, shared: float, falls: float = 0, rises: float = 0, apart: float = 0
) -> list[Swept]:
    """Return systems whose scores have nothing to do with the measure at one size. Both are alike within an algorithm.

    With each size the measure `falls`, as pieces per sentence do, and the score `rises`; the unit is the standard
    deviation over algorithms. Entries of one size differ: `apart` is the standard deviation of their logarithm.
    """

    def drawn() -> np.ndarray:
        common, own = random.normal(size=(algorithms, 1)), random.normal(size=(algorithms, SIZES))
        return math.sqrt(shared) * common + math.sqrt(1 - shared) * own

    measures, scores = drawn() - np.arange(SIZES) * falls, drawn() + np.arange(SIZES) * rises
    spread = apart * random.normal(size=(algorithms, SIZES)) if apart else np.zeros((algorithms, SIZES))
    entries = 2.0 ** np.arange(SIZES) * np.exp(spread)
    return [
        Swept(
            str(algorithm),
            {SIZE: float(entries[algorithm, size]), MEASURE: float(measures[algorithm, size])},
            tuple(scores[algorithm, size] + NOISE * random.normal(size=SEEDS)),
        )
        for algorithm in range(algorithms)
        for size in range(SIZES)
    ]


def excluded(
    make: Callable[[np.random.Generator], list[Swept]], trials: int, draws: int, seed: int
) -> tuple[float, float]:
    """Return the share of trials in which the interval of rho, and of the partial rho, excludes zero."""
    random, counts = np.random.default_rng(seed), np.zeros(2)
    for _ in range(trials):
        found = predict(make(random), draws=draws, seed=int(random.integers(2**31)))
        assert found is not None  # two algorithms or more
        intervals = found.rho[MEASURE], found.beyond_size[MEASURE]
        counts += [not interval.low <= 0 <= interval.high for interval in intervals]
    return counts[0] / trials, counts[1] / trials


@program
def main(argv: list[str] | None = None) -> None:
    command = command_line(__doc__, "python -m benchmarks.levels.predictions")
    command.add_argument("--trials", type=int, default=400, help="of each row (400)")
    command.add_argument("--draws", type=int, default=2000, help="of the bootstrap (2000)")
    arguments = command.parse_args(argv)
    run = functools.partial(excluded, trials=arguments.trials, draws=arguments.draws, seed=1)
    print("| algorithms | alike within one | measure | rho | beyond size |\n|--:|--:|---|--:|--:|")
    for falls, algorithms, shared in itertools.product((0, 1), ALGORITHMS, SHARED):
        rho, beyond = run(functools.partial(unrelated, algorithms=algorithms, shared=shared, falls=falls))
        measure = "follows the size" if falls else "does not"
        print(f"| {algorithms} | {shared:.0%} | {measure} | {100 * rho:.1f} | {100 * beyond:.1f} |", flush=True)
    print("\n| algorithms | trend over sizes | entries apart | beyond size |\n|--:|--:|--:|--:|")
    for algorithms, trend, apart in itertools.product(ALGORITHMS[1:], TRENDS, APART):
        options = {"algorithms": algorithms, "shared": SHARED[1], "falls": trend, "rises": trend, "apart": apart}
        _, beyond = run(functools.partial(unrelated, **options))
        print(f"| {algorithms} | {trend} | {apart:.0%} | {100 * beyond:.1f} |", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
