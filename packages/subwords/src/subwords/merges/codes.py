"""Merges, and codes files: merges in the order in which they were learned, in subword-nmt's format (version 0.2).

The first line is `#version: 0.2`, each other line one merge, `left right`; a piece that ends a word carries `</w>`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar

from subwords.errors import InputError
from subwords.files import read_bytes, write_lines

#: Marks the last piece of a word in a codes file.
END = "</w>"
HEADER = "#version: 0.2"

Merge = tuple[str, str]
#: What a word consists of: pieces, and None for a character outside the vocabulary.
Unit = TypeVar("Unit", str, str | None)


def write_codes(path: str | Path, merges: Iterable[Merge]) -> None:
    """Write merges to a codes file."""
    write_lines(path, chain([HEADER], map(" ".join, merges)))


def read_codes(path: str | Path) -> list[Merge]:
    """Return the merges of a codes file. Raises InputError when it cannot be read, as `merges_in` does."""
    return merges_in(read_bytes(path), path)


def merges_in(content: bytes, path: str | Path) -> list[Merge]:
    """Return the merges that a codes file holds.

    Raises InputError when it has no version 0.2 header, or a line that is not two pieces.
    """
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start})", allowed="a codes file in UTF-8") from error
    ends = "\r" if lines[0].endswith("\r") else ""  # a CR at a line's end is part of a piece, unless all lines have one
    if lines[0].removesuffix(ends).rstrip() != HEADER:
        raise InputError(
            f"{path} is not a codes file of version 0.2: its first line is {lines[0][:40]!r}",
            allowed=f"a file that starts with {HEADER!r}",
            next_step="learn it with subword-nmt 0.2 or later, or with: subwords learn bpe",
        )
    while lines and not lines[-1]:
        lines.pop()
    return [_merge(path, number, line.removesuffix(ends)) for number, line in enumerate(lines[1:], 2)]


def _merge(path: str | Path, number: int, line: str) -> Merge:
    left, _, right = line.partition(" ")
    if not left or not right or " " in right:
        raise InputError(f"{path}, line {number}: {line[:60]!r} is not a merge", allowed="two pieces and one space")
    return left, right


def replaced(units: Sequence[Unit], old: tuple[str, ...], new: tuple[str, ...]) -> list[Unit]:
    """Return units with each stretch `old` replaced by `new`, from the left."""
    written: list[Unit] = []
    place = 0
    while place < len(units):
        if units[place] == old[0] and tuple(units[place : place + len(old)]) == old:
            written += new  # type: ignore[arg-type]
            place += len(old)
        else:
            written.append(units[place])
            place += 1
    return written
