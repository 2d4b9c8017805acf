"""Judge the hypotheses of README.md on the pairs of languages that have scores here.

python docs/experiments/size-sweep/beyond-4000/analysis.py

Reads PAIR/scores.csv, PAIR/words.csv (of ../words.py) and the sweep's scores, ../PAIR-2400/scores.csv. Writes
findings.md, and PAIR/figure.png.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

from experiment.programs import command_line, program
from experiment.reporting.drawing import save_png
from experiment.reporting.figures import draw_sweep
from experiment.reporting.findings import (
    Verdict,
    by_size,
    gain,
    read_csv,
    systems_table,
    told_apart,
    verdict_table,
    verdicts,
    words_table,
)
from experiment.scoring.scorebook import Row, read_scores

PAGE = Path(__file__).parent
PAIRS = {"en-de": "English to German", "en-cs": "English to Czech", "en-fr": "English to French"}
ALGORITHMS = ("bpe", "hft", "unigram")
METRIC, SIZES = "chrf", (4000, 8000, 16000)
#: Where the interval of a difference in chrF lies within this of 0, there is no difference (M1, M2).
NO_DIFFERENCE = 0.5


def hypotheses(rows: Sequence[Row], sweep: Sequence[Row]) -> Iterator[Verdict]:
    """Yield M1 to M4."""
    scores = by_size([*sweep, *rows], METRIC)
    for label, smaller, larger in zip(("M1", "M2"), SIZES, SIZES[1:], strict=False):
        asked = {each: gain(scores, each, smaller, larger) for each in ALGORITHMS if larger in scores[each]}
        yield from verdicts(label, asked, none_within=NO_DIFFERENCE)
    bends = {
        each: [(weight, scores[each][size]) for weight, size in ((1, 8000), (-2, 4000), (1, 2000))]
        for each in ALGORITHMS
    }
    yield from verdicts("M3", bends, expected=-1)
    yield told_apart("M4", [row for row in rows if row["metric"] == METRIC and row["segmentation"] != row["baseline"]])


def read_pair(page: Path, pair: str) -> tuple[list[Row], list[Row]]:
    """Return the rows of the larger systems, and the sweep's of the same algorithms."""
    sweep = read_scores(page.parent / f"{pair}-2400" / "scores.csv")
    return read_scores(page / pair / "scores.csv"), [row for row in sweep if row["algorithm"] in ALGORITHMS]


def findings(page: Path) -> Iterator[str]:
    """Yield the parts of findings.md."""
    for pair, languages in PAIRS.items():
        if not (page / pair / "scores.csv").exists():
            continue
        rows, sweep = read_pair(page, pair)
        yield f"# {languages}"
        yield verdict_table(hypotheses(rows, sweep), "chrF, 95% interval")
        shown = (row for row in [*sweep, *rows] if row["size"] in SIZES)
        yield systems_table(sorted(shown, key=lambda row: (row["algorithm"], row["size"])), "of bpe")
        yield "F1 in percent of words by how often train has them (of unseen words, 0, recall):"
        known = {row["segmentation"] for row in [*sweep, *rows]}
        names = [name for each in ALGORITHMS for size in SIZES if (name := f"{each}-{size}") in known]
        words = (read_csv(folder / "words.csv") for folder in (page.parent / f"{pair}-2400", page / pair))
        yield words_table(itertools.chain(*words), {name: [name] for name in names})


@program
def main(argv: list[str] | None = None) -> None:
    command_line(__doc__).parse_args(argv)
    (PAGE / "findings.md").write_text("\n\n".join(findings(PAGE)) + "\n", encoding="utf-8")
    for pair in PAIRS:
        if (PAGE / pair / "scores.csv").exists():
            rows, sweep = read_pair(PAGE, pair)
            if (figure := draw_sweep([*sweep, *rows], [(rows[0]["testset"], METRIC)])) is not None:
                save_png(figure, PAGE / pair / "figure.png", dots_per_inch=100)


if __name__ == "__main__":
    raise SystemExit(main())
