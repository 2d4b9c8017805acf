# mypy: disallow-untyped-defs=False
"""Merging the pair that raises the likelihood most (S-BPE), compiled by numba: the exact argmax without full passes.

All scores drift at every merge: the number of tokens shrinks, and so do the counts of the two merged symbols. A heap
holds an upper bound of each pair's score instead. The number of tokens only lowers scores, so an old bound stays one.
For the counts of symbols the bound assumes a smaller count, the symbol's `floor`; only when a count falls through its
floor are the floor lowered and the bounds of the symbol's pairs raised. The best pair is then among the few whose bound
is not below the best score found, and only these are scored exactly.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from subwords.compiled import compiled_in_place
from subwords.merges.arrays import FINISHED, FULL, NONE, PAIRS, STATE, SYMBOLS, TOKENS, TOUCHED, Pairs, Symbols
from subwords.merges.symbols import larger
from subwords.merges.units import merge, room

#: A symbol's floor, as a share of its count. Nearer to 1: tighter bounds, renewed more often.
SHARE = 0.9
#: Places in `Bounds.sizes`: entries of the heap, pairs that are in the chains, symbols that have a floor.
ENTRIES, CHAINED, FLOORED = range(3)


class Bounds(NamedTuple):
    """Upper bounds of scores in a heap that knows each pair's place, and for each symbol the chains of its pairs."""

    bound: np.ndarray  # float64, by pair
    place: np.ndarray  # int32, by pair: where it is in the heap
    heap: np.ndarray  # int32: pairs
    scored: np.ndarray  # int32: pairs taken from the heap in the search for the best
    next_left: np.ndarray  # int32, by pair: the next pair with the same left symbol
    next_right: np.ndarray  # int32
    first_left: np.ndarray  # int32, by symbol
    first_right: np.ndarray  # int32
    floor: np.ndarray  # int64, by symbol: not above its count
    sizes: np.ndarray  # int64


def fitting(bounds: Bounds | None, pairs: Pairs, symbols: Symbols) -> Bounds:
    """Return `bounds` with room for as many pairs and symbols as there may be."""
    by_pair, by_symbol = len(pairs.left), len(symbols.freq)
    if bounds is not None and len(bounds.heap) >= by_pair:
        return bounds
    new = Bounds(
        bound=np.zeros(by_pair),
        place=np.full(by_pair, NONE, np.int32),
        heap=np.zeros(by_pair, np.int32),
        scored=np.zeros(by_pair, np.int32),
        next_left=np.full(by_pair, NONE, np.int32),
        next_right=np.full(by_pair, NONE, np.int32),
        first_left=np.full(by_symbol, NONE, np.int32),
        first_right=np.full(by_symbol, NONE, np.int32),
        floor=np.zeros(by_symbol, np.int64),
        sizes=np.zeros(3, np.int64),
    )
    if bounds is not None:
        for column, old in zip(new, bounds, strict=True):
            column[: len(old)] = old
    return new


@compiled_in_place
def _score(c, x, y, total):
    """Return the score of a pair (Eq. 7) from its count, those of its symbols, and N + K.

    With add-one smoothing after the merge: N - c tokens, K + 1 symbols, counts x - c and y - c.
    """
    return c * (math.log(c + 1) - math.log(x - c + 1) - math.log(y - c + 1) + math.log(total - c + 1))


@compiled_in_place
def _raise(bounds, k, bound):
    """Give pair k a bound that is not below its present one, and move it up in the heap (or put it in)."""
    i = bounds.place[k]
    if i == NONE:
        i = np.int32(bounds.sizes[ENTRIES])
        bounds.sizes[ENTRIES] += 1
    bounds.bound[k] = bound
    while i > 0:
        parent = (i - 1) >> 1
        m = bounds.heap[parent]
        if bounds.bound[m] >= bound:
            break
        bounds.heap[i] = m
        bounds.place[m] = i
        i = parent
    bounds.heap[i] = k
    bounds.place[k] = i


@compiled_in_place
def _take(bounds):
    """Take the pair with the highest bound out of the heap and return it."""
    top = bounds.heap[0]
    bounds.place[top] = NONE
    bounds.sizes[ENTRIES] -= 1
    size = bounds.sizes[ENTRIES]
    if size == 0:
        return top
    k = bounds.heap[size]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and bounds.bound[bounds.heap[child + 1]] > bounds.bound[bounds.heap[child]]:
            child += 1
        m = bounds.heap[child]
        if bounds.bound[m] <= bounds.bound[k]:
            break
        bounds.heap[i] = m
        bounds.place[m] = i
        i = child
    bounds.heap[i] = k
    bounds.place[k] = i
    return top


