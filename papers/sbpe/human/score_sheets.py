"""Score the judges' answers on blind sheets: wins, ties and paired proportion tests for each direction."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

from experiment.programs import program
from subwords.files import whole_file

from .answers import Outcome, score_files, stars


def row(direction: str, outcome: Outcome) -> dict[str, str | int | float | None]:
    """Return an outcome as a row of the CSV file."""
    (first, second), (wins_first, wins_second) = outcome.systems, outcome.wins
    return {
        "direction": direction,
        "question": outcome.question,
        "system_1": first,
        "system_2": second,
        "wins_1": wins_first,
        "wins_2": wins_second,
        "ties": outcome.ties,
        "evaluated": outcome.evaluated,
        "unanswered": outcome.unanswered,
        "answers": outcome.answers,
        "p_value": outcome.p_value,
        "p_one_sided": outcome.p_one_sided,
        "p_asymptotic": outcome.p_asymptotic,
        "agreement": outcome.agreement,
    }


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
    parser = argparse.ArgumentParser(prog="python -m papers.sbpe.human.score_sheets", description=__doc__)
    parser.add_argument("--key", type=Path, nargs="+", required=True, metavar="FILE", help="one for each direction")
    parser.add_argument("--answers", type=Path, nargs="+", required=True, metavar="FILE", help="CSV, of all judges")
    parser.add_argument("--output", type=Path, metavar="FILE", help="CSV to write, beside what is printed")
    args = parser.parse_args(argv)
    scored = [
        (direction, outcome)
        for direction, (_, outcomes) in score_files(args.key, args.answers).items()
        for outcome in outcomes
    ]
    rows = [row(*each) for each in scored]
    if args.output:
        with whole_file(args.output) as stream:
            writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    for each in scored:
        print(sentence(*each))
    return 0


if __name__ == "__main__":
    sys.exit(main())
