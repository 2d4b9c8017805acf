"""Ask people which of two systems translates unknown words better: make blind sheets, and score the answers.

`python -m papers.sbpe.human sheets …` writes OUTPUT/sheets/*.html and *.csv, which go to the judges, and
OUTPUT/keys/*.json, which does not; the same options give the same files. `python -m papers.sbpe.human scores …` prints
wins, ties and paired proportion tests for each direction. README.md shows the whole way.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from experiment.programs import program

from .answers import score_files
from .sheets import write_sheets


@program
def main(argv: list[str] | None = None) -> int:
    raw = argparse.RawDescriptionHelpFormatter
    command = argparse.ArgumentParser(prog="python -m papers.sbpe.human", description=__doc__, formatter_class=raw)
    kinds = command.add_subparsers(dest="kind", required=True)
    make = kinds.add_parser("sheets", help="make sheets and their key")
    make.add_argument("--direction", required=True, metavar="SRC-TGT", help="as in de-en")
    make.add_argument("--train", type=Path, required=True, metavar="FILE", help="source side of train, as segmented")
    make.add_argument("--test", type=Path, required=True, metavar="FILE", help="that of the test set, likewise")
    make.add_argument("--source", type=Path, required=True, metavar="FILE", help="that of the test set, raw")
    system = "name and plain translations; give it twice, the system that is hoped to be better last"
    make.add_argument("--system", action="append", required=True, nargs=2, metavar=("NAME", "FILE"), help=system)
    make.add_argument("--sentences", type=int, metavar="N", help="draw N of those that can be judged [all]")
    make.add_argument("--judges", type=int, default=1, metavar="N", help="sheets to share them out to [1]")
    make.add_argument("--seed", type=int, default=1, help="of all that is drawn [1]")
    make.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder for sheets/ and keys/")
    score = kinds.add_parser("scores", help="score answers")
    score.add_argument("--key", type=Path, nargs="+", required=True, metavar="FILE", help="one for each direction")
    score.add_argument("--answers", type=Path, nargs="+", required=True, metavar="FILE", help="CSV, of all judges")
    score.add_argument("--output", type=Path, metavar="FILE", help="CSV to write, beside what is printed")
    args = command.parse_args(argv)
    if args.kind == "scores":
        outcomes = score_files(args.key, args.answers)
        if args.output:
            outcomes.to_csv(args.output, index=False)
        print(outcomes.T.to_string(header=False))
        return 0
    systems = {name: Path(file) for name, file in args.system}
    if len(systems) != 2 or args.direction.count("-") != 1 or args.judges < 1:
        command.error("two systems of different names, a direction as in de-en, and one judge or more are needed")
    texts = {name: getattr(args, name) for name in ("train", "test", "source")}
    key = write_sheets(args.output, args.direction, texts, systems, args.sentences, args.judges, args.seed)
    print(f"key: {key}; sheets: {args.output / 'sheets'}" if key else "there is no sentence to judge")
    return 0


if __name__ == "__main__":
    sys.exit(main())
