"""Choose a run's checkpoint by BLEU on the test set, as a paper did, and write its scores there.

Such a score is not comparable with that of a checkpoint chosen on dev: reports show both, side by side. Every
checkpoint that the training kept translates the whole test set once. JOB is the job of scripts/evaluate.py with
`select`, and `chooses`, the stem of the test set. What is chosen is scored again where a metric is asked for later.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json, write_json
from experiment.programs import Job, job_program
from experiment.scoring.metrics import make_metric, read_parallel, score_corpus
from experiment.store.checksums import file_sha256
from experiment.store.making import check_inputs, fits, locked, make
from experiment.training import gpu
from experiment.training.selection import kept
from subwords.files import read_lines, write_lines
from translation.evaluating import Evaluator


def choose(job: Job, test: Mapping[str, str], scratch: Path) -> dict[str, Any]:
    """Translate with every checkpoint; write the best hypotheses and return the record of the choice."""
    check_inputs(job["inputs"])
    training, target = Path(job["folder"]).parent.parent, job["direction"].split("-")[1]
    references, began = list(read_lines(test["reference"])), time.monotonic()
    metric = make_metric("bleu", references, target=target)
    tried: list[dict[str, Any]] = []
    chosen: tuple[float, list[str]] = (-1.0, [])
    for entry in kept(training, job["select"]):
        evaluator = Evaluator(job, str(training / "checkpoints" / entry["file"]))
        hypotheses, _, _ = evaluator.translation(test)
        bleu = metric.corpus_score(hypotheses, None).score
        tried.append({**{key: entry[key] for key in ("file", "epoch", "updates")}, "dev": entry["score"], "bleu": bleu})
        if bleu > chosen[0]:  # of equal scores the earlier one
            chosen = bleu, hypotheses
    metrics = list(dict.fromkeys(["bleu", *job["metrics"]]))
    write_lines(scratch / f"{test['stem']}.chosen-on-test.hyp", chosen[1])
    return {
        "selection": "test",
        "training": file_sha256(training / "training.json"),
        "chosen": next(entry for entry in tried if entry["bleu"] == chosen[0]),
        "scores": score_corpus(chosen[1], references, metrics, target=target)["metrics"],
        "checkpoints": tried,
        "evaluated_in_training": len(read_json(training / "training.json")["dev"]),
        "seconds": round(time.monotonic() - began, 1),
    }


def score(job: Job, test: Mapping[str, str], record: Path) -> list[str]:
    """Add the metrics that an earlier choice lacks to its record, and return them: it was made by BLEU alone."""
    known = read_json(record)
    missing = [name for name in job["metrics"] if name not in known["scores"]]
    if missing:
        check_inputs(job["inputs"] | {str(record): ["*.hyp"]})
        hypotheses, references = read_parallel(record.with_suffix(".hyp"), test["reference"])
        found = score_corpus(hypotheses, references, missing, target=job["direction"].split("-")[1])["metrics"]
        write_json(record, known | {"scores": known["scores"] | found}, sealed=True)
    return missing


@job_program
def main(job: Job) -> None:
    test = next(test for test in job["tests"] if test["stem"] == job["chooses"])
    record = Path(job["folder"], f"{test['stem']}.chosen-on-test.json")
    if not fits(record):  # the card before the folder's lock, as in training
        gpu.check_usable(gpu.take(1, job["device"], job["runs_per_gpu"]))
    chosen = make(record.parent, functools.partial(choose, job, test), record.name)
    with locked(record.parent):
        scored = score(job, test, record)
    print("chosen" if chosen else f"scored with {', '.join(scored)}" if scored else "already done")


if __name__ == "__main__":
    raise SystemExit(main())
