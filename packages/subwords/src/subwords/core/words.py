"""The words of texts, numbered in the order in which they are first seen, and counted."""

import cython
from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.libcpp import bool as boolean
from cython.cimports.libcpp.algorithm import sort
from cython.cimports.libcpp.bit import countr_zero
from cython.cimports.libcpp.utility import pair
from cython.cimports.libcpp.vector import vector
from cython.cimports.subwords.core.table import Table, hash_of, load, prefetch
from cython.cimports.subwords.core.words import Span

NONE = cython.declare(cython.int, -1)
TOGETHER = cython.declare(cython.size_t, 32)
#: One in each of eight bytes, and the highest bit of each.
ONES = cython.declare(uint64_t, 0x0101010101010101)
HIGH = cython.declare(uint64_t, 0x8080808080808080)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _zeros(value: uint64_t) -> uint64_t:
    """Return a number whose lowest bit that is set is in the lowest of eight bytes that is zero."""
    return (value - ONES) & ~value & HIGH


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_utf8(text: cython.p_const_char, length: cython.size_t) -> boolean:
    """Return whether bytes are UTF-8 as Python reads it: no half characters, no longer form than is needed."""
    i: cython.size_t = 0
    while i < length:
        lead: cython.uchar = text[i]
        i += 1
        if lead < 0x80:
            continue
        more: cython.size_t = (
            1 if 0xC2 <= lead < 0xE0 else 2 if 0xE0 <= lead < 0xF0 else 3 if 0xF0 <= lead < 0xF5 else 0
        )
        if more == 0 or i + more > length:
            return False
        second: cython.uchar = text[i]
        if (lead == 0xE0 and second < 0xA0) or (lead == 0xED and second > 0x9F):
            return False
        if (lead == 0xF0 and second < 0x90) or (lead == 0xF4 and second > 0x8F):
            return False
        for _ in range(more):
            if (text[i] & 0xC0) != 0x80:
                return False
            i += 1
    return True


@cython.final
@cython.cclass
class WordTable:
    """Distinct words with their counts. A word is what is between spaces and line feeds."""

    def __cinit__(self):
        self.table = Table()
        self.blocks = 0

    def __len__(self) -> int:
        return self.table.size()

    @staticmethod
    def of(counts):
        """Return the table of a mapping from words to counts."""
        words = WordTable()
        for word, count in counts.items():
            encoded: bytes = word.encode("utf-8", "surrogatepass")
            if encoded:
                words.table.add(encoded, len(encoded))
                words.count.push_back(count)
                words.seen.push_back(words.seen.size())
        return words

    @staticmethod
    def joined(tables):
        """Return the table of the texts of several tables, each of which has read other blocks of them."""
        every = WordTable()
        table: WordTable
        number: int32_t
        for table in tables:
            for number in range(table.table.size()):
                known: int32_t = every.table.add(table.table.key(number), table.table.length(number))
                if known == cython.cast(int32_t, every.count.size()):
                    every.count.push_back(0)
                    every.seen.push_back(table.seen[number])
                every.count[known] += table.count[number]
                every.seen[known] = min(every.seen[known], table.seen[number])
        order: vector[pair[int64_t, int32_t]]
        for number in range(every.table.size()):
            order.push_back(pair[int64_t, int32_t](every.seen[number], number))
        sort(order.begin(), order.end())
        words = WordTable()
        place: cython.size_t
        for place in range(order.size()):
            number = order[place].second
            words.table.add(every.table.key(number), every.table.length(number))
            words.count.push_back(every.count[number])
            words.seen.push_back(every.seen[number])
        return words

    def read(self, block: bytes, position: int64_t) -> None:
        """Count the words of a block of whole lines; `position` is the block's number in the text.

        Raises UnicodeDecodeError where a word is not UTF-8.
        """
        self.blocks = position
        size: cython.size_t = len(block)
        text: cython.p_const_char = block
        with cython.nogil:
            self.number(text, size, cython.NULL)
        if self.invalid:
            block.decode("utf-8")

    def words(self, first: cython.int = 0) -> list[str]:
        """Return the words from a number on. Raises UnicodeDecodeError where one is not UTF-8."""
        found = []
        number: int32_t
        for number in range(first, self.table.size()):
            found.append(PyBytes_FromStringAndSize(self.table.key(number), self.table.length(number)).decode("utf-8"))
        return found

    def counts(self) -> list[int]:
        """Return how often each word was seen."""
        return self.count

    def letters(self) -> str:
        """Return the distinct characters of the words, by code points."""
        seen: vector[cython.char] = vector[cython.char](0x110000, 0)
        number: int32_t
        for number in range(self.table.size()):
            key: cython.p_const_char = self.table.key(number)
            i: cython.size_t = 0
            while i < self.table.length(number):
                lead: cython.uchar = key[i]
                code: uint64_t = lead  # then without the bits that say how many bytes the character has
                if lead >= 0xC0:
                    code &= 0x1F if lead < 0xE0 else 0x0F if lead < 0xF0 else 0x07
                i += 1
                while i < self.table.length(number) and (key[i] & 0xC0) == 0x80:
                    code = code << 6 | (key[i] & 0x3F)
                    i += 1
                seen[code] = 1
        return "".join([chr(code) for code in range(seen.size()) if seen[code]])

    def number(
        self, text: cython.p_const_char, size: cython.size_t, numbers: cython.pointer(vector[int32_t])
    ) -> cython.int:
        """Count the words of a text, or write their numbers to `numbers`, NONE for a line feed, where it is not NULL.

        Words are looked up a few at a time, once the memory of all of them is on its way.
        """
        place: cython.size_t = 0
        self.running = 0
        self.waiting.clear()
        span: Span
        while place < size:
            if text[place] == b" ":
                place += 1
                continue
            span.place, span.length = place, 0
            if text[place] == b"\n":
                place += 1
                self.waiting.push_back(span)
                continue
            end: cython.size_t = place
            found: uint64_t = 0
            while end + 8 <= size:  # eight bytes at a time, up to a space or a line feed
                eight: uint64_t = load(text + end, 8)
                found = _zeros(eight ^ (ONES * 32)) | _zeros(eight ^ (ONES * 10))
                if found:
                    end += countr_zero(found) >> 3
                    break
                end += 8
            if not found:
                while end < size and text[end] != b" " and text[end] != b"\n":
                    end += 1
            span.length = end - place
            span.prefix = load(text + place, 8 if place + 8 <= size else size - place)
            if span.length < 8:
                span.prefix &= (cython.cast(uint64_t, 1) << (8 * span.length)) - 1
            span.hash = hash_of(text + place, span.length, span.prefix)
            prefetch(cython.address(self.table.slots[span.hash & (self.table.slots.size() - 1)]))
            self.waiting.push_back(span)
            if self.waiting.size() >= TOGETHER:
                self.look_up(text, numbers)
            place = end
        return self.look_up(text, numbers)

    def look_up(self, text: cython.p_const_char, numbers: cython.pointer(vector[int32_t])) -> cython.int:
        """Count the words that wait, or write their numbers."""
        span: Span
        for span in self.waiting:
            number: int32_t = NONE
            if span.length:
                number = self.table.add_known(text + span.place, span.length, span.prefix, span.hash)
                if number == cython.cast(int32_t, self.count.size()):
                    self.count.push_back(0)
                    self.seen.push_back(self.blocks << 32 | self.running)
                    self.invalid |= not is_utf8(text + span.place, span.length)
                if numbers == cython.NULL:
                    self.count[number] += 1
                self.running += 1
            if numbers != cython.NULL:
                numbers.push_back(number)
        self.waiting.clear()
        return 0
