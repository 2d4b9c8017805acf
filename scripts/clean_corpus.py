"""Clean the raw files of a language pair: IN/{split}.{language} to OUT/{split}.{language}, with a report.

Train loses pairs that are empty, too long, out of proportion, or in dev or a test set too; OUT/cleaning.json counts
them. Dev and test sets keep every line; OUT/references/{split}.{language} keeps their text as it is.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiment.corpora.cleaning import OPTIONS, Options, clean_corpus, copy_gold
from experiment.programs import program


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(prog="clean_corpus.py", description=__doc__)
    command.add_argument("--input", type=Path, required=True, metavar="IN", help="folder of the raw files")
    command.add_argument("--output", type=Path, required=True, metavar="OUT", help="folder for the clean files")
    command.add_argument("--languages", nargs=2, required=True, metavar="LANG", help="the pair")
    command.add_argument("--tests", nargs="*", default=[], metavar="NAME", help="names of the test sets")
    command.add_argument("--gold", nargs="*", default=[], metavar="LANG", help="languages with IN/gold.LANG")
    command.add_argument("--max-tokens", type=int, metavar="N", help=f"default {OPTIONS['max_tokens']}")
    command.add_argument("--max-characters", type=int, metavar="N", help=f"default {OPTIONS['max_characters']}")
    command.add_argument("--max-ratio", type=float, metavar="X", help=f"default {OPTIONS['max_ratio']:g}")
    command.add_argument("--overlap", metavar="remove|keep", help="train pairs also in dev or tests (default remove)")
    command.add_argument("--deduplicate", action="store_const", const=True, help="keep one of several equal pairs")
    command.add_argument("--train-pairs", type=int, metavar="N", help="draw N of the train pairs (default: all)")
    command.add_argument("--seed", type=int, metavar="N", help=f"of that draw (default {OPTIONS['seed']})")
    return command


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    args = parser().parse_args(argv)
    options = Options(**{name: getattr(args, name) for name in OPTIONS if getattr(args, name) is not None})
    languages = (args.languages[0], args.languages[1])
    report = clean_corpus(args.input, args.output, languages, args.tests, options)
    for language in args.gold:
        copy_gold(args.input / f"gold.{language}", args.output / f"gold.{language}")
    train = report["splits"]["train"]
    reasons = ", ".join(f"{count} {reason}" for reason, count in train["dropped"].items() if count)
    print(f"train: {train['kept']} of {train['read']} pairs kept" + (f"; dropped: {reasons}" if reasons else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
