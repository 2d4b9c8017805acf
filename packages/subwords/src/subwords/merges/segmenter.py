"""What the algorithms that learn merges share: the codes file, and how it is applied and undone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from subwords.errors import InputError
from subwords.files import FileRead
from subwords.marks import SEPARATOR
from subwords.merges.codes import END, Merge, read_codes, write_codes
from subwords.merges.vocabulary import PieceFilter, pieces_of_vocabulary
from subwords.segmenter import Parameter, WordSegmenter, changed_options, check_idle, read_options

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


class MergeSegmenter(WordSegmenter):
    """A list of merges, applied to words in the order of the list.

    Pieces that do not end a word carry "@@", so that removing every "@@ " gives the text back. The format cannot tell
    a word that itself ends in "@@": the text "a@@ b" comes back as "ab".
    """

    size_counts = "merges"
    reads = "moses"
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

    def decode(self, pieces: str) -> str:
        text = pieces.replace(f"{SEPARATOR} ", "")
        return text.removesuffix(SEPARATOR) if pieces.endswith(SEPARATOR) else text

    def reached(self) -> int:
        return len(self.merges)

    def symbols(self) -> list[str]:
        """Return the characters of the merges, what each merge makes, and the other `learned_letters`.

        Characters are by code points, each inside a word and at its end. Those that only the description names come
        last, so that a codes file alone gives the same numbers. A character in none of these is a piece, too, where a
        text has it, but the model does not know it.
        """
        made = list(dict.fromkeys(left + right for left, right in self.merges))
        parts = {part for merge in self.merges for part in merge} - set(made)
        characters = {part.removesuffix(END) or part for part in parts}
        return list(dict.fromkeys([*_both_forms(characters), *made, *_both_forms(self.learned_letters)]))

    def known_pieces(self) -> list[str]:
        return [s.removesuffix(END) if s.endswith(END) and s != END else s + SEPARATOR for s in self.symbols()]

    def applied_with(self) -> dict[str, Any]:
        if not self._filter:
            return {}
        digest = self.files_read["vocabulary"].digest
        return {"vocabulary": digest[:12], "vocabulary_threshold": self.options.get("vocabulary_threshold", 1)}


def _both_forms(characters: Iterable[str]) -> list[str]:
    return [form for character in sorted(characters) for form in (character, character + END)]


def at_least_one(name: str, value: int) -> int:
    """Return an option's value, or raise InputError when it is below 1."""
    if value < 1:
        raise InputError(f"{name}={value} is too small", allowed="a whole number, at least 1")
    return value
