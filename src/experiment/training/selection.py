"""Which checkpoints become the model: the best or the last by their dev scores. `dev_scores` has early stopping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json
from experiment.store.checksums import file_sha256
from experiment.store.making import RECORD, fits
from experiment.training.dev_scores import ranked
from subwords.errors import InputError


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


def kept(training: Path, select: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the entries of the checkpoints that a finished training kept: `select.keep` best and as many last ones.

    Raises InputError when one of them was deleted.
    """
    dev, keep = read_json(training / "training.json")["dev"], select["keep"]
    names = {entry["file"] for entry in [*ranked(dev, select["metric"] == "bleu")[:keep], *dev[-keep:]]}
    if missing := sorted(name for name in names if not (training / "checkpoints" / name).exists()):
        raise InputError(
            f"the choice on a test set needs checkpoints of {training} that were deleted: {', '.join(missing)}",
            next_step=f"runtime: {{keep_checkpoints: true}}; and delete {training / RECORD} to train again",
        )
    return [entry for entry in dev if entry["file"] in names]


def choice_fits(choice: Path, training: Path) -> bool:
    """Return whether a choice on a test set is of the training that is there now."""
    if not fits(choice):
        return False
    own = training / "training.json"
    said = read_json(choice).get("training")
    return said is None or not own.is_file() or said == file_sha256(own)


def drop_checkpoints(training: Path) -> None:
    """Delete a finished training's checkpoints, after every choice was made, and files that kills left half written."""
    for pattern in ("*.pt", ".*.part"):
        for path in (training / "checkpoints").glob(pattern):
            path.unlink()
