"""Texts to pieces: each distinct word is segmented once, and looked up from then on."""

import cython
from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.libc.string import memcpy
from cython.cimports.libcpp import bool as boolean
from cython.cimports.libcpp.vector import vector
from cython.cimports.subwords.core.heap import Entry, Heap
from cython.cimports.subwords.core.table import Table, find_pair, find_short, letter_key, prefetch
from cython.cimports.subwords.core.words import WordTable

NONE = cython.declare(cython.int, -1)
#: Bytes of a word's pieces that are copied at once.
SHORT = cython.declare(cython.size_t, 16)


@cython.cclass
class Splitter:
    """Segments words in compiled code."""

    def split(
        self, word: cython.p_const_char, length: cython.size_t, pieces: cython.pointer(vector[cython.char])
    ) -> cython.int:
        """Write the pieces of a word, with spaces between them, and return how much of the word is lost."""
        return 0


@cython.final
@cython.cclass
class PieceTable:
    """Replaces the words of texts by their pieces.

    `segment` is a Splitter, or a function from a list of words to a list of their pieces. `between` is written between
    two words. `missed` is a function from a word and its pieces to how much of the word is lost.
    """

    def __cinit__(self, segment, between: bytes = b" ", missed=None):
        self.segment, self.between, self.lost_of = segment, between, missed
        self.splitter = segment if isinstance(segment, Splitter) else None
        self.words = WordTable()
        self.ends.push_back(0)

    def know(self, words: bytes, pieces: bytes) -> None:
        """Take up words with their pieces; both have a line feed after each. The table must be empty."""
        self.words.read(words, 0)
        start: cython.size_t = 0
        place: cython.size_t
        text: cython.p_const_char = pieces
        for place in range(len(pieces)):
            if text[place] == b"\n":
                self.pieces.insert(self.pieces.end(), text + start, text + place)
                self.ends.push_back(self.pieces.size())
                self.lost.push_back(0)
                start = place + 1
        if self.lost.size() != self.words.table.size():
            raise ValueError("a word has more or fewer than one segmentation")

    def memory(self) -> int:
        """Return how many bytes words and pieces take."""
        return self.words.table.text.size() + self.pieces.size()

    def encode(self, block: bytes) -> bytes:
        """Return the pieces of a block of whole lines. Raises UnicodeDecodeError where a new word is not UTF-8."""
        text: cython.p_const_char = block
        size: cython.size_t = len(block)
        between: cython.p_const_char = self.between
        width: cython.size_t = len(self.between)
        splitter: Splitter = self.splitter
        words: WordTable = self.words
        with cython.nogil:
            self.numbers.clear()
            self.numbers.reserve(size // 4)
            words.number(text, size, cython.address(self.numbers))
            if splitter is not None and not words.invalid:
                self.split_new(splitter)
        if words.invalid:
            block.decode("utf-8")
            raise ValueError("the table has read a block that was not UTF-8")
        if splitter is None:
            self._segment_new()
        with cython.nogil:
            size = self.write(between, width)
        return PyBytes_FromStringAndSize(self.out.data(), size)

    def split_new(self, splitter: Splitter) -> cython.int:
        """Segment the words that have no pieces yet."""
        number: int32_t
        for number in range(self.lost.size(), self.words.table.size()):
            key: cython.p_const_char = self.words.table.key(number)
            self.lost.push_back(splitter.split(key, self.words.table.length(number), cython.address(self.pieces)))
            self.loses |= self.lost.back() != 0
            self.ends.push_back(self.pieces.size())
        return 0

    def _segment_new(self) -> None:
        first: cython.int = self.lost.size()
        new: list = self.words.words(first)
        segmented: list = self.segment(new) if new else []
        if len(segmented) != len(new):
            raise ValueError("a word has more or fewer than one segmentation")
        for word, pieces in zip(new, segmented):
            encoded: bytes = pieces.encode("utf-8", "surrogatepass")
            text: cython.p_const_char = encoded
            self.pieces.insert(self.pieces.end(), text, text + len(encoded))
            self.ends.push_back(self.pieces.size())
            self.lost.push_back(self.lost_of(word, pieces) if self.lost_of is not None else 0)
            self.loses |= self.lost.back() != 0

    def write(self, between: cython.p_const_char, width: cython.size_t) -> cython.size_t:
        """Write the pieces of the numbered words, count what is lost, and return how many bytes were written."""
        size: cython.size_t = 0
        inside: boolean = False  # a line
        ahead: int32_t
        i: cython.size_t
        for i in range(self.numbers.size()):
            number: int32_t = self.numbers[i]
            if i + 16 < self.numbers.size():  # the memory that will be needed soon
                ahead = self.numbers[i + 16]
                prefetch(self.ends.data() + (ahead if ahead != NONE else 0))
                ahead = self.numbers[i + 8]
                if ahead != NONE:
                    prefetch(self.pieces.data() + self.ends[ahead])
            if number == NONE:
                length: cython.size_t = 0
            else:
                length = self.ends[number + 1] - self.ends[number]
            if size + length + width + SHORT > self.out.size():
                self.out.resize(2 * self.out.size() + length + width + SHORT + 4 * self.numbers.size())
            if number == NONE:
                self.out[size] = b"\n"
                size += 1
                inside = False
                continue
            if inside:
                memcpy(self.out.data() + size, between, width)
                size += width
            if length <= SHORT and self.ends[number] + SHORT <= self.pieces.size():  # a copy of a fixed size is no call
                memcpy(self.out.data() + size, self.pieces.data() + self.ends[number], 16)
            else:
                memcpy(self.out.data() + size, self.pieces.data() + self.ends[number], length)
            size += length
            if self.loses:
                self.missed += self.lost[number]
            inside = True
        return size

    def take_missed(self) -> int:
        """Return how much was lost since this was asked last."""
        taken: int64_t = self.missed
        self.missed = 0
        return taken


@cython.final
@cython.cclass
class PlaceHeap(Heap):
    """Places by the rank of their merge; among equals the first place comes first."""

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def before(self, a: Entry, b: Entry) -> boolean:
        return a.key < b.key or (a.key == b.key and a.item < b.item)


@cython.final
@cython.cclass
class MergeSplitter(Splitter):
    """Applies merges: the adjacent pair that is first in the list at all its places, left to right, then the next.

    A heap of ranks and places makes that n log n in the word's length. One splitter serves one thread.
    """

    def __cinit__(self, merges, separator: str = "@@"):
        self.symbols, self.ranks, self.heap = Table(), Table(), PlaceHeap()
        self.separator = f"{separator} ".encode()
        self.end, self.width = self.separator, len(self.separator)
        for left, right in merges:
            x: int32_t = self.add(left.encode("utf-8", "surrogatepass"))
            y: int32_t = self.add(right.encode("utf-8", "surrogatepass"))
            z: int32_t = self.add((left + right).encode("utf-8", "surrogatepass"))
            if self.ranks.add_pair(x, y) == cython.cast(
                int32_t, self.joined.size()
            ):  # of equal merges the first counts
                self.joined.push_back(z)

    def add(self, string: bytes) -> int32_t:
        return self.symbols.add(string, len(string))

    def look(self, p: int32_t) -> cython.int:
        """Find the rank of the pair that begins at a unit."""
        self.rank[p] = NONE
        q: int32_t = self.next[p]
        if q != NONE and self.symbol[p] != NONE and self.symbol[q] != NONE:
            self.rank[p] = find_pair(self.ranks, self.symbol[p], self.symbol[q])
            if self.rank[p] != NONE:
                self.heap.push(self.rank[p], p)
        return 0

    def read(self, word: cython.p_const_char, length: cython.size_t) -> cython.int:
        """Make the units of a word: its characters."""
        self.symbol.clear()
        self.start.clear()
        begin: cython.size_t = 0
        while begin < length:
            stop: cython.size_t = begin + 1
            while stop < length and (word[stop] & 0xC0) == 0x80:
                stop += 1
            self.start.push_back(begin)
            last: boolean = stop == length
            letter: uint64_t = letter_key(word + begin, stop - begin, last)
            self.symbol.push_back(find_short(self.symbols, letter, stop - begin + (4 if last else 0)))
            begin = stop
        units: int32_t = self.symbol.size()
        self.next.resize(units)
        self.prev.resize(units)
        self.rank.resize(units)
        p: int32_t
        for p in range(units):
            self.next[p] = p + 1 if p + 1 < units else NONE
            self.prev[p] = p - 1
        return units

    def split(
        self, word: cython.p_const_char, length: cython.size_t, pieces: cython.pointer(vector[cython.char])
    ) -> cython.int:
        units: int32_t = self.read(word, length)
        p: int32_t
        for p in range(units):
            self.look(p)
        while self.heap.entries.size():
            rank: int32_t = cython.cast(int32_t, self.heap.entries[0].key)
            self.batch.clear()
            while self.heap.entries.size() and self.heap.entries[0].key == rank:
                self.batch.push_back(self.heap.pop().item)
            for p in self.batch:
                if self.rank[p] != rank:
                    continue  # an earlier merge took one of its two units
                q: int32_t = self.next[p]
                self.symbol[p] = self.joined[rank]
                self.rank[q] = self.rank[p] = NONE
                self.next[p] = self.next[q]
                if self.next[p] != NONE:
                    self.prev[self.next[p]] = p
                    self.look(p)
                if self.prev[p] != NONE:
                    self.look(self.prev[p])
        p = 0
        while p != NONE and units:
            stop: cython.size_t = length if self.next[p] == NONE else self.start[self.next[p]]
            pieces.insert(pieces.end(), word + self.start[p], word + stop)
            if stop < length:
                pieces.insert(pieces.end(), self.end, self.end + self.width)
            p = self.next[p]
        return 0

    def segment_words(self, words: list) -> list[str]:
        """Return the pieces of each word, joined by single spaces."""
        found = []
        pieces: vector[cython.char]
        for word in words:
            encoded: bytes = word.encode("utf-8", "surrogatepass")
            pieces.clear()
            self.split(encoded, len(encoded), cython.address(pieces))
            found.append(PyBytes_FromStringAndSize(pieces.data(), pieces.size()).decode("utf-8", "surrogatepass"))
        return found
