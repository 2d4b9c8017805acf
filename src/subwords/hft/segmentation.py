"""HFT's segmentation: the fewest vocabulary entries, and among those the highest minimum frequency.

Signoroni & Rychlý (2022), end of section 1. Dynamic programming over the ends of prefixes of the word: for each, the
best segmentation is one entry behind the best segmentation of a shorter prefix. The pair (number of entries, lowest
frequency) can be optimized so: making the shorter prefix better never makes the longer one worse. What is still equal
is decided at each end by the longest last entry, in the paper's code and here.

Time is proportional to the number of entries found in the word, memory to its length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subwords.compiled import compiled, compiled_in_place
from subwords.hft.automaton import NONE, ROOT, Automaton, follow

#: In the place of an entry's number: characters without one; in `reference`, a word that ends in such a character.
UNKNOWN, LOST = -1, -2
_BLANK, _LF, _UNKNOWN_CLOSE = map(ord, " \n>")
_UNKNOWN_OPEN = tuple(map(ord, "<unk-"))
_SEED, _FACTOR = np.uint64(0xCBF29CE484222325), np.uint64(0x9E3779B97F4A7C15)
ANY_FREQUENCY = np.iinfo(np.int64).max


class Rules(NamedTuple):
    """What tells the variants apart.

    `first_minimum` is the frequency that the minimum starts from. The public code starts from 0, so that all its
    minima are 0 (or negative), and its second criterion decides nothing.
    """

    first_minimum: int
    most: int  # entries in a word; from there on, a prefix counts as impossible
    loses_words: bool  # the public code's treatment of unknown characters


PAPER = Rules(first_minimum=ANY_FREQUENCY, most=np.iinfo(np.int64).max, loses_words=False)
REFERENCE = Rules(first_minimum=0, most=1000, loses_words=True)


class Paths(NamedTuple):
    """Room for the segmentation of one word, to be used again and again."""

    # of every prefix, by its length
    entries: NDArray[np.int64]  # how many its best segmentation has
    minimum: NDArray[np.int64]  # their lowest frequency
    last: NDArray[np.int64]  # the number of the last one, or UNKNOWN or LOST
    start: NDArray[np.int64]  # where the last one starts
    # of the word, in order
    pieces: NDArray[np.int64]  # numbers of entries, or UNKNOWN or LOST
    ends: NDArray[np.int64]  # where each ends


@compiled
def new_paths(longest: int) -> Paths:
    """Return room for words of up to `longest` characters."""
    table = np.empty((6, longest + 1), np.int64)
    return Paths(table[0], table[1], table[2], table[3], table[4], table[5])


@compiled_in_place
def segment(
    word: NDArray[np.uint32], automaton: Automaton, frequencies: NDArray[np.int64], rules: Rules, paths: Paths
) -> int:
    """Fill in the pieces of a word and return their number."""
    entries, minimum, last, start, _, _ = paths
    entries[0], minimum[0], last[0] = 0, rules.first_minimum, NONE
    node = ROOT
    for end in range(1, word.size + 1):
        node = follow(automaton, node, word[end - 1])
        fewest, highest = rules.most, np.int64(0)
        found = node if automaton.entry[node] != NONE else automaton.shorter_entry[node]
        while found != ROOT:  # from the longest to the shortest: what comes later has to be better
            before = end - automaton.depth[found]
            count = entries[before] + 1
            if count <= fewest:
                entry = automaton.entry[found]
                low = min(minimum[before], frequencies[entry])
                if count < fewest or (low > highest and fewest < rules.most):
                    fewest, highest = count, low
                    last[end], start[end] = entry, before
            found = automaton.shorter_entry[found]
        if fewest == rules.most:
            entries[end], minimum[end] = _mark_unknown(end, word.size, rules, paths)
        else:
            entries[end], minimum[end] = fewest, highest
    return _collect(word.size, paths)


@compiled_in_place
def _mark_unknown(end: int, size: int, rules: Rules, paths: Paths) -> tuple[int, int]:
    """End an unknown piece here and return the number of entries and the minimum that the rest goes on from."""
    paths.last[end], paths.start[end] = UNKNOWN, end - 1
    if not rules.loses_words:
        return paths.entries[end - 1] + 1, paths.minimum[end - 1]
    if end == size:  # the public code's: nothing of the word is left
        paths.last[end], paths.start[end] = LOST, 0
    elif end > 1 and paths.last[end - 1] == UNKNOWN:  # one piece for unknown characters in a row
        paths.start[end] = paths.start[end - 1]
    return 0, rules.first_minimum


@compiled_in_place
def _collect(size: int, paths: Paths) -> int:
    """Follow the best segmentation back from the end of the word and write down its pieces in order."""
    count, end = 0, size
    while end > 0:
        count += 1
        end = paths.start[end]
    end = size
    for k in range(count - 1, -1, -1):
        paths.pieces[k], paths.ends[k] = paths.last[end], end
        end = paths.start[end]
    return count


@compiled
def segment_words(
    codes: NDArray[np.uint32],
    ends: NDArray[np.int64],
    automaton: Automaton,
    frequencies: NDArray[np.int64],
    rules: Rules,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pieces of words (joined; word i ends at ends[i]), and where, among these, each word's pieces end."""
    pieces, piece_ends = np.empty(codes.size, np.int64), np.empty(ends.size, np.int64)
    paths = new_paths(longest_word(ends))
    size, start = 0, 0
    for number in range(ends.size):
        count = segment(codes[start : ends[number]], automaton, frequencies, rules, paths)
        pieces[size : size + count] = paths.pieces[:count]
        size += count
        piece_ends[number] = size
        start = ends[number]
    return pieces[:size], piece_ends


