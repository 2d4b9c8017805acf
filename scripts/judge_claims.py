"""Judge a paper's claims by their rules: on the published values, and on ours."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from experiment.programs import program
from papers import measurements, paper, published
from papers.claims.judging import judge
from papers.claims.verdicts import write_verdicts
from papers.derived import with_derived
from papers.programs import add_measurements, add_parts, paper_command
from subwords.errors import unknown

if TYPE_CHECKING:
    from pandas import DataFrame


def evidence(sources: Sequence[str], measured: Mapping[str, DataFrame]) -> DataFrame:
    """Return what a claim is judged by: the measurements that it names, and how long the test sets are."""
    found = [measured[source] for source in sources if source in measured]
    if paper.SCORES in measured and paper.SCORES not in sources:
        scores = measured[paper.SCORES]
        found.append(scores[scores["metric"] == "test_sentences"])
    return measurements.together(found)


@program
def main(argv: list[str] | None = None) -> int:
    parser = paper_command("judge_claims.py", __doc__)
    add_parts(parser)
    add_measurements(parser)
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder for claims.csv")
    arguments = parser.parse_args(argv)
    found = paper.read(arguments.paper, arguments.scale, arguments.parts)
    printed = [value for table in published.tables(found.name).values() for value in table]
    theirs = measurements.published_frame(printed)
    measured = {}
    for path in arguments.measurements:
        if path.stem not in (paper.SCORES, *found.analyses):
            raise unknown(
                f"source of {path}:", path.stem, [paper.SCORES, *found.analyses], next_step="name it after one"
            )
        measured[path.stem] = measurements.read(path)
    scores = measured.get(paper.SCORES, measurements.frame([]))
    bleu = scores[scores["metric"] == "bleu"]
    verdicts = []
    for name, claim in found.claims.items():
        ours = with_derived(evidence(claim["from"], measured))
        verdicts.append(judge(name, claim, theirs, ours, found.scale, found.generated, bleu))
    write_verdicts(arguments.output / "claims.csv", verdicts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
