"""Make a paper's tables, figures, verdicts and report from measurements, with the published values beside ours."""

from __future__ import annotations

from pathlib import Path

from experiment.jsonfiles import write_json
from experiment.manifest import manifest_options, read_manifest
from experiment.programs import command_line, program
from experiment.scoring.scorebook import read_scores
from experiment.store.inventory import MEASURED
from replication import measurements, report
from replication.paper import SCORES, paper_options, read
from replication.sources import of_paper


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    paper_options(parser)
    parser.add_argument("--parts", nargs="+", default=[], metavar="NAME", help="only what needs no other source")
    help_text = "of scripts/measure.py, called NAME.csv or NAME.KEY.csv after the measure"
    parser.add_argument("--measurements", type=Path, nargs="*", default=[], metavar="CSV", help=help_text)
    parser.add_argument("--scores", type=Path, metavar="FILE", help="scores.csv")
    manifest_options(parser, required=False)
    parser.add_argument("--output", type=Path, required=True, metavar="FOLDER", help="for everything that is made")
    arguments = parser.parse_args(argv)
    paper = read(arguments.paper, arguments.scale, arguments.parts)
    trained = arguments.manifest and arguments.scores
    manifest = read_manifest(arguments.manifest, arguments.key) if trained else None
    measured = {path.name.split(".")[0]: measurements.read(path) for path in arguments.measurements}
    if arguments.scores:
        measured.setdefault(SCORES, of_paper(arguments.scores, paper))
    rows = read_scores(arguments.scores) if arguments.scores else []
    report.make(paper, measured, arguments.output, rows, manifest)
    made_of = {path.name.split(".")[0]: path.name for path in arguments.measurements}
    write_json(arguments.output / MEASURED, made_of, sealed=True)


if __name__ == "__main__":
    raise SystemExit(main())
