"""Learning HFT's vocabulary from word types with counts.

Signoroni & Rychlý (2022), section 1: from all characters, again and again (1) segment all words with the vocabulary and
count entries and candidates, which are the strings of two neighbouring pieces, (2) add the most frequent candidates,
(3) drop the longer entries that are rarer than the last one added, until the size is reached.

Each step reads every word type once. With the default, 5% of the size a step, there are about 30 steps, because each
drops nearly as many entries as it adds.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subwords.compiled import compiled, compiled_in_place
from subwords.errors import InputError
from subwords.hft.automaton import Automaton
from subwords.hft.segmentation import PAPER, REFERENCE, Rules, longest_word, new_paths, segment
from subwords.hft.vocabulary import Vocabulary, VocabularySegmenter, word_codes


class Variant(NamedTuple):
    """How a variant learns and segments."""

    rules: Rules
    adjacent: bool  # first candidates: pairs of neighbours; else a word's first character with each later one
    subtracts: bool  # take the count of a new entry from those of its old pieces (not in the paper)
    exact: bool  # end with the size asked, not with a little more


VARIANTS = {
    "paper": Variant(PAPER, adjacent=True, subtracts=False, exact=True),
    "reference": Variant(REFERENCE, adjacent=False, subtracts=True, exact=False),
    "published": Variant(REFERENCE, adjacent=False, subtracts=False, exact=False),
}


def default_step(variant: str, size: int) -> int:
    """Return how many entries a step adds: 5% of the size (section 1, step 2), or the 100 of the published figures."""
    return 100 if variant == "published" else max(1, size // 20)


def learn_vocabulary(words: Mapping[str, int], size: int, step: int, variant: str = "paper") -> Vocabulary:
    """Return the vocabulary, entry to count, of word types with counts.

    `paper` gives exactly `size` entries, the others a few more, as the public code does. Raises InputError when `size`
    is below the number of characters or, in `paper`, above what the words offer (the others then give a warning and
    what there is, like the public code). Where the steps go round in circles, `paper` doubles the step.

    The first step adds ¦l, the second ¦lo (of the strings that occur 5 times the largest, before w¦ and ow). Then l is
    not used any more, but characters are kept:

    >>> vocabulary = learn_vocabulary({"¦low¦": 5, "¦lay¦": 2}, size=8, step=1)
    >>> sorted(vocabulary.items())
    [('a', 2), ('l', 1), ('o', 5), ('w', 5), ('y', 2), ('¦', 7), ('¦l', 7), ('¦lo', 5)]
    """
    rules, adjacent, subtracts, exact = VARIANTS[variant]
    corpus = Corpus(words)
    vocabulary = corpus.characters()
    characters = list(vocabulary)
    if size < len(characters):
        raise InputError(
            f"size={size} is below the alphabet: hft keeps the text's {len(characters)} different characters",
            allowed=f"a size of at least {len(characters)}, better several times as many",
            next_step="ask for a larger size, or remove rare characters from the text",
        )
    largest = 0
    seen: set[bytes] = set()
    for number in count():
        largest = max(largest, len(vocabulary))
        if exact and len(vocabulary) >= size:
            return _trimmed(vocabulary, size)
        if not exact and number > 1 and len(vocabulary) > size:
            return vocabulary
        segmenter = VocabularySegmenter(vocabulary, rules)
        if number == 0 and not adjacent:
            counts, candidates = vocabulary, corpus.first_with_later(step)
        else:
            counts, candidates = corpus.count(segmenter, step)
        if not candidates:
            break
        if (state := _digest(vocabulary)) in seen:  # each step drops what the one before it added, for ever
            if not exact or len(candidates) < step:
                break
            step *= 2
            seen.clear()
            continue
        seen.add(state)
        added = dict(candidates)
        if subtracts and number > 0:
            for entry, frequency in segmenter.uses(added).items():
                counts[entry] = counts.get(entry, 0) - frequency
        rarest = candidates[-1][1]
        vocabulary = {e: n for e, n in {**counts, **added}.items() if len(e) == 1 or n >= rarest}
        for character in characters:
            vocabulary.setdefault(character, 1)
    if exact:
        raise InputError(
            f"size={size} is more than the text offers: its {len(words)} word types give up to {largest} entries",
            allowed=f"a size from {len(characters)} to {largest}",
            next_step="ask for a smaller size, or give more text",
        )
    warnings.warn(f"hft: {len(vocabulary)} entries instead of {size}: the text offers no more", stacklevel=2)
    return vocabulary


def by_frequency(item: tuple[str, int]) -> tuple[int, str]:
    """Return the key by which entries and candidates are sorted, the largest first: count, then string."""
    return item[1], item[0]


def _trimmed(vocabulary: Vocabulary, size: int) -> Vocabulary:
    """Return the vocabulary without the last of its longer entries."""
    longer = sorted(((e, n) for e, n in vocabulary.items() if len(e) > 1), key=by_frequency, reverse=True)
    kept = longer[: size - (len(vocabulary) - len(longer))]
    return dict(kept) | {e: n for e, n in vocabulary.items() if len(e) == 1}


def _digest(vocabulary: Vocabulary) -> bytes:
    return hashlib.sha256(repr(sorted(vocabulary.items())).encode("utf-8", "surrogatepass")).digest()


class Corpus:
    """Word types with counts, as arrays."""

    def __init__(self, words: Mapping[str, int]) -> None:
        self._text = "".join(words)
        self._codes, self._ends = word_codes(words)
        self._counts = np.fromiter(words.values(), np.int64, len(words))

    def characters(self) -> Vocabulary:
        """Return all characters with their counts."""
        weights = np.repeat(self._counts, np.diff(self._ends, prepend=0))
        counts = np.bincount(self._codes, weights).astype(np.int64)  # floats: exact up to 2 ** 53
        codes = np.flatnonzero(counts)
        return dict(zip(map(chr, codes.tolist()), counts[codes].tolist(), strict=True))

    def first_with_later(self, most: int) -> list[tuple[str, int]]:
        """Return the up to `most` most frequent pairs of a word's first character and a later one, both with counts.

        The public code forgets to move on to the next pair's left side, so that the first candidates of "¦low" are ¦l,
        ¦o and ¦w.
        """
        lengths = np.diff(self._ends, prepend=0)
        starts = self._ends - lengths
        later = np.ones(self._codes.size, bool)
        later[starts] = False
        firsts = np.repeat(self._codes[starts], lengths)[later].astype(np.int64)
        keys, places = np.unique(firsts << 32 | self._codes[later], return_inverse=True)
        counts = np.zeros(keys.size, np.int64)
        np.add.at(counts, places, np.repeat(self._counts, lengths)[later])
        names = [chr(key >> 32) + chr(key & 0xFFFFFFFF) for key in keys.tolist()]
        return sorted(zip(names, counts.tolist(), strict=True), key=by_frequency, reverse=True)[:most]

    def count(self, segmenter: VocabularySegmenter, most: int) -> tuple[Vocabulary, list[tuple[str, int]]]:
        """Return the entries used, and up to `most` candidates by count, then string, descending; both with counts."""
        used, counts, starts, lengths = count_pieces(
            self._codes, self._ends, self._counts, segmenter.automaton, segmenter.frequencies, segmenter.rules
        )
        entries = {segmenter.entries[i]: int(used[i]) for i in np.flatnonzero(used)}
        rarest = np.partition(counts, -most)[-most] if counts.size > most else 0
        places = np.flatnonzero(counts >= rarest)
        ends = starts[places] + lengths[places]
        names = [self._text[i:j] for i, j in zip(starts[places].tolist(), ends.tolist(), strict=True)]
        candidates = sorted(zip(names, counts[places].tolist(), strict=True), key=by_frequency, reverse=True)
        return entries, candidates[:most]


#: Columns of a hash table from strings, which are stretches of the words, to counts (0 where free).
COUNT, START, LENGTH, HASH = range(4)


@compiled
def count_pieces(
    codes: NDArray[np.uint32],
    ends: NDArray[np.int64],
    counts: NDArray[np.int64],
    automaton: Automaton,
    frequencies: NDArray[np.int64],
    rules: Rules,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the counts of entries in the segmented words, and counts, starts and lengths of the candidates.

    Word i ends at ends[i] in `codes` and occurs counts[i] times. Candidates are counted by their strings: the same
    string from different pairs is one candidate.
    """
    used = np.zeros(frequencies.size, np.int64)
    table, filled = np.zeros((1 << 12, 4), np.int64), 0
    paths = new_paths(longest_word(ends))
    start = 0
    for number in range(ends.size):
        pieces = segment(codes[start : ends[number]], automaton, frequencies, rules, paths)
        first = start
        for k in range(pieces):
            if paths.pieces[k] >= 0:
                used[paths.pieces[k]] += counts[number]
            if k + 1 < pieces:
                if paths.pieces[k] >= 0 and paths.pieces[k + 1] >= 0:
                    filled += _add(table, codes, first, start + paths.ends[k + 1] - first, counts[number])
                    if 2 * filled > table.shape[0]:
                        table = _grown(table)
                first = start + paths.ends[k]
        start = ends[number]
    found = table[np.flatnonzero(table[:, COUNT])]
    return used, found[:, COUNT], found[:, START], found[:, LENGTH]


@compiled_in_place
def _add(table: NDArray[np.int64], codes: NDArray[np.uint32], start: int, length: int, count: int) -> int:
    """Count a string, and return 1 when it is new."""
    mixed = np.uint64(length)
    for i in range(start, start + length):
        mixed = (mixed ^ np.uint64(codes[i])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    hashed = np.int64(mixed)
    mask = table.shape[0] - 1
    slot = hashed & mask
    while table[slot, COUNT] != 0:
        if table[slot, HASH] == hashed and table[slot, LENGTH] == length:
            other, same = table[slot, START], True
            for i in range(length):
                same = same and codes[start + i] == codes[other + i]
            if same:
                table[slot, COUNT] += count
                return 0
        slot = (slot + 1) & mask
    table[slot, COUNT], table[slot, START], table[slot, LENGTH], table[slot, HASH] = count, start, length, hashed
    return 1


@compiled
def _grown(table: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the table with twice the room."""
    grown = np.zeros((2 * table.shape[0], 4), np.int64)
    mask = grown.shape[0] - 1
    for row in table:
        if row[COUNT] != 0:
            slot = row[HASH] & mask
            while grown[slot, COUNT] != 0:
                slot = (slot + 1) & mask
            grown[slot] = row
    return grown
