"""A text in the pieces of one segmentation: its definition, key, folder and job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiment.plan.texts import Text
from experiment.segmentations import Segmentation
from experiment.store.keys import key
from experiment.store.making import DONE, RECORD
from experiment.store.results import Results
from subwords import registry

STEP = "segmentation 1"
#: Where programs write what they report: the place shapes no content.
REPORT = "report"


@dataclass(frozen=True)
class Segmented:
    """A text in pieces: models, pieces, statistics and binarized data of both languages."""

    text: Text
    segmentation: Segmentation
    definition: Mapping[str, Any]
    folder: str

    @property
    def key(self) -> str:
        return key(self.definition)

    @property
    def done(self) -> str:
        return f"{self.folder}/{DONE}"

    @property
    def record(self) -> Path:
        return Path(self.folder, RECORD)

    def job(self, runtime: Mapping[str, Any]) -> dict[str, Any]:
        """Return what scripts/segment.py is told."""
        asked = self.segmentation
        return {
            "folder": self.folder,
            "definition": self.definition,
            "pair": self.text.pair,
            "text": self.text.form(asked.text),
            "form": asked.text,
            "gold": self.text.gold(),
            "inputs": {
                str(self.text.record): [
                    self.text.named("train", asked.text),
                    self.text.named("dev", asked.text),
                    "gold.*",
                ]
            },
            "algorithm": asked.algorithm,
            "size": asked.size,
            "joint": asked.joint,
            "learn": {**asked.learn, **self.definition.get("per_seed", {})},
            "encode": asked.encode,
            "learn_pairs": asked.learn_pairs,
            "workers": runtime["workers"],
        }


def describe_segmented(text: Text, asked: Segmentation, seed: int, results: Results) -> Segmented:
    """Return a text in the pieces of a segmentation; `seed` counts where it is learned for each.

    Options with their default value are not in the definition: an option that an algorithm gains changes no key.
    """
    definition: dict[str, Any] = {
        "step": STEP,
        "corpus": text.key,
        "algorithm": asked.algorithm,
        "size": asked.size,
        "joint": asked.joint,
        "text": asked.text,
    }
    defaults = {option.name: option for option in registry.find(asked.algorithm).parameters}
    options = {**asked.learn, **asked.encode}
    for name, value in sorted(options.items()):
        if value != defaults[name].default and name != REPORT:
            file = defaults[name].kind is str and defaults[name].default is None  # the user's own, by its content
            definition.setdefault("options", {})[name] = results.checksums.of(Path(value)) if file else value
    if asked.learn_pairs:
        definition["learn_pairs"] = asked.learn_pairs
    if asked.per_seed:
        definition["per_seed"] = {"seed": seed}
    place = f"{Path(text.folder).parent.name}/{text.pair}"
    folder = results.folder(f"segmented/{place}/{asked.name}.{key(definition)}", definition)
    return Segmented(text, asked, definition, folder)
