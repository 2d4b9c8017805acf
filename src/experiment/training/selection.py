"""Which checkpoints of a training become the model: the best or the last ones by their dev scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json, write_json
from experiment.training.dev_scores import ranked


def choose(record: Sequence[dict[str, Any]], select: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the `average` best or last entries of the record of dev scores (fewer when there are fewer).

    `select` has metric (bleu or loss), which (best or last) and average.
    """
    count, record = select["average"], list(record)
    return record[-count:] if select["which"] == "last" else ranked(record, select["metric"] == "bleu")[:count]


def wanted(training: Path) -> dict[str, dict[str, Any]]:
    """Return the choices that are asked for of a training, by folder: whoever waits for it has left a note."""
    notes = [read_json(path) for path in sorted((training / "checkpoints").glob("wanted.*.json"))]
    return {note["folder"]: note["select"] for note in notes}


def ask_for(training: Path, select: Mapping[str, Any], folder: Path) -> None:
    """Leave the note that a choice is wanted, in a folder: the checkpoints are not deleted before it is made."""
    write_json(training / "checkpoints" / f"wanted.{folder.name}.json", {"folder": str(folder), "select": dict(select)})


def drop_checkpoints(training: Path) -> None:
    """Delete the checkpoints of a finished training of which every choice is made, and what kills left half written."""
    for pattern in ("wanted.*.json", "*.pt", ".*.part"):
        for path in (training / "checkpoints").glob(pattern):
            path.unlink()
