"""Measure what a paper's tables, figures and claims need: one analysis, or scores.csv under the paper's names."""

from __future__ import annotations

import sys
from pathlib import Path

from experiment.programs import program
from papers import measurements, paper
from papers.analyses import analysis
from papers.inputs import Inputs
from papers.programs import paper_command
from subwords.errors import InputError, unknown
from subwords.files import whole_file


@program
def main(argv: list[str] | None = None) -> int:
    parser = paper_command("measure.py", __doc__)
    parser.add_argument("--analysis", metavar="NAME", help="name in the paper's file; left out: the scores alone")
    parser.add_argument("--scores", type=Path, metavar="FILE", help="scores.csv [the paper's]")
    parser.add_argument("--threads", type=int, default=1, help="of programs that can use them [1]")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="measurements, as CSV")
    arguments = parser.parse_args(argv)
    found = paper.read(arguments.paper, arguments.scale)
    scores = arguments.scores or Path("results", found.folder, "scores.csv")
    if arguments.analysis is None:
        with whole_file(arguments.output) as stream:
            measurements.of_paper(scores, found).to_csv(stream, index=False, lineterminator="\n")
        return 0
    if arguments.analysis not in found.analyses:
        raise unknown("analysis", arguments.analysis, found.analyses, next_step=f"see `analyses` in {arguments.paper}")
    inputs = Inputs(found, arguments.analysis, scores, arguments.threads)
    missing = [path for path in inputs.paths() if not Path(path).exists()]
    if missing:
        raise InputError(f"{arguments.analysis} reads {missing[0]}, which is not there", next_step="run snakemake")
    kind = found.analyses[arguments.analysis]["kind"]
    measurements.write(arguments.output, analysis(kind)(inputs, inputs.options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
