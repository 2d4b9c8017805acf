"""Judge a paper's claims by their rules: on the published values, and on ours."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from experiment.programs import program
from papers import measurements, paper, published
from papers.claims.judging import judge
from papers.claims.verdicts import write_verdicts
from papers.derived import with_derived
from subwords.errors import unknown
from subwords.files import whole_file

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
    parser = argparse.ArgumentParser(prog="judge_claims.py", description=__doc__)
    parser.add_argument("--paper", type=Path, required=True, metavar="FILE", help="a file of config/papers")
    parser.add_argument("--scale", help="default: the file's")
    parser.add_argument("--parts", nargs="+", metavar="NAME", help="only what needs no other source than these")
    parser.add_argument("--measurements", type=Path, nargs="*", default=[], metavar="CSV", help="of scripts/measure.py")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder for claims.csv, claims.json")
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
    verdicts = []
    for name, claim in found.claims.items():
        ours = with_derived(evidence(claim["from"], measured))
        verdicts.append(judge(name, claim, theirs, ours, found.scale, found.generated))
    with whole_file(arguments.output / "claims.csv") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["claim", "says", "where", "rule", "published", "published reason", "ours", "ours reason"])
        for verdict in verdicts:
            outcomes = (verdict.published, verdict.ours)
            cells = [part for outcome in outcomes for part in (outcome.state, outcome.reason)]
            writer.writerow([verdict.name, verdict.says, verdict.where, verdict.rule, *cells])
    write_verdicts(arguments.output / "claims.json", verdicts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
