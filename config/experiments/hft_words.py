"""BPE on the words that HFT makes: what is left of HFT when its vocabulary and its segmentation are BPE's.

HFT changes two things at once: how text becomes words (capitals become small letters behind a mark, words carry ¦ on
both sides, spaces beside punctuation become ▁), and how words become pieces. Signoroni & Rychlý 2022, Table 1, compare
it with BPE on raw text, so the table cannot tell which of the two raises BLEU. This class has the first from HFT and
the second from BPE.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from subwords.hft.model import HFT
from subwords.merges.learning import learn_merges
from subwords.merges.segmenter import MergeSegmenter
from subwords.segmenter import check_size, warn_of_fewer


class BPEOnHFTWords(MergeSegmenter):
    """Merges of pairs inside HFT's words; texts are raw."""

    algorithm = "bpe-on-hft-words"
    summary = "byte-pair encoding of the words of HFT's pretokenization"
    reads = "raw"
    _words = HFT({})

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn `size` merges of pairs that occur at least twice."""
        wanted = check_size(cls, size)
        model = cls(learn_merges(cls._words.count_words(texts), wanted, 2), **options)
        warn_of_fewer(cls, len(model.merges), wanted, "no other pair occurs 2 times")
        return model

    def prepare(self, block: bytes) -> bytes:
        return self._words.prepare(block)

    def decode(self, pieces: str) -> str:
        return self._words.decode(super().decode(pieces))
