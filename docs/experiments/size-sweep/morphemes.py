"""How well do the pieces of each system agree with gold morphemes of the target language?

python docs/experiments/size-sweep/morphemes.py --manifest results/size-sweep/manifest.json \\
    --gold FILE ... --output docs/experiments/size-sweep/en-cs/morphemes.csv

Gold is that of SIGMORPHON 2022 (`ces.word.dev.tsv`, `ces.word.test.gold.tsv`); of its words those that occur in the
training text are scored. `analysis.py` reads the result. Pieces that are no stretches of
their word (`huffman`) have none.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from experiment.programs import command_line, program
from subwords import load
from subwords.boundaries import boundary_scores, read_gold
from subwords.counting import count_words

COLUMNS = ("segmentation", "seed", "words", "precision", "recall", "f1")


def agreement(manifest: dict[str, Any], gold: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Yield a row for each system and seed: the words that were scored, and macro-averaged agreement (0 to 1)."""
    given = [word for path in gold for word in read_gold(path)]
    for run in manifest["runs"]:
        language = run["direction"].partition("-")[2]
        seen = count_words([Path(run["text"]) / "moses" / f"train.{language}"])
        scores = boundary_scores(
            load(Path(run["segmented"]) / f"model.{language}"), [each for each in given if each.word in seen]
        )
        yield {"segmentation": run["segmentation"], "seed": run["seed"], "words": scores["words"], **scores["macro"]}


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("--manifest", type=Path, required=True, help="manifest.json of one pair of languages")
    parser.add_argument("--gold", type=Path, nargs="+", required=True, help="word, tab, its morphemes")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args(argv)
    with arguments.output.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(agreement(json.loads(arguments.manifest.read_text(encoding="utf-8")), arguments.gold))


if __name__ == "__main__":
    raise SystemExit(main())
