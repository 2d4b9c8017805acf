"""How long are each system's translations, and what is their chrF when precision weighs as much as recall?

python docs/experiments/size-sweep/lengths.py docs/experiments/size-sweep/en-de-2400/translations.tar.xz \\
    --corpus results/corpora/multi30k.KEY/en-de --output docs/experiments/size-sweep/en-de-2400/lengths.csv

A row for each system and seed: BLEU's words by those of the references, and chrF with β = 1. chrF itself has β = 2, by
which recall weighs four times as much (Popović 2015, equation 1), so that it counts a translation that is too short
more than one that is too long. `analysis.py` reads the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sacrebleu.metrics import CHRF

from experiment.programs import program
from experiment.reporting.findings import of_translations, read_references, read_translations
from experiment.scoring.metrics import make_metric

COLUMNS = ("segmentation", "seed", "length", "chrf_beta1")


def lengths(archive: Path, corpus: Path) -> Iterator[tuple[str, int, str, str]]:
    """Yield the rows."""
    target = corpus.name.partition("-")[2]
    bleu, chrf = make_metric("bleu", target=target), CHRF(beta=1)
    for system, seed, testset, hypotheses in read_translations(archive):
        references = [read_references(corpus, testset, target)]
        score = bleu.corpus_score(hypotheses, references)
        even = chrf.corpus_score(hypotheses, references).score
        yield system, seed, f"{score.sys_len / score.ref_len:.4f}", f"{even:.2f}"


@program
def main(argv: list[str] | None = None) -> None:
    of_translations(argv, __doc__, COLUMNS, lengths)


if __name__ == "__main__":
    raise SystemExit(main())
