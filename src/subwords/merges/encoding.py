"""Applying merges to words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from subwords.merges import published
from subwords.merges.codes import Merge


class MergeEncoder:
    """Segments words with a list of merges, as subword-nmt's apply-bpe does.

    The merge that comes first in the list is applied first, to all its occurrences from left to right, until none
    applies. Pieces that do not end a word carry `separator`.
    """

    def __init__(self, merges: Iterable[Merge], separator: str = "@@") -> None:
        self._encoder = published.MergeEncoder(merges, separator)

    def segment_words(self, words: Sequence[str]) -> list[str]:
        """Return the pieces of each word, joined by single spaces. A word holds neither a space nor a line feed."""
        return self._encoder.segment_words(words)
