"""Text as bytes, written with 256 printable characters (GPT-2's alphabet), in pre-tokens that pieces do not cross.

Every text can be written with the 256 bytes, so nothing is unknown and everything comes back. A byte that is a
printable character of Latin-1 stands for itself; the others, in their order, are U+0100, U+0101, ...: the space is `Ġ`.

>>> write("é a")
'Ã©Ġa'
>>> read("Ã©Ġa")
'é a'

Pre-tokens are those of GPT-2 (Radford et al. 2019): a run of letters, of digits or of other characters, each with the
space before it; the contractions 's 't 're 've 'm 'll 'd; runs of white space. Hugging Face's tokenizers splits.

>>> split("It's 2 cats.")
['It', "'s", 'Ġ2', 'Ġcats', '.']
"""

from __future__ import annotations

import codecs
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from subwords.counting import no_word
from subwords.errors import extra
from subwords.files import read_lines
from subwords.segmenter import Segmenter, checked

if TYPE_CHECKING:
    from tokenizers.pre_tokenizers import ByteLevel

#: Pre-token types remembered by an encoder before it starts afresh, so that memory is bounded on any input.
CACHED_TYPES = 1_000_000

_ITSELF = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
_OTHERS = iter(range(0x100, 0x200))
#: byte -> its character
ALPHABET = [chr(byte if byte in _ITSELF else next(_OTHERS)) for byte in range(256)]
BYTES = {character: byte for byte, character in enumerate(ALPHABET)}


def write(text: str) -> str:
    """Return the bytes of a text, each as its character."""
    return "".join([ALPHABET[byte] for byte in text.encode("utf-8")])


def read(written: str) -> str:
    """Return the text of bytes written as characters. What is no UTF-8 reads as U+FFFD; other characters stay."""
    checked([written])
    parts = [bytes([BYTES[character]]) if character in BYTES else character.encode() for character in written]
    return b"".join(parts).decode("utf-8", "replace")


@cache
def _splitter() -> ByteLevel:
    with extra("huggingface"):
        from tokenizers.pre_tokenizers import ByteLevel
    return ByteLevel(add_prefix_space=False, use_regex=True)


def split(line: str) -> list[str]:
    """Return the pre-tokens of a line, written as bytes."""
    return [token for token, _ in _splitter().pre_tokenize_str(line)]


def count_tokens(texts: Sequence[Path]) -> dict[str, int]:
    """Return the pre-tokens of text files with their counts. Raises InputError where there are none."""
    counts: Counter[str] = Counter()
    for path in texts:
        for line in read_lines(path):
            counts.update(split(line))
    if not counts:
        raise no_word(texts)
    return dict(counts)


class BytePieces(Segmenter):
    """An algorithm whose pieces are bytes, in the vocabulary from the start."""

    reads = "raw"
    libraries = ("tokenizers",)
    size_counts: ClassVar[str | None] = "entries of the vocabulary, the 256 bytes included"

    @classmethod
    def trial_arguments(cls, text: Path) -> tuple[int, dict[str, Any]]:
        return 256 + 60, {}

    def decode(self, pieces: str) -> str:
        return read(pieces.replace(" ", ""))

    def surfaces(self, pieces: Sequence[str]) -> list[str]:
        """Return the text that each piece completes; a character of several bytes is in the piece with its last."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return [decoder.decode(bytes(BYTES[character] for character in piece)) for piece in pieces]


class ByteSegmenter(BytePieces):
    """An algorithm that segments each pre-token, written as bytes, by itself: every type is segmented once.

    `tokens` are those of two bytes or more, written as bytes.
    """

    tokens: list[str]

    def known_pieces(self) -> list[str]:
        return [*ALPHABET, *self.tokens]

    def reached(self) -> int:
        return 256 + len(self.tokens)

    @abstractmethod
    def segment_token(self, token: str) -> list[str]:
        """Return the pieces of a pre-token."""

    def encode_batch(self, lines: Sequence[str]) -> list[str]:
        known: dict[str, str] = self.__dict__.setdefault("_segmented_tokens", {})
        if len(known) > CACHED_TYPES:
            known = self.__dict__["_segmented_tokens"] = {}  # another thread may still have the old one
        encoded = []
        for line in checked(lines):
            tokens = split(line)
            for token in tokens:
                if token not in known:
                    known[token] = " ".join(self.segment_token(token))
            encoded.append(" ".join([known[token] for token in tokens]))
        return encoded
