"""Which experiments use which results: every plan writes a list before its first job starts.

results/used/EXPERIMENT.DIGEST.json names the folders of a plan's texts, segmentations and trainings, and which
checkpoints of each training it needs. So nothing is deleted that an experiment needs, finished or not. A changed plan
writes another list; the older one stays until a person prunes what only it names. Paths are relative to the folder of
results.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json, write_json
from experiment.store.keys import key
from subwords.errors import InputError

USED = "used"


@dataclass(frozen=True)
class Use:
    """What one plan uses."""

    experiment: str
    folders: frozenset[str]
    #: Training -> its `chosen` folder, the `select` that says which checkpoints, and whether to `keep` all.
    trainings: Mapping[str, Mapping[str, Any]]
    planned: float  # seconds since the epoch


def use_file(root: str, use: Mapping[str, Any]) -> str:
    """Return the path of a plan's list."""
    return f"{root}/{USED}/{use['experiment']}.{key(use)}.json"


def write_use(path: Path, use: Mapping[str, Any], *, planned: float | None = None) -> None:
    """Write the list of a plan, as the newest if nothing else is said: times of files get lost, and clocks go back."""
    if planned is None:
        planned = max([time.time(), *(other.planned + 0.001 for other in uses(path.parent.parent))])
    write_json(path, {**use, "planned": planned}, sealed=True)


def uses(root: Path) -> list[Use]:
    """Return what the plans of a folder of results use, the newest first. Raises InputError for a damaged list."""
    found = []
    for path in (root / USED).rglob("*.json"):
        content = _content(path, root)
        folders, trainings = content["folders"], content["trainings"]
        planned = content.get("planned", path.stat().st_mtime)
        found.append(Use(content["experiment"], frozenset([*folders, *trainings]), trainings, planned))
    return sorted(found, key=lambda use: -use.planned)


def _content(path: Path, root: Path) -> dict[str, Any]:
    """Return a plan's list. Where it is damaged, the error says whose it is: perhaps a colleague's."""
    try:
        return dict(read_json(path))
    except InputError as error:
        experiment = str(path.relative_to(root / USED)).rsplit(".", 2)[0]
        raise InputError(
            f"{str(error).splitlines()[0]}\n  it lists what the experiment {experiment} of {_owner(path)} uses: without"
            " it, `prune` would delete that, and trainings would delete checkpoints that it still needs",
            next_step=f"restore it; or mv {path} {path}.damaged, start {experiment} again, which writes its list anew,"
            " and let nobody prune before",
        ) from error


def _owner(path: Path) -> str:
    try:
        return path.owner()
    except (KeyError, OSError):  # a number without a name, or gone
        return "an unknown user"


def uses_of(root: Path, training: Path, known: Sequence[Use] | None = None) -> Iterator[Mapping[str, Any]]:
    """Yield what each plan (those `known`, or all) needs of a training."""
    place = str(training.relative_to(root))
    return (use.trainings[place] for use in (uses(root) if known is None else known) if place in use.trainings)
