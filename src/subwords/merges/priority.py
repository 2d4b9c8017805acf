# mypy: disallow-untyped-defs=False
"""A binary heap of pairs by (count, pair), for the most frequent pair. Compiled by numba.

Entries may be outdated: a pair that gained occurrences is pushed again, and one that lost some is moved down when it
comes to the top. As every pair has an entry that is not below its count, the top is the maximum once it is up to date.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from subwords.compiled import compiled_in_place
from subwords.merges.arrays import FINISHED, FULL, NONE, PAIRS, STATE, SYMBOLS, TOUCHED
from subwords.merges.symbols import larger
from subwords.merges.units import merge, room


class Heap(NamedTuple):
    """`freq` and `pair` are the columns of a binary heap; `size[0]` is how many entries it has."""

    freq: np.ndarray  # int64
    pair: np.ndarray  # int32
    size: np.ndarray  # int64


def fitting(heap: Heap | None, pairs: int, symbols: int) -> Heap:
    """Return a heap with the entries of `heap`, and room for those of `pairs` pairs and one more merge."""
    if heap is None:
        heap = Heap(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(1, np.int64))
    entries = int(heap.size[0])
    room = max(pairs, entries + 2 * symbols + 2)
    if room <= len(heap.pair):
        return heap
    longer = Heap(np.zeros(room, np.int64), np.zeros(room, np.int32), heap.size)
    longer.freq[:entries], longer.pair[:entries] = heap.freq[:entries], heap.pair[:entries]
    return longer


@compiled_in_place
def _above(pairs, symbols, count, k, other_count, m):
    return count > other_count or (count == other_count and larger(pairs, symbols, k, m))


@compiled_in_place
def _push(heap, pairs, symbols, k):
    count = pairs.freq[k]
    i = heap.size[0]
    heap.size[0] += 1
    while i > 0:
        parent = (i - 1) >> 1
        if not _above(pairs, symbols, count, k, heap.freq[parent], heap.pair[parent]):
            break
        heap.freq[i] = heap.freq[parent]
        heap.pair[i] = heap.pair[parent]
        i = parent
    heap.freq[i] = count
    heap.pair[i] = k


@compiled_in_place
def _replace_top(heap, pairs, symbols, count, k):
    """Put (count, k) where the top is, and let it sink."""
    i = 0
    while True:
        child = 2 * i + 1
        if child >= heap.size[0]:
            break
        if child + 1 < heap.size[0] and _above(
            pairs, symbols, heap.freq[child + 1], heap.pair[child + 1], heap.freq[child], heap.pair[child]
        ):
            child += 1
        if not _above(pairs, symbols, heap.freq[child], heap.pair[child], count, k):
            break
        heap.freq[i] = heap.freq[child]
        heap.pair[i] = heap.pair[child]
        i = child
    heap.freq[i] = count
    heap.pair[i] = k


@compiled_in_place
def _most_frequent(heap, pairs, symbols):
    """Return the pair with the highest count (the larger pair on ties), or NONE; it stays in the heap."""
    while heap.size[0] > 0:
        k = heap.pair[0]
        count = pairs.freq[k]
        if count == heap.freq[0]:
            return k
        if 0 < count < heap.freq[0]:
            _replace_top(heap, pairs, symbols, count, k)
        else:
            heap.size[0] -= 1
            last = heap.size[0]
            _replace_top(heap, pairs, symbols, heap.freq[last], heap.pair[last])
    return NONE


@compiled_in_place
def greedy_merges(units, pairs, symbols, sizes, heap, chosen, done, limit, min_frequency):
    """Merge the most frequent pair, again and again; write the pairs to `chosen` from `done` up to `limit`.

    Return how many merges there are now. When it is fewer than `limit`, `sizes[STATE]` says why.
    """
    if done == 0:
        for k in range(heap.size[0], sizes[PAIRS]):
            _push(heap, pairs, symbols, np.int32(k))
    while done < limit:
        k = _most_frequent(heap, pairs, symbols)
        if k == NONE or pairs.freq[k] < min_frequency:
            sizes[STATE] = FINISHED
            return done
        if not room(units, pairs, symbols, sizes, k) or len(heap.pair) < heap.size[0] + 2 * sizes[SYMBOLS] + 2:
            sizes[STATE] = FULL
            return done
        z = merge(units, pairs, symbols, sizes, k, True)
        for i in range(sizes[TOUCHED]):
            m = pairs.touched[i]
            if (pairs.left[m] == z or pairs.right[m] == z) and pairs.freq[m] >= min_frequency:
                _push(heap, pairs, symbols, m)
        chosen[done] = k
        done += 1
    return done
