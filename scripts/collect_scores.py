"""Compare the systems of an experiment, and gather its scores into scores.csv: one row per run, test set and metric."""

from __future__ import annotations

from pathlib import Path

from experiment.manifest import Manifest, manifest_options, read_manifest
from experiment.programs import command_line, program
from experiment.scoring.scorebook import score_rows, write_scores
from experiment.store.making import check_inputs


def inputs_of(manifest: Manifest) -> dict[str, list[str]]:
    """Return the records of the texts that systems are compared on, with patterns of the files that are read.

    A manifest that was written by hand may list files without a record.
    """
    found: dict[str, list[str]] = {}
    for run in manifest.runs:
        for files in run.testsets.values():
            records = {files.translation: ["*"], files.text_record: ["references/*"], f"{files.round_trip}.json": ["*"]}
            found |= {record: patterns for record, patterns in records.items() if record and Path(record).is_file()}
    return found


@program
def main(argv: list[str] | None = None) -> None:
    command = command_line(__doc__)
    manifest_options(command)
    command.add_argument("--output", required=True, metavar="FILE", help="CSV to write")
    args = command.parse_args(argv)
    manifest = read_manifest(args.manifest, args.key)
    check_inputs(inputs_of(manifest))
    write_scores(args.output, score_rows(manifest))


if __name__ == "__main__":
    raise SystemExit(main())
