"""Word types as linked units, with an index of their adjacent pairs that merging keeps exact.

Every character of every word type is a unit at first. Units know their neighbours in the word; a pair of symbols knows
its places, the units where it starts. Merging a pair visits these once and repairs only what is beside each: the work
of all merges is proportional to the total length of the types.

A pair arises together with the younger of its symbols, at all its places in one step, and from then on only loses some.
So its places are one run of an array, written at the end of that step. A lost place stays in the run; its unit belongs
to another pair by then.

A symbol is a string: what two different pairs spell alike is one symbol, as in a codes file. Symbols are kept in UTF-8,
whose order is that of code points, so that ties between pairs can be decided by the larger pair of strings.
"""

import cython
from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.libc.string import memcmp, memcpy
from cython.cimports.libcpp import bool as boolean
from cython.cimports.libcpp.vector import vector
from cython.cimports.subwords.core.merging import Place, Unit
from cython.cimports.subwords.core.table import Table, find_pair, find_short, letter_key, prefetch
from cython.cimports.subwords.core.words import WordTable

NONE = cython.declare(cython.int, -1)
#: How many places before its turn a place's memory is asked for.
AHEAD = cython.declare(cython.int, 16)


@cython.final
@cython.cclass
class RunningText:
    """The text, merged step by step.

    `overlap` says how a run of one symbol is counted: "aaa" as two pairs (a, a), or as the one that merging it uses.
    """

    def __cinit__(self, words: WordTable, merges: int64_t, overlap: boolean = True):
        self.symbols, self.pairs = Table(), Table()
        self.overlap = overlap
        self.weight = words.count
        bytes_: cython.size_t = words.table.text.size()
        letter: uint64_t
        unit: Unit
        unit.pair = NONE
        number: int32_t
        i: cython.size_t
        units: int64_t = 0
        with cython.nogil:
            for i in range(bytes_):
                units += (words.table.text[i] & 0xC0) != 0x80
            self.units.reserve(units)
            self.linked.reserve(units)
            for number in range(words.table.size()):
                begin: cython.size_t = words.table.ends[number]
                end: cython.size_t = words.table.ends[number + 1]
                while begin < end:
                    stop: cython.size_t = begin + 1
                    while stop < end and (words.table.text[stop] & 0xC0) == 0x80:
                        stop += 1
                    size: cython.size_t = stop - begin + (4 if stop == end else 0)
                    letter = letter_key(words.table.text.data() + begin, stop - begin, stop == end)
                    unit.symbol = find_short(self.symbols, letter, size)
                    if unit.symbol == NONE:
                        unit.symbol = self.symbols.add(cython.cast(cython.p_const_char, cython.address(letter)), size)
                    unit.prev = (
                        NONE if begin == words.table.ends[number] else cython.cast(int32_t, self.units.size()) - 1
                    )
                    unit.next = NONE if stop == end else cython.cast(int32_t, self.units.size()) + 1
                    unit.word = number
                    self.units.push_back(unit)
                    begin = stop
            self.most = min(merges, units - words.table.size())
            self.index()
            self.linked.shrink_to_fit()  # no merge makes as many

    def index(self) -> cython.int:
        """Find and count the pairs of the units, and the symbols."""
        self.uses.resize(self.symbols.size(), 0)
        run: int64_t = 1
        p: int32_t
        for p in range(cython.cast(int32_t, self.units.size())):
            unit: Unit = self.units[p]
            weight: int64_t = self.weight[unit.word]
            self.uses[unit.symbol] += weight
            self.tokens += weight
            if unit.next == NONE:
                run = 1
                continue
            k: int32_t = self.pair_of(unit.symbol, self.units[p + 1].symbol)
            self.link(p, k)
            twins: boolean = self.left[k] == self.right[k]
            if self.overlap or not twins or run % 2 == 1:
                self.count[k] += weight
            run = run + 1 if twins else 1
        return self.write_places()

    def compare(self, x: int32_t, y: int32_t) -> cython.int:
        """Return a number below 0, 0 or above 0 as the string of x is smaller than, equal to or larger than y's."""
        m: cython.size_t = self.symbols.length(x)
        n: cython.size_t = self.symbols.length(y)
        order: cython.int = memcmp(self.symbols.key(x), self.symbols.key(y), min(m, n))
        return order if order else (m > n) - (m < n)

    def larger(self, k: int32_t, m: int32_t) -> boolean:
        """Return whether pair k is larger than pair m: by the left string, then by the right one."""
        order: cython.int = 0
        if self.left[k] != self.left[m]:
            order = self.compare(self.left[k], self.left[m])
        if order == 0:
            order = self.compare(self.right[k], self.right[m])
        return order > 0

    def new_pair(self, x: int32_t, y: int32_t) -> int32_t:
        """Return the number of a new pair."""
        self.left.push_back(x)
        self.right.push_back(y)
        self.count.push_back(0)
        self.start.push_back(NONE)
        self.length.push_back(0)
        self.stamp.push_back(0)
        return self.left.size() - 1

    def pair_of(self, x: int32_t, y: int32_t) -> int32_t:
        """Return the number of a pair, which may be new, by the table of pairs."""
        k: int32_t
        for k in range(self.pairs.size(), cython.cast(int32_t, self.left.size())):
            self.pairs.add_pair(self.left[k], self.right[k])
        k = find_pair(self.pairs, x, y)
        if k == NONE:
            self.pairs.add_pair(x, y)
            k = self.new_pair(x, y)
        return k

    def pair_before(self, x: int32_t, z: int32_t, again: boolean) -> int32_t:
        """Return the pair of a symbol and the new one, z; the table is needed only where z has been there before."""
        if again:
            return self.pair_of(x, z)
        if self.before[x] < self.known:
            self.before[x] = self.new_pair(x, z)
            if x == z:
                self.after[x] = self.before[x]
        return self.before[x]

    def pair_after(self, z: int32_t, y: int32_t, again: boolean) -> int32_t:
        """Return the pair of the new symbol, z, and another one."""
        if again:
            return self.pair_of(z, y)
        if self.after[y] < self.known:
            self.after[y] = self.new_pair(z, y)
            if y == z:
                self.before[y] = self.after[y]
        return self.after[y]

    def weigh(self, p: int32_t, k: int32_t, sign: cython.int) -> cython.int:
        """Add or take the weight of a place to or from the count of its pair; runs of one symbol only if `overlap`."""
        if self.overlap or self.left[k] != self.right[k]:
            self.count[k] += sign * self.weight[self.units[p].word]
        return 0

    def run(self, p: int32_t, forward: boolean) -> int64_t:
        """Return how many units from p on, forward or backward, are the same symbol."""
        x: int32_t = self.units[p].symbol
        length: int64_t = 0
        while p != NONE and self.units[p].symbol == x:
            length += 1
            p = self.units[p].next if forward else self.units[p].prev
        return length

    def count_runs(self, k: int32_t) -> int64_t:
        """Return how often a pair of one symbol with itself can be merged: half of each run, rounded down."""
        total: int64_t = 0
        i: int64_t
        for i in range(self.start[k], self.start[k] + self.length[k]):
            p: int32_t = self.places[i]
            before: int32_t = self.units[p].prev
            if self.units[p].pair == k and (before == NONE or self.units[before].symbol != self.left[k]):
                total += self.run(p, True) // 2 * self.weight[self.units[p].word]
        return total

    def touch(self, k: int32_t) -> cython.int:
        """Note that this step changed a pair."""
        if self.stamp[k] != self.step:
            self.stamp[k] = self.step
            self.touched.push_back(k)
        return 0

    def link(self, p: int32_t, k: int32_t) -> cython.int:
        """Make unit p a place of pair k."""
        place: Place
        place.pair = k
        if self.length[k] > 0:  # only where a symbol arises again: the run is written afresh
            i: int64_t
            for i in range(self.start[k], self.start[k] + self.length[k]):
                place.unit = self.places[i]
                if self.units[place.unit].pair == k:
                    self.linked.push_back(place)
            self.start[k], self.length[k] = NONE, 0
        self.units[p].pair = k
        place.unit = p
        self.linked.push_back(place)
        return self.touch(k)

    def unlink(self, p: int32_t) -> cython.int:
        """Take unit p out of the places of its pair."""
        self.touch(self.units[p].pair)
        self.units[p].pair = NONE
        return 0

    def write_places(self) -> cython.int:
        """Write the places that this step made, without those that it took away again."""
        place: Place
        for place in self.linked:
            if self.units[place.unit].pair == place.pair:
                self.length[place.pair] += 1
        for place in self.linked:
            k: int32_t = place.pair
            if self.units[place.unit].pair == k:
                if self.start[k] == NONE:
                    self.start[k] = self.places.size()
                    self.places.resize(self.places.size() + self.length[k])
                    self.length[k] = 0
                self.places[self.start[k] + self.length[k]] = place.unit
                self.length[k] += 1
        self.linked.clear()
        return 0

    def joined(self, x: int32_t, y: int32_t) -> int32_t:
        """Return the symbol that spells x and then y, which may be new."""
        m: cython.size_t = self.symbols.length(x)
        spelled: vector[cython.char]
        spelled.resize(m + self.symbols.length(y))
        memcpy(spelled.data(), self.symbols.key(x), m)
        memcpy(spelled.data() + m, self.symbols.key(y), spelled.size() - m)
        z: int32_t = self.symbols.add(spelled.data(), spelled.size())
        if z == cython.cast(int32_t, self.uses.size()):
            self.uses.push_back(0)
        else:
            self.ambiguous = True
        return z

    def merge(self, k: int32_t) -> int32_t:
        """Merge pair k everywhere, left to right in each word, and return the new symbol.

        The counts of pairs and symbols stay exact. `touched` has the pairs whose counts have changed.
        """
        self.step += 1
        self.touched.clear()
        self.chosen.push_back(k)
        x: int32_t = self.left[k]
        y: int32_t = self.right[k]
        symbols: int32_t = self.symbols.size()
        self.known = self.left.size()
        z: int32_t = self.joined(x, y)
        again: boolean = z < symbols
        self.before.resize(self.symbols.size(), NONE)
        self.after.resize(self.symbols.size(), NONE)
        twins: int32_t = NONE  # the pair (z, z), if it arises
        merged: int64_t = 0
        i: int64_t
        end: int64_t = self.start[k] + self.length[k]
        for i in range(self.start[k], end):
            if i + AHEAD < end:
                prefetch(cython.address(self.units[self.places[i + AHEAD]]))
            while self.units[self.places[i]].pair == k:
                p: int32_t = self.places[i]
                if x == y:
                    while self.units[p].prev != NONE and self.units[self.units[p].prev].symbol == x:
                        p = self.units[p].prev
                merged += self.weight[self.units[p].word]
                twins = max(twins, self.merge_at(p, k, z, again))
        self.write_places()
        self.count[k] = 0
        if twins != NONE and not self.overlap:
            self.count[twins] = self.count_runs(twins)
        self.uses[x] -= merged
        self.uses[y] -= merged
        self.uses[z] += merged
        self.tokens -= merged
        return z

    def merge_at(self, p: int32_t, k: int32_t, z: int32_t, again: boolean) -> int32_t:
        """Merge pair k at one place. Return the pair (z, z) where it arises, else NONE."""
        x: int32_t = self.left[k]
        y: int32_t = self.right[k]
        q: int32_t = self.units[p].next
        left: int32_t = self.units[p].prev
        right: int32_t = self.units[q].next
        weight: int64_t = self.weight[self.units[p].word]
        twins: int32_t = NONE
        m: int32_t

        self.weigh(p, k, -1)
        self.unlink(p)
        if right != NONE:
            m = self.units[q].pair
            self.weigh(q, m, -1)
            if not self.overlap and x != y and self.units[right].symbol == y and self.run(q, True) % 2 == 0:
                self.count[m] -= weight
            self.unlink(q)
        if left != NONE:
            m = self.units[left].pair
            self.weigh(left, m, -1)
            if not self.overlap and x != y and self.units[left].symbol == x and self.run(p, False) % 2 == 0:
                self.count[m] -= weight
            self.unlink(left)

        self.units[p].symbol = z
        self.units[q].symbol = NONE
        self.units[p].next = right
        if right != NONE:
            self.units[right].prev = p
            m = self.pair_after(z, self.units[right].symbol, again)
            self.weigh(p, m, 1)
            self.link(p, m)
            if self.units[right].symbol == z:
                twins = m
        if left != NONE:
            m = self.pair_before(self.units[left].symbol, z, again)
            self.weigh(left, m, 1)
            self.link(left, m)
            if self.units[left].symbol == z:
                twins = m
        return twins

    def strings(self) -> list[str]:
        """Return the strings of all symbols."""
        s: int32_t
        return [
            PyBytes_FromStringAndSize(self.symbols.key(s), self.symbols.length(s)).decode("utf-8", "surrogatepass")
            for s in range(self.symbols.size())
        ]

    def merges(self) -> list[tuple[str, str]]:
        """Return the merges so far, as strings."""
        strings: list = self.strings()
        k: int32_t
        return [(strings[self.left[k]], strings[self.right[k]]) for k in self.chosen]

    def token_counts(self) -> dict[str, int]:
        """Return how often each symbol occurs now; those that occur no more are left out."""
        return {string: count for string, count in zip(self.strings(), self.uses) if count}
