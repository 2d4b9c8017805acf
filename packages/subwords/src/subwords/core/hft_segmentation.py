"""HFT's segmentation: the fewest vocabulary entries, and among those the highest minimum frequency.

Signoroni & Rychlý (2022), end of section 1. Dynamic programming over the ends of prefixes of the word: for each, the
best segmentation is one entry behind the best segmentation of a shorter prefix. The pair (number of entries, lowest
frequency) can be optimized so: making the shorter prefix better never makes the longer one worse. What is still equal
is decided at each end by the longest last entry, in the paper's code and here.

The entries that end at a position are found by an automaton (Aho & Corasick 1975). A node is a prefix of an entry.
Reading a character leads to the longest prefix that is a suffix of what has been read, so the entries that end there
come from the longest to the shortest, in time proportional to their number, however long entries and words are.
"""

import cython
from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.libc.stdint import int32_t, int64_t, uint32_t, uint64_t
from cython.cimports.libcpp.algorithm import nth_element, sort
from cython.cimports.libcpp.functional import greater
from cython.cimports.libcpp.utility import pair
from cython.cimports.libcpp.vector import vector
from cython.cimports.subwords.core.hft_segmentation import Best, Node
from cython.cimports.subwords.core.pieces import Splitter
from cython.cimports.subwords.core.table import Table, byteswap, find_pair, load
from cython.cimports.subwords.core.words import WordTable

ROOT = cython.declare(cython.int, 0)
NONE = cython.declare(cython.int, -1)
#: In the place of an entry: a character without one; in the public code, a word that ends in such a character.
UNKNOWN = cython.declare(cython.int, -1)
LOST = cython.declare(cython.int, -2)
#: In the place of a piece: no piece ends here.
INSIDE = cython.declare(cython.int, -2)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _read(
    text: cython.p_const_char,
    length: cython.size_t,
    place: int32_t,
    codes: cython.pointer(vector[uint32_t]),
    offsets: cython.pointer(vector[int32_t]),
) -> cython.int:
    """Append the code points of UTF-8, and where each begins; the text begins at `place`."""
    i: cython.size_t
    for i in range(length):
        byte: cython.uchar = text[i]
        if byte & 0xC0 != 0x80:
            offsets.push_back(place + i)
            codes.push_back(byte if byte < 0x80 else byte & (0x1F if byte < 0xE0 else 0x0F if byte < 0xF0 else 7))
        else:
            codes[0][codes.size() - 1] = codes.back() << 6 | (byte & 0x3F)
    return 0


