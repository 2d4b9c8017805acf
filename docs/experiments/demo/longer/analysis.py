"""Does the ranking of the demo's systems stay when they are trained twice as long? And which of them gain?

python docs/experiments/demo/longer/analysis.py --runs results/runs/demo/en-qmo

Writes findings.md from the scores.csv beside it, from dev.csv and from the scores of the shorter trainings,
../shorter/scores.csv. With --runs it first writes dev.csv, from the logs of the trainings. README.md says what counts
as an answer. --folder docs/experiments/demo/new-seeds does the same with the scores of other seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import pandas as pd
from scipy.stats import t as student_t

from experiment.programs import command_line, program
from experiment.reporting.findings import agreement, divisions, read_csv, signed, table, write_dev
from experiment.scoring.comparison import BETTER
from experiment.scoring.contrasts import Interval
from experiment.scoring.scorebook import Row, read_scores

PAGE = Path(__file__).parent
MODEL = "transformer-tiny-5040"
METRIC, TESTSET = "chrf", "test_unseen"
#: Its pieces are others than in the shorter trainings.
CHANGED = "bpe-knockout"
#: The system that gains most, left out once (asked afterwards).
FIRST = "char"
#: Updates between which dev's BLEU shows whether a system still learns: the last fifth.
LAST_FIFTH = (4032, 5040)


def by_seed(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the scores of the systems that are compared: a row a system, a column a seed that all of them have."""
    frame = pd.DataFrame([row for row in rows if (row["metric"], row["testset"]) == (METRIC, TESTSET)])
    scores = frame.pivot(index="segmentation", columns="seed", values="score").drop(index=CHANGED)
    return scores.dropna(axis="columns")


def gains(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Return the gain of each system, and half of its 95% t interval with the pooled spread of seeds and with its own.

    The pooled spread is that of all systems and both lengths; a system's own is that of its shorter trainings.
    """
    many, few = old.shape[1], new.shape[1]
    freedom = len(old) * (many + few - 2)
    pooled = ((many - 1) * old.var(axis=1).sum() + (few - 1) * new.var(axis=1).sum()) / freedom
    runs = 1 / many + 1 / few
    return pd.DataFrame(
        {
            "gain": new.mean(axis=1) - old.mean(axis=1),
            "pooled": student_t.ppf(0.975, freedom) * (pooled * runs) ** 0.5,
            "own": student_t.ppf(0.975, many - 1) * (old.var(axis=1) * runs) ** 0.5,
        }
    )


def effects(rows: Sequence[Row]) -> dict[str, tuple[Interval, str]]:
    """Return each system's difference from `bpe` and its verdict."""
    return {
        row["segmentation"]: (Interval.effect(row), row["verdict"])
        for row in rows
        if (row["metric"], row["testset"]) == (METRIC, TESTSET) and row["effect"] is not None
    }


def learning(points: Sequence[Mapping[str, str]]) -> pd.Series:
    """Return how much each system's BLEU on dev changes in the last fifth of training, in the mean of its seeds."""
    frame = pd.DataFrame(points).astype({"update": int, "bleu": float})
    bleu = frame.pivot(index=["system", "seed"], columns="update", values="bleu")
    return (bleu[LAST_FIFTH[1]] - bleu[LAST_FIFTH[0]]).groupby("system").mean()


def ranking(old: pd.DataFrame, new: pd.DataFrame) -> str:
    """Return whether the ranking stays, by the rule of README.md."""
    seeds, tau, expected = new.shape[1], agreement(old, new), divisions(old, new.shape[1])
    return (
        f"The ranking of {len(new)} systems **{'stays' if tau >= min(expected) else 'changes'}**: the means of {seeds} "
        f"seeds after 5,040 updates and of five after 2,520 have a τ of {tau:.3f}. In divisions of the five into "
        f"{seeds} and the others it is {min(expected):.3f} to {max(expected):.3f}."
    )


def findings(old_rows: Sequence[Row], new_rows: Sequence[Row], points: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield the parts of findings.md."""
    old, new = by_seed(old_rows), by_seed(new_rows)
    each = gains(old, new)
    yield ranking(old, new)
    rest = each["gain"].drop(FIRST).mean()
    yield f"Without `{FIRST}`, asked afterwards: {ranking(old.drop(FIRST), new.drop(FIRST))}"
    yield f"The mean gain without it is {rest:+.1f}."
    before, after = (
        ", ".join(f"{divisions(scores[[*two]], 1)[0]:.2f}" for two in combinations(scores.columns, 2))
        for scores in (old, new)
    )
    yield f"Pairs of seeds have a τ of {before} after 2,520 updates, and of {after} after 5,040."
    mean = Interval.around(each["gain"].mean(), each["pooled"].iloc[0] / len(each) ** 0.5)
    shown = [f"{(each['gain'] > each[spread]).sum()} by {spread} spread" for spread in ("pooled", "own")]
    yield f"The mean gain is {mean.text(1)} chrF on `{TESTSET}`. Systems that gain: {', '.join(shown)}."
    was, now, changes = effects(old_rows), effects(new_rows), learning(points)
    lines = [
        [
            f"{name} (shown)" if name in was and was[name][1] == BETTER else name,
            f"{old.loc[name].mean():.1f}",
            f"{new.loc[name].mean():.1f}",
            *(Interval.around(each["gain"][name], each[spread][name]).text(1) for spread in ("pooled", "own")),
            *(found[name][0].text(1) if name in found else "" for found in (was, now)),
            signed(changes[name], 1),
        ]
        for name in new.mean(axis=1).sort_values(ascending=False).index
    ]
    compared = [f"less bpe, {updates}" for updates in ("2,520", "5,040")]
    head = ["system", "2,520", "5,040", "gain, pooled spread", "gain, own spread", *compared, "dev BLEU, last fifth"]
    yield table(head, lines)


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("--runs", type=Path, help="the trainings; writes dev.csv")
    parser.add_argument("--folder", type=Path, default=PAGE, help="has scores.csv; default: that of this program")
    arguments = parser.parse_args(argv)
    folder: Path = arguments.folder
    old, new = (read_scores(path / "scores.csv") for path in (PAGE.parent / "shorter", folder))
    if arguments.runs:
        write_dev(folder / "dev.csv", arguments.runs, MODEL, {row["seed"] for row in new})
    parts = findings(old, new, read_csv(folder / "dev.csv"))
    (folder / "findings.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
