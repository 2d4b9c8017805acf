"""Three trainings of a few epochs, to be stopped, killed and watched; and what comes out of a run, to be compared."""

from __future__ import annotations

import contextlib
import csv
import json
import random
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
from workflow.conftest import TINY, Workplace

from experiment.store.checksums import file_sha256

EPOCHS = 5
SEEDS = [1, 2, 3]


def three_runs(epochs: int = EPOCHS, seeds: Sequence[int] = tuple(SEEDS)) -> dict[str, Any]:
    """Return the tiny experiment with one segmentation, three seeds and a checkpoint after each of some epochs."""
    recipe = TINY["models"]["mini"]
    return {
        **TINY,
        "segmentations": {"bpe": TINY["segmentations"]["bpe"]},
        "models": {"mini": {**recipe, "flags": {**recipe["flags"], "max-epoch": epochs}}},
        "seeds": list(seeds),
        "select": {"average": 2, "metric": "loss"},
        "runtime": {"device": "cpu"},  # the cards of the stand-ins are none
    }


def some_sentences(name: str, lines: int) -> list[list[str]]:
    """Return sentences of sixty invented words; a name has the same ones each time."""
    chance = random.Random(1)
    words = ["".join(chance.choices("aeioklmnst", k=chance.randint(2, 8))) for _ in range(60)]
    chance = random.Random(name)
    return [chance.choices(words, k=chance.randint(4, 10)) for _ in range(lines)]


def downloaded(place: Workplace, seeds: Sequence[int] = tuple(SEEDS)) -> dict[str, Any]:
    """Return the three trainings on a corpus that is downloaded, from a mirror that is made in the workplace.

    It has a test set of its own (`late`), which they do not translate, and their checkpoints are kept.
    """
    folder, base = place.folder / "mirror" / "example.org", "https://example.org/"
    folder.mkdir(parents=True)

    def split(name: str, lines: int) -> dict[str, Any]:
        sentences = some_sentences(name, lines)
        sides = {"en": sentences, "qmo": [[word[::-1] for word in sentence] for sentence in sentences]}
        for language, side in sides.items():
            (folder / f"{name}.{language}").write_text("".join(" ".join(words) + ".\n" for words in side))
        return {
            side: {"url": f"{base}{name}.{side}", "sha256": file_sha256(folder / f"{name}.{side}")} for side in sides
        }

    tests = {"test": split("test", 10), "late": {**split("late", 10), "overlap": "keep"}}
    corpus = {"languages": ["en", "qmo"], "train": split("train", 200), "dev": split("dev", 12), "tests": tests}
    runtime = {"device": "cpu", "keep_checkpoints": True, "mirror": str(place.folder / "mirror")}
    return {**three_runs(seeds=seeds), "corpora": {"mini": corpus}, "runtime": runtime}


def with_later_wishes(experiment: dict[str, Any], comet_model: str) -> dict[str, Any]:
    """Return an experiment that wants another search, test set and metric of the same trainings."""
    search = {**experiment["decode"], "beam": 3}
    wishes = {"testsets": ["test", "late"], "decode": search, "metrics": ["bleu", "comet"], "comet_model": comet_model}
    return experiment | wishes


def with_other_checkpoints(experiment: dict[str, Any]) -> dict[str, Any]:
    """Return an experiment that chooses another checkpoint of the same trainings."""
    return experiment | {"select": {"average": 1, "metric": "loss"}}


#: What trainings ask a cluster for: at first too little, memory for seed 2 and time for seed 3.
ASKED = {
    "mem_mb": "60 if wildcards.seed == '2' and attempt == 1 else 1500",
    "runtime": "1 if wildcards.seed == '3' and attempt == 1 else 10",
    "cpus_per_task": 2,
}


def step_of(words: list[str]) -> str | None:
    """Return the step of a command line: python …/scripts/train.py is `train`; a download by mtdata is `mtdata`."""
    if words and "python" in Path(words[0]).name:
        for word in words[1:4]:
            if word.endswith(".py") and Path(word).parent.name == "scripts":
                return "mtdata" if "--mtdata" in words else Path(word).stem
    return None


def programs(place: Workplace) -> Iterator[tuple[str, psutil.Process]]:
    """Yield (step, process) for the programs at work in a workplace, whoever started them."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            step = step_of(process.cmdline())
            if step and Path(process.cwd()) == place.folder:
                yield step, process


def training(place: Workplace, seed: int, epochs: int = 1) -> psutil.Process | None:
    """Return the process that trains with a seed and has trained some epochs, or None."""
    if not any(place.results.glob(f"runs/*/*/*/*/seed{seed}/checkpoints/checkpoint{epochs}.pt")):
        return None
    for step, process in programs(place):
        with contextlib.suppress(psutil.Error):
            if step == "train" and f"/seed{seed}" in " ".join(process.cmdline()):
                return process
    return None


def freeze(place: Workplace, seed: int, epochs: int = 1) -> psutil.Process | None:
    """Stop the training with a seed after some epochs: it holds its lock and makes no progress."""
    process = training(place, seed, epochs)
    if process:
        process.send_signal(signal.SIGSTOP)
    return process


def epochs_trained(place: Workplace, seed: int) -> list[int]:
    """Return the epochs that were trained to their end, in that order, over all attempts; twice is once too often."""
    (log,) = place.results.glob(f"runs/*/*/*/*/seed{seed}/**/fairseq.log")
    points = [line[line.index("{") :] for line in log.read_text().splitlines() if '"train_loss"' in line]
    return [int(json.loads(point)["epoch"]) for point in dict.fromkeys(points)]  # fairseq writes each several times


#: What is equal however a run went: text, segmentations, dev scores, models, translations, scores.
LASTING = [
    "corpora/**/*",
    "segmented/**/*",
    "runs/**/model.pt",
    "runs/**/*.hyp",
    "runs/**/*.pieces",
    "runs/**/*.scores.json",
]
LASTING += ["runs/**/scores.json", "runs/**/*.comet.*.json"]
LASTING += [f"papers/*/*/{name}" for name in ("measurements/*", "table?.csv", "claims.csv")]
#: What is in the files that say when, how fast or from where something was made.
CHANGING = (b'"made": {', b'_cpu_seconds": ')
CHANGING_COLUMNS = ("train_seconds", "cpu_seconds", "gpu_hours", "tokens_per_second", "peak_memory_mib", "commit")
CHANGING_COLUMNS += ("text_made_by", "pieces_made_by", "translation_made_by")


def contents(place: Workplace) -> dict[str, Any]:
    """Return what must not depend on how a run went: file -> content; of scores.csv the rows without costs."""
    found: dict[str, Any] = {}
    for pattern in LASTING:
        for path in place.results.glob(pattern):
            if path.is_file() and not path.name.startswith((".", "words.")):  # the latter are counted when needed
                content = path.read_bytes()
                if path.suffix != ".json" or not any(mark in content for mark in CHANGING):
                    found[str(path.relative_to(place.results))] = content
    for path in place.results.glob("**/scores.csv"):
        with path.open(newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        kept = [{name: value for name, value in row.items() if name not in CHANGING_COLUMNS} for row in rows]
        found[str(path.relative_to(place.results))] = kept
    return found
