# mypy: disallow-untyped-defs=False
"""Pairs by number, and their places: the units where they start. Compiled by numba.

A pair arises together with the younger of its symbols, at all its places in one step, and from then on only loses some.
So its places are one run of the array `places`, written at the end of that step. A lost place stays in the run; its
unit belongs to another pair by then. And the pairs of a step are found through their other symbol: a hash table is
needed only for the text's characters, and where a symbol arises again, from another pair.
"""

from __future__ import annotations

import numpy as np

from subwords.compiled import compiled_in_place
from subwords.merges.arrays import HASHED, KNOWN, LINKED, NONE, PAIRS, PLACES, STEP, SYMBOLS, TOUCHED, mix


@compiled_in_place
def _new_pair(pairs, sizes, x, y):
    k = np.int32(sizes[PAIRS])
    sizes[PAIRS] += 1
    pairs.left[k] = x
    pairs.right[k] = y
    pairs.start[k] = NONE
    return k


@compiled_in_place
def hashed_pair(pairs, sizes, x, y):
    """Return the index of the pair (x, y), making it when it is new. The hash table has all pairs."""
    mask = len(pairs.slots) - 1
    slot = mix(np.int64(x), np.int64(y)) & mask
    while True:
        k = pairs.slots[slot]
        if k == NONE:
            break
        if pairs.left[k] == x and pairs.right[k] == y:
            return k
        slot = (slot + 1) & mask
    k = _new_pair(pairs, sizes, x, y)
    pairs.slots[slot] = k
    sizes[HASHED] += 1
    return k


@compiled_in_place
def _newest_pair(pairs, symbols, sizes, x, y):
    """Return the index of the pair (x, y), one of which is the newest symbol, making it when it is new."""
    leads = x == sizes[SYMBOLS] - 1
    k = symbols.after[y] if leads else symbols.before[x]
    if k < sizes[KNOWN]:
        k = _new_pair(pairs, sizes, x, y)
        if leads:
            symbols.after[y] = k
        else:
            symbols.before[x] = k
    return k


@compiled_in_place
def hash_pairs(pairs, sizes, stop):
    """Put the pairs up to `stop` into the hash table that are not in it."""
    mask = len(pairs.slots) - 1
    for k in range(sizes[HASHED], stop):
        slot = mix(np.int64(pairs.left[k]), np.int64(pairs.right[k])) & mask
        while pairs.slots[slot] != NONE:
            slot = (slot + 1) & mask
        pairs.slots[slot] = k
    sizes[HASHED] = stop


@compiled_in_place
def pair_of(pairs, symbols, sizes, x, y, again):
    """Return the index of a pair with the symbol of this step, which may have arisen `again`, from another pair."""
    return hashed_pair(pairs, sizes, x, y) if again else _newest_pair(pairs, symbols, sizes, x, y)


@compiled_in_place
def _touch(pairs, sizes, k):
    if pairs.stamp[k] != sizes[STEP]:  # never so while the text is indexed, at step 0
        pairs.stamp[k] = sizes[STEP]
        pairs.touched[sizes[TOUCHED]] = k
        sizes[TOUCHED] += 1


@compiled_in_place
def _note_link(units, sizes, p, k):
    units.linked[sizes[LINKED]] = p
    units.linked_to[sizes[LINKED]] = k
    sizes[LINKED] += 1


@compiled_in_place
def link(units, pairs, sizes, p, k):
    """Make unit p a place of pair k."""
    if k < sizes[KNOWN] and pairs.length[k] > 0:  # only where a symbol arises again: the run is written anew
        for place in units.places[pairs.start[k] : pairs.start[k] + pairs.length[k]]:
            if units.pair[place] == k:
                _note_link(units, sizes, place, k)
        pairs.start[k], pairs.length[k] = NONE, 0
    units.pair[p] = k
    _note_link(units, sizes, p, k)
    _touch(pairs, sizes, k)


@compiled_in_place
def unlink(units, pairs, sizes, p):
    """Take unit p out of the places of its pair."""
    _touch(pairs, sizes, units.pair[p])
    units.pair[p] = NONE


@compiled_in_place
def _write_place(units, pairs, sizes, p, k):
    """Write a place into the run of its pair, for which `length` says at first how long it will be."""
    if pairs.start[k] == NONE:
        pairs.start[k] = sizes[PLACES]
        sizes[PLACES] += pairs.length[k]
        pairs.length[k] = 0
    units.places[pairs.start[k] + pairs.length[k]] = p
    pairs.length[k] += 1


@compiled_in_place
def write_places(units, pairs, sizes):
    """Write the places of all pairs."""
    for p in range(len(units.symbol)):
        if units.pair[p] != NONE:
            _write_place(units, pairs, sizes, p, units.pair[p])


@compiled_in_place
def write_linked(units, pairs, sizes):
    """Write the places that this step made, in the order in which it did, without those that it took away again."""
    for i in range(sizes[LINKED]):
        k = units.linked_to[i]
        if units.pair[units.linked[i]] == k:
            pairs.length[k] += 1
    for i in range(sizes[LINKED]):
        k = units.linked_to[i]
        if units.pair[units.linked[i]] == k:
            _write_place(units, pairs, sizes, units.linked[i], k)
