"""A vocabulary made ready to segment words and text."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from subwords.hft.automaton import build_automaton
from subwords.hft.codes import Codes, text_codes
from subwords.hft.segmentation import Rules, segment_text, segment_words

#: Entries with their counts.
Vocabulary = dict[str, int]


class VocabularySegmenter:
    """A vocabulary, ready to segment."""

    def __init__(self, vocabulary: Vocabulary, rules: Rules) -> None:
        self.entries = list(vocabulary)
        self.frequencies = np.array(list(vocabulary.values()), np.int64)
        self.automaton = build_automaton(self.entries)
        self.rules = rules

    def uses(self, words: Mapping[str, int]) -> dict[str, int]:
        """Return how often each entry is used in segmenting words with counts (unused ones left out)."""
        codes, ends = word_codes(words)
        pieces, piece_ends = segment_words(codes, ends, self.automaton, self.frequencies, self.rules)
        weights = np.repeat(np.fromiter(words.values(), np.int64, len(words)), np.diff(piece_ends, prepend=0))
        used = np.zeros(len(self.entries), np.int64)
        np.add.at(used, pieces[pieces >= 0], weights[pieces >= 0])
        return {self.entries[i]: int(used[i]) for i in np.unique(pieces[pieces >= 0])}

    def segment_text(self, text: Codes) -> tuple[Codes, int]:
        """Return pretokenized lines in pieces between spaces, and the number of unknown pieces."""
        return segment_text(text, self.automaton, self.frequencies, self.rules)


def word_codes(words: Mapping[str, int]) -> tuple[Codes, NDArray[np.int64]]:
    """Return the code points of words, joined, and where each word ends."""
    return text_codes("".join(words)), np.cumsum(np.fromiter(map(len, words), np.int64, len(words)))
