"""The system that steps 1 and 4 work with: one corpus and segmentation, and a small model trained on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from experiment.config import Experiment
from experiment.layout import reference, segmented_folder, text_folder

from . import ROOT
from .call import Call

MULTI30K: dict[str, Any] = {
    "experiment": "gpu-sample",
    "corpora": ["multi30k"],
    "directions": ["en-de"],
    "testsets": ["test2016"],
    "segmentations": {"bpe-4k": {"algorithm": "bpe", "size": 4000, "joint": True, "text": "moses"}},
    "baseline": "bpe-4k",
    "models": {
        "transformer-small-3k": {
            "like": "transformer-small",
            "flags": {"max-epoch": None, "max-update": 3000, "patience": None, "validate-interval": 10},
        }
    },
    "seeds": [1],
    "select": {"metric": "loss", "average": 1},
}
#: The same with a model that one core trains in minutes.
SMALL: dict[str, Any] = {
    **MULTI30K,
    "experiment": "gpu-sample-cpu",
    "models": {
        "transformer-tiny-1600": {
            "like": "transformer-tiny",
            "flags": {"max-epoch": None, "max-update": 1600, "total-num-update": 1600, "validate-interval": 10},
        }
    },
}
#: The same on generated text, to be learned in seconds.
DEMO: dict[str, Any] = {
    **MULTI30K,
    "experiment": "gpu-sample-smoke",
    "corpora": {
        "demo-small": {
            "languages": ["en", "qmo"],
            "generated": {"seed": 1, "train": 300, "dev": 20, "test": 30, "test_unseen": 10},
        }
    },
    "directions": ["en-qmo"],
    "testsets": ["test"],
    "segmentations": {"bpe-100": {"algorithm": "bpe", "size": 100, "joint": True, "text": "moses"}},
    "baseline": "bpe-100",
    "models": {
        "transformer-tiny-60": {
            "like": "transformer-tiny",
            "flags": {
                "encoder-embed-dim": 32,
                "decoder-embed-dim": 32,
                "max-epoch": None,
                "max-update": 60,
                "total-num-update": 60,
                "warmup-updates": 10,
            },
        }
    },
}


@dataclass(frozen=True)
class Sample:
    """An experiment with one run, and where its files are."""

    file: Path
    experiment: Experiment

    @property
    def run(self) -> Any:
        return self.experiment.runs[0]

    @property
    def segmentation(self) -> Any:
        return self.experiment.segmentations[self.run.segmentation]

    @property
    def segmented(self) -> Path:
        """The folder of models, pieces and binarized data."""
        return ROOT / segmented_folder(self.experiment, self.run)

    @property
    def model(self) -> Path:
        return ROOT / self.run.folder / "model.pt"

    @property
    def testset(self) -> str:
        return self.experiment.test_sets(self.run.corpus, self.run.direction)[0]

    def text(self, language: str) -> Path:
        """The test set as the segmenter reads it."""
        folder = text_folder(self.run.corpus, self.run.pair, self.segmentation.text)
        return ROOT / folder / f"{self.testset}.{language}"

    def reference(self, language: str) -> Path:
        """The test set as it came."""
        return ROOT / reference(self.run.corpus, self.run.pair, self.testset, language)


SETTINGS: dict[str, Mapping[str, Any]] = {"full": MULTI30K, "cpu": SMALL, "smoke": DEMO}


def experiment_file(call: Call) -> Path:
    """Write the sample's experiment file, and return its path."""
    file = call.folder.parent / "sample.yaml"
    file.write_text(yaml.safe_dump(dict(SETTINGS[call.scale]), sort_keys=False), encoding="utf-8")
    return file


def make(call: Call, *targets: str) -> Sample:
    """Return the sample, with the named files of it made: `{run}` and `{segmented}` stand for its folders."""
    file = experiment_file(call)
    experiment = Experiment(SETTINGS[call.scale], str(file))
    found = Sample(file, experiment)
    folders = {"run": found.run.folder, "segmented": segmented_folder(experiment, found.run)}
    call.snakemake(file, *(target.format(**folders) for target in targets))
    return found
