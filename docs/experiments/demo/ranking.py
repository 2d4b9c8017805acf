"""Does the ranking of the demo's systems stay when seeds change?

python docs/experiments/demo/ranking.py --scores results/demo-all/scores.csv --output docs/experiments/demo

Writes ranking.md, scores.csv and figure.png to the folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pandas as pd
from scipy.stats import friedmanchisquare, kendalltau

from experiment.programs import command_line, program
from experiment.reporting.drawing import save_png
from experiment.reporting.figures import draw_scores
from experiment.reporting.findings import divisions
from experiment.scoring.contrasts import Interval
from experiment.scoring.scorebook import Row, read_scores, write_scores

METRIC = "chrf"
#: Systems whose mean is within this of the best one's: where the best is near the ceiling, all of them are.
NEAR = 3.0


def by_seed(rows: Sequence[Row], testset: str) -> pd.DataFrame:
    """Return the scores of a test set: a row a system, a column a seed."""
    shown = pd.DataFrame([row for row in rows if row["testset"] == testset and row["metric"] == METRIC])
    return shown.pivot(index="segmentation", columns="seed", values="score")


def of_seeds(scores: pd.DataFrame) -> str:
    """Return in a sentence each how well the seeds agree on the ranking."""
    systems, seeds = scores.shape
    # Kendall's W is Friedman's statistic, scaled to go from 0 to 1 (Kendall and Babington Smith 1939).
    statistic = friedmanchisquare(*(scores.loc[name] for name in scores.index)).statistic
    pairs = list(combinations(scores.index, 2))
    kept = sum(abs((scores.loc[one] > scores.loc[other]).sum() - seeds / 2) == seeds / 2 for one, other in pairs)
    taus = [kendalltau(scores[one], scores[other]).statistic for one, other in combinations(scores.columns, 2)]
    part = (seeds + 1) // 2
    divided = divisions(scores, part)
    return (
        f"Kendall's W of the {seeds} rankings is {statistic / (seeds * (systems - 1)):.2f} (1: all are equal). "
        f"Two of them have a τ of {min(taus):.2f} to {max(taus):.2f}. "
        f"{kept} of {len(pairs)} pairs of systems have the same order with each seed. "
        f"The rankings by the means of {part} of them and of the others have one of {min(divided):.3f} to "
        f"{max(divided):.3f}."
    )


def ranges(frame: pd.DataFrame, digits: int) -> list[str]:
    """Return the lowest and the highest value of each row, as text."""
    return [
        f"{low:.{digits}f} to {high:.{digits}f}" for low, high in zip(frame.min(axis=1), frame.max(axis=1), strict=True)
    ]


def less_baseline(row: Row) -> str:
    """Return the difference from the baseline with its interval, and the verdict; of the baseline itself nothing."""
    return "" if row["effect"] is None else f"{Interval.effect(row).text(1)} {row['verdict']}"


def ranking(rows: Sequence[Row], far_below: Sequence[str]) -> str:
    """Return, as Markdown, the systems with their scores and ranks over seeds, the best of the last test set first.

    The difference from the baseline is that of `scores.csv`. The round trip is that of a system's segmentation; the
    last line is the copied source. Below the table: how well the seeds agree on all systems, on those without
    `far_below`, which alone would make rankings agree, and on the best.
    """
    testsets = list(dict.fromkeys(row["testset"] for row in rows))
    table, copied, lines = pd.DataFrame(), {}, []
    for testset in testsets:
        scores = by_seed(rows, testset)
        of_testset = [row for row in rows if row["testset"] == testset and row["metric"] == METRIC]
        table[f"{testset}, mean"] = scores.mean(axis=1)
        table[f"{testset}, seeds"] = ranges(scores, 1)
        table[f"{testset}, ranks"] = ranges(scores.rank(ascending=False), 0)
        system = {row["segmentation"]: row for row in of_testset}
        table[f"{testset}, less {of_testset[0]['baseline']}"] = pd.Series(system).map(less_baseline)
        table[f"{testset}, round trip"] = pd.Series(system).map(lambda row: row["round_trip"])
        copied[f"{testset}, mean"] = of_testset[0]["copied_source"]
        lines.append(f"- `{testset}`: {of_seeds(scores)}")
        lines.append(f"- `{testset}`, without {', '.join(far_below)}: {of_seeds(scores.drop(index=[*far_below]))}")
        near = scores[scores.mean(axis=1) >= scores.mean(axis=1).max() - NEAR]
        if len(near) > 2:
            lines.append(f"- `{testset}`, the {len(near)} within {NEAR:g} of the best: {of_seeds(near)}")
    table = table.sort_values(f"{testsets[-1]}, mean", ascending=False).rename_axis("system")
    table.loc["*copied source*"] = pd.Series(copied)
    table = table.map(lambda cell: "" if pd.isna(cell) else cell if isinstance(cell, str) else f"{cell:.1f}")
    align = ["left"] + ["right"] * len(table.columns)
    return table.to_markdown(colalign=align, disable_numparse=True) + "\n\n" + "\n".join(lines) + "\n"


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("--scores", type=Path, required=True, help="scores.csv of the experiment demo-all")
    parser.add_argument("--output", type=Path, required=True, help="folder for ranking.md, scores.csv and figure.png")
    parser.add_argument("--far-below", nargs="+", default=["word", "huffman"], help="systems to leave out once")
    arguments = parser.parse_args(argv)
    rows = read_scores(arguments.scores)
    write_scores(arguments.output / "scores.csv", rows)
    found = ranking(rows, arguments.far_below)
    (arguments.output / "ranking.md").write_text(found, encoding="utf-8")
    best = list(by_seed(rows, rows[-1]["testset"]).mean(axis=1).sort_values(ascending=False).index)
    shown = sorted((row for row in rows if row["metric"] == METRIC), key=lambda row: best.index(row["segmentation"]))
    save_png(draw_scores(shown), arguments.output / "figure.png", dots_per_inch=100)
    print(found)


if __name__ == "__main__":
    raise SystemExit(main())
