"""What a paper will take before anything starts: runs, what is done, hours and disk.

Hours follow from 6 operations per parameter and token (forward and backward; Kaplan et al. 2020, section 2.1) and an
assumed rate of the device. They are an estimate; what is assumed is printed with it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiment.runs import Run
from experiment.scoring.metrics import METRICS
from replication.paper import SCORES, Paper
from replication.published import Value

#: Pieces of a sentence, where nothing is known of the corpus.
PIECES_PER_SENTENCE = 30
#: Seconds that a training takes beside its updates: starting, reading, looking at dev, translating.
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


@dataclass(frozen=True)
class Part:
    """The runs of one corpus, direction and model."""

    corpus: str
    direction: str
    model: str
    runs: int
    done: int
    parameters: int  # of the largest
    hours: float | None  # of the runs that are left; None where the length of the training is not known
    stays: float  # bytes of the text, its pieces and the models, when all is finished
    training: float  # bytes more while one training is under way: its checkpoints

    @property
    def left(self) -> int:
        return self.runs - self.done


def plan(paper: Paper, count: ParameterCount, device: str, rate: float | None = None) -> list[Part]:
    """Return the parts of a paper's trainings. `device` is gpu or cpu; `rate` its operations per second."""
    experiment = paper.experiment
    if not paper.uses_scores:
        return []
    blocks: dict[tuple[str, str, str], list[Run]] = {}
    for run in experiment.runs:
        blocks.setdefault((run.corpus, run.direction, run.model), []).append(run)
    return [_part(paper, runs, count, device, rate or RATE[device]) for runs in blocks.values()]


def _part(paper: Paper, runs: list[Run], count: ParameterCount, device: str, rate: float) -> Part:
    experiment, first = paper.experiment, runs[0]
    flags = experiment.recipes[first.model]["flags"]
    pairs = training_pairs(paper, first.corpus)
    left = [run for run in runs if not done(run)]
    hours: float | None = 0.0
    largest, stays, training = 0, 0.0, 0.0
    select = experiment.settings["select"]
    kept = 2 * max(select["keep"], select["average"])  # the best and the last checkpoints
    keeps = experiment.settings["runtime"]["keep_checkpoints"]
    for run in runs:
        segmentation = experiment.segmentations[run.segmentation]
        size = segmentation.size if isinstance(segmentation.size, int) else UNKNOWN_SIZE
        parameters = count(flags, segmentation.joint, size, size)
        largest = max(largest, parameters)
        checkpoints = parameters * (CHECKPOINT_BYTES * kept + LAST_CHECKPOINT_BYTES)
        stays += parameters * CHECKPOINT_BYTES + (checkpoints if keeps else 0)
        training = max(training, checkpoints)
        tokens = training_tokens(flags, pairs)
        if run not in left:
            continue
        if tokens is None or hours is None:
            hours = None
        else:
            hours += (6 * parameters * tokens / rate + OVERHEAD_SECONDS[device]) / 3600
    of_corpus = [run for run in experiment.runs if run.corpus == first.corpus]
    if first == of_corpus[0]:  # its text is there once, whatever is trained on it: raw, clean, and in pieces
        stays += (pairs or 0) * TEXT_BYTES_PER_SENTENCE * (2 + len({run.segmentation for run in of_corpus}))
    return Part(*paper_names(paper, first), len(runs), len(runs) - len(left), largest, hours, stays, training)


def paper_names(paper: Paper, run: Run) -> tuple[str, str, str]:
    return run.corpus, run.direction, run.model


def done(run: Run) -> bool:
    """Return whether a run is trained and selected."""
    return Path(run.run_json).exists()


