"""One form for lines that look the same: NFC, plain spaces, nothing invisible but what spelling needs."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

_ZWNJ_ZWJ = "\u200c\u200d"
#: Formatting characters that are seen: they enclose or precede the digits after them.
_VISIBLE_FORMAT = {*map(chr, range(0x600, 0x606)), *"\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"}
_BLACK_FLAG = "\U0001f3f4"  # flags of regions are this and tag characters
_TAGS = range(0xE0020, 0xE0080)


@cache
def _invisible() -> re.Pattern[str]:
    """Return the class of the control and format characters that are not seen (white space is not among them)."""
    found = (c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) in ("Cc", "Cf"))
    return re.compile("[" + "".join(re.escape(c) for c in found if not c.isspace() and c not in _VISIBLE_FORMAT) + "]")


def _kept(match: re.Match[str]) -> str:
    """Return an invisible character where it belongs to the spelling, else nothing."""
    character, before = match.group(), match.string[: match.start()][-1:]
    if not before:
        return ""
    if character in _ZWNJ_ZWJ:
        # Joiners matter after letters without case and their marks (Marathi, Persian, ...) and in emoji; after Latin,
        # Greek or Cyrillic letters, digits and spaces they are left-overs of typesetting.
        return character if unicodedata.category(before) in ("Lo", "Mn", "Mc", "So", "Sk") else ""
    if ord(character) in _TAGS:
        return character if before == _BLACK_FLAG or ord(before) in _TAGS else ""
    return ""


def clean_line(text: str) -> str:
    """Return `text` in NFC, with one space for any run of white space, none at the ends, and nothing invisible.

    Control characters and zero-width ones (also soft hyphens, direction marks, byte order marks) are removed; joiners
    are kept where spelling or emoji need them. Applying it twice changes nothing.

    >>> clean_line("  naı\u0308ve\u00a0\u200btext\t")
    'naı̈ve text'
    """
    while True:
        cleaned = " ".join(_invisible().sub(_kept, unicodedata.normalize("NFC", text)).split())
        if cleaned == text:
            return cleaned
        text = cleaned  # what is removed can bring together what NFC joins
