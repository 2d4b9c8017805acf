"""From checkpoints to the one model that is used: the best or the last ones by their dev scores, averaged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json, write_json
from experiment.provenance import git_state, versions
from experiment.training.dev_scores import ranked
from subwords.errors import InputError


def choose(record: Sequence[dict[str, Any]], select: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the `average` best or last entries of the record of dev scores (fewer when there are fewer).

    `select` has metric (bleu or loss), which (best or last) and average.
    """
    count, record = select["average"], list(record)
    return record[-count:] if select["which"] == "last" else ranked(record, select["metric"] == "bleu")[:count]


def write_model(training: Path, select: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Write FOLDER/model.pt and FOLDER/run.json, which says what the run is and what it cost; return what was chosen.

    `training` is a finished training's folder. Raises InputError where checkpoints are gone or damaged.
    """
    from fairseq_plugins.checkpoints import average, save

    facts = read_json(training / "training.json")
    chosen = choose(facts["dev"], select)
    checkpoints = training / "checkpoints"
    try:
        model = average([checkpoints / entry["file"] for entry in chosen])
    except (InputError, FileNotFoundError) as error:
        raise InputError(
            f"a checkpoint that was chosen is gone or damaged: {error}",
            next_step=f"delete {training / 'record.json'} and {checkpoints}, and run again: it is trained again",
        ) from None
    save(folder / "model.pt", model)
    summary = {key: value for key, value in facts.items() if key != "dev"}
    write_json(
        folder / "run.json",
        {
            **summary,
            "selected": chosen,
            "dev": {select["metric"]: chosen[0]["score"]},
            "versions": versions(),
            "git": git_state(),
        },
        sealed=True,
    )
    return {"selected": chosen}


def wanted(training: Path) -> dict[str, dict[str, Any]]:
    """Return the choices that are asked for of a training, by folder: whoever waits for it has left a note."""
    notes = [read_json(path) for path in sorted((training / "checkpoints").glob("wanted.*.json"))]
    return {note["folder"]: note["select"] for note in notes}


def ask_for(training: Path, select: Mapping[str, Any], folder: Path) -> None:
    """Leave the note that a choice is wanted, in a folder: the checkpoints are not deleted before it is made."""
    write_json(training / "checkpoints" / f"wanted.{folder.name}.json", {"folder": str(folder), "select": dict(select)})


def drop_checkpoints(training: Path) -> None:
    """Delete the checkpoints of a finished training of which every choice is made."""
    for path in [*(training / "checkpoints").glob("wanted.*.json"), *(training / "checkpoints").glob("*.pt")]:
        path.unlink()
