"""Entropy and marginal utility of vocabularies (Xu et al. 2021, Eq. 1, 2), from pieces, and how they go with BLEU."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from subwords.files import read_lines
from subwords.volt.utility import Step, entropy, with_utility

#: What subword-nmt's pieces carry that do not end their word.
CONTINUES = "@@"
#: Intervals of a correlation, each with its upper end: 0 itself is no positive correlation.
INTERVALS = (("-1 to -0.5", -0.5), ("-0.5 to 0", 0.0), ("0 to 0.5", 0.5), ("0.5 to 1", 1.0))


def piece_counts(paths: Iterable[str | Path]) -> Counter[str]:
    """Return how often each piece occurs in some files of pieces."""
    counts: Counter[str] = Counter()
    for path in paths:
        for line in read_lines(path):
            counts.update(piece for piece in line.split(" ") if piece)
    return counts


def piece_counts_by_stretch(path: str | Path, lengths: Mapping[str, int]) -> dict[str, Counter[str]]:
    """Return how often each piece occurs in consecutive stretches of a file: name -> number of lines, in order."""
    found: dict[str, Counter[str]] = {name: Counter() for name in lengths}
    lines = read_lines(path)
    for name, length in lengths.items():
        for _ in range(length):
            found[name].update(piece for piece in next(lines).split(" ") if piece)
    return found


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


def by_interval(correlations: Iterable[float]) -> dict[str, int]:
    """Return how many correlations lie in each of `INTERVALS`.

    >>> by_interval([-0.5, 0.0, 0.4, 1.0])
    {'-1 to -0.5': 1, '-0.5 to 0': 1, '0 to 0.5': 1, '0.5 to 1': 1}
    """
    counts = dict.fromkeys((name for name, _ in INTERVALS), 0)
    for value in correlations:
        counts[next(name for name, upper in INTERVALS if value <= upper + 1e-9)] += 1
    return counts
