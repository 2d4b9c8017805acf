"""Learning merges from word types."""

from __future__ import annotations

from collections.abc import Mapping

from subwords.merges import published
from subwords.merges.codes import Merge


def learn_merges(counts: Mapping[str, int], size: int, min_frequency: int = 2) -> list[Merge]:
    """Return the merges of byte-pair encoding (Sennrich et al., 2016), most frequent pair first.

    `counts` maps words to how often they occur, `size` is the number of merges. A pair that occurs fewer than
    `min_frequency` times ends the learning: then there are fewer merges than asked. Ties go to the larger pair
    (left piece first, by code points). Equal, merge for merge, to subword-nmt's learn-bpe.
    """
    return published.learn_merges(counts, size, min_frequency)
