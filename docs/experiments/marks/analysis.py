"""Judge the questions of README.md on the scores.csv of each pair beside it.

python docs/experiments/marks/analysis.py

Writes findings.md: the verdicts, and the systems of each pair and test set.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from experiment.programs import command_line, program
from experiment.reporting.findings import Verdict, systems_table, verdict_table
from experiment.scoring import comparison
from experiment.scoring.comparison import LEARNED_NOTHING, NO_BASELINE, Comparison, holm
from experiment.scoring.contrasts import Interval
from experiment.scoring.metrics import METRICS
from experiment.scoring.scorebook import Row, read_scores

PAGE = Path(__file__).parent
PAIRS = {"demo": "The made-up language", "en-de": "English to German"}
METRIC = "chrf"


def asked(rows: list[Row]) -> list[Row]:
    """Return one row of each system and test set that is compared with bpe."""
    compared = (row for row in rows if row["metric"] == METRIC and row["effect"] is not None)
    return list({(row["testset"], row["segmentation"]): row for row in compared}.values())


def judged(rows: list[Row]) -> Iterator[Verdict]:
    """Yield the verdict on each system: that of the pipeline, with Holm's correction over all of them."""
    corrected = holm([row["effect_p"] for row in rows])
    for row, p_holm in zip(rows, corrected, strict=True):
        effect = Interval(row["effect"], row["effect_low"], row["effect_high"])
        verdict = row["verdict"]
        if verdict not in (LEARNED_NOTHING, NO_BASELINE):
            compared = Comparison(effect.value, effect.low, effect.high, row["effect_p"], over_seeds=True)
            verdict = comparison.verdict(compared, p_holm, METRICS[METRIC].margin, higher_is_better=True)
        yield f"{row['segmentation']} on {row['testset']}", f"{effect.text()}, p = {p_holm:.2g}", verdict


def findings(page: Path) -> Iterator[str]:
    """Yield the parts of findings.md."""
    pairs = {pair: read_scores(page / pair / "scores.csv") for pair in PAIRS if (page / pair / "scores.csv").exists()}
    yield verdict_table(judged([row for rows in pairs.values() for row in asked(rows)]), "chrF less that of bpe")
    for pair, rows in pairs.items():
        for testset in dict.fromkeys(row["testset"] for row in rows):
            yield f"## {PAIRS[pair]}, {testset}"
            yield systems_table([row for row in rows if row["testset"] == testset], "of bpe")


@program
def main(argv: list[str] | None = None) -> None:
    command_line(__doc__).parse_args(argv)
    (PAGE / "findings.md").write_text("\n\n".join(findings(PAGE)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
