"""Make a table of a paper: published values, ours and the difference, as CSV, Markdown and LaTeX."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiment.programs import program
from papers import measurements, paper, published
from papers.derived import with_derived
from papers.programs import add_measurements, paper_command
from papers.rendering.table import write_csv
from papers.rendering.table_building import build_table
from papers.rendering.table_formats import latex, markdown
from subwords.errors import unknown
from subwords.files import whole_file


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = paper_command("make_paper_tables.py", __doc__)
    command.add_argument("--table", required=True, metavar="NAME", help="name in the paper's file")
    add_measurements(command)
    command.add_argument("--output", type=Path, required=True, metavar="FOLDER", help="for NAME.csv, NAME.md, NAME.tex")
    command.add_argument("--print", action="store_true", help="show the Markdown")
    return command


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    args = parser().parse_args(argv)
    found = paper.read(args.paper, args.scale)
    if args.table not in found.tables:
        raise unknown("table", args.table, found.tables, next_step=f"see `tables` in {args.paper}")
    entry = found.tables[args.table]
    name = entry.get("published", args.table)
    values = published.tables(found.name)[name] if name else []
    measured = with_derived(measurements.together(map(measurements.read, args.measurements)))
    table = build_table(found.name, found.scale, args.table, values, entry, measured)
    write_csv(args.output / f"{args.table}.csv", table)
    for ending, text in (("md", markdown(table)), ("tex", latex(table))):
        with whole_file(args.output / f"{args.table}.{ending}") as stream:
            stream.write(text)
    if args.print:
        print(markdown(table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
