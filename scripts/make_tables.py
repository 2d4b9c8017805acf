"""Make the tables of an experiment, as Markdown and LaTeX, from its scores.csv and nothing else."""

from __future__ import annotations

from experiment.programs import command_line, program
from experiment.reporting.table_formats import latex, markdown
from experiment.reporting.tables import blocks
from experiment.scoring.scorebook import read_scores
from subwords.files import write_whole


@program
def main(argv: list[str] | None = None) -> None:
    command = command_line(__doc__)
    command.add_argument("--scores", required=True, metavar="FILE", help="scores.csv")
    command.add_argument("--markdown", metavar="FILE", help="Markdown to write")
    command.add_argument("--latex", metavar="FILE", help="LaTeX to write")
    args = command.parse_args(argv)
    rows = read_scores(args.scores)
    tables, experiment = blocks(rows), rows[0]["experiment"]
    for path, text in ((args.markdown, markdown(experiment, tables)), (args.latex, latex(experiment, tables))):
        if path:
            write_whole(path, text)


if __name__ == "__main__":
    raise SystemExit(main())
