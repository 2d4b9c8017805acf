"""Which checkpoints of a training become the model: the best or the last ones by their dev scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json
from experiment.training.dev_scores import ranked


def choose(record: Sequence[dict[str, Any]], select: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the `average` best or last entries of the record of dev scores (fewer when there are fewer).

    `select` has metric (bleu or loss), which (best or last) and average.
    """
    count, record = select["average"], list(record)
    return record[-count:] if select["which"] == "last" else ranked(record, select["metric"] == "bleu")[:count]


def gone(training: Path, select: Mapping[str, Any]) -> list[str]:
    """Return the checkpoints of a choice that were deleted."""
    names = [entry["file"] for entry in choose(read_json(training / "training.json")["dev"], select)]
    return [name for name in names if not (training / "checkpoints" / name).exists()]


def drop_checkpoints(training: Path) -> None:
    """Delete a finished training's checkpoints, after every choice was made, and files that kills left half written."""
    for pattern in ("*.pt", ".*.part"):
        for path in (training / "checkpoints").glob(pattern):
            path.unlink()