def training_pairs(paper: Paper, corpus: str) -> int | None:
    """Return the training pairs of a corpus: drawn, generated, as the catalogue says, or as the paper prints them."""
    experiment = paper.experiment
    definition = experiment.corpora[corpus].definition
    if "group" in definition:
        members = [member for member in definition["group"].values() if member in experiment.corpora]
        known = [number for number in (training_pairs(paper, member) for member in members) if number]
        if len(known) == len(definition["group"]):
            return sum(known)
        return paper.pairs.get(corpus) or sum(known) or None
    cleaning = {**definition.get("cleaning", {}), **experiment.settings["cleaning"]}
    found = definition.get("generated", {}).get("train") or (definition.get("train") or {}).get("lines")
    found = found or paper.pairs.get(corpus)
    if found is None:
        printed = [
            value.number
            for values in paper.printed.values()
            for value in values
            if value.metric == "sentences" and value.corpus == corpus and value.split == "train" and value.number
        ]
        found = int(max(printed)) if printed else None
    drawn = cleaning.get("train_pairs")
    return min(drawn, found) if drawn and found else drawn or found


def training_tokens(flags: Mapping[str, Any], pairs: int | None) -> float | None:
    """Return the target pieces of a whole training: the shorter of max-update and max-epoch; None when neither says."""
    batch = flags.get("max-tokens", (flags.get("batch-size") or 0) * PIECES_PER_SENTENCE)
    per_update = batch * flags.get("update-freq", 1)
    limits = []
    if flags.get("max-update"):
        limits.append(float(flags["max-update"] * per_update))
    if flags.get("max-epoch") and pairs:
        limits.append(float(flags["max-epoch"] * pairs * PIECES_PER_SENTENCE))
    return min(limits) if limits else None


def unmeasured(paper: Paper) -> dict[str, Counter[str]]:
    """Return, by table, why published scores will have none of ours beside them, and how many each reason concerns.

    A system that the file does not name, or not in a grid (a typing error, or a row that was left out), is not trained.
    """
    found: dict[str, Counter[str]] = {}
    trained = [_described(paper, run) for run in paper.experiment.runs]
    for name, table in paper.tables.items():
        cells = paper.printed.get(table.shows or name, []) if SCORES in table.needs else []
        for value in (cell for cell in cells if cell.metric in METRICS):
            reason = _why_unmeasured(paper, value, trained)
            if reason:
                found.setdefault(name, Counter())[reason] += 1
    return found


def _described(paper: Paper, run: Run) -> dict[str, str]:
    """Return what published values may say of a run. A group is scored in the directions of its members."""
    group = run.corpus in paper.experiment.group_names
    return {
        "corpus": run.corpus,
        "direction": "" if group else run.direction,
        "model": run.model,
        "segmentation": run.segmentation,
        "algorithm": paper.experiment.segmentations[run.segmentation].algorithm,
        "size": str(paper.sizes[run.segmentation] or ""),
    }


def _why_unmeasured(paper: Paper, value: Value, trained: Sequence[Mapping[str, str]]) -> str:
    """Return why no run has a published score: what no run has, else what no run has together; empty if one has it."""
    metrics = paper.experiment.settings["metrics"]
    if value.metric not in metrics:
        return f"{value.metric} is not among `metrics` ({', '.join(metrics)})"
    asked = paper.sizes.get(value.segmentation)
    if value.size and asked and int(value.size) != asked:
        return f"{value.segmentation} asks for {asked} and not for {value.size}"
    given = {column: getattr(value, column) for column in trained[0] if getattr(value, column)} if trained else {}
    if any(all(run[column] in ("", wanted) for column, wanted in given.items()) for run in trained):
        return ""
    alone = [column for column, wanted in given.items() if all(run[column] != wanted for run in trained)]
    return "no training with " + ", ".join(f"{column} {given[column]}" for column in alone or given)


def paper_command(program: str, description: str | None) -> argparse.ArgumentParser:
    """Return the command line of a program that takes a paper and a scale."""
    command = argparse.ArgumentParser(prog=program, description=description)
    command.add_argument("--paper", required=True, metavar="NAME", help="a folder of papers/, or its experiment.yaml")
    command.add_argument("--scale", help="default: the file's")
    return command


def add_parts(command: argparse.ArgumentParser) -> None:
    """Add the option that leaves out what needs other sources than those named."""
    command.add_argument("--parts", nargs="+", default=[], metavar="NAME", help="only what needs no other source")
