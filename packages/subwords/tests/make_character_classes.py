"""Write hft/c_utf8.txt: the character classes and case mappings that GNU sed takes from the C library.

HFT's published pretokenization is a sed script, and what [[:alpha:]], \\b or \\L mean there is decided by the C
library. Run this on a system with the glibc whose classes are wanted:

    python tests/make_character_classes.py src/subwords/hft/c_utf8.txt
"""

from __future__ import annotations

import argparse
import ctypes
import locale
import platform
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

LOCALE = "C.UTF-8"
CLASSES = ("upper", "lower", "alpha", "digit", "space")
MAPPINGS = ("lower", "upper")
CODE_POINTS = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]


def main(argv: Sequence[str] | None = None) -> int:
    """Ask the C library about every code point and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args(argv)
    arguments.output.write_text(file_text(), encoding="utf-8", newline="\n")
    return 0


def file_text() -> str:
    """Return what the file holds: blocks between empty lines, the first says what it is, each other has a name."""
    locale.setlocale(locale.LC_ALL, LOCALE)
    members = {name: members_of(name) for name in CLASSES}
    if set(members_of("alnum")) != {*members["alpha"], *members["digit"]}:
        raise SystemExit("in this C library alnum is more than alpha and digit: the file would be wrong")
    blocks = [
        [
            f"Character classes and case mappings of {LOCALE} in {' '.join(platform.libc_ver())}.",
            "Made by tests/make_character_classes.py; do not edit. Hexadecimal code points: `41-5a` is a range,",
            "`100-136/2` every second code point of one, a mapping adds the signed number before the colon.",
        ]
    ]
    blocks += [[name.upper(), *wrapped(ranges(members[name]))] for name in CLASSES]
    blocks += [[f"TO_{name.upper()}", *mapping(name)] for name in MAPPINGS]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def members_of(name: str) -> list[int]:
    """Return the code points of a class, by iswupper, iswlower, ..."""
    is_member = getattr(ctypes.CDLL(None), f"isw{name}")
    is_member.argtypes = [ctypes.c_uint32]
    return [code for code in CODE_POINTS if is_member(code)]


def mapping(name: str) -> list[str]:
    """Return the lines of towlower or towupper, one difference (new code point minus old) after the other."""
    map_ = getattr(ctypes.CDLL(None), f"tow{name}")
    map_.argtypes, map_.restype = [ctypes.c_uint32], ctypes.c_uint32
    by_difference: dict[int, list[int]] = {}
    for code in CODE_POINTS:
        if map_(code) != code:
            by_difference.setdefault(map_(code) - code, []).append(code)
    return [line for number, codes in by_difference.items() for line in wrapped([f"{number:+x}:", *ranges(codes)])]


def ranges(codes: list[int]) -> list[str]:
    """Return ascending code points as ranges of step 1 or 2.

    >>> ranges([0x41, 0x42, 0x43, 0x100, 0x102, 0x104, 0x200])
    ['41-43', '100-104/2', '200']
    """
    texts, start = [], 0
    while start < len(codes):
        end, step = start, codes[start + 1] - codes[start] if start + 1 < len(codes) else 0
        while step in (1, 2) and end + 1 < len(codes) and codes[end + 1] - codes[end] == step:
            end += 1
        texts.append(f"{codes[start]:x}" + (f"-{codes[end]:x}" if end > start else "") + ("/2" if step == 2 else ""))
        start = end + 1
    return texts


def wrapped(words: Iterable[str]) -> list[str]:
    return textwrap.wrap(" ".join(words), 118, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    sys.exit(main())
