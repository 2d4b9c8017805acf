"""F95, μ and ν of a segmented text: as the HFT paper defines them, and as its authors' program computed them.

Signoroni and Rychlý 2022, section 2.1. With n pieces that occur, their frequencies f_1 >= ... >= f_n:

              definition (`of_pieces`)              the authors' program (`as_published`)
    pieces    all                                   HFT: not the last one of a line, which kept its line feed
    F95       f at rank ceil(0.95 n)                f at the rank after floor(n / 100 * 95)
    μ         pieces per line                       SentencePiece: every comma in the text counts as another piece
    ν         sum of i f_i / sum of i, i = 1..n     i to m + 1 above and to m below, m = floor(n / 100 * 95)

Their program counts pieces of the vocabulary alone, so no `<unk-x>`, and an empty line as one piece. Their frequencies
of unigram in English have the other pieces, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from subwords.statistics import class_frequency, rank_weighted_frequency

Pieces = Iterable[Sequence[str]]


class Frequencies(NamedTuple):
    """The numbers of one segmented text; None where it has no pieces, or too few."""

    f95: int | None
    mu: float | None
    nu: float | None
    ranked: list[int]  # frequencies of the pieces that occur, descending


def of_pieces(lines: Pieces) -> Frequencies:
    """Return the numbers of lines of pieces by the paper's definitions.

    >>> of_pieces([["a", "b", "a"], ["a"]])
    Frequencies(f95=1, mu=2.0, nu=1.6666666666666667, ranked=[3, 1])
    """
    counts, number = Counter[str](), 0
    for pieces in lines:
        counts.update(pieces)
        number += 1
    ranked = sorted(counts.values(), reverse=True)
    mu = counts.total() / number if number else None
    return Frequencies(class_frequency(ranked), mu, rank_weighted_frequency(ranked), ranked)


def as_published(lines: Pieces, vocabulary: Collection[str] | None, algorithm: str) -> Frequencies:
    """Return the numbers of an algorithm's output as the authors' program computed them. A line has one item at least.
    Without a `vocabulary` every piece counts.

    SentencePiece's pieces had been printed as a Python list, and the fields between commas were taken for pieces.
    """
    counts, items, number = Counter[str](), 0, 0
    for pieces in lines:
        counts.update(pieces[:-1] if algorithm == "hft" else pieces)
        items += max(1, len(pieces)) + (0 if algorithm == "hft" else "".join(pieces).count(","))
        number += 1
    ranked = sorted(
        (count for piece, count in counts.items() if vocabulary is None or piece in vocabulary), reverse=True
    )
    f95, nu = of_ranked_as_published(ranked)
    return Frequencies(f95, items / number if number else None, nu, ranked)


def of_ranked_as_published(ranked: Sequence[int]) -> tuple[int | None, float | None]:
    """Return F95 and ν of descending frequencies as the authors' program computed them."""
    m = int(len(ranked) / 100 * 95)
    weighted = sum(rank * frequency for rank, frequency in enumerate(ranked[: m + 1], 1))
    return ranked[m] if ranked else None, weighted / (m * (m + 1) / 2) if m else None
