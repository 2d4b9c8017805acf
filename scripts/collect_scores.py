"""Compare the systems of an experiment, and gather its scores into scores.csv: one row per run, test set and metric."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from experiment.manifest import read_manifest
from experiment.programs import program
from experiment.scoring.scorebook import score_rows, write_scores
from experiment.store.making import RECORD, check_inputs


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    command = argparse.ArgumentParser(prog="collect_scores.py", description=__doc__)
    command.add_argument("--manifest", required=True, metavar="FILE", help="JSON list of runs and their files")
    command.add_argument("--output", required=True, metavar="FILE", help="CSV to write")
    args = command.parse_args(argv)
    manifest = read_manifest(args.manifest)
    made = [files.translation for run in manifest.runs for files in run.testsets.values()]
    check_inputs({str(record): ["*"] for record in made if record})
    check_inputs({f"{run.text}/{RECORD}": ["references/*"] for run in manifest.runs if run.text})
    write_scores(args.output, score_rows(manifest))
    return 0


if __name__ == "__main__":
    sys.exit(main())
