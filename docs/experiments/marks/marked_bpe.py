"""BPE whose pieces are marked in front: `un ##do ##ing` in place of `un@@ do@@ ing`.

BPE tells a piece that ends its word from the same letters inside a word. `##`, as in WordPiece, tells a piece that
begins its word from one that does not. `MarkedInFront` cuts words where BPE does and only writes `##`. But BPE's merges
were learned for the other distinction, so more different pieces are left. `MirroredBPE` learns merges for this one: it
is BPE of the words read backwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from subwords import marks
from subwords.counting import word_table
from subwords.merges.learning import learn_merges
from subwords.merges.segmenter import MergeSegmenter
from subwords.segmenter import check_size, warn_of_fewer

LEAST = 2  # occurrences of a pair that is merged, as BPE has it


class MarkedInFront(MergeSegmenter):
    """BPE's merges and cuts. A word that begins with `##` is cut further, so that it can be told from a piece."""

    algorithm = "bpe-marked-in-front"
    summary = "BPE whose pieces carry ## where they continue a word"
    #: 1: words are read from their first letter on; -1: from their last.
    step: ClassVar[int] = 1

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn `size` merges of pairs that occur at least twice."""
        wanted = check_size(cls, size)
        counts = word_table(texts)
        words = (word[:: cls.step] for word in counts.words())
        model = cls(learn_merges(dict(zip(words, counts.counts(), strict=True)), wanted, LEAST), **options)
        model.learned_letters = counts.letters()
        warn_of_fewer(cls, len(model.merges), wanted, f"no other pair occurs {LEAST} times")
        return model

    def splitter(self) -> None:
        """Return nothing: the compiled code writes `@@`."""

    def segment_words(self, words: Sequence[str]) -> list[str]:
        merged = super().segment_words([word[:: self.step] for word in words])
        return [marks.write(self._in_text(pieces.split(" "))) for pieces in merged]

    def _in_text(self, pieces: Sequence[str]) -> list[str]:
        """Return the pieces of a merged word, `@@` on all but the last, as pieces of the text."""
        unmarked = [*(piece.removesuffix(marks.SEPARATOR) for piece in pieces[:-1]), pieces[-1]]
        return [piece[:: self.step] for piece in unmarked[:: self.step]]

    def decode(self, pieces: str) -> str:
        return marks.read(pieces)

    def known_pieces(self) -> list[str]:
        pieces = (piece.removesuffix(marks.SEPARATOR) for piece in super().known_pieces())
        return marks.both_forms(piece[:: self.step] for piece in pieces)


class MirroredBPE(MarkedInFront):
    """BPE of words read backwards, so that a piece that begins its word is told from the same letters inside a word."""

    algorithm = "bpe-mirrored"
    summary = "BPE of words read backwards; ## continues a word"
    step = -1
