"""A text in the pieces of one segmentation: its definition, key, folder and job."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiment.plan.texts import Text
from experiment.segmentation.entries import Segmentation
from experiment.store.keys import key
from experiment.store.results import Keyed, Results
from subwords.errors import InputError

SEGMENTATION_STEP = "segmentation 1"
#: An option of algorithms: the path of a report, which changes no result.
REPORT = "report"
#: The folder of binarized data; further draws are in numbered folders inside.
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
        """Return the job of scripts/segment.py."""
        entry = self.segmentation
        return {
            "folder": self.folder,
            "definition": self.definition,
            "pair": self.text.pair,
            "text": self.text.form(entry.text),
            "form": entry.text,
            "gold": self.text.gold(),
            "inputs": {str(self.text.record): [*(self.text.named(s, entry.text) for s in ("train", "dev")), "gold.*"]},
            "algorithm": f"{entry.file}:{_class_name(entry.algorithm)}" if entry.file else entry.algorithm,
            "source": entry.source,
            "draws": entry.draws,
            "size": entry.size,
            "joint": entry.joint,
            "learn": {**entry.learn, **self.definition.get("per_seed", {})},
            "encode": entry.encode,
            "learn_pairs": entry.learn_pairs,
        }


def describe_segmented(text: Text, entry: Segmentation, seed: int, results: Results) -> SegmentedText:
    """Return a text in the pieces of a segmentation; `seed` counts where it is learned for each.

    Options with their default value are not in the definition, so that a new option of an algorithm changes no key. Of
    an algorithm from elsewhere, the definition has the digest of the source, not its path.
    """
    if entry.needs_gold and not text.gold():
        raise InputError(
            f"{entry.name}: {entry.algorithm} learns from gold morphemes, and {text.corpus.name} has none",
            next_step=f"segmentations: {entry.name}: gold: FILE; or `gold` of the corpus (config/corpora.yaml)",
        )
    definition: dict[str, Any] = {
        "step": SEGMENTATION_STEP,
        "corpus": text.key,
        "algorithm": _class_name(entry.algorithm) if entry.file else entry.algorithm,
        "size": entry.size,
        "joint": entry.joint,
        "text": entry.text,
    }
    if entry.source:
        definition["source"] = entry.source
    if entry.draws:
        definition["draws"] = entry.draws
    defaults = {option.name: option for option in entry.cls.parameters}
    options = {**entry.learn, **entry.encode}
    for name, value in sorted(options.items()):
        if value != defaults[name].default and name != REPORT:
            content = results.checksums.of(Path(value)) if defaults[name].is_file else value
            definition.setdefault("options", {})[name] = content
    if entry.learn_pairs:
        definition["learn_pairs"] = entry.learn_pairs
    if entry.per_seed:
        definition["per_seed"] = {"seed": seed}
    place = f"{Path(text.folder).parent.name}/{text.pair}"
    folder = results.folder(f"segmented/{place}/{entry.name}.{key(definition)}", definition)
    return SegmentedText(definition, folder, text, entry)


def _class_name(name: str) -> str:
    """Return the class of FILE.py:CLASS."""
    return name.rpartition(":")[2]
