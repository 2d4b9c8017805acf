"""Make a paper's report, one HTML file that needs no network, and its verdicts as Markdown beside it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from experiment.manifest import read_manifest
from experiment.programs import program
from experiment.scoring.scorebook import read_scores
from papers import paper
from papers.claims.verdicts import read_verdicts
from papers.programs import add_parts, paper_command
from papers.rendering.report import claims_markdown, render_report
from papers.rendering.table import read_csv
from subwords.errors import InputError
from subwords.files import whole_file


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = paper_command("make_paper_report.py", __doc__)
    add_parts(command)
    command.add_argument("--tables", type=Path, required=True, metavar="FOLDER", help="of scripts/make_paper_tables.py")
    command.add_argument(
        "--figures", type=Path, required=True, metavar="FOLDER", help="of scripts/make_paper_figures.py"
    )
    command.add_argument("--claims", type=Path, metavar="FILE", help="claims.csv of scripts/judge_claims.py")
    command.add_argument("--scores", type=Path, metavar="FILE", help="scores.csv")
    command.add_argument("--manifest", type=Path, metavar="FILE", help="JSON list of runs and their files")
    command.add_argument("--output", type=Path, required=True, metavar="FILE", help="HTML; claims.md goes beside it")
    return command


def read_figure(path: Path) -> str:
    """Return the SVG of a figure. Raises InputError where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        problem = f"cannot read {path}: {error.strerror}"
        raise InputError(problem, next_step="run scripts/make_paper_figures.py") from error


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    args = parser().parse_args(argv)
    found = paper.read(args.paper, args.scale, args.parts)
    tables = [
        read_csv(args.tables / f"{name}.csv", str(entry.get("title") or ""), str(entry.get("note") or ""))
        for name, entry in found.tables.items()
    ]
    verdicts = read_verdicts(args.claims) if args.claims else []
    page = render_report(
        found,
        tables,
        verdicts,
        {name: read_figure(args.figures / f"{name}.svg") for name in found.figures},
        read_scores(args.scores) if args.scores else [],
        read_manifest(args.manifest) if args.manifest and args.scores else None,  # without scores, it has no runs
        folder="".join(f"{part}/" for part in Path(os.path.relpath(args.tables, args.output.parent)).parts),
    )
    with whole_file(args.output) as stream:
        stream.write(page)
    with whole_file(args.output.parent / "claims.md") as stream:
        stream.write(claims_markdown(found, verdicts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
