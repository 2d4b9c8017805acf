"""Make an experiment's report: one HTML file that needs no network, and its figures as SVG files."""

from __future__ import annotations

from pathlib import Path

from experiment.manifest import manifest_options, read_manifest
from experiment.programs import command_line, program
from experiment.reporting.report import render_report
from experiment.scoring.scorebook import read_scores
from subwords.files import write_whole


@program
def main(argv: list[str] | None = None) -> None:
    command = command_line(__doc__)
    command.add_argument("--scores", required=True, metavar="FILE", help="scores.csv")
    manifest_options(command)
    command.add_argument("--output", required=True, metavar="FILE", help="HTML to write")
    command.add_argument("--figures", required=True, metavar="FOLDER", help="where the figures go")
    args = command.parse_args(argv)
    page = render_report(read_manifest(args.manifest, args.key), read_scores(args.scores), Path(args.figures))
    write_whole(args.output, page)


if __name__ == "__main__":
    raise SystemExit(main())
