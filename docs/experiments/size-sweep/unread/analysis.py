"""Judge the hypotheses of README.md on the scores.csv of each pair beside it.

python docs/experiments/size-sweep/unread/analysis.py PAIR...

Writes findings.md of each pair. What was decided on test 2016 is in ../PAIR-2400/scores.csv.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

from experiment.programs import command_line, program
from experiment.reporting.findings import Verdict, by_size, gain, signed, systems_table, verdict_table, verdicts
from experiment.scoring.comparison import BETTER, SAME, WORSE
from experiment.scoring.contrasts import CONFIRMED, OPEN, REFUTED, Interval
from experiment.scoring.scorebook import Row, read_scores

PAGE = Path(__file__).parent
#: The test set that decides, of each pair.
DECIDES = {"en-de": "test2017", "en-fr": "test2017", "en-cs": "test2018"}
METRIC, SIZES = "chrf", (500, 4000)
#: Where the interval of a difference in chrF lies within this of 0, there is no difference (U1).
NO_DIFFERENCE = 0.5
#: The pipeline's verdict on a system -> what it says of U2.
OF_VERDICT = {WORSE: CONFIRMED, BETTER: REFUTED, SAME: REFUTED}


def compared(rows: Sequence[Row], testset: str) -> dict[str, Row]:
    """Return a row of each system that is compared with bpe of its size."""
    here = (row for row in rows if (row["testset"], row["metric"]) == (testset, METRIC))
    return {row["segmentation"]: row for row in here if row["effect"] is not None}


def hypotheses(rows: Sequence[Row], decides: str) -> Iterator[Verdict]:
    """Yield U1 and U2 on the test set that decides."""
    scores = by_size([row for row in rows if row["testset"] == decides], METRIC)
    yield from verdicts("U1", {"bpe": gain(scores, "bpe", *SIZES)}, none_within=NO_DIFFERENCE)
    for name, row in compared(rows, decides).items():
        effect = Interval.effect(row)
        evidence = f"{effect.text()}, p = {row['effect_p_holm']:.2g}"
        yield f"U2, {name}", evidence, OF_VERDICT.get(row["verdict"], OPEN)


def findings(pair: str) -> Iterator[str]:
    """Yield the parts of a pair's findings.md."""
    rows = read_scores(PAGE / pair / "scores.csv")
    yield verdict_table(hypotheses(rows, DECIDES[pair]), f"chrF on {DECIDES[pair]}, 95% interval")
    first = compared(read_scores(PAGE.parent / f"{pair}-2400" / "scores.csv"), "test2016")
    for testset in dict.fromkeys(row["testset"] for row in rows):
        yield f"## {testset}"
        yield systems_table([row for row in rows if row["testset"] == testset], "of bpe")
        now = compared(rows, testset)
        means = [statistics.fmean(each[name]["effect"] for name in now) for each in (now, first)]
        shown = [*map(signed, means)]
        yield f"Mean of the {len(now)} differences from bpe: {shown[0]}, on test 2016 {shown[1]}."


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("pairs", nargs="+", metavar="PAIR", choices=DECIDES, help=", ".join(DECIDES))
    for pair in parser.parse_args(argv).pairs:
        (PAGE / pair / "findings.md").write_text("\n\n".join(findings(pair)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
