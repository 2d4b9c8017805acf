"""The manifest: an experiment's runs and where their files are. Programs that collect results read it.

The workflow writes it; its shape is described in docs/results.md. Paths are relative to the working directory.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json
from experiment.runs import Run, TestSet
from experiment.scoring.metrics import check_metrics
from subwords.errors import InputError, unknown


@dataclass(frozen=True)
class Manifest:
    """An experiment: its runs in the order in which tables show them."""

    experiment: str
    baseline: str
    metrics: list[str]
    runs: list[Run]
    significance: list[str]
    title: str
    description: str | None
    corpora: dict[str, Any]
    parameters: dict[str, Any]
    commands: list[str]
    against: dict[str, str]  # segmentation -> the one it is compared with


def read_manifest(path: str | Path) -> Manifest:
    """Return the manifest. Raises InputError for a missing or unknown key, metric or baseline."""
    content = read_json(path)
    defaults = {
        "significance": [],
        "title": content.get("experiment", ""),
        "description": "",
        "corpora": {},
        "parameters": {},
        "commands": [],
        "against": {},
    }
    content = defaults | content
    _check_keys(content, Manifest, f"{path}")
    content["title"] = content["title"] or content["experiment"]
    content["metrics"] = check_metrics(content["metrics"])
    runs = []
    for number, given in enumerate(content["runs"]):
        where = f"{path}, run {number}"
        _check_keys(given, Run, where)
        testsets = {}
        for name, files in given["testsets"].items():
            _check_keys(files, TestSet, f"{where}, test set {name}")
            testsets[name] = TestSet(**files)
        runs.append(Run(**{**given, "testsets": testsets}))
    if not runs:
        raise InputError(f"{path} has no runs", next_step="check the experiment's grid")
    segmentations = list(dict.fromkeys(run.segmentation for run in runs))
    if content["baseline"] not in segmentations:
        raise unknown("baseline", content["baseline"], segmentations)
    against = content["against"] or {name: content["baseline"] for name in segmentations if name != content["baseline"]}
    return Manifest(**{**content, "runs": runs, "against": against})


def _check_keys(given: Any, kind: type, where: str) -> None:
    known = {field.name: field for field in fields(kind)}
    if not isinstance(given, dict):
        raise InputError(f"{where}: {given!r} is no object", allowed=", ".join(known))
    for name in given:
        if name not in known:
            raise unknown(f"key in {where}", name, known)
    missing = [name for name, field in known.items() if field.default is MISSING and name not in given]
    if missing:
        raise InputError(f"{where} lacks {', '.join(missing)}", allowed=", ".join(known))