@compiled_in_place
def longest_word(ends: NDArray[np.int64]) -> int:
    """Return the length of the longest word, given where each ends."""
    longest, start = 0, 0
    for end in ends:
        longest = max(longest, end - start)
        start = end
    return longest


@compiled
def segment_text(
    text: NDArray[np.uint32], automaton: Automaton, frequencies: NDArray[np.int64], rules: Rules
) -> tuple[NDArray[np.uint32], int]:
    """Return words between spaces and LFs as pieces between spaces and LFs, and the number of unknown pieces.

    An unknown piece X is written <unk-X>, and, as in the public code, a lost word <unk-?>: its last character but one.
    A word that was there before in this text is copied from its first place.
    """
    paths = new_paths(text.size)
    out = np.empty(text.size * 8 + 1, np.uint32)
    words, filled = _new_words(text.size), 0
    size, start, unknown = 0, 0, 0
    hashed = _SEED
    for end in range(text.size + 1):
        if end < text.size and text[end] != _BLANK and text[end] != _LF:
            hashed = (hashed ^ np.uint64(text[end])) * _FACTOR
            continue
        if end > start:
            slot = _slot(words, text, start, end, hashed)
            if words[slot, 0] < words[slot, 1]:
                for i in range(words[slot, 2], words[slot, 3]):
                    out[size] = out[i]
                    size += 1
                unknown += words[slot, 4]
            else:
                pieces = segment(text[start:end], automaton, frequencies, rules, paths)
                first = size
                size, marked = _write(text[start:end], pieces, paths, out, size)
                unknown += marked
                if 2 * filled < words.shape[0]:
                    filled += 1
                    words[slot] = (start, end, first, size, marked)
            out[size] = _BLANK
            size += 1
        if end < text.size and text[end] == _LF:
            size -= size > 0 and out[size - 1] == _BLANK
            out[size] = _LF
            size += 1
        start, hashed = end + 1, _SEED
    size -= size > 0 and out[size - 1] == _BLANK
    return out[:size], unknown


@compiled
def _new_words(characters: int) -> NDArray[np.int64]:
    """Return a hash table: where a word starts and ends, where its pieces do, how many of them are unknown."""
    slots = 16
    while slots < characters // 8:
        slots *= 2
    return np.zeros((slots, 5), np.int64)


@compiled_in_place
def _slot(words: NDArray[np.int64], text: NDArray[np.uint32], start: int, end: int, hashed: np.uint64) -> np.uint64:
    """Return where a word is in the table, or the free slot where it belongs."""
    mask = np.uint64(words.shape[0] - 1)
    slot = (hashed >> np.uint64(32)) & mask
    while words[slot, 1] > 0:
        other = words[slot, 0]
        same = words[slot, 1] - other == end - start
        i = 0
        while same and i < end - start:
            same = text[other + i] == text[start + i]
            i += 1
        if same:
            return slot
        slot = (slot + np.uint64(1)) & mask
    return slot


@compiled_in_place
def _write(word: NDArray[np.uint32], pieces: int, paths: Paths, out: NDArray[np.uint32], size: int) -> tuple[int, int]:
    """Write the pieces of a word, spaces between them; return where that ends and how many are unknown."""
    first, unknown = 0, 0
    for k in range(pieces):
        if k:
            out[size] = _BLANK
            size += 1
        last = paths.ends[k]
        if paths.pieces[k] >= 0:
            for i in range(first, last):
                out[size] = word[i]
                size += 1
        else:
            unknown += 1
            if paths.pieces[k] == LOST:
                first, last = max(0, last - 2), last - 1
            size = _write_unknown(word[first:last], out, size)
        first = last
    return size, unknown


@compiled_in_place
def _write_unknown(piece: NDArray[np.uint32], out: NDArray[np.uint32], size: int) -> int:
    for code in _UNKNOWN_OPEN:
        out[size] = code
        size += 1
    for code in piece:
        out[size] = code
        size += 1
    out[size] = _UNKNOWN_CLOSE
    return size + 1
