"""Gather the scores of an experiment's runs into scores.csv: one row per run, test set and metric."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from experiment.manifest import read_manifest
from experiment.programs import program
from experiment.scoring.scorebook import score_rows, write_scores


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(prog="collect_scores.py", description=__doc__)
    command.add_argument("--manifest", required=True, metavar="FILE", help="JSON list of runs and their files")
    command.add_argument("--output", required=True, metavar="FILE", help="CSV to write")
    return command


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    args = parser().parse_args(argv)
    write_scores(args.output, score_rows(read_manifest(args.manifest)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
