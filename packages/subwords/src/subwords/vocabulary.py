"""Pieces by number, as a translation system sees them: special tokens first, then pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import SupportsIndex

from subwords.errors import InputError


class Vocabulary:
    """Distinct pieces, numbered from 0 or as they are given.

    >>> vocabulary = Vocabulary(["lo@@", "w"])
    >>> vocabulary.ids(["lo@@", "w", "x"])
    [4, 5, 0]
    >>> vocabulary.pieces([1, 4, 5, 2])
    ['lo@@', 'w']
    """

    def __init__(
        self, pieces: Iterable[str] | Mapping[int, str], special: Sequence[str] = ("<unk>", "<s>", "</s>", "<pad>")
    ) -> None:
        """Take the pieces in their order; `special` tokens come first, unless they are among the pieces.

        A mapping says which number each piece has, with all special tokens among them; it may leave numbers out.
        The first special token is what is not in the vocabulary. Without special tokens nothing may be unknown.
        """
        numbered = pieces if isinstance(pieces, Mapping) else dict(enumerate(dict.fromkeys(pieces)))
        known = frozenset(numbered.values())
        absent = [token for token in special if token not in known]
        self.special = tuple(special)
        self._pieces = dict(enumerate([*absent, *numbered.values()])) if absent else numbered
        self._ids = {piece: number for number, piece in self._pieces.items()}
        self._hidden = frozenset(self._ids[token] for token in special)
        self._no_pieces = frozenset(special) - known
        self.unknown = self._ids[special[0]] if special else -1

    def __len__(self) -> int:
        return len(self._pieces)

    def __iter__(self) -> Iterator[str]:
        return iter(self._pieces.values())

    def __contains__(self, piece: str) -> bool:
        return piece in self._ids

    def __getitem__(self, piece: str) -> int:
        """Return the number of a piece, or of the unknown one. Raises InputError where there is none."""
        if self.unknown < 0 and piece not in self._ids:
            raise InputError(f"{piece!r} is not in the vocabulary, which has no unknown piece")
        return self._ids.get(piece, self.unknown)

    def ids(self, pieces: Iterable[str]) -> list[int]:
        """Return the numbers of pieces. Text that only looks like a special token (`<s>`) is unknown."""
        unknown = self.special[0] if self.special else ""
        return [self[unknown if piece in self._no_pieces else piece] for piece in pieces]

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """Return the pieces of numbers, without special tokens but the unknown one. Raises InputError for others."""
        found = []
        for given in ids:
            # An element of a tensor has a hash of its own.
            number = given.__index__() if isinstance(given, SupportsIndex) else -1
            if number not in self._pieces:
                raise InputError(f"{given} is no number of a piece", allowed=f"0 to {max(self._pieces, default=0)}")
            if number not in self._hidden or number == self.unknown:
                found.append(self._pieces[number])
        return found


def count_pieces(lines: Iterable[str]) -> tuple[int, Counter[str]]:
    """Return the number of segmented lines and the counts of their pieces, in the order first seen."""
    number, counts = 0, Counter[str]()
    for line in lines:
        number += 1
        counts.update(line.split(" "))
    del counts[""]
    return number, counts
