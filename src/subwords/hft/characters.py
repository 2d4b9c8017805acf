"""What GNU sed's classes and case conversions say of each code point, as tables that compiled code can index."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subwords.hft import c_utf8

#: One bit per class in `Characters.classes`.
UPPER, LOWER, ALPHA, DIGIT, SPACE, WORD = 1, 2, 4, 8, 16, 32
ALNUM = ALPHA | DIGIT
CODE_POINTS = 0x110000


class Characters(NamedTuple):
    """Tables over all code points."""

    classes: NDArray[np.uint8]  # the bits above
    lower: NDArray[np.uint32]  # towlower
    upper: NDArray[np.uint32]  # towupper


@cache
def characters() -> Characters:
    """Return the tables of the C library that c_utf8.py names."""
    classes = np.zeros(CODE_POINTS, np.uint8)
    for bit, text in ((UPPER, c_utf8.UPPER), (LOWER, c_utf8.LOWER), (ALPHA, c_utf8.ALPHA), (DIGIT, c_utf8.DIGIT)):
        for codes in _ranges(text):
            classes[codes] |= bit
    for codes in _ranges(c_utf8.SPACE):
        classes[codes] |= SPACE
    classes[(classes & ALNUM) != 0] |= WORD  # what glibc's \b calls a word character: alnum and the underscore
    classes[ord("_")] |= WORD
    return Characters(classes, _mapping(c_utf8.TO_LOWER), _mapping(c_utf8.TO_UPPER))


@cache
def upper_letters() -> dict[int, int]:
    """Return towupper as a table for str.translate."""
    upper = characters().upper
    changed = np.flatnonzero(upper != np.arange(CODE_POINTS))
    return dict(zip(changed.tolist(), upper[changed].tolist(), strict=True))


def _ranges(text: str) -> Iterator[slice]:
    for word in text.split():
        codes, _, step = word.partition("/")
        first, _, last = codes.partition("-")
        yield slice(int(first, 16), int(last or first, 16) + 1, int(step or 1))


def _mapping(text: str) -> NDArray[np.uint32]:
    table = np.arange(CODE_POINTS, dtype=np.int64)
    difference = 0
    for word in text.split():
        if word.endswith(":"):
            difference = int(word[:-1], 16)
        else:
            for codes in _ranges(word):
                table[codes] += difference
    return table.astype(np.uint32)
