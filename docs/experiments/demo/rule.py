"""How often does the demo's ranking "not stay" by the rule of README.md? Made scores with known means.

cd docs/experiments/demo && python rule.py > rule.txt    # four minutes

Two seeds of scores.csv are as they are, the new ones are drawn around their means.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from ranking import by_seed

from experiment.reporting.findings import divisions
from experiment.scoring.scorebook import read_scores

#: The lowest τ with which the ranking stays.
LIMIT = 0.75
DRAWS = 3000
#: Those that were known when the rule was written.
KNOWN = (1, 2)
#: The standard deviation over seeds after 2,520 updates, in the mean of the systems, and that of `char`.
SPREAD, SPREAD_OF_CHAR = 1.2, 3.4


def missed(known: pd.DataFrame, new: int, times: int) -> float:
    """Return in what share of the draws the ranking does not stay, with so many new seeds and times the spread.

    The seeds are divided into as many as are new, and the others: five into three and two, four into two and two.
    """
    random, count = np.random.default_rng(1), 0
    spread = np.where(known.index == "char", SPREAD_OF_CHAR, SPREAD)[:, None] * times
    for _ in range(DRAWS):
        drawn = known.mean(axis=1).to_numpy()[:, None] + spread * random.standard_normal((len(known), new))
        scores = known.join(pd.DataFrame(drawn, index=known.index, columns=[f"new {seed}" for seed in range(new)]))
        count += min(divisions(scores, new)) < LIMIT
    return count / DRAWS


def main() -> None:
    known = by_seed(read_scores(Path("scores.csv")), "test_unseen")[[*KNOWN]]
    for new in (3, 2):
        for times in (1, 2):
            print(f"{new} new seeds, {times} x the spread: does not stay in {missed(known, new, times):.0%}")


if __name__ == "__main__":
    main()
