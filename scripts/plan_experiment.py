"""Print what an experiment will take (trainings, hours, disk) and how its systems differ besides the segmentation.

Starts nothing."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from experiment import config
from experiment.plan import costs
from experiment.programs import program
from experiment.reporting.like_for_like import Planned, differing, planned, warnings
from experiment.training import gpu
from translation.model_size import interpolated


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as text, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def described(systems: Planned) -> str:
    """Return a table of the facts in which systems are not alike, or a line that there are none."""
    found = differing(systems)
    if not found:
        return "  nothing that is known before training"
    rows = [["", *found], *([name, *(texts[n] for texts in found.values())] for n, name in enumerate(systems))]
    return columns(rows)


@program
def main(argv: Sequence[str] | None = None) -> int:
    command = argparse.ArgumentParser(prog="plan_experiment.py", description=__doc__)
    command.add_argument("--configfile", type=Path, default=Path("config/config.yaml"), help="the experiment file")
    command.add_argument("--device", choices=["gpu", "cpu"], help="default: what is here")
    command.add_argument("--at-once", type=int, metavar="N", help="trainings at once (default: what fits here)")
    arguments = command.parse_args(argv)
    experiment = config.load(arguments.configfile)
    logging.disable(logging.INFO)  # fairseq's, of what it lacks
    device = arguments.device or ("gpu" if gpu.visible_gpus() else "cpu")
    trainings = arguments.at_once or costs.at_once(experiment.settings["runtime"], device)
    print(f"{experiment.name}: {costs.summary(costs.costs(experiment, interpolated, device), device, trainings)}")
    for block, systems in planned(experiment).items():
        print(f"\n{', '.join(block)}: what differs besides the segmentation\n{described(systems)}")
    for name, recipe in experiment.recipes.items():
        for warning in warnings(recipe["flags"]):
            print(f"\n{name}: {warning}")
    if any(not Path(run.stats_json or "").is_file() for run in experiment.runs):
        print("\nThe numbers of entries really in the vocabularies are known after: snakemake segmentation")
    print(f"\n{costs.assumptions(device)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
