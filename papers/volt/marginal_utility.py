"""Entropy and marginal utility of vocabularies (Xu et al. 2021, Eq. 1, 2), from pieces, and how they go with BLEU."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice, pairwise
from pathlib import Path

import numpy
from pandas import Series, cut

from subwords.files import read_lines
from subwords.vocabulary import count_pieces
from subwords.volt.utility import Step, entropy, with_utility

#: What subword-nmt's pieces carry that do not end their word.
CONTINUES = "@@"


def piece_counts(paths: Iterable[str | Path]) -> Counter[str]:
    """Return how often each piece occurs in some files of pieces."""
    return count_pieces(chain.from_iterable(map(read_lines, paths)))[1]


def piece_counts_by_stretch(path: str | Path, lengths: Mapping[str, int]) -> dict[str, Counter[str]]:
    """Return how often each piece occurs in consecutive stretches of a file: name -> number of lines, in order."""
    lines = iter(read_lines(path))
    return {name: count_pieces(islice(lines, length))[1] for name, length in lengths.items()}


def vocabulary_entropy(counts: Mapping[str, int]) -> float:
    """Return Eq. 2 in nats per character: the entropy of pieces over their mean length, each type counted once.

    The mark of a piece that does not end its word is no character of it.

    >>> round(vocabulary_entropy({"ab@@": 2, "c": 2}), 4)  # ln 2 over 1.5
    0.4621
    """
    lengths = [max(1, len(piece.removesuffix(CONTINUES))) for piece in counts]
    return entropy(list(counts.values()), math.fsum(lengths) / len(lengths))


def marginal_utilities(entropies: Mapping[int, float], tokens: Mapping[int, int] | None = None) -> dict[int, float]:
    """Return Eq. 1 for every size but the smallest: how much entropy falls from the next smaller one, per token.

    `tokens` are those of each vocabulary; without them, as many more as the sizes say.

    >>> marginal_utilities({1000: 1.5, 3000: 1.0})
    {3000: 0.00025}
    """
    sizes = sorted(entropies)
    widths = [tokens[size] if tokens else size for size in sizes]
    steps = with_utility(
        [Step(size, entropies[size], width) for size, width in zip(sizes, widths, strict=True)], widths
    )
    return {step.size: step.muv for step in steps if step.muv is not None}


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's correlation (-1 to 1) of two sequences; None where one of them does not vary, or is short."""
    from scipy.stats import spearmanr

    if len(first) < 3 or len(set(first)) == 1 or len(set(second)) == 1:
        return None
    return float(spearmanr(first, second).statistic)


def over_languages(correlations: Sequence[float]) -> dict[str, tuple[float, float]]:
    """Return the median of correlations and the share above 0, each with its standard error.

    The error is the bootstrap's over languages. It says nothing of training: all languages have the same models.
    """
    drawn = numpy.random.default_rng(1).choice(correlations, (2000, len(correlations)))
    rows = numpy.vstack([correlations, drawn])
    found = {"spearman": numpy.median(rows, axis=1), "spearman_positive_share": (rows > 0).mean(axis=1)}
    return {name: (float(of_rows[0]), float(of_rows[1:].std())) for name, of_rows in found.items()}


def by_interval(correlations: Sequence[float]) -> dict[str, int]:
    """Return how many correlations lie in each quarter of -1 to 1, the upper end included: 0 is no positive one.

    >>> by_interval([-0.5, 0.0, 0.4, 1.0])
    {'-1 to -0.5': 1, '-0.5 to 0': 1, '0 to 0.5': 1, '0.5 to 1': 1}
    """
    ends = ["-1", "-0.5", "0", "0.5", "1"]
    labels = [f"{low} to {high}" for low, high in pairwise(ends)]
    found = cut(Series(correlations, dtype=float).round(9), list(map(float, ends)), labels=labels, include_lowest=True)
    return {label: int((found == label).sum()) for label in labels}
