"""How often intervals of what predicts the score exclude zero where nothing predicts it (docs/metrics-and-tables.md).

python -m benchmarks.levels.predictions [--trials N]

Percent of trials in which the 95% interval of rho, or of the partial rho given the size, excludes zero although the
scores were drawn without a look at the measure. 400 trials take some ten minutes of one core.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from experiment.programs import command_line, program
from experiment.scoring.prediction import SIZE, Swept, predict

SIZES, SEEDS = 4, 3
ALGORITHMS = (2, 5, 8)
#: The share of the variance, of the measure and of the score, that the sizes of one algorithm have in common.
SHARED = (0.0, 0.5, 0.9)
#: Standard deviation over seeds; over systems it is 1.
NOISE = 0.3
MEASURE = "renyi_efficiency_target"


def unrelated(random: np.random.Generator, algorithms: int, shared: float, sizes: bool) -> list[Swept]:
    """Return systems whose scores have nothing to do with the measure. Both are alike within an algorithm.

    With `sizes`, the measure falls with the size, too, as pieces per sentence do.
    """

    def drawn() -> np.ndarray:
        common, own = random.normal(size=(algorithms, 1)), random.normal(size=(algorithms, SIZES))
        return math.sqrt(shared) * common + math.sqrt(1 - shared) * own

    measures, scores = drawn() - np.arange(SIZES) * sizes, drawn()
    return [
        Swept(
            str(algorithm),
            {SIZE: float(2**size), MEASURE: float(measures[algorithm, size])},
            tuple(scores[algorithm, size] + NOISE * random.normal(size=SEEDS)),
        )
        for algorithm in range(algorithms)
        for size in range(SIZES)
    ]


def excluded(algorithms: int, shared: float, sizes: bool, trials: int, draws: int, seed: int) -> tuple[float, float]:
    """Return the share of trials in which the interval of rho, and of the partial rho, excludes zero."""
    random, counts = np.random.default_rng(seed), np.zeros(2)
    for _ in range(trials):
        found = predict(unrelated(random, algorithms, shared, sizes), draws=draws, seed=int(random.integers(2**31)))
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
    print("| algorithms | alike within one | measure | rho | beyond size |\n|--:|--:|---|--:|--:|")
    for sizes, algorithms, shared in itertools.product((False, True), ALGORITHMS, SHARED):
        rho, beyond = excluded(algorithms, shared, sizes, arguments.trials, arguments.draws, seed=1)
        measure = "follows the size" if sizes else "does not"
        print(f"| {algorithms} | {shared:.0%} | {measure} | {100 * rho:.1f} | {100 * beyond:.1f} |", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
