"""`sentences_per_second` in training of every run of the grids.

It is the median speed in pieces that the training logged, over the pieces of a target sentence. A training too short to
log any has its sentences over its time, start and looks at dev included.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from experiment.jsonfiles import read_json
from experiment.layout import segmentation_folder

if TYPE_CHECKING:
    from papers.inputs import Inputs


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the speed of every run."""
    for run in inputs.runs:
        folder = inputs.experiment.segmentations[run.segmentation].folder(run.seed)
        statistics = read_json(f"{segmentation_folder(run.corpus, run.pair, folder)}/stats.json")[run.target]
        value = sentences_per_second(read_json(f"{run.folder}/run.json"), statistics)
        yield inputs.keys(run) | {"metric": "sentences_per_second", "value": value}


def sentences_per_second(record: Mapping[str, Any], target: Mapping[str, Any]) -> float:
    """Return the speed of a training, given its run.json and the statistics of the target side's pieces.

    >>> target = {"pieces_per_sentence": 20.0, "sentences": 900}
    >>> sentences_per_second({"tokens_per_second": 3000.0}, target)
    150.0
    >>> sentences_per_second({"tokens_per_second": None, "epochs": 2, "train_seconds": 10}, target)
    180.0
    """
    if record["tokens_per_second"]:
        return float(record["tokens_per_second"] / target["pieces_per_sentence"])
    return float(record["epochs"] * target["sentences"] / record["train_seconds"])
