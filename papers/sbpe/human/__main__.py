"""Ask people which of two systems translates unknown words better: make blind sheets, and score the answers.

`python -m papers.sbpe.human sheets …` writes OUTPUT/sheets/*.html and *.csv, which go to the judges, and
OUTPUT/keys/*.json, which does not; the same options give the same files. `python -m papers.sbpe.human scores …` prints
wins, ties and paired proportion tests for each direction. README.md shows the whole way.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import Any

from experiment.programs import program
from subwords.files import whole_file

from . import sheets
from .answers import Outcome, score_files, stars


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
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
    make.add_argument("--per-sentence", type=int, default=1, metavar="N", help="judges of each sentence [1]")
    make.add_argument("--seed", type=int, default=1, help="of all that is drawn [1]")
    make.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder for sheets/ and keys/")
    score = kinds.add_parser("scores", help="score answers")
    score.add_argument("--key", type=Path, nargs="+", required=True, metavar="FILE", help="one for each direction")
    score.add_argument("--answers", type=Path, nargs="+", required=True, metavar="FILE", help="CSV, of all judges")
    score.add_argument("--output", type=Path, metavar="FILE", help="CSV to write, beside what is printed")
    return command


def row(direction: str, outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as a row of the CSV file."""
    (first, second), (wins_first, wins_second) = outcome.systems, outcome.wins
    names = ["ties", "evaluated", "unanswered", "answers", "p_value", "p_one_sided", "p_asymptotic", "agreement"]
    found: dict[str, Any] = {"direction": direction, "question": outcome.question}
    found |= {"system_1": first, "system_2": second, "wins_1": wins_first, "wins_2": wins_second}
    return found | {name: getattr(outcome, name) for name in names}


def sentence(direction: str, outcome: Outcome) -> str:
    """Return an outcome in words."""
    if not outcome.evaluated:
        return f"{direction}, better {outcome.question}: nothing answered ({outcome.unanswered} sentences)"
    won = ", ".join(f"{name} {outcome.share(n):.1%}" for n, name in enumerate(outcome.systems))
    agreed = "" if outcome.agreement is None else f", judges agree in {outcome.agreement:.0%} of pairs"
    return (
        f"{direction}, better {outcome.question}: {won} of {outcome.evaluated} sentences ({outcome.ties} ties,"
        f" {outcome.unanswered} unanswered); p = {outcome.p_value:.4f} {stars(outcome.p_value)}".rstrip()
        + f", one-sided {outcome.p_one_sided:.4f} {stars(outcome.p_one_sided)}".rstrip()
        + agreed
    )


@program
def main(argv: list[str] | None = None) -> int:
    """Run the program."""
    command = parser()
    args = command.parse_args(argv)
    if args.kind == "scores":
        outcomes = score_files(args.key, args.answers)
        scored = [(direction, each) for direction, (_, found) in outcomes.items() for each in found]
        rows = [row(*each) for each in scored]
        if args.output:
            with whole_file(args.output) as stream:
                writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
        print("\n".join(sentence(*each) for each in scored))
        return 0
    if len(args.system) != 2:
        command.error("--system is to be given twice")
    if args.direction.count("-") != 1:
        command.error(f"--direction {args.direction}: two languages and a hyphen, as in de-en")
    texts = {name: getattr(args, name) for name in ("train", "test", "source")}
    systems = {name: Path(file) for name, file in args.system}
    shares = (args.sentences, args.judges, args.per_sentence, args.seed)
    found, paths = sheets.sheets_from_files(args.output, args.direction, texts, systems, *shares)
    print(
        f"{found.with_unknown_words} of {found.sentences} sentences have an unknown word; both systems say the same in"
        f" {found.identical}, no place was found in {found.without_place}"
    )
    print("\n".join(map(str, paths)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
