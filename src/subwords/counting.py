"""Counting words: what every algorithm that learns from word types starts with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from subwords.errors import InputError
from subwords.files import read_lines

#: Bytes that are split and counted at a time.
BLOCK = 1 << 20


def count_words(paths: Iterable[str | Path]) -> dict[str, int]:
    """Return the words of UTF-8 text files with their counts, in the order in which they are first seen.

    A word is what stands between single spaces of a line, once spaces and carriage returns are stripped from the
    line's ends. Only LF ends a line; other Unicode spaces are letters like any other.

    Raises InputError when a file cannot be read, is not UTF-8 (with the line), or when there is no word at all.
    """
    paths = [Path(path) for path in paths]
    counts: Counter[bytes] = Counter()
    for path in paths:
        try:
            with open(path, "rb") as stream:
                _count(stream, counts)
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}", next_step="check the path") from error
    counts.pop(b"", None)
    if not counts:
        names = ", ".join(map(str, paths)) or "(no file)"
        raise InputError(f"there is no word in {names}", next_step="give a text file that is not empty")
    try:
        return {word.decode("utf-8"): count for word, count in counts.items()}
    except UnicodeDecodeError:
        for path in paths:
            for _ in read_lines(path):  # raises with the file and line of the first bad byte
                pass
        raise


def _count(stream: IO[bytes], counts: Counter[bytes]) -> None:
    """Add the words of a stream. Bytes are enough: no part of a UTF-8 character looks like a space or a line end."""
    while lines := stream.readlines(BLOCK):
        block = b"".join(lines)
        if b"\r" in block:
            block = b" ".join([line.strip(b" \r\n") for line in lines])
        counts.update(block.replace(b"\n", b" ").split(b" "))
