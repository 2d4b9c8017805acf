"""The manifest: an experiment's runs and where their files are. Programs that collect results read it.

The workflow writes it; its shape is described in docs/scores-csv.md. Paths are relative to the working directory.
"""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json
from experiment.runs import Run, TestSet
from experiment.scoring.metrics import check_metrics
from experiment.store.keys import key
from subwords.errors import InputError, check_known


@dataclass(frozen=True)
class Manifest:
    """An experiment: its runs in the order in which tables show them."""

    experiment: str
    baseline: str
    metrics: list[str]
    runs: list[Run]
    against: dict[str, str] | None = None  # segmentation -> the one it is compared with; None: all with the baseline
    title: str = ""
    description: str | None = ""
    corpora: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)

    def baseline_of(self, segmentation: str) -> str | None:
        """Return what a system is compared with; None for what is compared with nothing."""
        if self.against is not None:
            return self.against.get(segmentation)
        return self.baseline if segmentation != self.baseline else None

    @property
    def baselines(self) -> list[str]:
        """The runs' systems that others are compared with; `baseline` is the first."""
        trained = {run.segmentation for run in self.runs}
        return [name for name in dict.fromkeys((self.against or {}).values()) if name in trained] or [self.baseline]


def manifest_options(command: ArgumentParser, required: bool = True) -> None:
    """Add the options of a program that reads a manifest."""
    command.add_argument(
        "--manifest", type=Path, required=required, metavar="FILE", help="manifest.json of an experiment"
    )
    command.add_argument("--key", help="of the manifest that is meant: another one is an error")


def read_manifest(path: str | Path, expected: str | None = None) -> Manifest:
    """Return the manifest.

    Raises InputError for a missing or unknown key, metric or baseline, and for a key (a digest) other than expected.
    """
    content = read_json(path)
    if expected and key(content) != expected:
        raise InputError(
            f"{path} was written by another experiment of the same name",
            next_step="give one of the two another name, and run again",
        )
    _check_keys(content, Manifest, f"{path}")
    runs = []
    for number, given in enumerate(content["runs"]):
        where = f"{path}, run {number}"
        _check_keys(given, Run, where)
        for name, files in given["testsets"].items():
            _check_keys(files, TestSet, f"{where}, test set {name}")
        runs.append(Run(**given | {"testsets": {name: TestSet(**files) for name, files in given["testsets"].items()}}))
    if not runs:
        raise InputError(f"{path} has no runs", next_step="check the experiment's grid")
    check_known("baseline", [content["baseline"]], dict.fromkeys(run.segmentation for run in runs))
    title = content.get("title") or content["experiment"]
    return Manifest(**content | {"runs": runs, "title": title, "metrics": check_metrics(content["metrics"])})


def _check_keys(given: Any, kind: type, where: str) -> None:
    known = {each.name: each for each in fields(kind)}
    if not isinstance(given, dict):
        raise InputError(f"{where}: {given!r} is not an object", allowed=", ".join(known))
    check_known(f"key in {where}", given, known)
    needed = (each.name for each in known.values() if each.default is each.default_factory is MISSING)
    if missing := [name for name in needed if name not in given]:
        raise InputError(f"{where} lacks {', '.join(missing)}", allowed=", ".join(known))
