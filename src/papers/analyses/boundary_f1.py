"""Do pieces end where morphemes end? Table 4 of S-BPE: boundary F1 of the source side, for each direction.

Options:

    segmentations      {name in the table: segmentation}; `best bpe` is the BPE with the best BLEU of that direction, as
                       the paper chose it
    without_scores     the segmentation in place of `best bpe` where nothing was trained

Gold morphemes come from the analysis's `files`, labelled SOURCE-LANGUAGE: `morpho-challenge-fi` gives `boundary_f1`,
which the paper printed, `sigmorphon-en` gives `boundary_f1_sigmorphon`. A generated corpus brings its own, which stand
in for both. F1 is that of macro-averaged precision and recall (Virpioja et al. 2011, BPR), as the paper
does not say which; `…_micro` has boundaries counted over all words.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.layout import segmentation_folder
from experiment.runs import directions_of
from papers.measures.gold_morphemes import READERS, Analyses, scores
from papers.measures.segmenters import BEST, best_segmentations, load
from subwords.boundaries import read_gold
from subwords.errors import InputError

if TYPE_CHECKING:
    from papers.inputs import Inputs

METRICS = {"morpho-challenge": "boundary_f1", "sigmorphon": "boundary_f1_sigmorphon"}


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield F1 of every direction whose source language has gold morphemes."""
    best = best_segmentations(inputs.scores())
    places = {(corpus, folder): pair for corpus, pair, folder in inputs.segmented}
    for corpus, pair in inputs.pairs:
        name = inputs.paper.paper_corpus(corpus)
        for direction in directions_of(pair, inputs.experiment.settings["directions"]):
            source = direction.partition("-")[0]
            for metric, gold in golds(inputs, corpus, pair, source):
                for label, wanted in options["segmentations"].items():
                    chosen = best.get((name, direction), options.get("without_scores")) if wanted == BEST else wanted
                    if chosen is None or (corpus, chosen) not in places:
                        continue
                    segmenter = load(Path(segmentation_folder(corpus, pair, chosen)), source)
                    found = scores(segmenter, gold)
                    keys = inputs.segmentation_keys(corpus, chosen) | {"segmentation": label, "direction": direction}
                    yield keys | {"metric": metric, "value": found["macro"]["f1"], "text": chosen}
                    yield keys | {"metric": f"{metric}_micro", "value": found["micro"]["f1"]}
                    yield keys | {"metric": f"{metric}_words", "value": found["words"]}


def golds(inputs: Inputs, corpus: str, pair: str, language: str) -> Iterator[tuple[str, list[Analyses]]]:
    """Yield the metric and the gold morphemes of each source that has a language."""
    for label, path in inputs.files.items():
        source, _, of = label.rpartition("-")
        if source not in READERS:
            raise InputError(
                f"{inputs.paper.where}: analyses.{inputs.name}.files.{label}",
                allowed=f"{' or '.join(READERS)}, a hyphen and a language",
            )
        if of == language:
            yield METRICS[source], READERS[source](path)
    for path in map(Path, inputs.graph.gold(corpus, pair)):
        if path.suffix == f".{language}":
            own = [Analyses(word, [morphs]) for word, morphs in read_gold(path)]
            yield from ((metric, own) for metric in METRICS.values())
