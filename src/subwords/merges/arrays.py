# mypy: disallow-untyped-defs=False
"""The arrays that merging works on: units, pairs, symbols, and the counters that the compiled functions share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from subwords.compiled import compiled_in_place

#: Places in `sizes`, the counters that the compiled functions share.
PAIRS, SYMBOLS, CHARS, TOKENS, STEP, TOUCHED, STATE, AMBIGUOUS, HASHED, KNOWN, PLACES, LINKED = range(12)
#: What `sizes[STATE]` says when a learner returns: go on, arrays must grow first, no pair is left to merge.
RUNNING, FULL, FINISHED = range(3)
#: Absent neighbour or pair, free slot of a hash table.
NONE = -1


class Units(NamedTuple):
    """One entry per unit, in text order, but for `weight` and what comes after it."""

    symbol: np.ndarray  # int32; NONE once the unit has become the right part of a merge
    next: np.ndarray  # int32: the next unit of the word
    prev: np.ndarray  # int32
    word: np.ndarray  # int32
    pair: np.ndarray  # int32: the pair of this unit and the next
    weight: np.ndarray  # int64: how often each word occurs
    places: np.ndarray  # int32: the runs of places, `sizes[PLACES]` in all
    linked: np.ndarray  # int32: the units that this step made places, `sizes[LINKED]` of them
    linked_to: np.ndarray  # int32: the pairs of these


class Pairs(NamedTuple):
    """One entry per pair of symbols that has ever stood side by side; `slots` is a hash table of `sizes[HASHED]`."""

    left: np.ndarray  # int32
    right: np.ndarray  # int32
    freq: np.ndarray  # int64
    start: np.ndarray  # int64: where its run of places starts, NONE as long as it has none
    length: np.ndarray  # int32: of the run
    stamp: np.ndarray  # int32: the step that last touched it
    touched: np.ndarray  # int32: the pairs that this step touched, `sizes[TOUCHED]` of them
    slots: np.ndarray  # int32


class Symbols(NamedTuple):
    """One entry per symbol (distinct string); `slots` is a hash table of them."""

    start: np.ndarray  # int64: where in `chars` it begins (one more entry than symbols)
    chars: np.ndarray  # int32: code points
    freq: np.ndarray  # int64: how many tokens of the running text it is
    before: np.ndarray  # int32: the pair of it and the newest symbol, if that was made in this step
    after: np.ndarray  # int32: the pair of the newest symbol and it
    slots: np.ndarray  # int32


@compiled_in_place
def mix(x, y):
    """Return a hash of two integers, not negative."""
    h = (x * 0x9E3779B1) ^ (y * 0x85EBCA6B + 0x165667B1)
    h ^= h >> 15
    h *= 0x2C1B3C6D
    h ^= h >> 13
    return h & 0x7FFFFFFFFFFFFFFF