@compiled_in_place
def _renew(bounds, pairs, sizes, k):
    """Bring the bound of pair k up to date where it is in the heap and too low, or where it is not in the heap."""
    c = pairs.freq[k]
    if c == 0:
        return
    x = max(bounds.floor[pairs.left[k]], c)
    y = max(bounds.floor[pairs.right[k]], c)
    bound = _score(c, x, y, sizes[TOKENS] + sizes[SYMBOLS])
    bound += 1e-12 * abs(bound) + 1e-12  # the rounding of the score itself
    if bounds.place[k] == NONE or bound > bounds.bound[k]:
        _raise(bounds, k, bound)


@compiled_in_place
def _lower_floor(bounds, pairs, symbols, sizes, s):
    """Keep the floor of symbol s at or below its count, and the bounds of its pairs valid."""
    if symbols.freq[s] >= bounds.floor[s]:
        return
    bounds.floor[s] = np.int64(symbols.freq[s] * SHARE)
    k = bounds.first_left[s]
    while k != NONE:
        _renew(bounds, pairs, sizes, k)
        k = bounds.next_left[k]
    k = bounds.first_right[s]
    while k != NONE:
        _renew(bounds, pairs, sizes, k)
        k = bounds.next_right[k]


@compiled_in_place
def _chain(bounds, pairs, symbols, sizes):
    """Put new symbols and pairs into the chains and the heap."""
    for s in range(bounds.sizes[FLOORED], sizes[SYMBOLS]):
        bounds.floor[s] = np.int64(symbols.freq[s] * SHARE)
    bounds.sizes[FLOORED] = sizes[SYMBOLS]
    for k in range(bounds.sizes[CHAINED], sizes[PAIRS]):
        x, y = pairs.left[k], pairs.right[k]
        bounds.next_left[k] = bounds.first_left[x]
        bounds.first_left[x] = k
        bounds.next_right[k] = bounds.first_right[y]
        bounds.first_right[y] = k
        _renew(bounds, pairs, sizes, np.int32(k))
    bounds.sizes[CHAINED] = sizes[PAIRS]


@compiled_in_place
def _best(bounds, pairs, symbols, sizes):
    """Return the pair of the highest score (the larger pair on ties) and the score; NONE when no pair is left."""
    best, highest = np.int32(NONE), -math.inf
    taken = 0
    while bounds.sizes[ENTRIES] > 0 and bounds.bound[bounds.heap[0]] >= highest:
        k = _take(bounds)
        c = pairs.freq[k]
        if c == 0:
            continue
        bounds.scored[taken] = k
        taken += 1
        total = sizes[TOKENS] + sizes[SYMBOLS]
        score = _score(c, symbols.freq[pairs.left[k]], symbols.freq[pairs.right[k]], total)
        if score > highest or (score == highest and larger(pairs, symbols, k, best)):
            best, highest = k, score
    for i in range(taken):
        _renew(bounds, pairs, sizes, bounds.scored[i])
    return best, highest


@compiled_in_place
def likelihood_merges(units, pairs, symbols, sizes, bounds, chosen, gains, done, limit):
    """Merge the pair of the highest score, again and again, from `done` up to `limit` merges.

    Writes the pairs to `chosen` and their scores to `gains`; returns how many merges there are now. When it is fewer
    than `limit`, `sizes[STATE]` says why.
    """
    _chain(bounds, pairs, symbols, sizes)
    while done < limit:
        k, gain = _best(bounds, pairs, symbols, sizes)
        if k == NONE:
            sizes[STATE] = FINISHED
            return done
        if not room(units, pairs, symbols, sizes, k):
            sizes[STATE] = FULL
            return done
        z = merge(units, pairs, symbols, sizes, k, False)
        _lower_floor(bounds, pairs, symbols, sizes, pairs.left[k])
        _lower_floor(bounds, pairs, symbols, sizes, pairs.right[k])
        for i in range(sizes[TOUCHED]):
            m = pairs.touched[i]
            # A count that falls takes the score with it, or, where that is negative, nearer to 0 but not above it. So
            # only a negative bound may have become too low, or that of a known pair with the new symbol.
            if m < bounds.sizes[CHAINED] and (bounds.bound[m] < 0 or pairs.left[m] == z or pairs.right[m] == z):
                _renew(bounds, pairs, sizes, m)
        _chain(bounds, pairs, symbols, sizes)
        chosen[done] = k
        gains[done] = gain
        done += 1
    return done
