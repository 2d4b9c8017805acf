"""Make blind sheets on which people compare two systems on sentences with unknown words (Vilar and Federico 2021, 5.2).

Writes OUTPUT/sheets/*.html and *.csv, which go to the judges, and OUTPUT/keys/*.json, which does not. The same options
give the same files. README.md shows the whole way.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from experiment.programs import program
from replication.measures.unknown_words import words_of
from subwords.files import read_lines

from . import sheets


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m papers.sbpe.human.make_sheets",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--direction", required=True, metavar="SRC-TGT", help="as in de-en")
    parser.add_argument("--train", type=Path, required=True, metavar="FILE", help="source side of train, as segmented")
    parser.add_argument(
        "--test", type=Path, required=True, metavar="FILE", help="source side of the test set, likewise"
    )
    parser.add_argument("--source", type=Path, required=True, metavar="FILE", help="source side of the test set, raw")
    parser.add_argument(
        "--system",
        action="append",
        required=True,
        nargs=2,
        metavar=("NAME", "FILE"),
        help="name and plain translations; give it twice, the system that is hoped to be better last",
    )
    parser.add_argument("--sentences", type=int, metavar="N", help="draw N of those that can be judged [all]")
    parser.add_argument("--judges", type=int, default=1, metavar="N", help="sheets to share them out to [1]")
    parser.add_argument("--per-sentence", type=int, default=1, metavar="N", help="judges of each sentence [1]")
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn [1]")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder for sheets/ and keys/")
    return parser


@program
def main(argv: list[str] | None = None) -> int:
    """Run the program."""
    command = parser()
    args = command.parse_args(argv)
    if len(args.system) != 2:
        command.error("--system is to be given twice")
    if args.direction.count("-") != 1:
        command.error(f"--direction {args.direction}: two languages and a hyphen, as in de-en")
    (first, first_file), (second, second_file) = args.system
    read = [list(read_lines(path)) for path in (args.source, args.test, first_file, second_file)]
    found = sheets.candidates(read[0], read[1], words_of(args.train), (read[2], read[3]), args.seed)
    drawn = sheets.draw(found.items, args.sentences, args.seed)
    made = sheets.make_sheets(args.direction, drawn, args.judges, args.per_sentence, args.seed)
    files = {name: str(getattr(args, name)) for name in ("train", "test", "source")}
    facts = {"direction": args.direction, "seed": args.seed, "files": files | {first: first_file, second: second_file}}
    paths = sheets.write_sheets(
        args.output, made, sheets.key(made, (first, second), found, **facts), *args.direction.split("-")
    )
    print(
        f"{found.with_unknown_words} of {found.sentences} sentences have an unknown word; both systems say the same in"
        f" {found.identical}, no place was found in {found.without_place}; {len(drawn)} are on the sheets"
    )
    for path in paths:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
