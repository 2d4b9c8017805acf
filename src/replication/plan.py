"""What a paper will take before anything starts: runs, what is done, hours and disk.

Hours follow from 6 operations per parameter and token (forward and backward; Kaplan et al. 2020, section 2.1) and an
assumed rate of the device. They are an estimate; what is assumed is printed with it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from experiment.runs import Run
from experiment.scoring.metrics import METRICS
from replication.measurements import frame, matching, records, together
from replication.paper import SCORES, Paper
from replication.sources import Sources
from replication.tables import of_value

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
    training: float  # bytes more while one training is under way: its checkpoints


def plan(paper: Paper, count: ParameterCount, device: str, rate: float | None = None) -> list[Part]:
    """Return the parts of a paper's trainings. `device` is gpu or cpu; `rate` its operations per second."""
    blocks: dict[tuple[str, str, str], list[Run]] = {}
    for run in paper.experiment.runs if paper.uses_scores else ():
        blocks.setdefault((run.corpus, run.direction, run.model), []).append(run)
    return [_part(paper, runs, count, device, rate or RATE[device]) for runs in blocks.values()]


def _part(paper: Paper, runs: list[Run], count: ParameterCount, device: str, rate: float) -> Part:
    experiment, first = paper.experiment, runs[0]
    flags, select = experiment.recipes[first.model]["flags"], experiment.settings["select"]
    pairs = training_pairs(paper, first.corpus)
    tokens = training_tokens(flags, pairs)
    parameters = {}
    for run in runs:
        asked = experiment.segmentations[run.segmentation]
        size = asked.size if isinstance(asked.size, int) else UNKNOWN_SIZE
        parameters[run] = count(flags, asked.joint, size, size)
    left = [run for run in runs if not Path(run.run_json).exists()]
    hours = None
    if tokens or not left:
        hours = sum(6 * parameters[run] * (tokens or 0) / rate + OVERHEAD_SECONDS[device] for run in left) / 3600
    kept = 2 * max(select["keep"], select["average"])  # the best and the last checkpoints
    training = kept * CHECKPOINT_BYTES + LAST_CHECKPOINT_BYTES
    keeps = training if experiment.settings["runtime"]["keep_checkpoints"] else 0
    stays = float(sum(parameters.values()) * (CHECKPOINT_BYTES + keeps))
    of_corpus = [run for run in experiment.runs if run.corpus == first.corpus]
    if first == of_corpus[0]:  # its text is there once, whatever is trained on it: raw, clean, and in pieces
        stays += (pairs or 0) * TEXT_BYTES_PER_SENTENCE * (2 + len({run.segmentation for run in of_corpus}))
    names, largest = (first.corpus, first.direction, first.model), max(parameters.values())
    return Part(*names, len(runs), len(runs) - len(left), largest, hours, stays, largest * training)


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
    drawn = {**definition.get("cleaning", {}), **experiment.settings["cleaning"]}.get("train_pairs")
    found = definition.get("generated", {}).get("train") or (definition.get("train") or {}).get("lines")
    found = found or paper.pairs.get(corpus)
    if found is None:
        printed = matching(together(paper.printed.values()), metric="sentences", corpus=corpus, split="train")["value"]
        found = None if printed.dropna().empty else int(printed.max())
    return min(drawn, found) if drawn and found else drawn or found


def training_tokens(flags: Mapping[str, Any], pairs: int | None) -> float | None:
    """Return the target pieces of a whole training: the shorter of max-update and max-epoch; None when neither says."""
    batch = flags.get("max-tokens", (flags.get("batch-size") or 0) * PIECES_PER_SENTENCE)
    limits = []
    if flags.get("max-update"):
        limits.append(float(flags["max-update"] * batch * flags.get("update-freq", 1)))
    if flags.get("max-epoch") and pairs:
        limits.append(float(flags["max-epoch"] * pairs * PIECES_PER_SENTENCE))
    return min(limits) if limits else None


def unmeasured(paper: Paper) -> dict[str, list[str]]:
    """Return, by table, the published scores that will have none of ours beside them, as "row, column".

    A system that the file does not name, or not in a grid (a typing error, or a row that was left out), is not trained.
    """
    translations = Sources(paper, SCORES).translations()
    metrics = paper.experiment.settings["metrics"]
    trained = frame(keys | {"metric": name, "value": 0} for _, _, keys in translations for name in metrics)
    found = {}
    for name, table in paper.tables.items():
        if SCORES in table.needs and (table.shows or name) in paper.printed:
            scores = records(matching(paper.printed[table.shows or name], metric=list(METRICS)))
            missing = [score for score in scores if of_value({**score, "seed": None}, trained).empty]
            found[name] = [f"{score['row']}, {score['column']}" for score in missing]
    return {name: missing for name, missing in found.items() if missing}


def paper_command(program: str, description: str | None) -> argparse.ArgumentParser:
    """Return the command line of a program that takes a paper and a scale."""
    command = argparse.ArgumentParser(prog=program, description=description)
    command.add_argument("--paper", required=True, metavar="NAME", help="a folder of papers/, or its experiment.yaml")
    command.add_argument("--scale", help="default: the file's")
    command.add_argument("--parts", nargs="+", default=[], metavar="NAME", help="only what needs no other source")
    return command
