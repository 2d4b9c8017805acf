"""Does the ranking of the demo's systems stay when they are trained twice as long? And which of them gain?

python docs/experiments/demo/longer/analysis.py --runs results/runs/demo/en-qmo

Writes findings.md from the scores.csv beside it, from dev.csv and from the scores of the shorter trainings,
../scores.csv. With --runs it first writes dev.csv, from the logs of the trainings. README.md of the folder above says
what counts as an answer.
"""

from __future__ import annotations

import csv
import itertools
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scipy.stats import kendalltau
from scipy.stats import t as student_t

from experiment.jsonfiles import read_json_lines
from experiment.programs import command_line, program
from experiment.reporting.findings import read_csv, table
from experiment.scoring.comparison import BETTER
from experiment.scoring.contrasts import Interval
from experiment.scoring.scorebook import Row, read_scores

PAGE = Path(__file__).parent
MODEL = "transformer-tiny-5040"
METRIC, TESTSET = "chrf", "test_unseen"
#: Its pieces are others than in the shorter trainings.
CHANGED = "bpe-knockout"
#: Updates between which dev's BLEU shows whether a system still learns: the last fifth.
LAST_FIFTH = ("4032", "5040")

#: System -> the score of each seed.
Scores = Mapping[str, Sequence[float]]


def of_seeds(rows: Sequence[Row]) -> dict[str, list[float]]:
    """Return the scores of the systems that are compared, in the order of the seeds."""
    found: dict[str, dict[int, float]] = {}
    for row in rows:
        if (row["metric"], row["testset"]) == (METRIC, TESTSET) and row["segmentation"] != CHANGED:
            found.setdefault(row["segmentation"], {})[row["seed"]] = row["score"]
    return {name: [score for _, score in sorted(seeds.items())] for name, seeds in found.items()}


def agreement(one: Scores, other: Scores) -> float:
    """Return Kendall's τ of two rankings of the same systems by their means."""
    return float(kendalltau(*([statistics.fmean(scores[name]) for name in one] for scores in (one, other))).statistic)


def divisions(scores: Scores, size: int) -> list[float]:
    """Return the τ of each division of the seeds into `size` of them and the others."""
    seeds = {*range(len(next(iter(scores.values()))))}
    return [
        agreement(*({name: [values[i] for i in part] for name, values in scores.items()} for part in (some, others)))
        for some in map(set, itertools.combinations(sorted(seeds), size))
        for others in [seeds - some]
    ]


def gains(old: Scores, new: Scores) -> tuple[dict[str, Interval], Interval]:
    """Return what each system gains, and their mean, with 95% t intervals: one spread of seeds, pooled over all."""
    groups = [values for scores in (old, new) for values in scores.values()]
    freedom = sum(len(values) - 1 for values in groups)
    pooled = sum((len(values) - 1) * statistics.variance(values) for values in groups if len(values) > 1) / freedom
    (few,), (many,) = ({len(values) for values in scores.values()} for scores in (new, old))
    half = float(student_t.ppf(0.975, freedom)) * (pooled * (1 / few + 1 / many)) ** 0.5

    def interval(value: float, half: float) -> Interval:
        return Interval(value, value - half, value + half)

    gained = {name: statistics.fmean(new[name]) - statistics.fmean(old[name]) for name in old}
    mean = interval(statistics.fmean(gained.values()), half / len(gained) ** 0.5)
    return {name: interval(value, half) for name, value in gained.items()}, mean


def effects(rows: Sequence[Row]) -> dict[str, tuple[Interval, str]]:
    """Return each system's difference from `bpe` and its verdict."""
    return {
        row["segmentation"]: (Interval(row["effect"], row["effect_low"], row["effect_high"]), row["verdict"])
        for row in rows
        if (row["metric"], row["testset"]) == (METRIC, TESTSET) and row["effect"] is not None
    }


def learning(points: Sequence[Mapping[str, str]]) -> dict[str, float]:
    """Return how much each system's BLEU on dev changes in the last fifth of training, in the mean of its seeds."""
    bleu = {(point["system"], point["seed"], point["update"]): float(point["bleu"]) for point in points}
    before, end = LAST_FIFTH
    changes: dict[str, list[float]] = {}
    for system, seed, update in bleu:
        if update == end:
            changes.setdefault(system, []).append(bleu[system, seed, end] - bleu[system, seed, before])
    return {system: statistics.fmean(values) for system, values in changes.items()}


def findings(old_rows: Sequence[Row], new_rows: Sequence[Row], points: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Yield the parts of findings.md."""
    old, new = of_seeds(old_rows), of_seeds(new_rows)
    seeds = len(next(iter(new.values())))
    tau, expected = agreement(old, new), divisions(old, seeds)
    verdict = "stays" if tau >= min(expected) else "changes"
    yield (
        f"The ranking of {len(new)} systems **{verdict}**: the means of {seeds} seeds after 5,040 updates and of five "
        f"after 2,520 have a τ of {tau:.3f}. In divisions of the five into {seeds} and the others it is "
        f"{min(expected):.3f} to {max(expected):.3f}."
    )
    each, mean = gains(old, new)
    yield f"The mean gain is {mean.text(1)} chrF on `{TESTSET}`; {sum(gain.low > 0 for gain in each.values())} gain."
    was, now, changes = effects(old_rows), effects(new_rows), learning(points)
    lines = [
        [
            f"{name} (shown)" if was.get(name, (None, ""))[1] == BETTER else name,
            f"{statistics.fmean(old[name]):.1f}",
            f"{statistics.fmean(new[name]):.1f}",
            gain.text(1),
            *(found[name][0].text(1) if name in found else "" for found in (was, now)),
            f"{changes[name]:+.1f}".replace("-", "−"),
        ]
        for name, gain in sorted(each.items(), key=lambda item: -statistics.fmean(new[item[0]]))
    ]
    head = ["system", "2,520", "5,040", "gain", "less bpe, 2,520", "less bpe, 5,040", "dev BLEU, last fifth"]
    yield table(head, lines)


def dev_scores(runs: Path) -> Iterator[dict[str, Any]]:
    """Yield what the trainings' logs say of dev."""
    for log in sorted(runs.glob(f"*/{MODEL}.*/seed*/log.jsonl")):
        seed, system = log.parent.name.removeprefix("seed"), log.parents[2].name
        for point in read_json_lines(log):
            if point["split"] == "dev":
                scores = {name: f"{point[name]:.3f}" for name in ("nll_loss", "bleu")}
                yield {"system": system, "seed": seed, "update": point["update"], **scores}


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("--runs", type=Path, help="the trainings; writes dev.csv")
    arguments = parser.parse_args(argv)
    if arguments.runs:
        with (PAGE / "dev.csv").open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, ["system", "seed", "update", "nll_loss", "bleu"], lineterminator="\n")
            writer.writeheader()
            writer.writerows(dev_scores(arguments.runs))
    old, new = (read_scores(path / "scores.csv") for path in (PAGE.parent, PAGE))
    parts = findings(old, new, read_csv(PAGE / "dev.csv"))
    (PAGE / "findings.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
