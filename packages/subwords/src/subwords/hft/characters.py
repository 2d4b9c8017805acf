"""What GNU sed's classes and case conversions say of each code point, as the compiled pretokenizer takes them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from subwords.core.hft_text import Pretokenizer

#: One bit for each class, as in `subwords.core.hft_text`.
UPPER, LOWER, ALPHA, DIGIT, SPACE, WORD = 1, 2, 4, 8, 16, 32


@cache
def pretokenizer() -> Pretokenizer:
    """Return the pretokenizer with the tables of the C library that c_utf8.txt names; `HFT` adds its escapes to it."""
    blocks = Path(__file__).with_name("c_utf8.txt").read_text("ascii").split("\n\n")[1:]  # the first says what it is
    ranges = {name: words for name, *words in map(str.split, blocks)}
    tables = Pretokenizer()
    for name, bit in (("UPPER", UPPER), ("LOWER", LOWER), ("ALPHA", ALPHA), ("DIGIT", DIGIT), ("SPACE", SPACE)):
        for word in ranges[name]:
            tables.mark(bit, *_range(word))
    tables.mark(WORD, ord("_"), ord("_"), 1)
    for upper, name in ((False, "TO_LOWER"), (True, "TO_UPPER")):
        for word in ranges[name]:
            if word.endswith(":"):
                difference = int(word[:-1], 16)  # is added to the code points of the ranges that follow
            else:
                tables.convert(upper, difference, *_range(word))
    return tables


@cache
def upper_letters() -> dict[int, int]:
    """Return towupper as a table for str.translate."""
    return pretokenizer().upper_letters()


def _range(word: str) -> tuple[int, int, int]:
    """Return the first and the last code point of a range, and the step between them."""
    codes, _, step = word.partition("/")
    first, _, last = codes.partition("-")
    return int(first, 16), int(last or first, 16), int(step or 1)
