"""Compare the systems of an experiment, and gather its scores into scores.csv: one row per run, test set and metric."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import compare_systems
from experiment.manifest import Manifest, read_manifest
from experiment.programs import program
from experiment.runs import Run
from experiment.scoring.scorebook import score_rows, write_scores
from experiment.store.making import RECORD, check_inputs
from subwords.errors import InputError


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(prog="collect_scores.py", description=__doc__)
    command.add_argument("--manifest", required=True, metavar="FILE", help="JSON list of runs and their files")
    command.add_argument("--compare", action="store_true", help="make the comparisons that the manifest names, too")
    command.add_argument("--output", required=True, metavar="FILE", help="CSV to write")
    return command


def compare(manifest: Manifest, folder: Path) -> None:
    """Write FOLDER/{corpus}.{direction}.{model}.{testset}.json for every comparison that the manifest names."""
    for block in dict.fromkeys(run.block for run in manifest.runs):
        runs = [run for run in manifest.runs if run.block == block]
        for testset in runs[0].testsets:
            output = str(folder / f"{'.'.join(block)}.{testset}.json")
            if output in manifest.significance and compare_systems.main([*_asked(manifest, runs, testset, output)]):
                raise InputError(f"{output} could not be made", next_step="see above")


def _asked(manifest: Manifest, runs: Sequence[Run], testset: str, output: str) -> Iterator[str]:
    """Yield what compare_systems.py is told of the runs of a block."""
    made = [run.testsets[testset] for run in runs]
    for name, value in zip(("corpus", "direction", "model"), runs[0].block, strict=True):
        yield from (f"--{name}", value)
    yield from ("--testset", testset, "--baseline", manifest.baseline, "--target", runs[0].target)
    yield from ("--reference", str(made[0].reference), "--source", str(made[0].source))
    yield from ("--metrics", *manifest.metrics)
    names = list(dict.fromkeys(run.segmentation for run in runs))
    for name in names:  # where it is learned for each seed, the first seed's
        back = next(files.round_trip for run, files in zip(runs, made, strict=True) if run.segmentation == name)
        yield from ("--round-trip", name, back) if back else ()
    for name, other in manifest.against.items():
        yield from ("--against", name, other) if {name, other} <= set(names) else ()
    for run, files in zip(runs, made, strict=True):
        yield from ("--system", run.segmentation, str(run.seed), str(files.hypothesis))
        yield from ("--comet", run.segmentation, str(run.seed), files.comet) if files.comet else ()
    settings = manifest.parameters["significance"]
    for name in ("test", "samples"):
        yield from (f"--{name}", str(settings[name]))
    for metric, margin in settings.get("margin", {}).items():
        yield from ("--margin", metric, str(margin))
    yield from ("--output", output)


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    args = parser().parse_args(argv)
    manifest = read_manifest(args.manifest)
    made = [files.translation for run in manifest.runs for files in run.testsets.values()]
    check_inputs({str(record): ["*"] for record in made if record})
    check_inputs({f"{run.text}/{RECORD}": ["references/*"] for run in manifest.runs if run.text})
    if args.compare:
        compare(manifest, Path(args.manifest).parent / "significance")
    write_scores(args.output, score_rows(manifest))
    return 0


if __name__ == "__main__":
    sys.exit(main())
