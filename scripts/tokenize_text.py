"""Write the form of a text that segmentations read: raw (as it is) or moses (tokenized and truecased by sacremoses).

One line for each line. The truecasing model is learned from the train split and kept as OUT/truecase.LANG.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiment.programs import program
from experiment.text.moses import FORMS, has_rules, write_text


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(prog="tokenize_text.py", description=__doc__)
    command.add_argument("--form", required=True, metavar="|".join(FORMS), help="what to write")
    command.add_argument("--language", required=True, metavar="LANG", help="code of the language")
    command.add_argument("--splits", nargs="+", required=True, metavar="NAME", help="train, dev and test sets")
    command.add_argument("--input", type=Path, required=True, metavar="IN", help="folder of the clean files")
    command.add_argument("--output", type=Path, required=True, metavar="OUT", help="folder for the files")
    command.add_argument("--workers", type=int, default=1, metavar="N", help="processes (default 1)")
    return command


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    args = parser().parse_args(argv)
    if args.form == "moses" and not has_rules(args.language):
        print(f"{args.language}: Moses has no rules for it; those of English are used", file=sys.stderr)
    write_text(args.form, args.language, args.input, args.output, args.splits, workers=args.workers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
