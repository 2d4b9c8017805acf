"""How well do the pieces of each system agree with gold morphemes of its two languages?

python docs/experiments/size-sweep/morphemes.py --manifest results/size-sweep/manifest.json \\
    --gold en=eng.word.dev.tsv en=eng.word.test.gold.tsv cs=ces.word.dev.tsv cs=ces.word.test.gold.tsv \\
    --output docs/experiments/size-sweep/en-cs/morphemes.csv

Gold is that of SIGMORPHON 2022; of its words those that occur in the training text are scored. The systems must have
been segmented, not trained. `analysis.py` reads the result. Pieces that are no stretches of their word (`huffman`) have
none.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiment.programs import command_line, program
from subwords import load
from subwords.boundaries import GoldWord, boundary_scores, read_gold
from subwords.counting import count_words
from subwords.errors import InputError

COLUMNS = ("segmentation", "seed", "side", "words", "precision", "recall", "f1")


def read_golds(given: Sequence[str]) -> dict[str, list[GoldWord]]:
    """Return the gold words of each language of `LANGUAGE=FILE`."""
    found: dict[str, list[GoldWord]] = {}
    for each in given:
        language, separator, file = each.partition("=")
        if not separator:
            raise InputError(f"--gold {each!r}", allowed="LANGUAGE=FILE, as in cs=ces.word.dev.tsv")
        found.setdefault(language, []).extend(read_gold(Path(file)))
    return found


def agreement(manifest: Mapping[str, Any], golds: Mapping[str, Sequence[GoldWord]]) -> Iterator[dict[str, Any]]:
    """Yield a row for each system, seed and side: the words scored, and macro-averaged agreement (0 to 1)."""
    for run in manifest["runs"]:
        for side, language in zip(("source", "target"), run["direction"].split("-"), strict=True):
            if gold := golds.get(language):
                seen = count_words([Path(run["text"]) / "moses" / f"train.{language}"])
                model = load(Path(run["segmented"]) / f"model.{language}")
                scores = boundary_scores(model, [each for each in gold if each.word in seen])
                row = {"segmentation": run["segmentation"], "seed": run["seed"], "side": side, "words": scores["words"]}
                yield row | scores["macro"]


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("--manifest", type=Path, required=True, help="manifest.json of one pair of languages")
    parser.add_argument("--gold", nargs="+", required=True, help="LANGUAGE=FILE; lines are word, tab, its morphemes")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args(argv)
    golds = read_golds(arguments.gold)
    manifest = json.loads(arguments.manifest.read_text(encoding="utf-8"))
    with arguments.output.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(agreement(manifest, golds))


if __name__ == "__main__":
    raise SystemExit(main())
