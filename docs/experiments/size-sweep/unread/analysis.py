"""Judge the hypotheses of README.md on scores.csv beside it.

python docs/experiments/size-sweep/unread/analysis.py

Writes findings.md. What was decided on test 2016 is in ../en-de-2400/scores.csv.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

from experiment.programs import command_line, program
from experiment.reporting.findings import Verdict, by_size, gain, systems_table, verdict_table, verdicts
from experiment.scoring.comparison import BETTER, SAME, WORSE
from experiment.scoring.contrasts import CONFIRMED, OPEN, REFUTED, Interval
from experiment.scoring.scorebook import Row, read_scores

PAGE = Path(__file__).parent
DECIDES, METRIC, SIZES = "test2017", "chrf", (500, 4000)
#: Where the interval of a difference in chrF lies within this of 0, there is no difference (U1).
NO_DIFFERENCE = 0.5
#: The pipeline's verdict on a system -> what it says of U2.
OF_VERDICT = {WORSE: CONFIRMED, BETTER: REFUTED, SAME: REFUTED}


def compared(rows: Sequence[Row], testset: str) -> dict[str, Row]:
    """Return a row of each system that is compared with bpe of its size."""
    here = (row for row in rows if (row["testset"], row["metric"]) == (testset, METRIC))
    return {row["segmentation"]: row for row in here if row["effect"] is not None}


def hypotheses(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Yield U1 and U2."""
    scores = by_size([row for row in rows if row["testset"] == DECIDES], METRIC)
    yield from verdicts("U1", {"bpe": gain(scores, "bpe", *SIZES)}, none_within=NO_DIFFERENCE)
    for name, row in compared(rows, DECIDES).items():
        effect = Interval(row["effect"], row["effect_low"], row["effect_high"])
        evidence = f"{effect.text()}, p = {row['effect_p_holm']:.2g}"
        yield f"U2, {name}", evidence, OF_VERDICT.get(row["verdict"], OPEN)


def findings(page: Path) -> Iterator[str]:
    """Yield the parts of findings.md."""
    rows = read_scores(page / "scores.csv")
    yield verdict_table(hypotheses(rows), "chrF on test 2017, 95% interval")
    first = compared(read_scores(page.parent / "en-de-2400" / "scores.csv"), "test2016")
    for testset in dict.fromkeys(row["testset"] for row in rows):
        yield f"## {testset}"
        yield systems_table([row for row in rows if row["testset"] == testset], "of bpe")
        now = compared(rows, testset)
        means = [statistics.fmean(each[name]["effect"] for name in now) for each in (now, first)]
        shown = [f"{mean:+.2f}".replace("-", "−") for mean in means]
        yield f"Mean of the {len(now)} differences from bpe: {shown[0]}, on test 2016 {shown[1]}."


@program
def main(argv: list[str] | None = None) -> None:
    command_line(__doc__).parse_args(argv)
    (PAGE / "findings.md").write_text("\n\n".join(findings(PAGE)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
