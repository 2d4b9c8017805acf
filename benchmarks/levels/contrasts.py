"""How often predicted differences of means are shown where there are none (docs/significance.md).

python -m benchmarks.levels.contrasts [--trials N]

Percent of trials with p < 0.05 in the tests of `experiment.scoring.contrasts`. First of single sums of means, then of
families as the size sweep has them, in which any of many tests is shown after Holm's correction. Scores are normal, and
all systems equally good. 4,000 trials take a minute of one core; contrasts.txt has what they gave.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from experiment.programs import command_line, program
from experiment.scoring.contrasts import Signed, contrast, judge
from experiment.scoring.significance import ALPHA

ALGORITHMS, SIZES = 6, 4
#: Number of groups -> what such a sum of means is.
SUMS = {2: "a gain", 4: "a change of a gain", 2 * SIZES: "means of four sizes"}
#: What a table's column is called -> the groups' standard deviations.
SPREADS: Mapping[str, Callable[[int], Sequence[float]]] = {
    "equal": lambda groups: [1] * groups,
    "one 4 times the others": lambda groups: [4] + [1] * (groups - 1),
    "1 to 4": lambda groups: list(np.geomspace(1, 4, groups)),
    "one 12 times the others": lambda groups: [12] + [1] * (groups - 1),
}
Scores = np.ndarray  # of algorithms, sizes and seeds


def steps(scores: Scores) -> dict[tuple[int, int], Signed]:
    """Return each algorithm's gain from each size to the next."""
    return {
        (algorithm, size): [(1, scores[algorithm, size + 1]), (-1, scores[algorithm, size])]
        for algorithm in range(ALGORITHMS)
        for size in range(SIZES - 1)
    }


def means(scores: Scores) -> dict[int, Signed]:
    """Return the mean over sizes of each algorithm, less that of the first."""
    return {
        algorithm: [(sign / SIZES, of_size) for sign, each in ((1, algorithm), (-1, 0)) for of_size in scores[each]]
        for algorithm in range(1, ALGORITHMS)
    }


#: What a family asks of all scores.
FAMILIES: Mapping[str, Callable[[Scores], Mapping[Any, Signed]]] = {
    "any of 18 steps between sizes": steps,
    "any of five means of four sizes": means,
}


def shown_alone(spreads: Sequence[float], seeds: int, trials: int, seed: int = 1) -> float:
    """Return the share of trials in which a sum of means with alternating signs is shown."""
    random = np.random.default_rng(seed)
    signs = [1, -1] * (len(spreads) // 2)
    drawn = (random.normal(size=(len(spreads), seeds)) * np.array(spreads)[:, None] for _ in range(trials))
    return sum(contrast(list(zip(signs, groups, strict=True)))[1] < ALPHA for groups in drawn) / trials


def any_shown(
    family: Callable[[Scores], Mapping[Any, Signed]], most: float, seeds: int, trials: int, seed: int = 1
) -> float:
    """Return the share of trials in which any of a family is shown; systems' spreads are drawn from 1 to `most`."""
    random, found = np.random.default_rng(seed), 0
    for _ in range(trials):
        spreads = random.uniform(1, most, size=(ALGORITHMS, SIZES, 1))
        asked = family(random.normal(size=(ALGORITHMS, SIZES, seeds)) * spreads)
        found += any(each.p_value < ALPHA for each in judge(asked).values())
    return found / trials


@program
def main(argv: list[str] | None = None) -> None:
    command = command_line(__doc__, "python -m benchmarks.levels.contrasts")
    command.add_argument("--trials", type=int, default=4000, help="of each cell (4000)")
    trials = command.parse_args(argv).trials
    print(f"| seeds | sum of means | {' | '.join(SPREADS)} |\n|--:|---|{'--:|' * len(SPREADS)}")
    for seeds in (3, 5):
        for groups, what in SUMS.items():
            levels = (100 * shown_alone(spread(groups), seeds, trials) for spread in SPREADS.values())
            print(f"| {seeds} | {what}: {groups} groups | {' | '.join(f'{each:.1f}' for each in levels)} |", flush=True)
    print("\n| after correction | equal spreads | each 1 to 4 |\n|---|--:|--:|")
    for what, family in FAMILIES.items():
        levels = (100 * any_shown(family, most, 3, trials) for most in (1, 4))
        print(f"| {what}, 3 seeds | {' | '.join(f'{each:.1f}' for each in levels)} |", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
