"""How often 95% intervals contain a difference that is there (docs/significance.md).

python -m benchmarks.levels.intervals [--trials N] > benchmarks/levels/intervals.txt

One of two systems is better by `BETTER`, in the situations of benchmarks.levels. The second table has how often, in
percent, the whole interval lies below the difference. *Same*, said of a difference as large as the margin, needs that
and an interval that includes 0, so it is an error of at most this size. 1,000 trials take five minutes of one core.

A mean of sentence scores rises by as much in every sentence. So the COMET-like column of the first table is 100 less
what benchmarks.levels rejects, but for chance.
"""

from __future__ import annotations

from statistics import fmean

import numpy as np

from experiment.programs import command_line, program

from .__main__ import SITUATIONS, Output, Situation, show

#: How much better the second system is, on the logit scale: some 4 points of chrF.
BETTER = 0.2
#: Draws, for each trial, that the true difference is the mean of.
DRAWS = 3
ONE_SEED = {"1 seed, no spread": Situation((1, 1), (0.0, 0.0))}


def true_difference(output: Output, situation: Situation, draws: int, seed: int) -> float:
    """Return the second system's score less the first one's, in the mean of many test sets and trainings."""
    rng, differences = np.random.default_rng(seed), []
    for _ in range(draws):
        first, second = (fmean(run.score for run in runs) for runs in situation.drawn(output, rng, BETTER).values())
        differences.append(second - first)
    return fmean(differences)


def containing_and_below(output: Output, situation: Situation, trials: int, seed: int = 5) -> tuple[float, float]:
    """Return the shares of trials in which the interval contains the true difference, and in which it lies below."""
    true = true_difference(output, situation, DRAWS * trials, seed + 1)
    rng = np.random.default_rng(seed)
    found = [situation.compared(output, rng, BETTER)[0] for _ in range(trials)]
    return fmean(each.low <= true <= each.high for each in found), fmean(each.high < true for each in found)


@program
def main(argv: list[str] | None = None) -> None:
    command = command_line(__doc__, "python -m benchmarks.levels.intervals")
    command.add_argument("--trials", type=int, default=1000, help="of each cell (1000)")
    trials = command.parse_args(argv).trials
    situations = ONE_SEED | SITUATIONS
    found: dict[tuple[str, Output], tuple[float, float]] = {}

    def containing(name: str, output: Output) -> float:
        found[name, output] = containing_and_below(output, situations[name], trials)
        return found[name, output][0]

    show("contains the difference", [*situations], containing)
    show("lies below it", [*situations], lambda name, output: found[name, output][1])


if __name__ == "__main__":
    raise SystemExit(main())
