"""Measure what a paper's tables, figures and claims need: one of its measures."""

from __future__ import annotations

from pathlib import Path

from experiment.programs import command_line, program
from replication import measurements
from replication.paper import paper_options, read
from replication.sources import Sources
from subwords.errors import InputError, check_known


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    paper_options(parser)
    parser.add_argument("--measure", required=True, metavar="NAME", help="a measure of the paper")
    parser.add_argument("--scores", type=Path, metavar="FILE", help="scores.csv [the paper's]")
    parser.add_argument("--threads", type=int, default=1, help="of programs that can use them [1]")
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="measurements, as CSV")
    arguments = parser.parse_args(argv)
    paper = read(arguments.paper, arguments.scale)
    scores = arguments.scores or Path("results", paper.folder, "scores.csv")
    check_known("measure", [arguments.measure], paper.measures, next_step=f"see {arguments.paper}")
    sources = Sources(paper, arguments.measure, scores, arguments.threads)
    given, planned = arguments.output.name, Path(sources.measured).name
    if given.count(".") == planned.count(".") and given != planned:  # NAME.KEY.csv
        raise InputError(
            f"what {arguments.measure} measures, or its code, has changed since the workflow was started",
            allowed=f"the output {planned}; {given} has the key of what it was",
            next_step="start it again",
        )
    missing = [path for path in sources.paths() if not Path(path).exists()]
    if missing:
        command = f".venv/bin/snakemake --cores all --configfile {paper.where} --config scale={paper.scale}"
        raise InputError(f"{arguments.measure} needs {missing[0]}, which is missing", next_step=command)
    measurements.write(arguments.output, sources.rows())


if __name__ == "__main__":
    raise SystemExit(main())
