"""Pieces kept to a vocabulary: merges that lead out of it are undone (Sennrich et al. 2017, as in apply-bpe)."""

from __future__ import annotations

from collections.abc import Iterable

from subwords.errors import InputError
from subwords.files import FileRead
from subwords.merges.codes import END, Merge


class PieceFilter:
    """Splits pieces that are not in `vocabulary` (pieces as they are written, with their separator) by their merges.

    A piece outside the vocabulary is replaced by the two pieces it was merged from, and these again, until they are in
    the vocabulary or single characters.
    """

    def __init__(self, vocabulary: Iterable[str], merges: Iterable[Merge], separator: str) -> None:
        self._known = frozenset(vocabulary)
        self._separator = separator
        self._origin: dict[str, Merge] = {}
        for left, right in merges:
            self._origin.setdefault(left + right, (left, right))

    def restrict(self, word: str) -> str:
        """Return the pieces of one word (joined by spaces), those outside the vocabulary split further."""
        pieces = word.split(" ")
        if len(word) == 1 or self._known.issuperset(pieces):
            return word
        kept: list[str] = []
        pending = [piece.removesuffix(self._separator) for piece in pieces[:-1]] + [pieces[-1] + END]
        pending.reverse()
        while pending:
            symbol = pending.pop()
            final = not pending
            written = symbol[: -len(END)] if final else symbol + self._separator
            if written not in self._known and symbol in self._origin:
                left, right = self._origin[symbol]
                pending += [right, left]
            else:
                kept.append(written)
        return " ".join(kept)


def pieces_of_vocabulary(file: FileRead, threshold: int) -> set[str]:
    """Return the pieces of a vocabulary file (`piece count` lines) that occur `threshold` times or more.

    Raises InputError when a line is not of that form.
    """
    pieces = set()
    for number, line in enumerate(file.lines(), 1):
        piece, space, count = line.strip(" \r").partition(" ")
        if not space or not count.isdigit():
            raise InputError(
                f"{file.path}, line {number}: {line[:60]!r} is not a piece and its count",
                allowed="lines of the form: piece count",
                next_step="make it with: subword-nmt get-vocab < PIECES > VOCABULARY",
            )
        if int(count) >= threshold:
            pieces.add(piece)
    return pieces
