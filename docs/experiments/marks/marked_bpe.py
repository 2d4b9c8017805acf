"""BPE with its pieces marked at the other end, and BPE of words read backwards.

BPE tells letters that end a word from the same letters inside it (`</w>` in its merges), and its pieces carry `@@`
where their word goes on. `##` in front of a piece that continues a word, as in WordPiece, tells letters that begin a
word from the same letters further inside. BPE of words read backwards learns merges for this other distinction. So
there are two kinds of cuts, and two marks for each:

    BPE's cuts:     un@@ do@@ ing  (BPE itself)          un ##do ##ing  (BPEInFront)
    mirrored cuts:  u@@ ndo@@ ing  (MirroredBehind)      u ##ndo ##ing  (MirroredBPE)

The marks that belong to the cuts leave fewer different pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from subwords import marks
from subwords.counting import word_table
from subwords.errors import InputError
from subwords.merges.codes import END, Merge
from subwords.merges.learning import learn_merges
from subwords.merges.segmenter import MergeSegmenter
from subwords.segmenter import check_size, warn_of_fewer

LEAST = 2  # occurrences of a pair that is merged, as BPE has it


class BPEInFront(MergeSegmenter):
    """BPE's merges and cuts. A word that begins with `##` is cut further, so that it can be told from a piece."""

    algorithm = "bpe-front"
    summary = "BPE whose pieces carry ## where they continue a word"
    #: 1: words are merged from their first letter on; -1: from their last.
    step: ClassVar[int] = 1

    def __init__(self, merges: Sequence[Merge], **options: Any) -> None:
        super().__init__(merges, **options)
        if self._filter:
            raise InputError(f"{self.algorithm} keeps pieces to no vocabulary", next_step="leave vocabulary out")

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
        """Return nothing: the compiled code writes `@@` in BPE's order."""

    def segment_words(self, words: Sequence[str]) -> list[str]:
        merged = super().segment_words([word[:: self.step] for word in words])
        return [self.marked(self._in_text(pieces.split(" "))) for pieces in merged]

    def _in_text(self, pieces: Sequence[str]) -> list[str]:
        """Return the pieces of a merged word, `@@` on all but the last, as pieces of the text."""
        unmarked = [*(piece.removesuffix(marks.SEPARATOR) for piece in pieces[:-1]), pieces[-1]]
        return [piece[:: self.step] for piece in unmarked[:: self.step]]

    def marked(self, pieces: Sequence[str]) -> str:
        """Return the pieces of one word with their marks."""
        return marks.write(pieces)

    def decode(self, pieces: str) -> str:
        return marks.read(pieces)

    def known_pieces(self) -> list[str]:
        return marks.both_forms(self._letters())

    def _letters(self) -> set[str]:
        """Return the pieces that merges can leave, without marks."""
        return {(symbol.removesuffix(END) or symbol)[:: self.step] for symbol in self.symbols()}


class MirroredBPE(BPEInFront):
    """BPE of words read backwards: a piece that begins its word is told from the same letters further inside."""

    algorithm = "bpe-mirrored"
    summary = "BPE of words read backwards; ## continues a word"
    step = -1


class MirroredBehind(MirroredBPE):
    """The cuts of MirroredBPE; `@@` behind pieces whose word goes on, as in BPE and with its limits."""

    algorithm = "bpe-mirrored-behind"
    summary = "BPE of words read backwards; @@ behind pieces whose word goes on"

    def marked(self, pieces: Sequence[str]) -> str:
        return f"{marks.SEPARATOR} ".join(pieces)

    def decode(self, pieces: str) -> str:
        return MergeSegmenter.decode(self, pieces)

    def known_pieces(self) -> list[str]:
        return [form for piece in sorted(self._letters()) for form in (piece, piece + marks.SEPARATOR)]
