"""What it costs to find a vocabulary, and what it is worth: by training with every size, or without any training.

Options: `corpus`, `direction`, `model`; `search`, the segmentations that are all trained; `name`, what their search is
called (bpe-search); `found`: segmentations whose size was found before training.

The search costs the hours of all its trainings and has BLEU and vocabulary of its best, by BLEU on the test set. The
others cost the CPU hours of learning (`cpu_hours`) and one training. `gpu_hours` are hours of one device, which is a
core where there is no GPU (`text` says so).
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean
from typing import TYPE_CHECKING, Any

from experiment.jsonfiles import read_json
from experiment.layout import segmentation_folder
from papers.analyses.joint_vocabulary import vocabulary
from papers.analyses.tokenized_bleu import score_of

if TYPE_CHECKING:
    from experiment.runs import Run
    from papers.inputs import Inputs


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield BLEU, tokenized BLEU, vocabulary, CPU and device hours of the search and of each segmentation found."""
    corpus = inputs.paper.corpus(options["corpus"])
    place = {"corpus": options["corpus"], "direction": options["direction"], "model": options["model"]}
    runs: dict[str, list[Run]] = {}
    for run in inputs.runs:
        if (run.corpus, run.direction, run.model) == (corpus, options["direction"], options["model"]):
            runs.setdefault(run.segmentation, []).append(run)
    scores = inputs.scores()
    for column, value in {**place, "metric": "bleu"}.items():
        scores = scores[scores[column] == value]
    bleu = scores.groupby("segmentation")["value"].mean()

    searched = [name for name in options["search"] if name in runs]
    best = max(searched, key=lambda name: float(bleu[name]))
    hours = [device_hours(runs[name]) for name in searched]
    keys = place | {"segmentation": options["name"], "algorithm": inputs.experiment.segmentations[best].algorithm}
    yield from _rows(inputs, runs[best], keys)
    yield keys | {"metric": "gpu_hours", "value": sum(hours), "text": _device(runs[best][0])}
    for name in options["found"]:
        keys = place | {"segmentation": name, "algorithm": inputs.experiment.segmentations[name].algorithm}
        yield from _rows(inputs, runs[name], keys)
        run = runs[name][0]
        learned = read_json(f"{segmentation_folder(corpus, run.pair, name)}/segmentation.json")["learn_cpu_seconds"]
        yield keys | {"metric": "cpu_hours", "value": learned / 3600}
        yield keys | {"metric": "gpu_hours", "value": device_hours(runs[name]), "text": _device(run)}


def device_hours(runs: list[Run]) -> float:
    """Return the hours that one training takes on one device: the mean over seeds."""
    hours = []
    for run in runs:
        record = read_json(f"{run.folder}/run.json")
        devices = max(record["gpus"], 1) / (record.get("runs_per_gpu") or 1)
        hours.append(record["train_seconds"] * devices / 3600)
    return mean(hours)


def _device(run: Run) -> str:
    return str(read_json(f"{run.folder}/run.json")["device"])


def _rows(inputs: Inputs, runs: list[Run], keys: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield BLEU by sacrebleu and by tokens on every test set, and the vocabulary, of the runs of a segmentation."""
    for run in runs:
        for testset in inputs.experiment.test_sets(run.corpus, run.direction):
            scored = keys | {"seed": run.seed, "testset": testset, "selection": "dev"}
            found = read_json(f"{run.folder}/{testset}.scores.json")["metrics"]["bleu"]["score"]
            yield scored | {"metric": "bleu", "value": found}
            yield scored | {"metric": "bleu_tokenized", "value": score_of(run, testset)}
    one = runs[0]
    folder = inputs.experiment.segmentations[one.segmentation].folder(one.seed)
    yield keys | {"metric": "vocabulary", "value": vocabulary(one.corpus, one.pair, folder)}
