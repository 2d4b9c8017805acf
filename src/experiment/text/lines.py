"""Texts as lines, made line by line from another text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from subwords.errors import InputError
from subwords.files import read_lines, write_lines


def rewrite(source: Path, target: Path, function: Callable[[Iterator[str]], Iterable[str]]) -> None:
    """Write what `function` makes of the lines of a file. Raises InputError where their numbers differ."""
    read = 0

    def counted() -> Iterator[str]:
        nonlocal read
        for line in read_lines(source):
            read += 1
            yield line

    write_lines(target, function(counted()))
    written = sum(1 for _ in read_lines(target))
    if written != read:
        raise InputError(f"{target} has {written} lines, {source} has {read}", allowed="equal numbers")