@cython.final
@cython.cclass
class EntrySplitter(Splitter):
    """A vocabulary, ready to segment words.

    `first_minimum` is the frequency that the minimum starts from, `most` is the number of entries in a word from which
    on a prefix counts as impossible, `loses_words` is the public code's treatment of unknown characters.
    """

    def __cinit__(self, vocabulary: dict, first_minimum: int64_t, most: int64_t, loses_words: cython.bint):
        self.first_minimum, self.most, self.loses_words = first_minimum, most, loses_words
        self.edges, self.entries = Table(), list(vocabulary)
        node: Node
        node.depth, node.shorter, node.shorter_entry, node.entry, node.frequency = 0, ROOT, ROOT, NONE, 0
        self.nodes.push_back(node)
        number: int32_t
        for number, (entry, frequency) in enumerate(vocabulary.items()):
            self.insert(entry, number, frequency)
        self.link()

    def insert(self, entry, number, frequency):
        """Add the prefixes of an entry."""
        node: int32_t = ROOT
        new: Node
        new.shorter, new.shorter_entry, new.entry, new.frequency = ROOT, ROOT, NONE, 0
        for letter in entry:
            new.depth = self.nodes[node].depth + 1
            node = self.edges.add_pair(node, ord(letter)) + 1
            if node == cython.cast(int32_t, self.nodes.size()):
                self.nodes.push_back(new)
        self.nodes[node].entry, self.nodes[node].frequency = number, frequency
        return 0

    def link(self):
        """Link the prefixes to their suffixes, shallower ones first."""
        by_depth: vector[vector[int32_t]]
        node: int32_t
        for node in range(1, cython.cast(int32_t, self.nodes.size())):
            depth: cython.size_t = self.nodes[node].depth
            if depth >= by_depth.size():
                by_depth.resize(depth + 1)
            by_depth[depth].push_back(node)
        edges: cython.pointer(uint32_t) = cython.cast(cython.pointer(uint32_t), self.edges.text.data())
        for depth in range(2, by_depth.size()):
            for node in by_depth[depth]:
                parent: int32_t = edges[2 * (node - 1)]
                suffix: int32_t = self.follow(self.nodes[parent].shorter, edges[2 * (node - 1) + 1])
                self.nodes[node].shorter = suffix
                is_entry: cython.bint = self.nodes[suffix].entry != NONE
                self.nodes[node].shorter_entry = suffix if is_entry else self.nodes[suffix].shorter_entry
        return 0

    def follow(self, node, code):
        """Return the node after one more character."""
        while True:
            edge: int32_t = find_pair(self.edges, node, code)
            if edge != NONE:
                return edge + 1
            if node == ROOT:
                return ROOT
            node = self.nodes[node].shorter

    def segment(self, word, size, known):
        """Find the pieces of a word, of which the first `known` characters are those of the word before it."""
        if cython.cast(int32_t, self.best.size()) <= size:
            self.best.resize(2 * size + 1)
        best: cython.pointer(Best) = self.best.data()
        best[0].entries, best[0].minimum, best[0].last, best[0].node = 0, self.first_minimum, NONE, ROOT
        end: int32_t
        for end in range(known + 1, size + 1):
            node: int32_t = self.follow(best[end - 1].node, word[end - 1])
            fewest: int64_t = self.most
            highest: int64_t = 0
            found: int32_t = node if self.nodes[node].entry != NONE else self.nodes[node].shorter_entry
            while found != ROOT:  # from the longest to the shortest: what comes later has to be better
                entry: cython.pointer(Node) = cython.address(self.nodes[found])
                before: cython.pointer(Best) = cython.address(best[end - entry.depth])
                if before.entries < fewest:
                    low: int64_t = min(before.minimum, entry.frequency)
                    if before.entries + 1 < fewest or (low > highest and fewest < self.most):
                        fewest, highest = before.entries + 1, low
                        best[end].last, best[end].start = entry.entry, end - entry.depth
                found = entry.shorter_entry
            best[end].entries, best[end].minimum, best[end].node = fewest, highest, node
            if fewest == self.most:
                self.mark_unknown(end, size)
        self.pieces.clear()
        self.ends.clear()
        end = size
        while end > 0:
            self.pieces.push_back(best[end].last)
            self.ends.push_back(end)
            end = best[end].start
        return self.pieces.size()

    def mark_unknown(self, end, size):
        """End an unknown piece here, and say what the rest of the word goes on from."""
        best: cython.pointer(Best) = self.best.data()
        best[end].last, best[end].start = UNKNOWN, end - 1
        if not self.loses_words:
            best[end].entries, best[end].minimum = best[end - 1].entries + 1, best[end - 1].minimum
            return 0
        if end == size:  # the public code's: nothing of the word is left
            best[end].last, best[end].start = LOST, 0
        elif end > 1 and best[end - 1].last == UNKNOWN:  # one piece for unknown characters in a row
            best[end].start = best[end - 1].start
        best[end].entries, best[end].minimum = 0, self.first_minimum
        return 0

    def read(self, word, length):
        """Read the characters of a word."""
        self.codes.clear()
        self.offsets.clear()
        _read(word, length, 0, cython.address(self.codes), cython.address(self.offsets))
        self.offsets.push_back(length)
        return 0

    def split(self, word, length, pieces):
        self.read(word, length)
        unknown: cython.int = 0
        first: int32_t = 0
        k: int32_t
        for k in range(self.segment(self.codes.data(), self.codes.size(), 0) - 1, -1, -1):
            last: int32_t = self.ends[k]
            if first:
                pieces.push_back(b" ")
            begin: int32_t = first
            end: int32_t = last
            if self.pieces[k] >= 0:
                pieces.insert(pieces.end(), word + self.offsets[begin], word + self.offsets[end])
            else:  # X is written <unk-X>; of a lost word, X is the last character but one (the public code)
                unknown += 1
                if self.pieces[k] == LOST:
                    begin, end = max(0, last - 2), last - 1
                pieces.insert(pieces.end(), UNKNOWN_OPENS, UNKNOWN_OPENS + 5)
                pieces.insert(pieces.end(), word + self.offsets[begin], word + self.offsets[end])
                pieces.push_back(b">")
            first = last
        return unknown

    def uses(self, words: dict) -> dict[str, int]:
        """Return how often each entry is used in segmenting words with counts (unused ones left out)."""
        used: dict = {}
        number: int32_t
        for word, count in words.items():
            encoded: bytes = word.encode("utf-8", "surrogatepass")
            self.read(encoded, len(encoded))
            self.segment(self.codes.data(), self.codes.size(), 0)
            for number in self.pieces:
                if number >= 0:
                    entry = self.entries[number]
                    used[entry] = used.get(entry, 0) + count
        return used


