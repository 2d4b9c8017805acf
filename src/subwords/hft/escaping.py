"""What pretokenization would lose, written in characters that it keeps (`variant=paper`).

The published scripts lose the marks themselves (¦ ▁ 𐋇 𐊣 𐊼) when they stand in the text, all whitespace but the space,
and the capitals that are not the capital of their small letter. Here a capital of that kind becomes 𐊠 and its small
letter, so that it stays inside its word, and the rest becomes the private-use character that has the same last four
hexadecimal digits (¦ is U+00A6 and becomes U+1000A6). Those private-use characters themselves, should a text have
them, follow U+10FFFD.

>>> escape("İstanbul")
'𐊠istanbul'
>>> ascii(escape("a¦b"))
"'a\\\\U001000a6b'"
>>> unescape(escape("a¦b\\tİ \\U001000a6")) == "a¦b\\tİ \\U001000a6"
True
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from subwords.hft.characters import SPACE, UPPER, characters
from subwords.hft.codes import Codes, to_codes, to_lines

CAPITAL_OF = "𐊠"
LITERAL = "\U0010fffd"
MARKS = "¦▁𐋇𐊣𐊼" + CAPITAL_OF

#: Any character that an escaped text can have and the text itself hardly has.
_ESCAPED = re.compile(f"[{CAPITAL_OF}\U00100000-\U0010ffff]")


@cache
def escapes() -> dict[str, str]:
    """Return what each character that needs it is written as."""
    classes, lower, upper = characters()
    codes = np.arange(classes.size)
    lost_capitals = np.flatnonzero((classes & UPPER != 0) & (upper[lower] != codes)).tolist()
    spaces = np.flatnonzero((classes & SPACE != 0) & (codes != ord(" ")) & (codes != ord("\n"))).tolist()
    private = {chr(code): chr(0x100000 + code % 0x10000) for code in (*spaces, *map(ord, MARKS))}
    literal = {text: LITERAL + text for text in (*private.values(), LITERAL)}
    return private | literal | {chr(code): CAPITAL_OF + chr(lower[code]) for code in lost_capitals}


def escape_codes(text: Codes) -> Codes:
    """Return code points that pretokenization keeps."""
    places = np.flatnonzero(_needs_escape()[text])
    if not places.size:
        return text
    table = {ord(character): to_codes([escaped]) for character, escaped in escapes().items()}
    parts, start = [], 0
    for place in places.tolist():
        parts += [text[start:place], table[int(text[place])]]
        start = place + 1
    return np.concatenate([*parts, text[start:]])


def escape(text: str) -> str:
    """Return `text`, one line, in characters that pretokenization keeps."""
    return to_lines(escape_codes(to_codes([text])))[0]


def unescape(text: str) -> str:
    """Return the text that was escaped."""
    if not _ESCAPED.search(text):
        return text
    pattern, originals = _unescaping()
    return pattern.sub(lambda match: originals[match[0]], text)


@cache
def _needs_escape() -> NDArray[np.bool_]:
    table = np.zeros(characters().classes.size, np.bool_)
    table[[ord(character) for character in escapes()]] = True
    return table


@cache
def _unescaping() -> tuple[re.Pattern[str], dict[str, str]]:
    originals = {escaped: character for character, escaped in escapes().items()}
    longest_first = sorted(map(re.escape, originals), key=len, reverse=True)
    return re.compile("|".join(longest_first)), originals
