"""Which models are made of a training's checkpoints, for this experiment and for others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import train
from subwords.errors import InputError


@pytest.mark.parametrize("broken", ["", "b"])
def test_a_model_that_cannot_be_made_stops_no_other(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the checkpoints stay, too: it may yet be made of them."""
    made: list[str] = []

    def make(folder: Path, *_: Any) -> None:
        if folder.name == broken:
            raise InputError("a damaged file")
        made.append(folder.name)

    uses = [{"chosen": name, "select": {}, "keep": False} for name in "abc"]
    dropped: list[Path] = []
    for name, stand_in in {
        "make": make,
        "uses_of": lambda root, folder: uses,
        "fits": lambda record: True,
        "drop_checkpoints": dropped.append,
    }.items():
        monkeypatch.setattr(train, name, stand_in)
    job = {"chosen": "own", "select": {}, "results": str(tmp_path), "keep_checkpoints": False}
    train.choose_models(tmp_path / "seed1", job)
    assert made == ["own", *(name for name in "abc" if name != broken)]
    assert dropped == ([] if broken else [tmp_path / "seed1"])