@cython.final
@cython.cclass
class Types:
    """Word types with counts, segmented again and again, each time with another vocabulary.

    They are sorted, so that a word goes on from what it has in common with the word before it. What pieces and pairs of
    neighbours are counted for is changed only where a word's segmentation has changed.
    """

    def __cinit__(self, words: WordTable):
        self.strings = Table()
        order: vector[pair[pair[uint64_t, uint64_t], int32_t]]
        key: pair[uint64_t, uint64_t]
        number: int32_t
        with cython.nogil:
            for number in range(words.table.size()):
                text: cython.p_const_char = words.table.key(number)
                length: cython.size_t = words.table.length(number)
                key.first = byteswap(load(text, length))
                key.second = byteswap(load(text + 8, length - 8)) if length > 8 else 0
                order.push_back(pair[pair[uint64_t, uint64_t], int32_t](key, number))
            sort(order.begin(), order.end())  # by sixteen bytes: enough to bring words together that begin alike
            self.read(words, order)

    def read(self, words, order):
        """Read the words, in an order."""
        self.codes.reserve(words.table.text.size())
        begin: int32_t = 0  # of the word before
        i: cython.size_t
        for i in range(order.size()):
            text: cython.p_const_char = words.table.key(order[i].second)
            length: cython.size_t = words.table.length(order[i].second)
            start: int32_t = self.codes.size()
            _read(text, length, self.text.size(), cython.address(self.codes), cython.address(self.offsets))
            self.text.insert(self.text.end(), text, text + length)
            self.ends.push_back(self.codes.size())
            self.counts.push_back(words.count[order[i].second])
            shared: int32_t = 0
            most: int32_t = min(start - begin, cython.cast(int32_t, self.codes.size()) - start)
            while shared < most and self.codes[begin + shared] == self.codes[start + shared]:
                shared += 1
            self.shared.push_back(shared)
            begin = start
        self.offsets.push_back(self.text.size())
        self.piece.resize(self.codes.size(), INSIDE)
        self.couple.resize(self.codes.size(), NONE)
        return 0

    def characters(self) -> dict[str, int]:
        """Return all characters with their counts."""
        counted: vector[int64_t]
        counted.resize(0x110000, 0)
        start: int32_t = 0
        place: int32_t
        number: cython.size_t
        for number in range(self.ends.size()):
            for place in range(start, self.ends[number]):
                counted[self.codes[place]] += self.counts[number]
            start = self.ends[number]
        code: uint32_t
        return {chr(code): counted[code] for code in range(0x110000) if counted[code]}

    def string(self, first, last):
        """Return the number of a stretch of characters."""
        begin: int32_t = self.offsets[first]
        number: int32_t = self.strings.add(self.text.data() + begin, self.offsets[last] - begin)
        if number == cython.cast(int32_t, self.used.size()):
            self.used.push_back(0)
            self.neighbours.push_back(0)
        return number

    def take_back(self, begin, end, count):
        """Take a count from the pieces of a word, and from its pairs of neighbours."""
        place: int32_t
        for place in range(begin, end):
            if self.piece[place] >= 0:
                self.used[self.piece[place]] -= count
            if self.couple[place] != NONE:
                self.neighbours[self.couple[place]] -= count
            self.piece[place], self.couple[place] = INSIDE, NONE
        return 0

    def put(self, splitter, begin, count):
        """Take up the pieces of a word, with its count; unknown ones have no string."""
        first: int32_t = begin  # of the piece at hand
        before: int32_t = NONE  # the first character of the piece before it, when that is known
        k: int32_t
        for k in range(cython.cast(int32_t, splitter.pieces.size()) - 1, -1, -1):
            end: int32_t = begin + splitter.ends[k]
            known: cython.bint = splitter.pieces[k] >= 0
            number: int32_t = UNKNOWN
            if known:
                number = self.string(first, end)
                self.used[number] += count
            self.piece[end - 1] = number
            if known and before != NONE:
                number = self.string(before, end)
                self.neighbours[number] += count
                self.couple[end - 1] = number
            before = first if known else NONE
            first = end
        return 0

    def segment(self, splitter):
        """Segment all words."""
        begin: int32_t = 0
        known: int32_t = 0
        word: cython.size_t
        for word in range(self.ends.size()):
            end: int32_t = self.ends[word]
            pieces: int32_t = splitter.segment(self.codes.data() + begin, end - begin, min(known, self.shared[word]))
            known = end - begin if pieces and splitter.pieces[0] >= 0 else max(0, end - begin - 1)
            same: cython.bint = True
            place: int32_t = begin
            k: int32_t
            for k in range(pieces - 1, -1, -1):
                stop: int32_t = begin + splitter.ends[k] - 1
                while same and place < stop:
                    same = self.piece[place] == INSIDE
                    place += 1
                same = same and self.piece[stop] != INSIDE and (self.piece[stop] >= 0) == (splitter.pieces[k] >= 0)
                place = stop + 1
            if not same:
                self.take_back(begin, end, self.counts[word])
                self.put(splitter, begin, self.counts[word])
            begin = end
        return 0

    def count(self, splitter: EntrySplitter, most: int) -> tuple[dict[str, int], list[tuple[str, int]]]:
        """Return the entries used, and up to `most` candidates by count, then string, descending; both with counts.

        Candidates are the strings of two neighbouring pieces: the same string from different pairs is one candidate.
        """
        with cython.nogil:
            self.segment(splitter)
        used: dict = {}
        number: int32_t
        for entry in splitter.entries:
            encoded: bytes = entry.encode("utf-8", "surrogatepass")
            number = self.strings.find(encoded, len(encoded))
            if number != NONE and self.used[number]:
                used[entry] = self.used[number]
        counts: vector[int64_t]
        for number in range(self.strings.size()):
            if self.neighbours[number]:
                counts.push_back(self.neighbours[number])
        rarest: int64_t = 1
        if cython.cast(cython.size_t, most) < counts.size():
            nth_element(
                counts.begin(), counts.begin() + cython.cast(cython.size_t, most - 1), counts.end(), greater[int64_t]()
            )
            rarest = counts[most - 1]
        candidates: list = []
        for number in range(self.strings.size()):
            if self.neighbours[number] >= rarest:
                name: bytes = PyBytes_FromStringAndSize(self.strings.key(number), self.strings.length(number))
                candidates.append((name.decode("utf-8", "surrogatepass"), self.neighbours[number]))
        candidates.sort(key=by_frequency, reverse=True)
        return used, candidates[:most]

    def first_with_later(self, most: int) -> list[tuple[str, int]]:
        """Return the up to `most` most frequent pairs of a word's first character and a later one, both with counts.

        The public code forgets to move on to the next pair's left side, so that the first candidates of "¦low" are ¦l,
        ¦o and ¦w.
        """
        pairs = Table()
        counted: vector[int64_t]
        start: int32_t = 0
        place: int32_t
        number: cython.size_t
        for number in range(self.ends.size()):
            for place in range(start + 1, self.ends[number]):
                key: int32_t = pairs.add_pair(self.codes[start], self.codes[place])
                if key == cython.cast(int32_t, counted.size()):
                    counted.push_back(0)
                counted[key] += self.counts[number]
            start = self.ends[number]
        codes: cython.pointer(uint32_t) = cython.cast(cython.pointer(uint32_t), pairs.text.data())
        found: list = [
            (chr(codes[2 * number]) + chr(codes[2 * number + 1]), counted[number]) for number in range(counted.size())
        ]
        found.sort(key=by_frequency, reverse=True)
        return found[:most]


def by_frequency(item: tuple[str, int]) -> tuple[int, str]:
    """Return the key by which entries and candidates are sorted, the largest first: count, then string."""
    return item[1], item[0]


#: An unknown piece X is written <unk-X>.
UNKNOWN_OPENS = cython.declare(cython.p_const_char, b"<unk-")
