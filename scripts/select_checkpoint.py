"""Choose or average checkpoints into model.pt, and write run.json: what this run is and what it cost."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json, write_json
from experiment.programs import program
from experiment.provenance import git_state, versions
from experiment.training.dev_scores import ranked
from subwords.errors import InputError
from subwords.files import whole_file


def average(paths: list[Path]) -> dict[str, Any]:
    """Return the first checkpoint's state with every weight averaged over all `paths`, summed in double precision."""
    import torch

    states = (torch.load(path, map_location="cpu", weights_only=False) for path in paths)
    first = next(states)
    sums = {name: weight.double() for name, weight in first["model"].items() if weight.is_floating_point()}
    for state in states:
        if state["model"].keys() != first["model"].keys():
            raise InputError(f"{paths[0].parent} holds checkpoints of different models", next_step="delete them")
        for name in sums:
            sums[name] += state["model"][name].double()
    for name, total in sums.items():
        first["model"][name] = (total / len(paths)).to(first["model"][name].dtype)
    first.pop("last_optimizer_state", None)
    first["extra_state"] = {}
    return first


def choose(record: list[dict[str, Any]], count: int, which: str, maximize: bool) -> list[dict[str, Any]]:
    """Return the `count` best or last entries of the record of dev scores (fewer when there are fewer)."""
    return record[-count:] if which == "last" else ranked(record, maximize)[:count]


@program
def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoints", type=Path, required=True, help="scripts/train.py's folder")
    parser.add_argument("--training", type=Path, required=True, help="scripts/train.py's report")
    parser.add_argument("--select", required=True, metavar="JSON", help='{"metric", "average", "which"}')
    parser.add_argument("--parameters", required=True, metavar="JSON", help="what was decided, for run.json")
    parser.add_argument("--model", type=Path, required=True, help="model.pt to write")
    parser.add_argument("--run", type=Path, required=True, help="run.json to write")
    arguments = parser.parse_args(argv)
    import torch

    select, training = json.loads(arguments.select), read_json(arguments.training)
    chosen = choose(training["dev"], select["average"], select["which"], select["metric"] == "bleu")
    missing = [entry["file"] for entry in chosen if not (arguments.checkpoints / entry["file"]).exists()]
    if missing:
        raise InputError(
            f"checkpoints are gone: {', '.join(missing)} in {arguments.checkpoints}",
            next_step=f"train again: delete {arguments.training} and start the workflow",
        )
    with whole_file(arguments.model, "wb") as stream:
        torch.save(average([arguments.checkpoints / entry["file"] for entry in chosen]), stream)
    summary = {key: value for key, value in training.items() if key not in ("fingerprint", "dev")}
    write_json(
        arguments.run,
        {
            "parameters": json.loads(arguments.parameters),
            "seed": training["fingerprint"]["seed"],
            **summary,
            "selected": chosen,
            "dev": {select["metric"]: chosen[0]["score"]},
            "versions": versions(),
            "git": git_state(),
        },
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
