# mypy: disallow-untyped-defs=False
"""Word types as linked units with an index of their adjacent pairs, which merging keeps exact. Compiled by numba.

Every character of every word type is a unit at first. Units know their neighbours in the word; each pair of symbols
knows, as a linked list through the units where it starts, all its places. Merging a pair walks that list once and
repairs only what stands beside each place: the work over all merges is proportional to the text's type lengths.

A symbol is a string: what two different derivations spell alike is one symbol, as in a codes file. Each symbol's code
points are kept, so that ties between pairs can be decided by the larger pair of strings.

Functions here are compiled on first use and cached beside the module. They take the arrays as named tuples; arrays that
may grow are checked with `room` before a merge, and grown by the caller.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from subwords.compiled import compiled

#: Places in `sizes`, the counters that the compiled functions share.
PAIRS, SYMBOLS, CHARS, TOKENS, STEP, TOUCHED, STATE, AMBIGUOUS = range(8)
#: What `sizes[STATE]` says when a learner returns: go on, arrays must grow first, no pair is left to merge.
RUNNING, FULL, FINISHED = range(3)
#: End of a linked list, absent neighbour, free slot of a hash table.
NONE = -1


class Units(NamedTuple):
    """One entry per unit, in text order; `weight` has one per word."""

    symbol: np.ndarray  # int32; NONE once the unit has become the right part of a merge
    next: np.ndarray  # int32: the next unit of the word
    prev: np.ndarray  # int32
    word: np.ndarray  # int32
    weight: np.ndarray  # int64: how often the word occurs
    pair: np.ndarray  # int32: the pair of this unit and the next
    later: np.ndarray  # int32: the next place of the same pair
    earlier: np.ndarray  # int32


class Pairs(NamedTuple):
    """One entry per pair of symbols that has ever stood side by side; `slots` is a hash table of them."""

    left: np.ndarray  # int32
    right: np.ndarray  # int32
    freq: np.ndarray  # int64
    first: np.ndarray  # int32: the first place
    last: np.ndarray  # int32
    stamp: np.ndarray  # int32: the step that last touched it
    touched: np.ndarray  # int32: the pairs that this step touched, `sizes[TOUCHED]` of them
    slots: np.ndarray  # int32


class Symbols(NamedTuple):
    """One entry per symbol (distinct string); `slots` is a hash table of them."""

    start: np.ndarray  # int64: where in `chars` it begins (one more entry than symbols)
    chars: np.ndarray  # int32: code points
    freq: np.ndarray  # int64: how many tokens of the running text it is
    slots: np.ndarray  # int32


@compiled
def mix(x, y):
    """Return a hash of two integers, not negative."""
    h = (x * 0x9E3779B1) ^ (y * 0x85EBCA6B + 0x165667B1)
    h ^= h >> 15
    h *= 0x2C1B3C6D
    h ^= h >> 13
    return h & 0x7FFFFFFFFFFFFFFF


@compiled
def pair_of(pairs, sizes, x, y):
    """Return the index of the pair (x, y), making it when it is new."""
    mask = len(pairs.slots) - 1
    slot = mix(np.int64(x), np.int64(y)) & mask
    while True:
        k = pairs.slots[slot]
        if k == NONE:
            break
        if pairs.left[k] == x and pairs.right[k] == y:
            return k
        slot = (slot + 1) & mask
    k = np.int32(sizes[PAIRS])
    sizes[PAIRS] += 1
    pairs.slots[slot] = k
    pairs.left[k] = x
    pairs.right[k] = y
    pairs.first[k] = NONE
    pairs.last[k] = NONE
    return k


@compiled
def rehash(pairs, sizes):
    """Fill an empty hash table of pairs."""
    mask = len(pairs.slots) - 1
    for k in range(sizes[PAIRS]):
        slot = mix(np.int64(pairs.left[k]), np.int64(pairs.right[k])) & mask
        while pairs.slots[slot] != NONE:
            slot = (slot + 1) & mask
        pairs.slots[slot] = k


@compiled
def _intern(symbols, sizes, end):
    """Return the symbol whose code points lie at the end of `chars`, up to `end`; make it when it is new."""
    start = sizes[CHARS]
    h = np.int64(0)
    for i in range(start, end):
        h = mix(h, np.int64(symbols.chars[i]))
    mask = len(symbols.slots) - 1
    slot = h & mask
    while True:
        s = symbols.slots[slot]
        if s == NONE:
            break
        begin = symbols.start[s]
        if symbols.start[s + 1] - begin == end - start:
            same = True
            for i in range(end - start):
                if symbols.chars[begin + i] != symbols.chars[start + i]:
                    same = False
                    break
            if same:
                return s
        slot = (slot + 1) & mask
    s = np.int32(sizes[SYMBOLS])
    sizes[SYMBOLS] += 1
    sizes[CHARS] = end
    symbols.slots[slot] = s
    symbols.start[s + 1] = end
    return s


@compiled
def _joined(symbols, sizes, x, y):
    """Return the symbol that spells x and then y."""
    end = sizes[CHARS]
    for s in (x, y):
        for i in range(symbols.start[s], symbols.start[s + 1]):
            symbols.chars[end] = symbols.chars[i]
            end += 1
    return _intern(symbols, sizes, end)


@compiled
def _compare(symbols, x, y):
    """Return a negative number, 0 or a positive one as x is smaller than, equal to or larger than y (code points)."""
    if x == y:
        return 0
    a, b = symbols.start[x], symbols.start[y]
    m, n = symbols.start[x + 1] - a, symbols.start[y + 1] - b
    for i in range(min(m, n)):
        if symbols.chars[a + i] != symbols.chars[b + i]:
            return symbols.chars[a + i] - symbols.chars[b + i]
    return m - n


@compiled
def larger(pairs, symbols, k, m):
    """Return whether pair k is larger than pair m: by the left string, then by the right one."""
    order = _compare(symbols, pairs.left[k], pairs.left[m])
    if order == 0:
        order = _compare(symbols, pairs.right[k], pairs.right[m])
    return order > 0


@compiled
def _touch(pairs, sizes, k):
    if pairs.stamp[k] != sizes[STEP]:  # never so while the text is indexed, at step 0
        pairs.stamp[k] = sizes[STEP]
        pairs.touched[sizes[TOUCHED]] = k
        sizes[TOUCHED] += 1


@compiled
def _link(units, pairs, sizes, p, k):
    """Make unit p the last place of pair k."""
    last = pairs.last[k]
    units.pair[p] = k
    units.earlier[p] = last
    units.later[p] = NONE
    if last == NONE:
        pairs.first[k] = p
    else:
        units.later[last] = p
    pairs.last[k] = p
    _touch(pairs, sizes, k)


@compiled
def _unlink(units, pairs, sizes, p):
    """Take unit p out of the places of its pair."""
    k = units.pair[p]
    earlier, later = units.earlier[p], units.later[p]
    if earlier == NONE:
        pairs.first[k] = later
    else:
        units.later[earlier] = later
    if later == NONE:
        pairs.last[k] = earlier
    else:
        units.earlier[later] = earlier
    units.pair[p] = NONE
    _touch(pairs, sizes, k)


@compiled
def _weigh(units, pairs, p, k, sign, overlap):
    """Add or take the weight of a place to or from the count of its pair; runs of one symbol only if `overlap`."""
    if overlap or pairs.left[k] != pairs.right[k]:
        pairs.freq[k] += sign * units.weight[units.word[p]]


@compiled
def _run(units, p, step):
    """Return how many units from p on, along `step` (next or prev), are the same symbol."""
    length = 0
    x = units.symbol[p]
    while p != NONE and units.symbol[p] == x:
        length += 1
        p = step[p]
    return length


@compiled
def _count_runs(units, pairs, k):
    """Return how often the pair k of one symbol with itself can be merged: half of each run, rounded down."""
    total = 0
    x = pairs.left[k]
    p = pairs.first[k]
    while p != NONE:
        before = units.prev[p]
        if before == NONE or units.symbol[before] != x:
            total += _run(units, p, units.next) // 2 * units.weight[units.word[p]]
        p = units.later[p]
    return total


@compiled
def spell(symbols, sizes, kinds, ending):
    """Make the first symbols from `kinds`: 2 * code point, and 1 more where it ends a word and carries `ending`."""
    for kind in kinds:
        end = sizes[CHARS]
        symbols.chars[end] = kind >> 1
        end += 1
        if kind & 1:
            for char in ending:
                symbols.chars[end] = char
                end += 1
        _intern(symbols, sizes, end)


@compiled
def index(units, pairs, symbols, sizes, start, overlap):
    """Index the pairs and count the symbols from unit `start` on. Return the first unit for which there is no room."""
    run = _run(units, start, units.prev)
    for p in range(start, len(units.symbol)):
        if sizes[PAIRS] == len(pairs.left):
            return p
        weight = units.weight[units.word[p]]
        symbols.freq[units.symbol[p]] += weight
        sizes[TOKENS] += weight
        q = units.next[p]
        if q == NONE:
            run = 1
            continue
        k = pair_of(pairs, sizes, units.symbol[p], units.symbol[q])
        _link(units, pairs, sizes, p, k)
        twins = pairs.left[k] == pairs.right[k]
        if overlap or not twins or run % 2 == 1:
            pairs.freq[k] += weight
        run = run + 1 if twins else 1
    return len(units.symbol)


@compiled
def room(pairs, symbols, sizes, k):
    """Return whether the arrays have room for merging pair k: a new symbol, and a pair of it with each symbol."""
    x, y = pairs.left[k], pairs.right[k]
    chars = symbols.start[x + 1] - symbols.start[x] + symbols.start[y + 1] - symbols.start[y]
    return sizes[PAIRS] + 2 * sizes[SYMBOLS] + 2 <= len(pairs.left) and sizes[CHARS] + chars <= len(symbols.chars)


@compiled
def merge(units, pairs, symbols, sizes, k, overlap):
    """Merge pair k everywhere, left to right in each word, and return the new symbol.

    Counts of pairs and symbols stay exact. `overlap` says how a run of one symbol is counted: "aaa" as two pairs
    (a, a), or, if not `overlap`, as the one that merging it would use.
    """
    sizes[STEP] += 1
    sizes[TOUCHED] = 0
    x, y = pairs.left[k], pairs.right[k]
    known = sizes[SYMBOLS]
    z = _joined(symbols, sizes, x, y)
    if z < known:
        sizes[AMBIGUOUS] += 1
    twins = NONE  # the pair (z, z), if it arises
    merged = 0
    while pairs.first[k] != NONE:
        p = pairs.first[k]
        if x == y:
            while units.prev[p] != NONE and units.symbol[units.prev[p]] == x:
                p = units.prev[p]
        q = units.next[p]
        left, right = units.prev[p], units.next[q]
        weight = units.weight[units.word[p]]
        merged += weight

        _weigh(units, pairs, p, k, -1, overlap)
        _unlink(units, pairs, sizes, p)
        if right != NONE:
            m = units.pair[q]
            _weigh(units, pairs, q, m, -1, overlap)
            if not overlap and x != y and units.symbol[right] == y and _run(units, q, units.next) % 2 == 0:
                pairs.freq[m] -= weight
            _unlink(units, pairs, sizes, q)
        if left != NONE:
            m = units.pair[left]
            _weigh(units, pairs, left, m, -1, overlap)
            if not overlap and x != y and units.symbol[left] == x and _run(units, p, units.prev) % 2 == 0:
                pairs.freq[m] -= weight
            _unlink(units, pairs, sizes, left)

        units.symbol[p] = z
        units.symbol[q] = NONE
        units.next[p] = right
        if right != NONE:
            units.prev[right] = p
            m = pair_of(pairs, sizes, z, units.symbol[right])
            _weigh(units, pairs, p, m, 1, overlap)
            _link(units, pairs, sizes, p, m)
            if units.symbol[right] == z:
                twins = m
        if left != NONE:
            m = pair_of(pairs, sizes, units.symbol[left], z)
            _weigh(units, pairs, left, m, 1, overlap)
            _link(units, pairs, sizes, left, m)
            if units.symbol[left] == z:
                twins = m
    pairs.freq[k] = 0
    if twins != NONE and not overlap:
        pairs.freq[twins] = _count_runs(units, pairs, twins)
    symbols.freq[x] -= merged
    symbols.freq[y] -= merged
    symbols.freq[z] += merged
    sizes[TOKENS] -= merged
    return z
