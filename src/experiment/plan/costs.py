"""What trainings will need: parameters, hours and disk, by corpus, direction and model.

Hours follow from 6 operations per parameter and token (forward and backward; Kaplan et al. 2020, section 2.1) and an
assumed rate of the device. They are an estimate; what is assumed is printed with it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.filesize import decimal as size_label

from experiment.corpora.demo.corpus import SPLITS
from experiment.runs import Run
from experiment.training import gpu
from experiment.training.fairseq_flags import update_frequencies

if TYPE_CHECKING:
    from experiment.config import Experiment

#: Pieces of a sentence, where nothing is known of the corpus.
PIECES_PER_SENTENCE = 30
#: Seconds that a training takes in addition to its updates: starting, reading, looking at dev, translating.
OVERHEAD_SECONDS = {"gpu": 60, "cpu": 15}
#: Floating-point operations per second that trainings are assumed to reach.
RATE = {"gpu": 40e12, "cpu": 30e9}
#: Bytes per parameter, in fp32: of a checkpoint, and of the last one, which has Adam's two moments as well.
CHECKPOINT_BYTES, LAST_CHECKPOINT_BYTES = 4, 12
TEXT_BYTES_PER_SENTENCE = 250
#: Pieces of a vocabulary whose algorithm chooses its size, or has none.
UNKNOWN_SIZE = 10_000

#: flags, joint, source size, target size -> parameters of the model
ParameterCount = Callable[[Mapping[str, Any], bool, int, int], int]
#: corpus -> its training pairs, where its definition does not say them; None where nothing does
KnownPairs = Callable[[str], int | None]


def nothing_known(corpus: str) -> None:
    return None


class Part(NamedTuple):
    """The runs of one corpus, direction and model."""

    corpus: str
    direction: str
    model: str
    runs: int
    done: int
    parameters: int  # of the largest
    hours: float | None  # of the runs that are left; None where the length of the training is not known
    stays: float  # bytes of the text, its pieces and the models, when all is finished
    training: float  # bytes more while one training is under way: checkpoints that do not stay


def costs(experiment: Experiment, count: ParameterCount, device: str, known: KnownPairs = nothing_known) -> list[Part]:
    """Return the parts of an experiment. `device` is gpu or cpu."""
    blocks: dict[tuple[str, str, str], list[Run]] = {}
    for run in experiment.runs:
        blocks.setdefault(run.block, []).append(run)
    return [_part(experiment, runs, count, device, known) for runs in blocks.values()]


def _part(experiment: Experiment, runs: list[Run], count: ParameterCount, device: str, known: KnownPairs) -> Part:
    first = runs[0]
    flags, select = experiment.recipes[first.model]["flags"], experiment.settings["select"]
    pairs = training_pairs(experiment, first.corpus, known)
    tokens = training_tokens(flags, pairs)
    parameters = {}
    for run in runs:
        size = run.size or UNKNOWN_SIZE
        parameters[run] = count(flags, experiment.segmentations[run.segmentation].joint, size, size)
    left = [run for run in runs if not Path(run.run_json).exists()]
    hours = None
    if tokens or not left:
        seconds = (6 * parameters[run] * (tokens or 0) / RATE[device] + OVERHEAD_SECONDS[device] for run in left)
        hours = sum(seconds) / 3600
    kept = 2 * max(select["keep"], select["average"])  # the best and the last checkpoints
    checkpoints = kept * CHECKPOINT_BYTES + LAST_CHECKPOINT_BYTES
    keeps = checkpoints if experiment.settings["runtime"]["keep_checkpoints"] else 0
    training = checkpoints - keeps + LAST_CHECKPOINT_BYTES  # the next last one is written before the earlier one goes
    stays = float(sum(parameters.values()) * (CHECKPOINT_BYTES + keeps))
    of_corpus = [run for run in experiment.runs if run.corpus == first.corpus]
    if first == of_corpus[0]:  # its text is stored once for all trainings: raw, clean, and in pieces
        stays += (pairs or 0) * TEXT_BYTES_PER_SENTENCE * (2 + len({run.segmentation for run in of_corpus}))
    largest = max(parameters.values())
    return Part(*first.block, len(runs), len(runs) - len(left), largest, hours, stays, largest * training)


def training_pairs(experiment: Experiment, corpus: str, known: KnownPairs) -> int | None:
    """Return the training pairs of a corpus: drawn, generated, as the catalogue says, or known from elsewhere."""
    definition = experiment.whole_corpora[corpus].definition
    if "group" in definition:
        members = definition["group"].values()
        found = [number for number in (training_pairs(experiment, member, known) for member in members) if number]
        if len(found) == len(definition["group"]):
            return sum(found)
        return known(corpus) or sum(found) or None
    drawn = {**definition.get("cleaning", {}), **experiment.settings["cleaning"]}.get("train_pairs")
    if "generated" in definition:
        every = {**SPLITS, **definition["generated"]}["train"]
    else:
        every = (definition.get("train") or {}).get("lines")
    every = every or known(corpus)
    return min(drawn, every) if drawn and every else drawn or every


def training_tokens(flags: Mapping[str, Any], pairs: int | None) -> float | None:
    """Return the target pieces of a whole training: the shorter of max-update and max-epoch; None when neither says."""
    limited = flags.get("max-tokens") or 0, (flags.get("batch-size") or 0) * PIECES_PER_SENTENCE
    batch = min(filter(None, limited), default=0)
    limits = []
    if flags.get("max-update"):
        limits.append(float(flags["max-update"] * batch * update_frequencies(flags)[-1]))
    if flags.get("max-epoch") and pairs:
        limits.append(float(flags["max-epoch"] * pairs * PIECES_PER_SENTENCE))
    return min(limits) if limits else None


def at_once(runtime: Mapping[str, Any], device: str) -> int:
    """Return how many trainings `make run` starts at once on this machine; with `device` gpu, on one card at least."""
    by_cores = (os.cpu_count() or 1) // runtime["threads"]
    by_cards = max(len(gpu.visible_gpus()), 1) * runtime["runs_per_gpu"] // runtime["gpus"]
    return max(min(by_cores, by_cards) if device == "gpu" else by_cores, 1)


def summary(parts: list[Part], device: str, trainings: int) -> str:
    """Return the trainings with the hours and the disk that they take, in words; `trainings` are under way at once."""
    known = [part.hours for part in parts if part.hours is not None]
    unknown = len(parts) - len(known)
    total = f"about {hours_label(sum(known))}" if known else "an unknown number of"
    without = f" (without {unknown} of unknown length)" if known and unknown else ""
    runs, done = sum(part.runs for part in parts), sum(part.done for part in parts)
    stays, training = sum(part.stays for part in parts), max(part.training for part in parts)
    trainings = min(trainings, runs - done)
    disk, more, most = (size_label(int(each)) for each in (stays, training, stays + trainings * training))
    return (
        f"{runs} trainings, {done} of them done; {total} {device.upper()}-hours for the rest{without}; they keep {disk}"
        f" of disk, without downloads; each running training needs up to {more} more, so with {trainings} at once all"
        f" need up to {most}"
    )


def assumptions(device: str) -> str:
    """Return what the estimate of the hours assumes, in words."""
    return (
        f"assumed: {RATE[device] / 1e12:g} TFLOP/s on a {device.upper()}, 6 operations per parameter and token,\n"
        f"{PIECES_PER_SENTENCE} pieces a sentence, {OVERHEAD_SECONDS[device]} s a training besides its updates"
    )


def hours_label(hours: float | None) -> str:
    return "?" if hours is None else f"{hours:,.1f}" if hours >= 0.1 else f"{hours:.2f}"
