# mypy: disallow-untyped-defs=False
"""The words of large texts, numbered, counted and replaced in compiled code.

A text is read in blocks of bytes; its words (what stands between spaces and line feeds) are found in a hash table that
keeps each distinct word once, in the order in which words are first seen. This costs a tenth of the time and memory
that Python strings take. Importing the module loads numba, which is worth it from about a megabyte on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from subwords.compiled import compiled_in_place

SPACE, LINE_FEED = 32, 10
#: Stands for a line feed among the numbers of words, and for a free slot of the hash table.
NONE = -1
#: Places in `sizes`: the words of a table, the bytes they take, the numbers written.
WORDS, BYTES, NUMBERS = range(3)


class Columns(NamedTuple):
    """One entry per distinct word; `text` holds their bytes, each word with a line feed."""

    text: np.ndarray  # uint8
    end: np.ndarray  # int64: where in `text` the word's line feed is
    hash: np.ndarray  # int64
    freq: np.ndarray  # int64
    slots: np.ndarray  # int32: hash table of word numbers


@compiled_in_place
def _find(columns, sizes, block, start, stop, h):
    """Return the number of a word of the block, or, when it is new, NONE less the slot where it belongs."""
    mask = len(columns.slots) - 1
    slot = h & mask
    while True:
        number = columns.slots[slot]
        if number == NONE:
            return NONE - slot
        if columns.hash[number] == h:
            begin = columns.end[number - 1] + 1 if number else 0
            if columns.end[number] - begin == stop - start:
                same = True
                for i in range(stop - start):
                    if columns.text[begin + i] != block[start + i]:
                        same = False
                        break
                if same:
                    return np.int64(number)
        slot = (slot + 1) & mask


@compiled_in_place
def number_words(columns, sizes, block, start, numbers):
    """Write the numbers of the block's words from `start` on, NONE for a line feed; count each word.

    Return the position of the first word for which the columns have no room, or the length of the block.
    """
    i = start
    while i < len(block):
        if block[i] == SPACE:
            i += 1
            continue
        if block[i] == LINE_FEED:
            numbers[sizes[NUMBERS]] = NONE
            sizes[NUMBERS] += 1
            i += 1
            continue
        stop = i
        h = np.int64(0x51ED270B)
        while stop < len(block) and block[stop] != SPACE and block[stop] != LINE_FEED:
            h = (h ^ np.int64(block[stop])) * 0x100000001B3
            stop += 1
        h ^= h >> 29
        h &= 0x7FFFFFFFFFFFFFFF
        number = _find(columns, sizes, block, i, stop, h)
        if number < 0:
            begin = sizes[BYTES]
            if sizes[WORDS] == len(columns.end) or begin + stop - i + 1 > len(columns.text):
                return i
            slot = NONE - number
            number = sizes[WORDS]
            columns.slots[slot] = number
            columns.hash[number] = h
            for j in range(stop - i):
                columns.text[begin + j] = block[i + j]
            columns.text[begin + stop - i] = LINE_FEED
            columns.end[number] = begin + stop - i
            sizes[WORDS] += 1
            sizes[BYTES] = begin + stop - i + 1
        columns.freq[number] += 1
        numbers[sizes[NUMBERS]] = number
        sizes[NUMBERS] += 1
        i = stop
    return i


@compiled_in_place
def rehash(columns, sizes):
    """Fill an empty hash table."""
    mask = len(columns.slots) - 1
    for number in range(sizes[WORDS]):
        slot = columns.hash[number] & mask
        while columns.slots[slot] != NONE:
            slot = (slot + 1) & mask
        columns.slots[slot] = number


@compiled_in_place
def write_pieces(numbers, pieces, ends, out):
    """Write, for each number of a word, its line of `pieces`, with single spaces between words; return the length."""
    length = 0
    inside = False  # a line
    for number in numbers:
        if number == NONE:
            out[length] = LINE_FEED
            length += 1
            inside = False
            continue
        if inside:
            out[length] = SPACE
            length += 1
        begin = ends[number - 1] + 1 if number else 0
        for i in range(begin, ends[number]):
            out[length] = pieces[i]
            length += 1
        inside = True
    return length


class WordTable:
    """The distinct words of a text, numbered in the order in which they are first seen, with counts."""

    def __init__(self) -> None:
        self._sizes = np.zeros(3, np.int64)
        self._columns = _columns(words=1 << 12, letters=1 << 15)

    def __len__(self) -> int:
        return int(self._sizes[WORDS])

    @property
    def size(self) -> int:
        """How many bytes the words take."""
        return int(self._sizes[BYTES])

    def number(self, block: bytes) -> np.ndarray:
        """Return the numbers of the block's words, in order, -1 for each line feed; new words are added."""
        letters = np.frombuffer(block, np.uint8)
        numbers = np.empty(len(block), np.int32)
        self._sizes[NUMBERS] = 0
        done = 0
        while (done := number_words(self._columns, self._sizes, letters, done, numbers)) < len(block):
            self._grow(len(block))
        return numbers[: self._sizes[NUMBERS]]

    def words(self, first: int = 0) -> list[str]:
        """Return the words from number `first` on. Raises UnicodeDecodeError when one is not UTF-8."""
        begin = int(self._columns.end[first - 1]) + 1 if first else 0
        text = self._columns.text[begin : self._sizes[BYTES]].tobytes()
        return text.decode("utf-8").split("\n")[:-1]

    def counts(self) -> list[int]:
        """Return how often each word has been numbered."""
        counts: list[int] = self._columns.freq[: self._sizes[WORDS]].tolist()
        return counts

    def _grow(self, letters: int) -> None:
        """Make room for twice the words, and for twice the letters or a block of them."""
        old, (words, size, _) = self._columns, self._sizes.tolist()
        room = 2 * len(old.end) if words == len(old.end) else len(old.end)
        bytes_ = max(2 * size, size + letters + 1) if size + letters + 1 > len(old.text) else len(old.text)
        new = _columns(room, bytes_) if room > len(old.end) else old._replace(text=np.empty(bytes_, np.uint8))
        new.text[:size] = old.text[:size]
        if room > len(old.end):
            new.end[:words], new.hash[:words], new.freq[:words] = old.end, old.hash, old.freq
            rehash(new, self._sizes)
        self._columns = new


