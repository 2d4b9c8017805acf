# mypy: disallow-untyped-defs=False
"""Word types as linked units with an index of their adjacent pairs, which merging keeps exact. Compiled by numba.

Every character of every word type is a unit at first. Units know their neighbours in the word; each pair of symbols
knows its places, the units where it starts. Merging a pair visits these once and repairs only what stands beside each:
the work over all merges is proportional to the text's type lengths.

A symbol is a string: what two different derivations spell alike is one symbol, as in a codes file. Each symbol's code
points are kept, so that ties between pairs can be decided by the larger pair of strings.

Functions here are compiled on first use and cached beside the module. They take the arrays as named tuples; arrays that
may grow are checked with `room` before a merge, and grown by the caller.
"""

from __future__ import annotations

from subwords.compiled import compiled_in_place
from subwords.merges.arrays import (
    AMBIGUOUS,
    CHARS,
    KNOWN,
    LINKED,
    NONE,
    PAIRS,
    PLACES,
    STEP,
    SYMBOLS,
    TOKENS,
    TOUCHED,
)
from subwords.merges.places import hash_pairs, hashed_pair, link, pair_of, unlink, write_linked
from subwords.merges.symbols import joined


@compiled_in_place
def _weigh(units, pairs, p, k, sign, overlap):
    """Add or take the weight of a place to or from the count of its pair; runs of one symbol only if `overlap`."""
    if overlap or pairs.left[k] != pairs.right[k]:
        pairs.freq[k] += sign * units.weight[units.word[p]]


@compiled_in_place
def _run(units, p, step):
    """Return how many units from p on, along `step` (next or prev), are the same symbol."""
    length = 0
    x = units.symbol[p]
    while p != NONE and units.symbol[p] == x:
        length += 1
        p = step[p]
    return length


@compiled_in_place
def _count_runs(units, pairs, k):
    """Return how often the pair k of one symbol with itself can be merged: half of each run, rounded down."""
    total = 0
    x = pairs.left[k]
    for p in units.places[pairs.start[k] : pairs.start[k] + pairs.length[k]]:
        before = units.prev[p]
        if units.pair[p] == k and (before == NONE or units.symbol[before] != x):
            total += _run(units, p, units.next) // 2 * units.weight[units.word[p]]
    return total


@compiled_in_place
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
        k = hashed_pair(pairs, sizes, units.symbol[p], units.symbol[q])
        units.pair[p] = k
        pairs.length[k] += 1
        twins = pairs.left[k] == pairs.right[k]
        if overlap or not twins or run % 2 == 1:
            pairs.freq[k] += weight
        run = run + 1 if twins else 1
    return len(units.symbol)


@compiled_in_place
def room(units, pairs, symbols, sizes, k):
    """Return whether the arrays have room for merging pair k: a new symbol, pairs of it with each symbol, places."""
    x, y = pairs.left[k], pairs.right[k]
    chars = symbols.start[x + 1] - symbols.start[x] + symbols.start[y + 1] - symbols.start[y]
    return (
        sizes[PAIRS] + 2 * sizes[SYMBOLS] + 2 <= len(pairs.left)
        and sizes[CHARS] + chars <= len(symbols.chars)
        and sizes[PLACES] + 2 * len(units.symbol) <= len(units.places)
    )


@compiled_in_place
def merge(units, pairs, symbols, sizes, k, overlap):
    """Merge pair k everywhere, left to right in each word, and return the new symbol.

    Counts of pairs and symbols stay exact. `overlap` says how a run of one symbol is counted: "aaa" as two pairs
    (a, a), or, if not `overlap`, as the one that merging it would use.
    """
    sizes[STEP] += 1
    sizes[TOUCHED] = 0
    sizes[LINKED] = 0
    sizes[KNOWN] = sizes[PAIRS]
    x, y = pairs.left[k], pairs.right[k]
    known = sizes[SYMBOLS]
    z = joined(symbols, sizes, x, y)
    again = z < known
    if again:
        sizes[AMBIGUOUS] += 1
        hash_pairs(pairs, sizes, sizes[PAIRS])
    twins = NONE  # the pair (z, z), if it arises
    merged = 0
    for i in range(pairs.start[k], pairs.start[k] + pairs.length[k]):
        while units.pair[units.places[i]] == k:
            p = units.places[i]
            if x == y:
                while units.prev[p] != NONE and units.symbol[units.prev[p]] == x:
                    p = units.prev[p]
            q = units.next[p]
            left, right = units.prev[p], units.next[q]
            weight = units.weight[units.word[p]]
            merged += weight

            _weigh(units, pairs, p, k, -1, overlap)
            unlink(units, pairs, sizes, p)
            if right != NONE:
                m = units.pair[q]
                _weigh(units, pairs, q, m, -1, overlap)
                if not overlap and x != y and units.symbol[right] == y and _run(units, q, units.next) % 2 == 0:
                    pairs.freq[m] -= weight
                unlink(units, pairs, sizes, q)
            if left != NONE:
                m = units.pair[left]
                _weigh(units, pairs, left, m, -1, overlap)
                if not overlap and x != y and units.symbol[left] == x and _run(units, p, units.prev) % 2 == 0:
                    pairs.freq[m] -= weight
                unlink(units, pairs, sizes, left)

            units.symbol[p] = z
            units.symbol[q] = NONE
            units.next[p] = right
            if right != NONE:
                units.prev[right] = p
                m = pair_of(pairs, symbols, sizes, z, units.symbol[right], again)
                _weigh(units, pairs, p, m, 1, overlap)
                link(units, pairs, sizes, p, m)
                if units.symbol[right] == z:
                    twins = m
            if left != NONE:
                m = pair_of(pairs, symbols, sizes, units.symbol[left], z, again)
                _weigh(units, pairs, left, m, 1, overlap)
                link(units, pairs, sizes, left, m)
                if units.symbol[left] == z:
                    twins = m
    write_linked(units, pairs, sizes)
    pairs.freq[k] = 0
    if twins != NONE and not overlap:
        pairs.freq[twins] = _count_runs(units, pairs, twins)
    symbols.freq[x] -= merged
    symbols.freq[y] -= merged
    symbols.freq[z] += merged
    sizes[TOKENS] -= merged
    return z
