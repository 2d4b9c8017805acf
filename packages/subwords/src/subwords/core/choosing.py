"""Which pair to merge next: the most frequent one, the one that raises the likelihood most, or one drawn at random.

Each class merges pairs of a text on and on. `advance(limit)` goes on until there are `limit` merges and returns how
many there are: fewer when no pair is left.
"""

import cython
from cython.cimports.libc.math import INFINITY, exp, fabs, log
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.libcpp import bool as boolean
from cython.cimports.libcpp.vector import vector
from cython.cimports.subwords.core.heap import Entry, Heap
from cython.cimports.subwords.core.merging import RunningText

NONE = cython.declare(cython.int, -1)


@cython.final
@cython.cclass
class PairHeap(Heap):
    """Pairs by their negative counts; among equal ones the larger pair comes first."""

    text: RunningText

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def before(self, a: Entry, b: Entry) -> boolean:
        return a.key < b.key or (a.key == b.key and self.text.larger(a.item, b.item))


@cython.final
@cython.cclass
class MostFrequent:
    """Byte-pair encoding: the most frequent pair, the larger one among equals, while it occurs `least` times.

    Entries of the heap may be outdated: a pair that gained places is pushed once more, one that lost some is pushed
    again when it comes to the top. Every pair has an entry that is not below its count.
    """

    text: RunningText
    heap: PairHeap
    least: int64_t

    def __cinit__(self, text: RunningText, least: int64_t = 2):
        self.text, self.heap, self.least = text, PairHeap(), max(1, least)
        self.heap.text = text
        k: int32_t
        with cython.nogil:
            for k in range(cython.cast(int32_t, text.left.size())):
                self.push(k)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def push(self, k: int32_t) -> cython.int:
        if self.text.count[k] >= self.least:
            self.heap.push(-self.text.count[k], k)
        return 0

    def advance(self, limit: int64_t) -> int:
        """Merge up to `limit` pairs in all, and return how many there are."""
        text: RunningText = self.text
        with cython.nogil:
            while cython.cast(int64_t, text.chosen.size()) < limit and self.heap.entries.size():
                top: Entry = self.heap.pop()
                if text.count[top.item] != -top.key:
                    if text.count[top.item] < -top.key:
                        self.push(top.item)
                    continue
                z: int32_t = text.merge(top.item)
                m: int32_t
                for m in text.touched:
                    if text.left[m] == z or text.right[m] == z:
                        self.push(m)
        return text.chosen.size()


LOGARITHMS = cython.declare(vector[cython.double])
LOGARITHMS.resize(1 << 14)
for count in range(1 << 14):
    LOGARITHMS[count] = log(count)

#: A symbol's floor, as a share of its count. Nearer to 1: tighter bounds, renewed more often.
SHARE = cython.declare(cython.double, 0.985)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _gain(c: int64_t, x: int64_t, y: int64_t, total: int64_t) -> cython.double:
    """Return what merging a pair gains (Vilar and Federico 2021, Eq. 7) from its count, its symbols' and N + K.

    With add-one smoothing after the merge: N - c tokens, K + 1 symbols, counts x - c and y - c.
    """
    return c * (_log(c + 1) - _log(x - c + 1) - _log(y - c + 1) + _log(total - c + 1))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _log(number: int64_t) -> cython.double:
    """Return the logarithm of a count; most counts are small, and so are looked up."""
    return LOGARITHMS[number] if 0 <= number < cython.cast(int64_t, LOGARITHMS.size()) else log(number)


