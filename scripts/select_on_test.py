"""Choose a run's checkpoint by BLEU on the test set, as a paper did, and write what it is worth there.

No score made so is comparable with one of a system that was chosen on a dev set: it is reported beside it, never in its
place. Every checkpoint that the training kept translates the whole test set once.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from experiment.decoding import Translator, add_options, one_line, read_source, text_maker, translate_all, write_lines
from experiment.jsonfiles import read_json, write_json
from experiment.programs import program
from experiment.scoring.metrics import score_corpus
from experiment.training import gpu
from subwords.errors import InputError
from subwords.files import read_lines

ROOT = Path(__file__).resolve().parent.parent


def kept(folder: Path, record: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entries of the record of dev scores whose checkpoints are there. Raises InputError when none is."""
    found = [entry for entry in record if (folder / entry["file"]).exists()]
    if not found:
        raise InputError(
            f"there are no checkpoints in {folder}", next_step="train again: delete training.json beside it"
        )
    return found


@program
def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoints", type=Path, required=True, help="scripts/train.py's folder")
    parser.add_argument("--training", type=Path, required=True, help="scripts/train.py's report")
    parser.add_argument("--references", type=Path, required=True, help="raw references of the test set")
    parser.add_argument("--metrics", nargs="+", default=["bleu", "chrf"], metavar="M", help="of the chosen one")
    add_options(parser)
    arguments = parser.parse_args(argv)

    gpu.take(1)
    search, target = json.loads(arguments.search), arguments.direction.split("-")[1]
    record = read_json(arguments.training)["dev"]
    source, references = read_source(arguments), list(read_lines(arguments.references))
    to_text, began = text_maker(arguments), time.monotonic()
    tried: list[dict[str, Any]] = []
    chosen: tuple[float, list[str]] = (-1.0, [])
    for entry in kept(arguments.checkpoints, record):
        model = arguments.checkpoints / entry["file"]
        translator = Translator(model, arguments.data, arguments.direction, search, arguments.precision)
        pieces = translate_all(translator, source, search["max_tokens"])
        hypotheses = [one_line(to_text(line)) for line in pieces]
        bleu = score_corpus(hypotheses, references, ["bleu"], target=target)["metrics"]["bleu"]["score"]
        tried.append({**{key: entry[key] for key in ("file", "epoch", "updates")}, "dev": entry["score"], "bleu": bleu})
        if bleu > chosen[0]:  # of equal scores the earlier one
            chosen = bleu, hypotheses
    metrics = list(dict.fromkeys(["bleu", *arguments.metrics]))
    write_lines(arguments.hypotheses, chosen[1])
    write_json(
        arguments.report,
        {
            "selection": "test",
            "chosen": next(entry for entry in tried if entry["bleu"] == chosen[0]),
            "scores": score_corpus(chosen[1], references, metrics, target=target)["metrics"],
            "checkpoints": tried,
            "evaluated_in_training": len(record),
            "seconds": round(time.monotonic() - began, 1),
        },
    )
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
