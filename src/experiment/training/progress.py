"""The progress of trainings, read from their files: fairseq's log and the record of dev scores.

Trainings on other nodes of a cluster are found like those on this machine.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json
from experiment.store.making import DEFINITION, RECORD
from experiment.training.curves import logged
from experiment.training.dev_scores import read_dev_scores
from subwords.errors import InputError

#: As much of a log's end as holds its last lines.
TAIL_BYTES = 20_000


@dataclass(frozen=True)
class Progress:
    """A training that is not finished."""

    folder: Path
    updates: int
    share: float | None  # of the training that is done; None where its length is not known
    of: str  # its length in words, such as "of 10000" or "epoch 3 of 30"
    dev: tuple[float, ...]  # its last dev scores, oldest first
    metric: str
    pieces_per_second: float | None
    seconds_left: float | None
    silent: float  # seconds since it wrote its log


def unfinished(root: Path) -> Iterator[Progress]:
    """Yield every training below a folder of results that has begun and not ended.

    Those whose files are damaged, or just deleted, are left out: the next plan says what to do with them.
    """
    for log in sorted(root.glob("runs/*/*/*/*/seed*/checkpoints/fairseq.log")):
        folder = log.parent.parent
        if not (folder / RECORD).exists() and (folder.parent / DEFINITION).exists():
            with suppress(InputError, FileNotFoundError):
                yield _progress(folder, log, read_json(folder.parent / DEFINITION))


def _progress(folder: Path, log: Path, definition: Mapping[str, Any]) -> Progress:
    last, recipe = _last_point(log), definition["recipe"]
    record = read_dev_scores(log.parent)
    updates = int(last.get("num_updates", record[-1]["updates"] if record else 0))
    share, length = None, ""
    if recipe.get("max-update"):
        share, length = updates / recipe["max-update"], f"of {recipe['max-update']}"
    if recipe.get("max-epoch"):
        by_epoch = float(last.get("update", 0)) / recipe["max-epoch"]
        if share is None or by_epoch > share:
            share, length = by_epoch, f"epoch {int(last.get('epoch', 1))} of {recipe['max-epoch']}"
    wall, resumed = float(last.get("wall", 0)), _resumed_at(log)
    here = share - resumed / updates * share if share and updates else 0  # the part that this attempt did
    left = wall * (1 - share) / here if share is not None and here > 0 and wall else None
    return Progress(
        folder,
        updates,
        None if share is None else min(share, 1.0),
        length,
        tuple(entry["score"] for entry in record[-3:]),
        definition["select"]["metric"],
        float(last["wps"]) if "wps" in last else None,
        None if left is None else max(left, 0.0),
        max(time.time() - log.stat().st_mtime, 0.0),
    )


def _last_point(log: Path) -> dict[str, Any]:
    """Return the last look at the training loss in a log; an empty one where there is none yet."""
    with open(log, "rb") as stream:
        stream.seek(max(log.stat().st_size - TAIL_BYTES, 0))
        lines = stream.read().decode("utf-8", "replace").splitlines()
    return next((point for point in logged(reversed(lines)) if {"num_updates", "wps"} <= point.keys()), {})


def _resumed_at(log: Path) -> int:
    """Return the updates that the present attempt began with: 0 unless the training was interrupted."""
    at = 0
    with open(log, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            if "Loaded checkpoint" in line and " @ " in line:
                at = int(line.rpartition(" @ ")[2].split()[0])
    return at
