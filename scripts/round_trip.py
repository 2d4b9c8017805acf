"""Segment a reference and put it together again: no system with this segmentation can write a better text."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiment.jsonfiles import read_json
from experiment.programs import program
from experiment.scoring.bounds import round_trip
from experiment.text.postprocessing import ToText, write_lines
from subwords import registry
from subwords.files import read_lines


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(prog="round_trip.py", description=__doc__)
    command.add_argument("--text", required=True, metavar="FILE", help="the reference, in the form that is segmented")
    command.add_argument("--form", choices=["raw", "moses"], required=True, help="which form that is")
    command.add_argument("--language", required=True, metavar="LANG")
    command.add_argument("--algorithm", required=True)
    command.add_argument("--segmenter", required=True, metavar="FILE", help="the model of this language")
    command.add_argument("--encode-options", metavar="JSON", help="its options for encoding (a file)")
    command.add_argument("--output", required=True, metavar="FILE", help="text to write")
    return command


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    args = parser().parse_args(argv)
    options = read_json(args.encode_options) if args.encode_options else {}
    segmenter = registry.find(args.algorithm).load(Path(args.segmenter), **options)
    to_text = ToText(args.algorithm, Path(args.segmenter), args.form, args.language)
    write_lines(args.output, round_trip(read_lines(args.text), segmenter, to_text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