@cython.final
@cython.cclass
class MostLikely:
    """S-BPE: the pair that raises the likelihood most, the larger one among equals; the exact maximum at each step.

    All gains drift at every merge: the number of tokens shrinks, and so do the counts of the two symbols merged. A heap
    holds an upper bound of each pair's gain instead. The number of tokens only lowers gains, so an old bound stays one.
    For the counts of symbols the bound assumes a smaller count, the symbol's floor; only when a count falls through its
    floor is the floor lowered, and the bounds of the symbol's pairs are raised. The best pair is then among the few
    whose bound is not below the best gain found, and only these are computed.

    Most pairs are too rare to come near the best. The bound of a pair that has not been computed yet assumes symbols
    that occur nowhere else, which depends on no symbol's floor; only those computed once are listed by their symbols.
    """

    text: RunningText
    heap: Heap  # by the negative bound; entries with another bound than their pair has now are outdated
    bound: vector[cython.double]  # by pair
    waits: vector[cython.char]  # by pair: whether it is in the heap
    listed: vector[cython.char]  # by pair: whether its symbols list it
    scored: vector[int32_t]
    pairs: vector[vector[int32_t]]  # by symbol: those that are listed
    floor: vector[int64_t]  # by symbol
    gains: vector[cython.double]  # by merge

    def __cinit__(self, text: RunningText):
        self.text, self.heap = text, Heap()
        with cython.nogil:
            self.take_up(text)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def renew(self, k: int32_t) -> cython.int:
        """Bring the bound of a pair up to date where it is too low, or where the pair is not in the heap."""
        c: int64_t = self.text.count[k]
        if c == 0:
            return 0
        x: int64_t = c
        y: int64_t = c
        if self.listed[k]:
            x, y = max(self.floor[self.text.left[k]], c), max(self.floor[self.text.right[k]], c)
        bound: cython.double = _gain(c, x, y, self.text.tokens + self.text.symbols.size())
        bound += 1e-12 * fabs(bound) + 1e-12  # the rounding of the gain itself
        if not self.waits[k] or bound > self.bound[k]:
            self.bound[k], self.waits[k] = bound, True
            self.heap.push(-bound, k)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def take_up(self, text: RunningText) -> cython.int:
        """Take up the new symbols and pairs."""
        s: int32_t
        for s in range(self.floor.size(), text.symbols.size()):
            self.floor.push_back(cython.cast(int64_t, text.uses[s] * SHARE))
        self.pairs.resize(self.floor.size())
        k: int32_t
        known: int32_t = self.bound.size()
        self.bound.resize(text.left.size(), 0)
        self.waits.resize(text.left.size(), False)
        self.listed.resize(text.left.size(), False)
        for k in range(known, cython.cast(int32_t, text.left.size())):
            self.renew(k)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def lower_floor(self, s: int32_t) -> cython.int:
        """Keep the floor of a symbol at or below its count, and the bounds of its pairs valid."""
        if self.text.uses[s] >= self.floor[s]:
            return 0
        self.floor[s] = cython.cast(int64_t, self.text.uses[s] * SHARE)
        kept: cython.size_t = 0
        k: int32_t
        for k in self.pairs[s]:
            if self.text.count[k] == 0:
                self.listed[k] = False
                continue
            self.pairs[s][kept] = k
            kept += 1
            self.renew(k)
        self.pairs[s].resize(kept)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2)
    def best(self, text: RunningText) -> int32_t:
        """Return the pair of the highest gain, NONE when no pair is left; its gain goes to `gains`."""
        found: int32_t = NONE
        highest: cython.double = -INFINITY
        self.scored.clear()
        while self.heap.entries.size() and -self.heap.entries[0].key >= highest:
            top: Entry = self.heap.pop()
            k: int32_t = top.item
            if not self.waits[k] or -top.key != self.bound[k]:
                continue
            self.waits[k] = False
            c: int64_t = text.count[k]
            if c == 0:
                continue
            self.scored.push_back(k)
            x: int64_t = text.uses[text.left[k]]
            gain: cython.double = _gain(c, x, text.uses[text.right[k]], text.tokens + text.symbols.size())
            if gain > highest or (gain == highest and text.larger(k, found)):
                found, highest = k, gain
        for k in self.scored:
            if not self.listed[k]:
                self.listed[k] = True
                self.pairs[text.left[k]].push_back(k)
                self.pairs[text.right[k]].push_back(k)
            self.renew(k)
        if found != NONE:
            self.gains.push_back(highest)
        return found

    def advance(self, limit: int64_t) -> int:
        """Merge up to `limit` pairs in all, and return how many there are."""
        text: RunningText = self.text
        k: int32_t
        m: int32_t
        with cython.nogil:
            while cython.cast(int64_t, text.chosen.size()) < limit:
                k = self.best(text)
                if k == NONE:
                    break
                known: int32_t = self.bound.size()
                z: int32_t = text.merge(k)
                self.lower_floor(text.left[k])
                self.lower_floor(text.right[k])
                for m in text.touched:
                    # A count that falls takes the gain with it, or, where that is negative, nearer to 0 but not above
                    # it. So only a negative bound may have become too low, or that of a known pair with the new symbol.
                    if m < known and (self.bound[m] < 0 or text.left[m] == z or text.right[m] == z):
                        self.renew(m)
                self.take_up(text)
        return text.chosen.size()

    def found(self) -> list[float]:
        """Return the gain of each merge."""
        return self.gains


