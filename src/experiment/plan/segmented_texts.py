"""A text in the pieces of one segmentation: its definition, key, folder and job."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiment.plan.texts import Text
from experiment.segmentations import Segmentation
from experiment.store.keys import key
from experiment.store.results import Keyed, Results
from subwords.errors import InputError

STEP = "segmentation 1"
#: Where programs write what they report: the place shapes no content.
REPORT = "report"
#: Where a segmented text has its binarized data; further draws lie in numbered folders inside.
BINARIZED = "binarized"


@dataclass(frozen=True)
class SegmentedText(Keyed):
    """A text in pieces: models, pieces, statistics and binarized data of both languages."""

    text: Text
    segmentation: Segmentation

    @property
    def algorithm(self) -> str:
        """The name by which programs find the algorithm: a class of the user's own is copied into the folder."""
        file, name = self.segmentation.file, self.segmentation.algorithm
        return f"{self.folder}/{file.name}:{_class_name(name)}" if file else name

    @property
    def data(self) -> str:
        """The folder of binarized data for fairseq, or the folders of all draws: epochs read them in turn."""
        binarized = f"{self.folder}/{BINARIZED}"
        draws = range(2, (self.segmentation.draws or 1) + 1)
        return os.pathsep.join([binarized, *(f"{binarized}/{draw}" for draw in draws)])

    def job(self) -> dict[str, Any]:
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
            "algorithm": f"{asked.file}:{_class_name(asked.algorithm)}" if asked.file else asked.algorithm,
            "source": asked.source,
            "draws": asked.draws,
            "size": asked.size,
            "joint": asked.joint,
            "learn": {**asked.learn, **self.definition.get("per_seed", {})},
            "encode": asked.encode,
            "learn_pairs": asked.learn_pairs,
        }


def describe_segmented(text: Text, asked: Segmentation, seed: int, results: Results) -> SegmentedText:
    """Return a text in the pieces of a segmentation; `seed` counts where it is learned for each.

    Options with their default value are not in the definition: an option that an algorithm gains changes no key. An
    algorithm that is none of the library's is in it with the digest of its source, wherever that lies.
    """
    if asked.needs_gold and not text.gold():
        raise InputError(
            f"{asked.name}: {asked.algorithm} learns from gold morphemes, and {text.corpus.name} has none",
            next_step="name a file with them: gold: FILE",
        )
    definition: dict[str, Any] = {
        "step": STEP,
        "corpus": text.key,
        "algorithm": _class_name(asked.algorithm) if asked.file else asked.algorithm,
        "size": asked.size,
        "joint": asked.joint,
        "text": asked.text,
    }
    if asked.source:
        definition["source"] = asked.source
    if asked.draws:
        definition["draws"] = asked.draws
    defaults = {option.name: option for option in asked.cls.parameters}
    options = {**asked.learn, **asked.encode}
    for name, value in sorted(options.items()):
        if value != defaults[name].default and name != REPORT:
            content = results.checksums.of(Path(value)) if defaults[name].is_file else value
            definition.setdefault("options", {})[name] = content
    if asked.learn_pairs:
        definition["learn_pairs"] = asked.learn_pairs
    if asked.per_seed:
        definition["per_seed"] = {"seed": seed}
    place = f"{Path(text.folder).parent.name}/{text.pair}"
    folder = results.folder(f"segmented/{place}/{asked.name}.{key(definition)}", definition)
    return SegmentedText(definition, folder, text, asked)


def _class_name(name: str) -> str:
    """Return the class of FILE.py:CLASS."""
    return name.rpartition(":")[2]
