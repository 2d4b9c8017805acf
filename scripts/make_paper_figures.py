"""Draw a figure of a paper, published values beside ours, as SVG and PNG."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiment.programs import program
from experiment.reporting.drawing import save_figure, save_png
from papers import measurements, paper
from papers.derived import with_derived
from papers.programs import add_measurements, paper_command
from papers.rendering.curves import beside
from papers.rendering.figures import draw
from subwords.errors import unknown


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = paper_command("make_paper_figures.py", __doc__)
    command.add_argument("--figure", required=True, metavar="NAME", help="name in the paper's file")
    add_measurements(command)
    command.add_argument("--output", type=Path, required=True, metavar="FOLDER", help="for NAME.svg and NAME.png")
    return command


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    args = parser().parse_args(argv)
    found = paper.read(args.paper, args.scale)
    if args.figure not in found.figures:
        raise unknown("figure", args.figure, found.figures, next_step=f"see `figures` in {args.paper}")
    measured = with_derived(measurements.together(map(measurements.read, args.measurements)))
    figure = draw(args.figure, found.figures[args.figure], measured, beside(found, args.figure))
    save_figure(figure, args.output / f"{args.figure}.svg")
    save_png(figure, args.output / f"{args.figure}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
