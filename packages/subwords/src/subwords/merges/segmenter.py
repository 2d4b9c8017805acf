"""What the algorithms that learn merges share: the codes file, and how it is applied and undone.

Pieces may be kept to a vocabulary: merges that lead out of it are undone (Sennrich et al. 2017, as in apply-bpe).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from subwords.errors import InputError
from subwords.files import FileRead
from subwords.marks import SEPARATOR
from subwords.merges.codes import END, Merge, read_codes, write_codes
from subwords.segmenter import Parameter, WordSegmenter, changed_options, check_idle, read_options, whole_number

if TYPE_CHECKING:
    from subwords.core.pieces import Splitter

ENCODE_PARAMETERS = (
    Parameter(
        "vocabulary",
        None,
        "file of `piece count` lines; pieces that are not in it are split further",
        kind=str,
        stage="encode",
        is_file=True,
    ),
    Parameter("vocabulary_threshold", 1, "least count of a piece in the vocabulary file", stage="encode"),
)


class MergedPieces(WordSegmenter):
    """Pieces that merges of two and more parts have made; the last part of a word carries "</w>" in a merge.

    Pieces that do not end a word carry "@@", so that removing every "@@ " gives the text back. The format cannot tell
    a word that itself ends in "@@": the text "a@@ b" comes back as "ab".
    """

    reads = "moses"
    merges: Sequence[tuple[str, ...]]

    def decode(self, pieces: str) -> str:
        text = pieces.replace(f"{SEPARATOR} ", "")
        return text.removesuffix(SEPARATOR) if pieces.endswith(SEPARATOR) else text

    def symbols(self) -> list[str]:
        """Return the characters of the merges, what each merge makes, and the other `learned_letters`.

        Characters are by code points, each inside a word and at its end. Those that only the description names come
        last, so that a codes file alone gives the same numbers. A character in none of these is a piece, too, where a
        text has it, but the model does not know it.
        """
        made = list(dict.fromkeys(map("".join, self.merges)))
        parts = {part for merge in self.merges for part in merge} - set(made)
        characters = {part.removesuffix(END) or part for part in parts}
        return list(dict.fromkeys([*_both_forms(characters), *made, *_both_forms(self.learned_letters)]))

    def known_pieces(self) -> list[str]:
        return [s.removesuffix(END) if s.endswith(END) and s != END else s + SEPARATOR for s in self.symbols()]


class MergeSegmenter(MergedPieces):
    """A list of merges of two parts, applied to words in the order of the list."""

    size_counts = "merges"
    merges: list[Merge]
    parameters: ClassVar[tuple[Parameter, ...]] = ENCODE_PARAMETERS

    def __init__(self, merges: Sequence[Merge], **options: Any) -> None:
        self.merges = list(merges)
        given = read_options(type(self), options)
        self.options = changed_options(type(self), given)
        self._filter: PieceFilter | None = None
        if given["vocabulary"]:
            self.files_read = {"vocabulary": FileRead.of(given["vocabulary"])}
            known = pieces_of_vocabulary(self.files_read["vocabulary"], given["vocabulary_threshold"])
            self._filter = PieceFilter(known, self.merges, SEPARATOR)
        else:
            check_idle(type(self), given, ["vocabulary_threshold"], "--set vocabulary=FILE")

    def splitter(self) -> Splitter | None:
        return None if self._filter else self._new_merger()

    def _new_merger(self) -> Splitter:
        from subwords.core.pieces import MergeSplitter

        return MergeSplitter(self.merges, SEPARATOR)

    @cached_property
    def _merger(self) -> Splitter:
        return self._new_merger()

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        return cls(read_codes(path), **options)

    def write(self, path: Path) -> None:
        write_codes(path, self.merges)

    def segment_words(self, words: Sequence[str]) -> list[str]:
        pieces = self._merger.segment_words(words)
        return pieces if self._filter is None else [self._filter.restrict(word) for word in pieces]

    def reached(self) -> int:
        return len(self.merges)

    def applied_with(self) -> dict[str, Any]:
        kept = super().applied_with()
        if not self._filter:
            return kept
        threshold = self.options.get("vocabulary_threshold", 1)
        return {"vocabulary": self.files_read["vocabulary"].digest[:12], "vocabulary_threshold": threshold} | kept


def _both_forms(characters: Iterable[str]) -> list[str]:
    return [form for character in sorted(characters) for form in (character, character + END)]


class PieceFilter:
    """Splits pieces that are not in `vocabulary` (pieces as they are written, with their separator) by their merges.

    A piece outside the vocabulary is replaced by the two pieces it was merged from, and these again, until they are in
    the vocabulary or single characters.
    """

    def __init__(self, vocabulary: Iterable[str], merges: Sequence[Merge], separator: str) -> None:
        self._known = frozenset(vocabulary)
        self._separator = separator
        self._origin = {"".join(merge): merge for merge in reversed(merges)}  # of the first merge that makes it

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
        occurs = whole_number(count)
        if not space or occurs is None:
            raise InputError(
                f"{file.path}, line {number}: {line[:60]!r} is not a piece and its count",
                allowed="lines of the form: piece count",
                next_step="make it with: subword-nmt get-vocab < PIECES > VOCABULARY",
            )
        if occurs >= threshold:
            pieces.add(piece)
    return pieces
