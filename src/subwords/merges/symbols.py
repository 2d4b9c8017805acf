# mypy: disallow-untyped-defs=False
"""Symbols: strings by number, found by their code points, compared by them. Compiled by numba."""

from __future__ import annotations

import numpy as np

from subwords.compiled import compiled_in_place
from subwords.merges.arrays import CHARS, NONE, SYMBOLS, mix


@compiled_in_place
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


@compiled_in_place
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


@compiled_in_place
def joined(symbols, sizes, x, y):
    """Return the symbol that spells x and then y."""
    end = sizes[CHARS]
    for s in (x, y):
        for i in range(symbols.start[s], symbols.start[s + 1]):
            symbols.chars[end] = symbols.chars[i]
            end += 1
    return _intern(symbols, sizes, end)


@compiled_in_place
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


@compiled_in_place
def larger(pairs, symbols, k, m):
    """Return whether pair k is larger than pair m: by the left string, then by the right one."""
    order = _compare(symbols, pairs.left[k], pairs.left[m])
    if order == 0:
        order = _compare(symbols, pairs.right[k], pairs.right[m])
    return order > 0
