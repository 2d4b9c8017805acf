"""Learning curves: fairseq's log as JSON lines, one per look at the training loss or the dev set."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

_NAMES = {"loss": "loss", "nll_loss": "nll_loss", "ppl": "ppl", "bleu": "bleu", "wps": "pieces_per_second", "lr": "lr"}
#: How the first line of a process begins: its configuration.
_START = re.compile(r"^\{'_name'", re.MULTILINE)


def logged(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the objects among the lines of a fairseq log; one that is still being written, or was cut, is left out."""
    for line in lines:
        if line.startswith('{"epoch"'):
            with contextlib.suppress(ValueError):
                yield json.loads(line)


def parse_log(text: str) -> list[dict[str, Any]]:
    """Return the curve in a fairseq log written with --log-format json, in order of updates.

    Each point: {"split": "train"|"dev", "epoch", "update", "loss" (bits per piece), "ppl", "bleu" (dev, when asked
    for), "seconds" (of training; of dev, at the training loss before), …}. Where training was interrupted and went over
    the same updates again, the later pass counts, and its seconds go on from those of the update before.
    """
    points: dict[tuple[str, int], dict[str, Any]] = {}
    for process in _START.split(text):
        before, seconds = None, None  # the seconds of interrupted processes; with those of this one
        for raw in logged(process.split("\n")):
            if "train_loss" in raw or not raw.keys() & {"train_wall", "valid_loss"}:  # the mean of an epoch, or neither
                continue
            prefix = "valid_" if "valid_loss" in raw else ""
            point: dict[str, Any] = {
                "split": "dev" if prefix else "train",
                "epoch": int(raw["epoch"]),
                "update": int(raw[f"{prefix}num_updates"]),
            }
            for theirs, ours in _NAMES.items():
                if f"{prefix}{theirs}" in raw:
                    point[ours] = float(raw[f"{prefix}{theirs}"])
            if "wall" in raw:
                if before is None:
                    earlier = (known.get("seconds", 0.0) for (_, at), known in points.items() if at < point["update"])
                    before = max(earlier, default=0.0)
                seconds = before + float(raw["wall"])
            if seconds is not None:
                point["seconds"] = seconds
            points[point["split"], point["update"]] = point
    return sorted(points.values(), key=lambda point: (point["update"], point["split"] == "dev"))


def read_curve(path: Path) -> list[dict[str, Any]]:
    """Return the curve in the fairseq log at `path`; an absent log is an empty curve."""
    return parse_log(path.read_text(encoding="utf-8", errors="replace")) if path.exists() else []
