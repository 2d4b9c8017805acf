"""Does a vocabulary's marginal utility go with BLEU? Spearman's correlation for every language of a group, over sizes.

Options: `corpus` (a group); `pairs`: {BPE of a size: BPE of a smaller one}; `languages`, where not all of the group are
looked at. The text of each language, segmented by the vocabulary that all share, has the utility of Eq. 1 between the
two sizes (Xu et al. 2021, Appendix A); BLEU is the larger one's on the language's test set.

Measured are `spearman_of_pair` for each language, `spearman` (their median), `positive_share`, and `pairs`: how many
correlations lie in each interval (`row`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from experiment.corpora.corpus_groups import MANY
from experiment.corpora.gathering import read_origins
from experiment.layout import segmentation_folder, text_folder
from papers.measures.marginal_utility import (
    by_interval,
    marginal_utilities,
    piece_counts_by_stretch,
    rank_correlation,
    vocabulary_entropy,
)

if TYPE_CHECKING:
    from papers.inputs import Inputs

#: Row of the published median.
MEDIAN_ROW = "section 3, MUV and BLEU over 45 pairs"


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the measurements; a language of which BLEU or the utility does not vary has no correlation."""
    corpus = inputs.paper.corpus(options["corpus"])
    into = inputs.experiment.corpora[corpus].languages[1]
    origins = read_origins(Path(text_folder(corpus, f"{MANY}-{into}", "raw"), "train.origin"))
    lengths = {language: len(lines) for language, lines in origins.items()}
    entropies = {
        name: _entropies(segmentation_folder(corpus, f"{MANY}-{into}", name), into, lengths)
        for name in dict.fromkeys([*options["pairs"], *options["pairs"].values()])
    }
    scores = inputs.scores()
    scores = scores[(scores["corpus"] == options["corpus"]) & (scores["metric"] == "bleu")]
    means = scores.groupby(["direction", "segmentation"])["value"].mean()
    sizes = {name: inputs.experiment.segmentations[name].size for name in entropies}
    correlations = {}
    for language in options.get("languages") or lengths:
        if language not in lengths:
            continue
        utility: list[float] = []
        bleu: list[float] = []
        for name, smaller in options["pairs"].items():
            found = marginal_utilities({sizes[n]: entropies[n][language] for n in (smaller, name)})  # type: ignore[misc]
            utility += found.values()
            bleu.append(float(means[f"{language}-{into}", name]))
        correlation = rank_correlation(utility, bleu)
        keys = {"corpus": options["corpus"], "direction": f"{language}-{into}"}
        for name, value in zip(options["pairs"], utility, strict=True):
            yield keys | inputs.segmentation_keys(corpus, name) | {"metric": "muv", "value": value}
        if correlation is not None:
            correlations[language] = correlation
            yield keys | {"metric": "spearman_of_pair", "value": correlation}
    yield from _together(options["corpus"], correlations)


def _together(corpus: str, correlations: Mapping[str, float]) -> Iterator[dict[str, Any]]:
    for name, count in by_interval(correlations.values()).items():
        yield {"corpus": corpus, "row": name, "metric": "pairs", "value": count}
    if correlations:
        keys = {"corpus": corpus, "row": MEDIAN_ROW}
        share = sum(value > 0 for value in correlations.values()) / len(correlations)
        yield keys | {"metric": "spearman", "value": median(correlations.values())}
        yield keys | {"metric": "positive_share", "value": share}


def _entropies(folder: str, into: str, lengths: Mapping[str, int]) -> dict[str, float]:
    """Return the entropy of each language's text with its translations, segmented by one vocabulary."""
    many = piece_counts_by_stretch(f"{folder}/train.{MANY}", lengths)
    target = piece_counts_by_stretch(f"{folder}/train.{into}", lengths)
    return {language: vocabulary_entropy(many[language] + target[language]) for language in lengths}
