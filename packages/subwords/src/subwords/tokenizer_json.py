"""A `tokenizer.json` of Hugging Face, applied by tokenizers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from subwords.errors import InputError, extra
from subwords.files import read_bytes, write_whole
from subwords.segmenter import Segmenter, checked
from subwords.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tokenizers import Tokenizer

#: How a space and a line feed inside an entry of a vocabulary are written.
_VISIBLE = str.maketrans({" ": "␠", "\n": "␊"})


class TokenizerJson(Segmenter):
    """A tokenizer, without the special entries that it may put around a text. Numbers are its own."""

    algorithm = "tokenizer.json"
    summary = "a tokenizer of Hugging Face's tokenizers"
    size_counts: ClassVar[str | None] = None
    reads = "raw"
    libraries = ("tokenizers",)
    special_are_entries = True

    def __init__(self, tokenizer: Tokenizer) -> None:
        """Take a tokenizer. Raises InputError where two of its entries differ only in a space or line feed."""
        self.tokenizer = tokenizer
        tokenizer.no_padding()
        tokenizer.no_truncation()
        numbered = tokenizer.get_vocab()
        entries = sorted(numbered, key=numbered.__getitem__)
        self._pieces = {numbered[entry]: entry.translate(_VISIBLE) for entry in entries}
        self._entries = dict(zip(self._pieces.values(), entries, strict=True))
        if len(self._entries) < len(entries):
            raise InputError("two entries differ only in a space or line feed", next_step="rename one of them")
        unknown = _unknown_entry(tokenizer)
        self.special_tokens = (unknown.translate(_VISIBLE),) if unknown and unknown in numbered else ()
        self.unknown_marks = frozenset(self.special_tokens)
        self._unknown = 0

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        raise InputError("a tokenizer.json is not learned here", next_step="--set model=FILE")

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        return cls.of(read_bytes(path), path)

    @classmethod
    def of(cls, content: bytes, path: Path) -> Self:
        """Return the model that a file holds."""
        with extra("huggingface"):
            from tokenizers import Tokenizer
        try:
            tokenizer = Tokenizer.from_buffer(content)
        except Exception as error:  # tokenizers raises nothing more specific
            raise InputError(f"{path} is no tokenizer.json: {error}", next_step="check the model file") from None
        return cls(tokenizer)

    def write(self, path: Path) -> None:
        write_whole(path, self.tokenizer.to_str(pretty=True))

    def encode_batch(self, lines: Sequence[str]) -> list[str]:
        encoded = self.tokenizer.encode_batch_fast(checked(lines), add_special_tokens=False)
        pieces = [[self._pieces[number] for number in line.ids] for line in encoded]
        self._unknown += sum(line.count(mark) for mark in self.unknown_marks for line in pieces)
        return [" ".join(line) for line in pieces]

    def decode(self, pieces: str) -> str:
        entries = [self._entries.get(piece, piece) for piece in checked([pieces])[0].split(" ") if piece]
        decoder = self.tokenizer.decoder
        return decoder.decode(entries) if decoder else " ".join(entries)

    def counts(self) -> dict[str, int]:
        unknown, self._unknown = self._unknown, 0
        return {"unknown pieces": unknown} if unknown else {}

    @cached_property
    def vocab(self) -> Vocabulary:
        return Vocabulary(self._pieces, self.special_tokens)

    def known_pieces(self) -> list[str]:
        return list(self._pieces.values())

    def reached(self) -> int:
        return self.tokenizer.get_vocab_size()


def _unknown_entry(tokenizer: Tokenizer) -> str | None:
    """Return the entry for what the model does not know. A unigram model has its number, and says it only in JSON."""
    if type(tokenizer.model).__name__ != "Unigram":
        return getattr(tokenizer.model, "unk_token", None)
    number = json.loads(tokenizer.to_str())["model"]["unk_id"]
    return None if number is None else tokenizer.id_to_token(number)
