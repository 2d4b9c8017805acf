"""A segmentation that was learned elsewhere: a `tokenizer.json`, a SentencePiece model, or subword-nmt codes.

`model` names the file; what it is, its content says. Nothing is learned, and texts are not read: `learn` copies the
file, so that a model has its own copy and its signature. Pieces are those of the file's own program:

- A `tokenizer.json` (Hugging Face) is applied by tokenizers, without the special entries that it may put around a
  text. What comes back is what its decoder makes of the pieces: where its normalizer rewrites or its model knows no
  character, something else than the text. Unknown pieces are counted. An entry that holds a space or a line feed is
  written with `␠` or `␊` for it, so that single spaces still separate pieces.
- A SentencePiece model is applied by SentencePiece, as with `unigram` and `spm-bpe`.
- Codes of subword-nmt (version 0.2) are applied as with `bpe`.

What text a foreign model expects (raw, tokenized, lower case, language codes) it does not say. `reads` is "raw"; an
experiment that gives subword-nmt codes says `text: moses`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from subwords.bpe import BPE
from subwords.errors import InputError
from subwords.files import whole_file
from subwords.merges.codes import HEADER
from subwords.segmenter import Parameter, Segmenter, check_size, read_options
from subwords.sentencepieces import Unigram

#: How a space and a line feed inside an entry of a vocabulary are written.
_VISIBLE = str.maketrans({" ": "␠", "\n": "␊"})


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
        try:
            return cls(Path(path).read_bytes(), path)
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}", next_step="check the path") from error

    def write(self, path: Path) -> None:
        with whole_file(path, "wb") as stream:
            stream.write(self.content)

    def encode_batch(self, lines: Sequence[str]) -> list[str]:
        return self.inner.encode_batch(lines)

    def decode(self, pieces: str) -> str:
        return self.inner.decode(pieces)

    def surfaces(self, pieces: Sequence[str]) -> list[str] | None:
        return self.inner.surfaces(pieces)

    def counts(self) -> dict[str, int]:
        return self.inner.counts()

    def reached(self) -> int | None:
        return self.inner.reached()


class TokenizerJson(Segmenter):
    """A Hugging Face `tokenizer.json`, applied by tokenizers."""

    algorithm = "tokenizer.json"
    summary = "a tokenizer of Hugging Face's tokenizers"
    size_counts = None
    reads = "raw"

    def __init__(self, content: bytes, path: Path) -> None:
        from tokenizers import Tokenizer

        try:
            self.tokenizer = Tokenizer.from_buffer(content)
        except Exception as error:  # tokenizers raises nothing more specific
            raise InputError(f"{path} is no tokenizer.json: {error}", next_step="check the model file") from None
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        entries = self.tokenizer.get_vocab()
        self._pieces = {number: entry.translate(_VISIBLE) for entry, number in entries.items()}
        self._entries = {entry.translate(_VISIBLE): entry for entry in entries}
        if len(self._entries) < len(entries):
            raise InputError(f"{path}: two entries differ only in a space or line feed", next_step="rename one of them")
        self._unknown_entry = getattr(self.tokenizer.model, "unk_token", None)
        self._unknown = 0

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        raise InputError("a tokenizer.json is not learned here", next_step="--set model=FILE")

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        return cls(Path(path).read_bytes(), path)

    def write(self, path: Path) -> None:
        with whole_file(path) as stream:
            stream.write(self.tokenizer.to_str())

    def encode_batch(self, lines: Sequence[str]) -> list[str]:
        encoded = self.tokenizer.encode_batch_fast(list(lines), add_special_tokens=False)
        pieces = [[self._pieces[number] for number in line.ids] for line in encoded]
        if self._unknown_entry:
            self._unknown += sum(line.count(self._unknown_entry) for line in pieces)
        return [" ".join(line) for line in pieces]

    def decode(self, pieces: str) -> str:
        entries = [self._entries.get(piece, piece) for piece in pieces.split(" ") if piece]
        decoder = self.tokenizer.decoder
        text: str = decoder.decode(entries) if decoder else " ".join(entries)
        return text

    def counts(self) -> dict[str, int]:
        unknown, self._unknown = self._unknown, 0
        return {"unknown pieces": unknown} if unknown else {}

    def reached(self) -> int:
        size: int = self.tokenizer.get_vocab_size()
        return size


def _reader(content: bytes, path: Path) -> Segmenter:
    """Return what applies a model file, by its content. Raises InputError where it is of no known kind."""
    if content.lstrip()[:1] == b"{":
        return TokenizerJson(content, path)
    if content.startswith(HEADER.encode()):
        return BPE.read(path)
    try:
        model = Unigram(content) if content else None
    except InputError:
        model = None
    if model is None:
        raise InputError(
            f"{path} is no model of a known kind",
            allowed=f"a tokenizer.json, a SentencePiece model, or codes of subword-nmt ({HEADER})",
        )
    return model
