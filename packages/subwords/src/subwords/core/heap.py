"""The one heap: items by a key, the least key first. A subclass may say what comes first among equal keys.

Its steps are those of CPython's heapq, so that entries with equal keys leave in the order in which they leave that.
"""

import cython
from cython.cimports.libc.stdint import int32_t
from cython.cimports.libcpp import bool as boolean
from cython.cimports.subwords.core.heap import Entry


@cython.cclass
class Heap:
    """Entries of a number, the key, and an item."""

    def before(self, a: Entry, b: Entry) -> boolean:
        """Return whether a comes before b."""
        return a.key < b.key

    def push(self, key: cython.double, item: int32_t) -> cython.int:
        """Put an item in."""
        entry: Entry
        entry.key, entry.item = key, item
        self.entries.push_back(entry)
        return self.rise(self.entries.size() - 1, entry)

    def pop(self) -> Entry:
        """Take out the first entry. There must be one."""
        first: Entry = self.entries[0]
        last: Entry = self.entries.back()
        self.entries.pop_back()
        size: cython.size_t = self.entries.size()
        if size:
            place: cython.size_t = 0
            child: cython.size_t = 1
            while child < size:  # the smaller child up, to a leaf
                if child + 1 < size and not self.before(self.entries[child], self.entries[child + 1]):
                    child += 1
                self.entries[place] = self.entries[child]
                place = child
                child = 2 * place + 1
            self.rise(place, last)
        return first

    def rise(self, place: cython.size_t, entry: Entry) -> cython.int:
        """Write an entry at a place, or above it where it comes before what is there."""
        while place > 0 and self.before(entry, self.entries[(place - 1) >> 1]):
            self.entries[place] = self.entries[(place - 1) >> 1]
            place = (place - 1) >> 1
        self.entries[place] = entry
        return 0
