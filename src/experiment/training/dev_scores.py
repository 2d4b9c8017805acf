"""The record of a training's dev scores: an entry for each checkpoint, sealed, beside the checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json, write_json
from subwords.errors import InputError

#: The file, beside the checkpoints.
DEV_SCORES = "scores.json"


def read_dev_scores(folder: Path) -> list[dict[str, Any]]:
    """Return the dev scores of a checkpoint folder, oldest first: {"file", "epoch", "updates", "score"}.

    Raises InputError where the record is damaged: it is needed to tell which checkpoints are the best.
    """
    path = folder / DEV_SCORES
    if not path.exists():
        return []
    try:
        record: list[dict[str, Any]] = read_json(path)["dev"]
    except (InputError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} is damaged: {error}", next_step=f"delete {folder} and run again: the training begins again"
        ) from error
    return record


def write_dev_scores(folder: Path, record: list[dict[str, Any]]) -> None:
    write_json(folder / DEV_SCORES, {"dev": record}, sealed=True)


def ranked(record: list[dict[str, Any]], maximize: bool) -> list[dict[str, Any]]:
    """Return the record's entries, best first; of equal scores the earlier one first."""
    return sorted(record, key=lambda entry: (-entry["score"] if maximize else entry["score"], entry["updates"]))


def patience_is_over(record: list[dict[str, Any]], flags: Mapping[str, Any], maximize: bool) -> bool:
    """Return whether early stopping ends a training: `patience` dev scores in a row were not better than the best.

    Never at the recipe's last update, where the training ends in any case.
    """
    if not record or record[-1]["updates"] >= int(flags.get("max-update") or 0) > 0:
        return False
    return 0 < int(flags.get("patience") or 0) <= scores_since_best(record, maximize)


def scores_since_best(record: list[dict[str, Any]], maximize: bool) -> int:
    """Return how many dev scores came after the best one."""
    best = ranked(record, maximize)[0]
    return sum(entry["updates"] > best["updates"] for entry in record)