def _columns(words: int, letters: int) -> Columns:
    return Columns(
        text=np.empty(letters, np.uint8),
        end=np.zeros(words, np.int64),
        hash=np.zeros(words, np.int64),
        freq=np.zeros(words, np.int64),
        slots=np.full(2 << (words - 1).bit_length(), NONE, np.int32),
    )


class PieceTable:
    """Replaces the words of a text by their pieces; `segment_words` is asked once for each distinct word.

    When it holds `most` bytes of words and pieces, it starts afresh, so that memory is bounded on any input.
    """

    def __init__(self, segment_words: Callable[[Sequence[str]], list[str]], most: int) -> None:
        self._segment_words = segment_words
        self._most = most
        self._clear()

    def _clear(self) -> None:
        self._table = WordTable()
        self._pieces = np.empty(1 << 16, np.uint8)  # each word's pieces with a line feed
        self._ends = np.empty(0, np.int64)

    def encode(self, block: bytes) -> bytes:
        """Return the pieces of a block of whole lines. Raises UnicodeDecodeError when it is not UTF-8."""
        if self._table.size + (self._ends[-1] if len(self._ends) else 0) > self._most:
            self._clear()
        numbers = self._table.number(block)
        self._learn_pieces()
        words = numbers[numbers != NONE]
        lengths = np.diff(self._ends, prepend=-1)  # line feeds included, which make room for the spaces
        out = np.empty(int(lengths[words].sum()) + len(numbers), np.uint8)
        return out[: write_pieces(numbers, self._pieces, self._ends, out)].tobytes()

    def _learn_pieces(self) -> None:
        """Segment the words that the table has and the pieces lack."""
        known = len(self._ends)
        if known == len(self._table):
            return
        new = self._segment_words(self._table.words(known))
        if known + len(new) != len(self._table):
            raise ValueError("a word has more or fewer than one segmentation")
        letters = np.frombuffer(("\n".join(new) + "\n").encode("utf-8"), np.uint8)
        begin = int(self._ends[-1]) + 1 if known else 0
        self._ends = np.concatenate([self._ends, np.flatnonzero(letters == LINE_FEED) + begin])
        if len(self._pieces) < begin + len(letters):
            longer = np.empty(2 * begin + len(letters), np.uint8)
            longer[:begin] = self._pieces[:begin]
            self._pieces = longer
        self._pieces[begin : begin + len(letters)] = letters
