"""What GNU sed's classes and case conversions say of each code point, as the compiled pretokenizer takes them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from subwords.core.hft_text import Pretokenizer
from subwords.hft import c_utf8

#: One bit for each class, as in `subwords.core.hft_text`.
UPPER, LOWER, ALPHA, DIGIT, SPACE, WORD = 1, 2, 4, 8, 16, 32


@cache
def pretokenizer() -> Pretokenizer:
    """Return a pretokenizer with the tables of the C library that c_utf8.py names, and without escapes."""
    tables = Pretokenizer()
    classes = {UPPER: c_utf8.UPPER, LOWER: c_utf8.LOWER, ALPHA: c_utf8.ALPHA, DIGIT: c_utf8.DIGIT, SPACE: c_utf8.SPACE}
    for bit, text in classes.items():
        for word in text.split():
            tables.mark(bit, *_range(word))
    tables.mark(WORD, ord("_"), ord("_"), 1)
    for upper, text in ((False, c_utf8.TO_LOWER), (True, c_utf8.TO_UPPER)):
        for difference, word in _conversions(text):
            tables.convert(upper, difference, *_range(word))
    return tables


@cache
def upper_letters() -> dict[int, int]:
    """Return towupper as a table for str.translate."""
    letters: dict[int, int] = pretokenizer().upper_letters()
    return letters


def _range(word: str) -> tuple[int, int, int]:
    """Return the first and the last code point of a range, and the step between them."""
    codes, _, step = word.partition("/")
    first, _, last = codes.partition("-")
    return int(first, 16), int(last or first, 16), int(step or 1)


def _conversions(text: str) -> Iterator[tuple[int, str]]:
    """Yield each range of a mapping with the number that is added to its code points."""
    difference = 0
    for word in text.split():
        if word.endswith(":"):
            difference = int(word[:-1], 16)
        else:
            yield difference, word
