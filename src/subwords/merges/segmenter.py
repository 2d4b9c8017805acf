"""What the algorithms that learn merges share: the codes file, and how it is applied and undone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from subwords.errors import InputError
from subwords.merges.codes import Merge, read_codes, write_codes
from subwords.merges.encoding import MergeEncoder
from subwords.merges.vocabulary import PieceFilter, read_vocabulary
from subwords.segmenter import Parameter, WordSegmenter, read_options

#: Ends each piece that does not end its word.
SEPARATOR = "@@"

ENCODE_PARAMETERS = (
    Parameter(
        "vocabulary",
        None,
        "file of `piece count` lines; pieces that are not in it are split further",
        kind=str,
        stage="encode",
    ),
    Parameter("vocabulary_threshold", 1, "least count of a piece in the vocabulary file", stage="encode"),
)


class Encoder(Protocol):
    """What segments words: our own encoder, or another implementation's."""

    def segment_words(self, words: Sequence[str]) -> list[str]: ...


class MergeSegmenter(WordSegmenter):
    """A list of merges, applied to words in the order of the list.

    Pieces that do not end a word carry "@@", so that removing every "@@ " gives the text back. The format cannot tell
    a word that itself ends in "@@": the text "a@@ b" comes back as "ab".
    """

    size_counts = "merges"
    reads = "moses"
    parameters: ClassVar[tuple[Parameter, ...]] = ENCODE_PARAMETERS

    def __init__(self, merges: Sequence[Merge], **options: Any) -> None:
        super().__init__()
        self.merges = list(merges)
        given = read_options(type(self), options)
        self._encoder = self.encoder(**given)
        self._filter: PieceFilter | None = None
        if given["vocabulary"]:
            known = read_vocabulary(given["vocabulary"], given["vocabulary_threshold"])
            self._filter = PieceFilter(known, self.merges, SEPARATOR)

    def encoder(self, **options: Any) -> Encoder:
        """Return what segments words with the merges."""
        return MergeEncoder(self.merges, SEPARATOR)

    @classmethod
    def load(cls, path: Path, **options: Any) -> Self:
        return cls(read_codes(path), **options)

    def save(self, path: Path) -> None:
        write_codes(path, self.merges)

    def segment_words(self, words: Sequence[str]) -> list[str]:
        pieces = self._encoder.segment_words(words)
        return pieces if self._filter is None else [self._filter.restrict(word) for word in pieces]

    def decode(self, pieces: str) -> str:
        text = pieces.replace(f"{SEPARATOR} ", "")
        return text.removesuffix(SEPARATOR) if pieces.endswith(SEPARATOR) else text

    def reached(self) -> int:
        return len(self.merges)


def at_least_one(name: str, value: int) -> int:
    """Return an option's value, or raise InputError when it is below 1."""
    if value < 1:
        raise InputError(f"{name}={value} is too small", allowed="a whole number, at least 1")
    return value
