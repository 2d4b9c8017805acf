# mypy: disallow-untyped-defs=False
"""Merges applied to words, compiled by numba: what `encoding` runs.

In a word, the adjacent pair of lowest rank (first in the codes) is merged at all its places, left to right, then the
next, until no pair has a rank. A binary heap of (rank, place) makes that n log n in the word's length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from subwords.compiled import compiled, compiled_in_place
from subwords.merges.arrays import NONE, mix


class Ranks(NamedTuple):
    """Merges by rank, and `slots`, a hash table that finds them by their two symbols."""

    left: np.ndarray  # int32 symbols
    right: np.ndarray  # int32
    joined: np.ndarray  # int32
    slots: np.ndarray  # int32


@compiled_in_place
def _rank(ranks, x, y):
    """Return the rank of the merge of x and y, or NONE."""
    if x == NONE or y == NONE:
        return NONE
    mask = len(ranks.slots) - 1
    slot = mix(np.int64(x), np.int64(y)) & mask
    while ranks.slots[slot] != NONE:
        r = ranks.slots[slot]
        if ranks.left[r] == x and ranks.right[r] == y:
            return r
        slot = (slot + 1) & mask
    return NONE


@compiled_in_place
def hash_ranks(ranks):
    """Fill the hash table; of equal merges, the first counts."""
    mask = len(ranks.slots) - 1
    for r in range(len(ranks.left)):
        if _rank(ranks, ranks.left[r], ranks.right[r]) == NONE:
            slot = mix(np.int64(ranks.left[r]), np.int64(ranks.right[r])) & mask
            while ranks.slots[slot] != NONE:
                slot = (slot + 1) & mask
            ranks.slots[slot] = r


@compiled_in_place
def _push(heap, size, entry):
    i = size
    while i > 0 and heap[(i - 1) >> 1] > entry:
        heap[i] = heap[(i - 1) >> 1]
        i = (i - 1) >> 1
    heap[i] = entry
    return size + 1


@compiled_in_place
def _pop(heap, size):
    """Drop the least entry and return the new size."""
    size -= 1
    entry = heap[size]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= entry:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = entry
    return size


@compiled
def split(symbols, lengths, ranks, starts):
    """Set `starts` to 1 at each unit where a piece starts, to 0 elsewhere.

    `symbols` are the symbols of the words' characters (NONE where no merge has them), `lengths` those of the words.
    """
    longest = max(1, lengths.max())
    following = np.empty(longest, np.int32)
    preceding = np.empty(longest, np.int32)
    rank = np.empty(longest, np.int32)
    heap = np.empty(3 * longest, np.int64)
    batch = np.empty(3 * longest, np.int32)
    first = 0
    for n in lengths:
        symbol = symbols[first : first + n]
        piece = starts[first : first + n]
        first += n
        size = 0
        for p in range(n):
            piece[p] = 1
            following[p] = p + 1 if p + 1 < n else NONE
            preceding[p] = p - 1
            rank[p] = _rank(ranks, symbol[p], symbol[p + 1]) if p + 1 < n else NONE
            if rank[p] != NONE:
                size = _push(heap, size, np.int64(rank[p]) << 32 | p)
        while size > 0:
            r = heap[0] >> 32
            places = 0
            while size > 0 and heap[0] >> 32 == r:
                batch[places] = heap[0] & 0xFFFFFFFF
                places += 1
                size = _pop(heap, size)
            for p in batch[:places]:
                if rank[p] != r:
                    continue  # an earlier merge took one of its two units
                q = following[p]
                before, after = preceding[p], following[q]
                symbol[p] = ranks.joined[r]
                piece[q] = 0
                rank[q] = NONE
                following[p] = after
                rank[p] = NONE
                if after != NONE:
                    preceding[after] = p
                    rank[p] = _rank(ranks, symbol[p], symbol[after])
                    if rank[p] != NONE:
                        size = _push(heap, size, np.int64(rank[p]) << 32 | p)
                if before != NONE:
                    rank[before] = _rank(ranks, symbol[before], symbol[p])
                    if rank[before] != NONE:
                        size = _push(heap, size, np.int64(rank[before]) << 32 | before)


@compiled_in_place
def spell(chars, lengths, starts, separator, out):
    """Write the words' code points to `out`: `separator` before each inner piece, a line feed after each word."""
    end = 0
    p = 0
    for n in lengths:
        for i in range(n):
            if i > 0 and starts[p]:
                for char in separator:
                    out[end] = char
                    end += 1
            out[end] = chars[p]
            end += 1
            p += 1
        out[end] = 10
        end += 1
    return end