#: The laws that merges may be drawn by.
SOFTMAX = cython.declare(cython.int, 0)
UNIFORM = cython.declare(cython.int, 1)
#: A total below this is lost precision: the weights are then taken relative to the counts that are left.
FAINT = cython.declare(cython.double, 1e-100)


@cython.final
@cython.cclass
class Drawn:
    """Random BPE: pairs drawn by a law (0 softmax, 1 uniform, 2 proportional) with given uniform random numbers.

    The weights of the pairs are the leaves of a binary tree whose inner nodes are the sums of their two children: a
    draw goes down one path, a changed weight up one. Sums are always made from their children, so no error builds up.
    """

    text: RunningText
    law: cython.int
    temperature: cython.double
    most: int64_t  # the count that weights are relative to
    numbers: vector[cython.double]  # in [0, 1), one for each merge
    tree: vector[cython.double]

    def __cinit__(self, text: RunningText, law: cython.int, temperature: cython.double, numbers: list):
        self.text, self.law, self.temperature, self.numbers = text, law, temperature, numbers
        with cython.nogil:
            self.weigh_all()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def weight(self, count: int64_t) -> cython.double:
        """Return the weight of a pair, relative to that of one with the count `most`, so that none overflows.

        softmax: exp(c / T) / exp(most / T); uniform: 1; proportional: (c / most) ** (1 / T).
        """
        if count <= 0:
            return 0.0
        if self.law == UNIFORM:
            return 1.0
        if self.law == SOFTMAX:
            return exp((count - self.most) / self.temperature)
        return exp(log(cython.cast(cython.double, count) / self.most) / self.temperature)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def weigh_all(self) -> cython.int:
        """Make the tree."""
        pairs: cython.size_t = self.text.left.size()
        leaves: cython.size_t = 1024
        while leaves < pairs:
            leaves *= 2
        self.tree.assign(2 * leaves, 0.0)
        self.most = 1
        k: cython.size_t
        for k in range(pairs):
            self.most = max(self.most, self.text.count[k])
        for k in range(pairs):
            self.tree[leaves + k] = self.weight(self.text.count[k])
        for k in range(leaves - 1, 0, -1):
            self.tree[k] = self.tree[2 * k] + self.tree[2 * k + 1]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def put(self, k: int32_t, weight: cython.double) -> cython.int:
        """Change the weight of a pair."""
        node: cython.size_t = self.tree.size() // 2 + k
        if self.tree[node] == weight:
            return 0
        self.tree[node] = weight
        while node > 1:
            node >>= 1
            self.tree[node] = self.tree[2 * node] + self.tree[2 * node + 1]
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def draw(self, number: cython.double) -> int32_t:
        """Return the pair at `number` (0 <= number < 1) of the total weight."""
        leaves: cython.size_t = self.tree.size() // 2
        rest: cython.double = number * self.tree[1]
        node: cython.size_t = 1
        while node < leaves:
            node *= 2
            if rest >= self.tree[node] and self.tree[node + 1] > 0:
                rest -= self.tree[node]
                node += 1
        return node - leaves

    def advance(self, limit: int64_t) -> int:
        """Merge up to `limit` pairs in all, and return how many there are."""
        text: RunningText = self.text
        m: int32_t
        with cython.nogil:
            while cython.cast(int64_t, text.chosen.size()) < limit:
                if self.tree[1] < FAINT:
                    self.weigh_all()
                    if self.tree[1] <= 0:
                        break
                text.merge(self.draw(self.numbers[text.chosen.size()]))
                if text.left.size() > self.tree.size() // 2:
                    self.weigh_all()
                    continue
                for m in text.touched:
                    self.put(m, self.weight(text.count[m]))
        return text.chosen.size()
