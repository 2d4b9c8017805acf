"""A segmentation that was learned elsewhere: a `tokenizer.json`, a SentencePiece model, or subword-nmt codes.

`model` names the file; what it is, its content says. Nothing is learned, and texts are not read: `learn` copies the
file, so that a model has its own copy and its signature. Pieces are those of the file's own program:

- A `tokenizer.json` (Hugging Face) is applied by tokenizers, without the special entries that it may put around a
  text. What comes back is what its decoder makes of the pieces: where its normalizer rewrites or its model knows no
  character, something else than the text. Unknown pieces are counted. An entry that holds a space or a line feed is
  written with `␠` or `␊` for it, so that single spaces still separate pieces.
- A SentencePiece model is applied by SentencePiece, as with `unigram` and `spm-bpe`.
- Codes of subword-nmt (version 0.2) are applied as with `bpe`.

A foreign model does not say what text it expects (raw, tokenized, lower case, language codes). `reads` is "raw"; an
experiment that gives subword-nmt codes says `text: moses`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from subwords.bpe import BPE
from subwords.errors import InputError
from subwords.files import read_bytes, write_whole
from subwords.merges.codes import HEADER, merges_in
from subwords.segmenter import Parameter, Segmenter, check_size, read_options
from subwords.sentencepieces import Unigram
from subwords.tokenizer_json import TokenizerJson
from subwords.vocabulary import Vocabulary


class Pretrained(Segmenter):
    """See the module's docstring. `inner` does the work."""

    algorithm = "pretrained"
    summary = "a model learned elsewhere: tokenizer.json, a SentencePiece model, or subword-nmt codes"
    size_counts = None
    reads = "raw"
    learns_from_text = False
    parameters = (
        Parameter("model", None, "file of the model that was learned elsewhere", kind=str, required=True, is_file=True),
    )

    def __init__(self, content: bytes, path: Path) -> None:
        self.content = content
        self.inner = _reader(content, path)
        self.libraries, self.special_tokens = self.inner.libraries, self.inner.special_tokens
        self.special_are_entries, self.unknown_marks = self.inner.special_are_entries, self.inner.unknown_marks

    @classmethod
    def trial_arguments(cls, text: Path) -> tuple[None, dict[str, Any]]:
        codes = text.with_name("codes")
        BPE.learn([text], 60).write(codes)
        return None, {"model": str(codes)}

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Return the model of the file `model`; `texts` are not read. Raises InputError where it is none of these."""
        chosen = read_options(cls, options, "learn")
        check_size(cls, size)
        return cls.read(Path(chosen["model"]))

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        read_options(cls, options)
        return cls(read_bytes(path), path)

    def write(self, path: Path) -> None:
        write_whole(path, self.content)

    def encode_batch(self, lines: Sequence[str]) -> list[str]:
        return self.inner.encode_batch(lines)

    def decode(self, pieces: str) -> str:
        return self.inner.decode(pieces)

    def offsets(self, line: str) -> list[tuple[str, int, int]]:
        return self.inner.offsets(line)

    def surfaces(self, pieces: Sequence[str]) -> list[str] | None:
        return self.inner.surfaces(pieces)

    def counts(self) -> dict[str, int]:
        return self.inner.counts()

    @cached_property
    def vocab(self) -> Vocabulary:
        return self.inner.vocab

    def known_pieces(self) -> list[str]:
        return self.inner.known_pieces()

    def reached(self) -> int | None:
        return self.inner.reached()


def _reader(content: bytes, path: Path) -> Segmenter:
    """Return what applies a model file, by its content. Raises InputError where it is of no known kind."""
    if content.lstrip()[:1] == b"{":
        return TokenizerJson.of(content, path)
    if content.startswith(HEADER.encode()):
        return BPE(merges_in(content, path))
    with suppress(InputError):
        return Unigram(content)
    raise InputError(
        f"{path} is no model of a known kind",
        allowed=f"a tokenizer.json, a SentencePiece model, or codes of subword-nmt ({HEADER})",
    )
