"""What pretokenization would lose, written in characters that it keeps (`variant=paper`).

The published scripts lose the marks themselves (¦ ▁ 𐋇 𐊣 𐊼) when they stand in the text, all whitespace but the space,
and the capitals that are not the capital of their small letter. Here a capital of that kind becomes 𐊠 and its small
letter, so that it stays inside its word, and the rest becomes the private-use character that has the same last four
hexadecimal digits (¦ is U+00A6 and becomes U+1000A6). Those private-use characters themselves, should a text have
them, follow U+10FFFD.

>>> "İstanbul".translate(str.maketrans(escapes()))
'𐊠istanbul'
>>> ascii("a¦b".translate(str.maketrans(escapes())))
"'a\\\\U001000a6b'"
>>> text = "a¦b\\tİ \\U001000a6"
>>> unescape(text.translate(str.maketrans(escapes()))) == text
True
"""

from __future__ import annotations

import re
from functools import cache

from subwords.hft.characters import pretokenizer

CAPITAL_OF = "𐊠"
LITERAL = "\U0010fffd"
MARKS = "¦▁𐋇𐊣𐊼" + CAPITAL_OF

#: Any character that an escaped text can have and the text itself hardly has.
_ESCAPED = re.compile(f"[{CAPITAL_OF}\U00100000-\U0010ffff]")


@cache
def escapes() -> dict[str, str]:
    """Return what each character that needs it is written as."""
    tables = pretokenizer()
    private = {c: chr(0x100000 + ord(c) % 0x10000) for c in (*tables.lost_spaces(), *MARKS)}
    literal = {text: LITERAL + text for text in (*private.values(), LITERAL)}
    return private | literal | {capital: CAPITAL_OF + small for capital, small in tables.lost_capitals().items()}


def unescape(text: str) -> str:
    """Return the text that was escaped."""
    if not _ESCAPED.search(text):
        return text
    pattern, originals = _unescaping()
    return pattern.sub(lambda match: originals[match[0]], text)


@cache
def _unescaping() -> tuple[re.Pattern[str], dict[str, str]]:
    originals = {escaped: character for character, escaped in escapes().items()}
    longest_first = sorted(map(re.escape, originals), key=len, reverse=True)
    return re.compile("|".join(longest_first)), originals
