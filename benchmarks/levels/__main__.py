"""How well the significance tests hold their level: the tables of docs/statistics.md.

python -m benchmarks.levels [--trials N]

Rejections in percent, of systems that are equally good. 1,000 trials take half an hour of one core.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from experiment.programs import program
from experiment.scoring.significance import TESTS

from .simulations import MANY, OUTPUTS, SITUATIONS, Output, any_marked, drawing_seeds, one_seed, several_seeds


def show(title: str, rows: Sequence[str], cell: Callable[[str, Output], float]) -> None:
    """Print a table: a row for each test or situation, a column for each metric."""
    print(f"\n| {title} | {' | '.join(OUTPUTS)} |\n|---|{'--:|' * len(OUTPUTS)}")
    for row in rows:
        print(f"| {row} | {' | '.join(f'{100 * cell(row, output):.1f}' for output in OUTPUTS.values())} |", flush=True)


@program
def main(argv: Sequence[str] | None = None) -> int:
    command = argparse.ArgumentParser(
        prog="python -m benchmarks.levels", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.add_argument("--trials", type=int, default=1000, help="of each cell (1000)")
    trials = command.parse_args(argv).trials
    show("one seed", TESTS, lambda test, output: one_seed(output, test, trials, seed=1))
    show("several seeds", [*SITUATIONS], lambda name, output: several_seeds(output, SITUATIONS[name], trials, seed=2))
    show("any of many", [*MANY], lambda name, output: any_marked(output, MANY[name], trials, seed=3))
    print(f"\nseeds drawn with replacement: {100 * drawing_seeds(trials, seed=4):.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
