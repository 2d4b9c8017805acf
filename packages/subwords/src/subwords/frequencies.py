"""Pieces with their counts: order, and the file format `piece<TAB>count`, one per line, most frequent first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from subwords.errors import InputError
from subwords.files import read_lines, write_lines
from subwords.segmenter import Segmenter, read_options, whole_number


def by_frequency(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the items of `counts`, most frequent first, equally frequent ones in code-point order.

    >>> by_frequency({"b": 1, "c": 2, "a": 1})
    [('c', 2), ('a', 1), ('b', 1)]
    """
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def write_frequencies(counts: Mapping[str, int], path: Path) -> None:
    """Write `counts` as `piece<TAB>count` lines, most frequent first."""
    write_lines(path, (f"{piece}\t{count}" for piece, count in by_frequency(counts)))


def read_frequencies(path: Path) -> dict[str, int]:
    """Return the counts of a file that `write_frequencies` wrote, in file order.

    Raises InputError with the line number where a line is not `piece<TAB>count`.
    """
    counts: dict[str, int] = {}
    for number, line in enumerate(read_lines(path), 1):
        piece, tab, count = line.rpartition("\t")
        occurs = whole_number(count.removeprefix("-"))
        if not tab or not piece or occurs is None:
            raise InputError(
                f"{path}, line {number}: {line[:80]!r} is not a piece and its count",
                allowed="piece<TAB>count",
                next_step="check that the model file belongs to this algorithm",
            )
        counts[piece] = -occurs if count.startswith("-") else occurs
    return counts


class CountedPieces(Segmenter):
    """An algorithm whose model is its pieces with their counts. The model file is that of `write_frequencies`."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self.vocabulary = dict(vocabulary)

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        read_options(cls, options)
        return cls(read_frequencies(path))

    def write(self, path: Path) -> None:
        write_frequencies(self.vocabulary, path)

    def known_pieces(self) -> list[str]:
        return [piece for piece, _ in by_frequency(self.vocabulary)]

    def reached(self) -> int:
        return len(self.vocabulary)
