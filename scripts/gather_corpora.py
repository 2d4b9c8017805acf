"""Put the text of a corpus group together from that of its members: OUT/{train,dev,LANG…}.{many,INTO}.

From clean text, train loses pairs that are in dev or the test set of any member, OUT/{train,dev}.origin say which lines
stayed, and OUT/references/ has dev and test sets as they came. With --origins, another form of the same text (tokens)
is gathered by what such a run wrote down.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiment.corpora.gathering import Part, gather_clean, gather_like
from experiment.programs import program
from subwords.errors import unknown


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(
        prog="gather_corpora.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.add_argument(
        "--member",
        nargs=3,
        action="append",
        required=True,
        metavar=("LANG", "FOLDER", "TEST"),
        help="a language, the folder with FOLDER/{train,dev,TEST}.{LANG,INTO}, its test set; once for each",
    )
    command.add_argument("--into", required=True, metavar="LANG", help="the language of the other side")
    command.add_argument("--overlap", default="remove", metavar="remove|keep", help="train pairs also in dev or tests")
    command.add_argument("--origins", type=Path, metavar="DIR", help="folder of the group's clean text")
    command.add_argument("--output", type=Path, required=True, metavar="OUT", help="folder for the files")
    return command


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    args = parser().parse_args(argv)
    if args.overlap not in ("remove", "keep"):
        raise unknown("value for overlap", args.overlap, ("remove", "keep"))
    parts = [Part(language, Path(folder), test) for language, folder, test in args.member]
    if args.origins:
        gather_like(args.origins, parts, args.into, args.output)
        return 0
    report = gather_clean(parts, args.into, args.output, keep_overlap=args.overlap == "keep")
    train = report["splits"]["train"]
    print(f"train: {train['kept']} of {train['read']} pairs kept; dropped: {train['dropped']['overlap']} overlap")
    return 0


if __name__ == "__main__":
    sys.exit(main())
