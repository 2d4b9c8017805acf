"""Do the demo's systems still gain from 5,040 to 10,080 updates? And was it length that helped characters?

python docs/experiments/demo/longest/analysis.py --runs results/runs/demo/en-qmo

Writes findings.md from the scores beside it, from those of the shorter trainings, and from dev.csv of both lengths.
With --runs it first writes dev.csv, from the logs of the trainings. README.md says what counts as an answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import kendalltau
from scipy.stats import t as student_t

from experiment.programs import command_line, program
from experiment.reporting.findings import read_csv, signed, table, write_dev
from experiment.scoring.comparison import holm, satterthwaite
from experiment.scoring.contrasts import Interval
from experiment.scoring.scorebook import read_scores
from experiment.scoring.significance import ALPHA

PAGE = Path(__file__).parent
MODEL = "transformer-tiny-10080"
METRIC, TESTSET = "chrf", "test_unseen"
#: Its pieces are others than in the first trainings.
CHANGED = "bpe-knockout"
#: The system whose seeds are much further apart than those of others.
APART = "char"
DRAWS = 10_000
#: A mean gain whose interval lies below this is small, in chrF.
SMALL = 1.0
#: Dev's BLEU rises if it rises by more than this in the last fifth of training.
RISE = 2.0


class Scores(NamedTuple):
    """chrF by updates: a row a system, a column a seed, nan where a seed was not trained. `again`: only characters."""

    first: pd.DataFrame  # 2,520
    old: pd.DataFrame  # 5,040
    new: pd.DataFrame  # 10,080
    again: pd.DataFrame  # 2,520, with the code and the processor of the two others

    @classmethod
    def read(cls) -> Scores:
        folders = (PAGE.parent / "shorter", PAGE.parent / "longer", PAGE, PAGE / "char")
        return cls(*(by_seed(folder / "scores.csv") for folder in folders))


class Spread(NamedTuple):
    """The variance of seeds and its degrees of freedom."""

    variance: float
    freedom: int


def by_seed(path: Path) -> pd.DataFrame:
    """Return the scores of the systems that are compared: a row a system, a column a seed."""
    rows = [row for row in read_scores(path) if (row["metric"], row["testset"]) == (METRIC, TESTSET)]
    return pd.DataFrame(rows).pivot(index="segmentation", columns="seed", values="score").drop(CHANGED, errors="ignore")


def spread(groups: Sequence[pd.DataFrame]) -> Spread:
    """Return the spread of seeds around the mean of their system and group."""
    freedom = sum(int((group.count(axis=1) - 1).sum()) for group in groups)
    squares = sum(float((group.var(axis=1) * (group.count(axis=1) - 1)).sum()) for group in groups)
    return Spread(squares / freedom, freedom)


def spreads(scores: Scores) -> dict[str, Spread]:
    """Return the spread of each system: that of characters is their own, that of the others is pooled."""
    shared = spread([scores.first.drop(APART), scores.old.drop(APART)])
    own = spread([scores.first.loc[[APART]], scores.old.loc[[APART]], scores.again])
    return {name: own if name == APART else shared for name in scores.old.index}


def difference(one: pd.Series, other: pd.Series, of: Spread) -> tuple[Interval, float]:
    """Return the mean of the seeds of one group less that of another with its t interval, and p."""
    value = one.mean() - other.mean()
    error = (of.variance * (1 / one.count() + 1 / other.count())) ** 0.5
    half = student_t.ppf(1 - ALPHA / 2, of.freedom) * error
    return Interval.around(value, half), 2 * float(student_t.sf(abs(value) / error, of.freedom))


def mean_gain(scores: Scores) -> Interval:
    """Return the mean gain of all systems, of seed 1 less the mean of the old seeds, with the spread of seeds alone."""
    gains = scores.new[1] - scores.old.mean(axis=1)
    parts: defaultdict[Spread, float] = defaultdict(float)
    for name, of in spreads(scores).items():
        parts[of] += of.variance * (1 + 1 / scores.old.loc[name].count()) / len(gains) ** 2
    variance = sum(parts.values())
    freedom = satterthwaite(variance, [(part, of.freedom) for of, part in parts.items()])
    return Interval.around(gains.mean(), student_t.ppf(1 - ALPHA / 2, freedom) * variance**0.5)


def taus_of_chance(means: pd.Series, deviations: pd.Series, old_seeds: int) -> np.ndarray:
    """Draw τ between the rankings by one seed and by the mean of `old_seeds` others, where nothing changes."""
    generator = np.random.default_rng(1)
    shape = (DRAWS, len(means))
    one, other = (
        means.to_numpy() + generator.normal(size=shape) * deviations.to_numpy() / seeds**0.5 for seeds in (1, old_seeds)
    )
    left, right = np.triu_indices(len(means), 1)
    return (np.sign(one[:, left] - one[:, right]) * np.sign(other[:, left] - other[:, right])).mean(axis=1)


def ranking(scores: Scores, *without: str) -> str:
    """Return whether the ranking of seed 1 is shown to change."""
    old, new = scores.old.mean(axis=1).drop([*without]), scores.new[1].drop([*without])
    each = spreads(scores)
    deviations = pd.Series({name: each[name].variance ** 0.5 for name in old.index})
    tau = float(kendalltau(old, new.loc[old.index]).statistic)
    chance = taus_of_chance(old, deviations, scores.old.shape[1])
    limit = float(np.quantile(chance, ALPHA))
    return (
        f"The ranking of {len(old)} systems{' without ' + ', '.join(without) if without else ''}: seed 1 after 10,080 "
        f"updates and the mean of the seeds after 5,040 have a τ of {tau:.3f}. Where nothing changes it is below "
        f"{limit:.3f} in {ALPHA:.0%} of the draws (median {np.median(chance):.3f}). "
        f"**{'It changes' if tau < limit else 'No change is shown'}.**"
    )


def characters(scores: Scores) -> str:
    """Return the two parts of what characters gained from the first trainings to 5,040 updates."""
    of = spreads(scores)[APART]
    first, again, old = (frame.loc[APART] for frame in (scores.first, scores.again, scores.old))
    parts = {
        "length (5,040 less 2,520, trained again)": difference(old, again, of)[0],
        "code or processor (2,520, trained again less first)": difference(again, first, of)[0],
    }
    lines = [
        [name, part.text(1), "shown" if part.low > 0 or part.high < 0 else "not shown"] for name, part in parts.items()
    ]
    means = f"{first.mean():.1f} (first), {again.mean():.1f} (trained again), {old.mean():.1f} (5,040)"
    return f"`{APART}` has {means}.\n\n{table(['part', 'chrF', ''], lines, '---|--:|---')}"


def learning(points: Sequence[Mapping[str, str]], updates: int) -> pd.Series:
    """Return how much each system's BLEU on dev changes in the last fifth of training, of seed 1."""
    frame = pd.DataFrame(points).astype({"update": int, "bleu": float})
    of_one = frame[(frame["seed"] == "1") & (frame["system"] != CHANGED)]
    bleu = of_one.pivot(index="system", columns="update", values="bleu")
    return bleu[updates] - bleu[updates * 4 // 5]


def best_updates(points: Sequence[Mapping[str, str]]) -> pd.Series:
    """Return, for each system, after how many updates each seed's BLEU on dev was highest, as text."""
    frame = pd.DataFrame(points).astype({"update": int, "bleu": float})
    best = frame.loc[frame.groupby(["system", "seed"])["bleu"].idxmax()]
    return best["update"].map("{:,}".format).groupby(best["system"]).agg("; ".join)


def findings(
    scores: Scores, old_points: Sequence[Mapping[str, str]], points: Sequence[Mapping[str, str]]
) -> Iterator[str]:
    """Yield the parts of findings.md."""
    yield characters(scores)
    mean, each = mean_gain(scores), spreads(scores)
    said = ("shown" if mean.low > 0 else "not shown"), ("small" if mean.high < SMALL else "not shown to be small")
    systems = list(scores.new.mean(axis=1).sort_values(ascending=False).index)
    gains = {name: difference(scores.new.loc[name], scores.old.loc[name], each[name]) for name in systems}
    corrected = dict(zip(gains, holm([p_value for _, p_value in gains.values()]), strict=True))
    gained = [name for name in systems if corrected[name] < ALPHA and gains[name][0].value > 0]
    yield f"The mean gain of {len(systems)} systems is {mean.text(1)} chrF: {said[0]}, {said[1]}."
    yield f"Systems that gain, corrected for {len(systems)}: {', '.join(gained) or 'none'}."
    yield f"Trained enough with 5,040 updates: **{'yes' if mean.high < SMALL and not gained else 'not said'}**."
    yield ranking(scores)
    yield ranking(scores, APART)
    changes = {updates: learning(of, updates) for updates, of in ((5040, old_points), (10080, points))}
    yield " ".join(
        f"In the last fifth of {updates:,} updates dev's BLEU of seed 1 changes by {signed(change.mean(), 1)} in the "
        f"mean; {(change > RISE).sum()} of {len(change)} systems rise by more than {RISE:.0f}."
        for updates, change in changes.items()
    )
    best = best_updates(points)
    lines = [
        [
            name,
            *(f"{frame.loc[name].mean():.1f}" for frame in (scores.first, scores.old, scores.new)),
            scores.new.loc[name].count(),
            gains[name][0].text(1),
            f"{corrected[name]:.2g}",
            *(signed(change[name], 1) for change in changes.values()),
            best[name],
        ]
        for name in systems
    ]
    fifths = [f"dev BLEU, last fifth of {updates:,}" for updates in changes]
    yield table(["system", "2,520", "5,040", "10,080", "seeds", "gain", "p, corrected", *fifths, "best after"], lines)


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("--runs", type=Path, help="the trainings; writes dev.csv")
    arguments = parser.parse_args(argv)
    if arguments.runs:
        write_dev(PAGE / "dev.csv", arguments.runs, MODEL, {1, 2})
    parts = findings(Scores.read(), *(read_csv(folder / "dev.csv") for folder in (PAGE.parent / "longer", PAGE)))
    (PAGE / "findings.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
