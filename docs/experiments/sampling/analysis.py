"""Judge the hypotheses of README.md on the pairs of languages that have scores here: en-ga, en-de.

python docs/experiments/sampling/analysis.py

Reads PAIR/scores.csv, PAIR/words.csv (of ../size-sweep/words.py) and, of German, the scores of the sweep's run of 800
updates. Writes findings.md, and PAIR/figure.png.
"""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from experiment.programs import command_line, program
from experiment.reporting.drawing import save_png
from experiment.reporting.figures import draw_sweep
from experiment.scoring.contrasts import Interval, Signed, judge
from experiment.scoring.scorebook import Row, read_scores
from experiment.scoring.significance import mean_and_interval

PAGE = Path(__file__).parent
PAIRS = {"en-ga": "English to Irish", "en-de": "English to German"}
#: Pair -> the run of 800 updates, with one draw (S3).
SHORTER = {"en-de": PAGE.parent / "size-sweep" / "en-de" / "scores.csv"}
#: Draws the segmentation of train at random -> the same without drawing.
DRAWN = {"bpe-dropout": "bpe", "unigram-sampling": "unigram"}
METRIC, SIZES = "chrf", (500, 1000, 2000, 4000)
#: Where the interval of a difference in chrF lies within this of 0, there is no difference (S1).
NO_DIFFERENCE = 0.5

#: Algorithm -> size -> the score of each seed.
Scores = Mapping[str, Mapping[int, Sequence[float]]]


def by_algorithm(rows: Sequence[Row]) -> Scores:
    found: dict[str, dict[int, list[float]]] = {}
    for row in sorted(rows, key=lambda row: int(row["seed"])):
        if row["metric"] == METRIC and row["algorithm"] in (*DRAWN, *DRAWN.values()):
            found.setdefault(row["algorithm"], {}).setdefault(row["size"], []).append(row["score"])
    return found


def difference(scores: Scores, algorithm: str, sizes: Sequence[int]) -> Signed:
    """Return what drawing gains: each seed's mean over sizes of both."""
    both = (scores[algorithm], scores[DRAWN[algorithm]])
    over_sizes = [[statistics.fmean(of_seed) for of_seed in zip(*map(of.get, sizes), strict=True)] for of in both]
    return list(zip((1, -1), over_sizes, strict=True))


def less(first: Signed, second: Signed) -> Signed:
    return [*first, *((-sign, values) for sign, values in second)]


def hypothesis(label: str, asked: Mapping[str, Signed], none_within: float = 0.0) -> Iterator[str]:
    for algorithm, change in judge(asked, expected=1, none_within=none_within).items():
        yield f"| {label}, {algorithm} | {change.text()} | {change.verdict} |"


def hypotheses(scores: Scores, shorter: Scores) -> Iterator[str]:
    """Yield the lines of S1 to S3."""
    yield from hypothesis("S1", {each: difference(scores, each, SIZES) for each in DRAWN}, NO_DIFFERENCE)
    without = {each: difference(scores, each, SIZES[1:]) for each in DRAWN}
    yield from hypothesis(f"S1, without size {SIZES[0]}", without, NO_DIFFERENCE)
    small, large = ({each: difference(scores, each, [size]) for each in DRAWN} for size in (SIZES[0], SIZES[-1]))
    yield from hypothesis("S2", {each: less(large[each], small[each]) for each in DRAWN})
    if shorter:
        changes = (less(difference(scores, each, SIZES), difference(shorter, each, SIZES)) for each in DRAWN)
        yield from hypothesis("S3", dict(zip(DRAWN, changes, strict=True)))


def systems(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each system: both metrics, the pipeline's comparison in chrF, entries and pieces."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["segmentation"], []).append(row)
    for name, runs in found.items():
        cells = []
        for metric in ("chrf", "bleu"):
            mean, half = mean_and_interval([row["score"] for row in runs if row["metric"] == metric])
            cells.append(f"{mean:.1f} ± {half:.1f}")
        row = next(row for row in runs if row["metric"] == METRIC)
        effect = Interval(row["effect"], row["effect_low"], row["effect_high"])
        cells.append(f"{effect.text()} {row['verdict']}" if row["effect"] is not None else "")
        pieces = statistics.fmean(row["pieces_per_sentence_target"] for row in runs)
        yield f"| {name} | {' | '.join(cells)} | {row['vocabulary']:,} | {pieces:.1f} |"


def words(path: Path) -> Iterator[str]:
    """Yield the table of F1 by frequency in train (of unseen words, recall), mean over seeds."""
    values: dict[str, dict[str, list[float]]] = {}
    number: dict[str, str] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            value = float(row["recall" if row["occurrences"] == "0" else "f1"])
            values.setdefault(row["segmentation"], {}).setdefault(row["occurrences"], []).append(value)
            number[row["occurrences"]] = f"{int(row['words']):,}"
    yield f"| system | {' | '.join(number)} |"
    yield "|---|" + "--:|" * len(number)
    for size in SIZES:
        for algorithm in (each for pair in DRAWN.items() for each in reversed(pair)):
            means = (f"{statistics.fmean(seeds):.1f}" for seeds in values[f"{algorithm}-{size}"].values())
            yield f"| {algorithm}-{size} | {' | '.join(means)} |"
    yield f"| *words of the references* | {' | '.join(number.values())} |"


def findings(page: Path) -> Iterator[str]:
    """Yield the parts of findings.md."""
    for pair, languages in PAIRS.items():
        if not (page / pair / "scores.csv").exists():
            continue
        rows = read_scores(page / pair / "scores.csv")
        shorter = by_algorithm(read_scores(SHORTER[pair])) if pair in SHORTER else {}
        yield f"# {languages}"
        lines = hypotheses(by_algorithm(rows), shorter)
        yield "\n".join(["| hypothesis | chrF, 95% interval | verdict |", "|---|---|---|", *lines])
        head = "| system | chrF | BLEU | chrF less that without drawing | entries | target pieces a sentence |"
        yield "\n".join([head, "|---|--:|--:|---|--:|--:|", *systems(rows)])
        yield "F1 in percent of words by how often train has them (of unseen words, 0, recall):"
        yield "\n".join(words(page / pair / "words.csv"))


@program
def main(argv: list[str] | None = None) -> None:
    command_line(__doc__).parse_args(argv)
    (PAGE / "findings.md").write_text("\n\n".join(findings(PAGE)) + "\n", encoding="utf-8")
    for pair in PAIRS:
        if (scores := PAGE / pair / "scores.csv").exists():
            rows = read_scores(scores)
            if (figure := draw_sweep(rows, [(rows[0]["testset"], METRIC)])) is not None:
                save_png(figure, PAGE / pair / "figure.png", dots_per_inch=100)


if __name__ == "__main__":
    raise SystemExit(main())
