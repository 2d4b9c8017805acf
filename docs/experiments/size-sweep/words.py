"""How well does each system translate words that are rare, or new, in the training text?

python docs/experiments/size-sweep/words.py docs/experiments/size-sweep/en-de/translations.tar.xz \\
    --corpus results/corpora/multi30k.KEY/en-de --output docs/experiments/size-sweep/en-de/words.csv

A row for each system, seed and class of frequency: words of the references, and precision, recall and F1 in percent
(`words_by_frequency` of `src/experiment/scoring/words.py`). `analysis.py` reads the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from experiment.programs import program
from experiment.reporting.findings import of_translations, read_references, read_translations
from experiment.scoring.metrics import make_metric
from experiment.scoring.words import training_words, words_by_frequency

COLUMNS = ("segmentation", "seed", "occurrences", "words", "precision", "recall", "f1")


def classes(archive: Path, corpus: Path) -> Iterator[list[Any]]:
    """Yield the rows."""
    target = corpus.name.partition("-")[2]
    tokenize = make_metric("bleu", target=target).tokenizer
    training = training_words(corpus / f"train.{target}", tokenize)
    for system, seed, testset, hypotheses in read_translations(archive):
        references = read_references(corpus, testset, target)
        found = words_by_frequency(hypotheses, references, training, tokenize)
        for occurrences, values in found.items():
            cells = (values[column] for column in COLUMNS[3:])
            yield [system, seed, occurrences, *(f"{cell:.2f}" if isinstance(cell, float) else cell for cell in cells)]


@program
def main(argv: list[str] | None = None) -> None:
    of_translations(argv, __doc__, COLUMNS, classes)


if __name__ == "__main__":
    raise SystemExit(main())
