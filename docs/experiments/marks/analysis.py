"""Judge the questions of README.md on the scores.csv of each pair beside it.

python docs/experiments/marks/analysis.py

Writes findings.md: the verdicts, and the systems of each pair and test set. PAIR/own-cuts/scores.csv has the comparison
of bpe-mirrored with bpe, which the first file cannot have beside that of bpe-mirrored-behind with bpe-mirrored.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from experiment.programs import command_line, program
from experiment.reporting.findings import Verdict, systems_table, verdict_table
from experiment.scoring import comparison
from experiment.scoring.comparison import BETTER, LEARNED_NOTHING, NO_BASELINE, OPEN, WORSE, Comparison, holm
from experiment.scoring.contrasts import Interval
from experiment.scoring.metrics import METRICS
from experiment.scoring.scorebook import Row, read_scores

PAGE = Path(__file__).parent
#: Pair -> its title, and the test set that is asked about.
PAIRS = {"demo": ("The made-up language", "test_unseen"), "en-de": ("English to German", "test2016")}
METRIC = "chrf"
SEEDS = {6, 7, 8, 9, 10}
#: The comparisons on each test set. In the first and the last only the place of the mark differs.
AT_CUTS_OF_BPE, OWN_CUTS, AT_MIRRORED_CUTS = COMPARED = (
    ("bpe-front", "bpe"),
    ("bpe-mirrored", "bpe"),
    ("bpe-mirrored-behind", "bpe-mirrored"),
)
ASKED = len(PAIRS) * len(COMPARED)
UNFINISHED = "unfinished"


def judged(pairs: Mapping[str, Sequence[Row]]) -> Iterator[Verdict]:
    """Yield the pipeline's verdict on each comparison, corrected for all that are asked, and on the mark's place."""
    rows = {}
    for (pair, (_, testset)), names in itertools.product(PAIRS.items(), COMPARED):
        here = [row for row in pairs.get(pair, ()) if (row["testset"], row["metric"]) == (testset, METRIC)]
        found = [row for row in here if (row["segmentation"], row["baseline"]) == names]
        if all({row["seed"] for row in here if row["segmentation"] == name} == SEEDS for name in names) and found:
            rows[pair, names] = found[0]
    p_values = [row["effect_p"] for row in rows.values()]
    corrected = holm([*p_values, *[1.0] * (ASKED - len(p_values))])  # as if what is unfinished showed nothing
    said = dict.fromkeys(itertools.product(PAIRS, COMPARED), UNFINISHED)
    for (key, row), p_holm in zip(rows.items(), corrected, strict=False):
        effect = Interval.effect(row)
        said[key] = row["verdict"]
        if row["verdict"] not in (LEARNED_NOTHING, NO_BASELINE):
            compared = Comparison(effect.value, effect.low, effect.high, row["effect_p"], over_seeds=row["over_seeds"])
            said[key] = comparison.verdict(compared, p_holm, METRICS[METRIC].margin, higher_is_better=True)
        yield f"{' less '.join(key[1])}, {row['testset']}", f"{effect.text()}, p = {p_holm:.2g}", said[key]
    for pair, (_, testset) in PAIRS.items():
        front, behind = said[pair, AT_CUTS_OF_BPE], said[pair, AT_MIRRORED_CUTS]
        yield f"the place of the mark, {testset}", f"{front}; {behind}", place(front, behind)


def place(front: str, behind: str) -> str:
    """Return what follows from the verdicts on the mark in front at BPE's cuts, and on that behind at mirrored cuts."""
    if {front, behind} == {BETTER, WORSE}:
        return f"{'in front' if front == BETTER else 'behind'} is better"
    return UNFINISHED if UNFINISHED in (front, behind) else OPEN


def findings(page: Path) -> Iterator[str]:
    """Yield the parts of findings.md."""
    pairs = {pair: read_scores(page / pair / "scores.csv") for pair in PAIRS if (page / pair / "scores.csv").exists()}
    own = {pair: read_scores(page / pair / "own-cuts" / "scores.csv") for pair in pairs}
    yield verdict_table(
        judged({pair: [*rows, *own[pair]] for pair, rows in pairs.items()}), "chrF, 95% interval, p corrected for six"
    )
    for pair, rows in pairs.items():
        for testset in dict.fromkeys(row["testset"] for row in rows):
            yield f"## {PAIRS[pair][0]}, {testset}"
            shown = [row for row in rows if row["testset"] == testset]
            yield systems_table(shown, metrics=list(dict.fromkeys(row["metric"] for row in shown)))


@program
def main(argv: list[str] | None = None) -> None:
    command_line(__doc__).parse_args(argv)
    (PAGE / "findings.md").write_text("\n\n".join(findings(PAGE)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
