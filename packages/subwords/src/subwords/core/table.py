"""The one hash table: distinct strings of bytes, numbered in the order in which they are added.

A key may be a word, a symbol, or two numbers (a pair of symbols, a node and a letter). All keys lie one after the other
in one text. Open addressing, at most half full. A slot holds the first eight bytes of its key, so that most look-ups
touch one line of memory and no key. Bytes are read as little-endian numbers.
"""

import cython
from cython.cimports.libc.stdint import int32_t, uint32_t, uint64_t
from cython.cimports.libc.string import memcmp, memcpy
from cython.cimports.subwords.core.table import Slot, Table, hash_of, load, tag_of

NONE = cython.declare(cython.int, -1)
SMALLEST = cython.declare(cython.size_t, 64)


@cython.final
@cython.cclass
class Table:
    """Distinct strings of bytes by number."""

    def __cinit__(self):
        self.ends.push_back(0)
        self.grow()

    def size(self) -> int32_t:
        """Return how many keys there are."""
        return self.ends.size() - 1

    def key(self, number: int32_t) -> cython.p_const_char:
        """Return where the bytes of a key begin."""
        return self.text.data() + self.ends[number]

    def length(self, number: int32_t) -> cython.size_t:
        """Return how many bytes a key has."""
        return self.ends[number + 1] - self.ends[number]

    def slot_of(
        self, key: cython.p_const_char, length: cython.size_t, prefix: uint64_t, hash: uint64_t
    ) -> cython.size_t:
        """Return where a key is, or the free slot where it belongs."""
        mask: cython.size_t = self.slots.size() - 1
        slot: cython.size_t = hash & mask
        tag: uint32_t = tag_of(hash, length)
        found: cython.pointer(Slot) = cython.address(self.slots[slot])
        while found.number != NONE:
            if found.prefix == prefix and found.tag == tag:
                if length <= 8:
                    break
                if self.length(found.number) == length and memcmp(self.key(found.number), key, length) == 0:
                    break
            slot = (slot + 1) & mask
            found = cython.address(self.slots[slot])
        return slot

    def find(self, key: cython.p_const_char, length: cython.size_t) -> int32_t:
        """Return the number of a key, or NONE."""
        prefix: uint64_t = load(key, length)
        return self.slots[self.slot_of(key, length, prefix, hash_of(key, length, prefix))].number

    def add(self, key: cython.p_const_char, length: cython.size_t) -> int32_t:
        """Return the number of a key, which is added where it is new."""
        prefix: uint64_t = load(key, length)
        return self.add_known(key, length, prefix, hash_of(key, length, prefix))

    def add_pair(self, x: uint32_t, y: uint32_t) -> int32_t:
        """Return the number of the key that two numbers make, which is added where it is new."""
        key: uint64_t = cython.cast(uint64_t, y) << 32 | x
        place: cython.p_const_char = cython.cast(cython.p_const_char, cython.address(key))
        return self.add_known(place, 8, key, hash_of(place, 8, key))

    def add_known(self, key: cython.p_const_char, length: cython.size_t, prefix: uint64_t, hash: uint64_t) -> int32_t:
        """As `add`, where the first eight bytes and the hash are at hand. `key` must not point into this table."""
        slot: cython.size_t = self.slot_of(key, length, prefix, hash)
        if self.slots[slot].number != NONE:
            return self.slots[slot].number
        if 2 * self.ends.size() > self.slots.size():
            self.grow()
            slot = self.slot_of(key, length, prefix, hash)
        number: int32_t = self.size()
        begin: cython.size_t = self.text.size()
        self.text.resize(begin + length)
        memcpy(self.text.data() + begin, key, length)
        self.ends.push_back(begin + length)
        self.slots[slot].prefix = prefix
        self.slots[slot].tag = tag_of(hash, length)
        self.slots[slot].number = number
        return number

    def grow(self) -> cython.int:
        """Make the table of slots twice as large, or begin it."""
        free: Slot
        free.prefix, free.tag, free.number = 0, 0, NONE
        size: cython.size_t = max(SMALLEST, 2 * self.slots.size())
        self.slots.clear()
        self.slots.shrink_to_fit()
        self.slots.resize(size, free)
        mask: cython.size_t = size - 1
        number: int32_t
        for number in range(self.size()):
            length: cython.size_t = self.length(number)
            prefix: uint64_t = load(self.key(number), length)
            hash: uint64_t = hash_of(self.key(number), length, prefix)
            slot: cython.size_t = hash & mask
            while self.slots[slot].number != NONE:
                slot = (slot + 1) & mask
            self.slots[slot].prefix = prefix
            self.slots[slot].tag = tag_of(hash, length)
            self.slots[slot].number = number
        return 0
