"""Judge the hypotheses of README.md on the pairs of languages that have scores here: en-ga, en-de.

python docs/experiments/sampling/analysis.py

Reads PAIR/scores.csv, PAIR/words.csv (of ../size-sweep/words.py) and, of German, the scores of the sweep's run of 800
updates. Writes findings.md, and PAIR/figure.png.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from experiment.programs import command_line, program
from experiment.reporting.drawing import save_png
from experiment.reporting.figures import draw_sweep
from experiment.reporting.findings import (
    BySize,
    Verdict,
    by_size,
    less,
    mean_of_sizes,
    read_csv,
    systems_table,
    verdict_table,
    verdicts,
    words_table,
)
from experiment.scoring.contrasts import Signed
from experiment.scoring.scorebook import read_scores

PAGE = Path(__file__).parent
PAIRS = {"en-ga": "English to Irish", "en-de": "English to German"}
#: Pair -> the run of 800 updates, with one draw (S3).
SHORTER = {"en-de": PAGE.parent / "size-sweep" / "en-de" / "scores.csv"}
#: Draws the segmentation of train at random -> the same without drawing.
DRAWN = {"bpe-dropout": "bpe", "unigram-sampling": "unigram"}
METRIC, SIZES = "chrf", (500, 1000, 2000, 4000)
#: Where the interval of a difference in chrF lies within this of 0, there is no difference (S1).
NO_DIFFERENCE = 0.5


def differences(scores: BySize, sizes: Sequence[int]) -> Mapping[str, Signed]:
    """Return what each kind of drawing gains: each seed's mean over sizes of both."""
    means = {each: mean_of_sizes(scores[each][size] for size in sizes) for pair in DRAWN.items() for each in pair}
    return {drawn: [(1, means[drawn]), (-1, means[plain])] for drawn, plain in DRAWN.items()}


def hypotheses(scores: BySize, shorter: BySize) -> Iterator[Verdict]:
    """Yield S1 to S3."""
    every, small, large = (differences(scores, sizes) for sizes in (SIZES, SIZES[:1], SIZES[-1:]))
    yield from verdicts("S1", every, none_within=NO_DIFFERENCE)
    yield from verdicts(f"S1, without size {SIZES[0]}", differences(scores, SIZES[1:]), none_within=NO_DIFFERENCE)
    yield from verdicts("S2", {each: less(large[each], small[each]) for each in DRAWN})
    if shorter:
        before = differences(shorter, SIZES)
        yield from verdicts("S3", {each: less(every[each], before[each]) for each in DRAWN})


def findings(page: Path) -> Iterator[str]:
    """Yield the parts of findings.md."""
    systems = [f"{each}-{size}" for size in SIZES for drawn in DRAWN for each in (DRAWN[drawn], drawn)]
    for pair, languages in PAIRS.items():
        if not (page / pair / "scores.csv").exists():
            continue
        rows = read_scores(page / pair / "scores.csv")
        shorter = by_size(read_scores(SHORTER[pair]), METRIC) if pair in SHORTER else {}
        yield f"# {languages}"
        yield verdict_table(hypotheses(by_size(rows, METRIC), shorter), "chrF, 95% interval")
        yield systems_table(rows, "without drawing")
        yield "F1 in percent of words by how often train has them (of unseen words, 0, recall):"
        yield words_table(read_csv(page / pair / "words.csv"), {system: [system] for system in systems})


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
