"""How well does each system translate words that are rare, or new, in the training text?

python docs/experiments/size-sweep/words.py docs/experiments/size-sweep/en-de/translations.tar.xz \\
    --corpus results/corpora/multi30k.KEY/en-de --output docs/experiments/size-sweep/en-de/words.csv

A row for each system, seed and class of frequency: words of the references, and precision, recall and F1 in percent
(`words_by_frequency` of `src/experiment/scoring/words.py`). `analysis.py` reads the result.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from experiment.programs import command_line, program
from experiment.reporting.findings import read_references, read_translations
from experiment.scoring.metrics import make_metric
from experiment.scoring.words import training_words, words_by_frequency

COLUMNS = ("segmentation", "seed", "occurrences", "words", "precision", "recall", "f1")


def classes(archive: Path, corpus: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows."""
    target = corpus.name.partition("-")[2]
    tokenize = make_metric("bleu", target=target).tokenizer
    training = training_words(corpus / f"train.{target}", tokenize)
    for system, seed, testset, hypotheses in read_translations(archive):
        references = read_references(corpus, testset, target)
        found = words_by_frequency(hypotheses, references, training, tokenize)
        for occurrences, values in found.items():
            yield {"segmentation": system, "seed": seed, "occurrences": occurrences, **values}


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("translations", type=Path, help="translations.tar.xz of one pair of languages")
    parser.add_argument("--corpus", type=Path, required=True, help="the prepared corpus of this pair")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args(argv)
    with arguments.output.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in classes(arguments.translations, arguments.corpus):
            writer.writerow({key: f"{value:.2f}" if isinstance(value, float) else value for key, value in row.items()})


if __name__ == "__main__":
    raise SystemExit(main())
