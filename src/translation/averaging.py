"""From the checkpoints of a training to the one model that is used."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json, write_json
from experiment.store.making import RECORD
from experiment.training.selection import choose
from subwords.errors import InputError


def write_model(training: Path, select: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Write FOLDER/model.pt and FOLDER/run.json, which describes the run and its cost; return the chosen checkpoints.

    The versions in it are those of the training, even if the model is chosen later. `training` is a finished
    training's folder. Raises InputError where checkpoints are gone or damaged.
    """
    from fairseq_plugins.checkpoints import average, save

    facts, made = read_json(training / "training.json"), read_json(training / RECORD)["made"]
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
    record = {key: value for key, value in facts.items() if key != "dev"} | {"selected": chosen}
    write_json(folder / "run.json", record | {name: made[name] for name in ("versions", "git")}, sealed=True)
    return {"selected": chosen}
