"""Entropy, marginal utility and BLEU of one corpus by the size of BPE, and the size at which the utility is highest.

Options: `corpus`, `direction`, `segmentations` (joint BPE of different sizes). Measured are `entropy` (Xu et al. 2021,
Eq. 2, nats per character, of both sides of the training text), `muv` (Eq. 1, per token) and `bleu`, in rows called BPE,
and those of the size with the highest utility once more, in a row called "highest MUV".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from experiment.layout import segmentation_folder
from papers.measures.marginal_utility import marginal_utilities, piece_counts, vocabulary_entropy

if TYPE_CHECKING:
    from papers.inputs import Inputs

CURVE, BEST = "BPE", "highest MUV"


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the measurements, smallest size first."""
    known = inputs.experiment.segmentations
    corpus = inputs.paper.corpus(options["corpus"])
    pair = inputs.experiment.corpora[corpus].pair(*options["direction"].split("-"))
    entropies, tokens, names = {}, {}, {}
    for name in options["segmentations"]:
        size = known[name].size
        assert isinstance(size, int)
        folder = segmentation_folder(corpus, pair, name)
        counts = piece_counts(f"{folder}/train.{lang}" for lang in pair.split("-"))
        entropies[size], tokens[size], names[size] = vocabulary_entropy(counts), len(counts), name
    utilities = marginal_utilities(entropies, tokens)
    best = max(utilities, key=lambda size: utilities[size])
    scores = inputs.scores()
    scores = scores[(scores["corpus"] == options["corpus"]) & (scores["direction"] == options["direction"])]
    for size in sorted(entropies):
        keys = inputs.segmentation_keys(corpus, names[size]) | {"direction": options["direction"]}
        bleu = scores[(scores["metric"] == "bleu") & (scores["segmentation"] == names[size])]
        for row in (CURVE, BEST) if size == best else (CURVE,):
            yield keys | {"row": row, "metric": "entropy", "value": entropies[size]}
            if size in utilities:
                yield keys | {"row": row, "metric": "muv", "value": utilities[size]}
            for score in bleu.to_dict("records"):
                run = {"model": score["model"], "seed": score["seed"], "testset": score["testset"]}
                yield keys | run | {"row": row, "metric": "bleu", "value": score["value"]}
