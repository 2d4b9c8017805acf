"""BPE and unigram pieces of raw text, through the SentencePiece library (Kudo & Richardson 2018).

`spm-bpe` merges characters as Sennrich et al. 2016 do, `unigram` prunes a large vocabulary under a unigram language
model (Kudo 2018). Both read raw text: a space becomes `▁` at the start of the next piece. The model file is
SentencePiece's own, and pieces are what its own encoder gives, so models travel in both directions.

Text is not normalized by default (`normalization=identity`, and no space is dropped), unlike in SentencePiece itself
(nmt_nfkc): references are scored as they are, so a segmentation that rewrites characters would pay for a choice that is
not its own, and decode(encode(x)) = x could not hold. The text stage of an experiment normalizes once, for all
algorithms alike.

What is lost: `▁` (U+2581) of the text decodes as a space, and is counted. With another normalization, what it rewrites.

Learning draws nothing at random. `spm-bpe` has one thread; `unigram` has those that it is given, and adds up by thread,
so that its scores depend on their number. No line is dropped: SentencePiece leaves out lines with NUL or U+2585, which
it uses itself, so learning reads these two characters as a space; and lines above 4192 bytes, so learning cuts those at
a space (uncut, periodic lines of that kind would take it minutes). `size` counts every entry of the model: pieces,
characters, and <unk>, <s>, </s>.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from subwords.counting import no_word
from subwords.errors import InputError
from subwords.files import read_bytes, read_lines, write_whole
from subwords.segmenter import Parameter, Segmenter, changed_options, check_size, checked, read_options, warn_of_fewer
from subwords.threads import threads

SPACE = "▁"
_LONG_LINE = 4096  # characters; longer lines are cut
_MAX_LINE_BYTES = 1 << 30  # a word may still be this long: the most that SentencePiece takes
_LARGEST = 1_000_000_000  # entries; SentencePiece counts in 32 bits, and unigram starts with more than it is asked for
#: Fields of a model file (sentencepiece_model.proto).
_PIECE, _TRAINER, _NORMALIZER = 1, 2, 3
#: Types of models, by their number in the trainer's options.
_TYPES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}
#: Types of pieces: what a user defined is taken out of a text before the rest is segmented; the other has no use.
_USER_DEFINED, _UNUSED = 4, 5
_NOT_LEARNED = str.maketrans({"\0": " ", "\u2585": " "})


class SentencePieceModel(Segmenter):
    """What `spm-bpe` and `unigram` share."""

    model_type: ClassVar[str]
    libraries = ("sentencepiece",)
    special_are_entries = True
    size_counts = "entries of the vocabulary (pieces, characters, <unk>, <s>, </s>)"
    reads = "raw"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("character_coverage", 1.0, "share of the text's characters that enter the vocabulary, 0.98 to 1"),
        Parameter(
            "normalization",
            "identity",
            "rewriting of characters before learning and encoding",
            choices=("identity", "nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"),
        ),
        Parameter("byte_fallback", False, "write characters outside the vocabulary as UTF-8 bytes, <0xE2>"),
        Parameter("split_digits", False, "every digit is its own piece"),
        Parameter("split_by_unicode_script", True, "no piece mixes scripts"),
    )

    @classmethod
    def comes_back_as(cls, line: str) -> str:
        """SentencePiece writes a space as U+2581 and has no escape for the text's own."""
        return line.replace(SPACE, " ")

    def __init__(self, model: bytes, name: str | Path = "this") -> None:
        """Take the content of a model file, which errors call `name`."""
        from sentencepiece import SentencePieceProcessor

        self.model = model
        try:
            self.processor = SentencePieceProcessor(model_proto=model, num_threads=1)
            entries = range(self.processor.get_piece_size())
        except (RuntimeError, OSError):
            entries = range(0)
        if not entries:
            raise InputError(f"{name} is no SentencePiece model", next_step="check the model file")
        special = (n for n in entries if self.processor.is_unknown(n) or self.processor.is_control(n))
        self._special = [self.processor.id_to_piece(n) for n in special]
        unknown = self.processor.id_to_piece(self.processor.unk_id())
        self.special_tokens = (unknown, *(token for token in self._special if token != unknown))
        self._spaces_in_text = 0

    @cached_property
    def kind(self) -> str:
        """What SentencePiece applies the model as: "unigram", "bpe", "word" or "char"."""
        return _TYPES.get(self._trainer().get(3, 1), "unigram")

    def _trainer(self) -> dict[int, Any]:
        """Return the options of the model's training by their numbers, those at their defaults perhaps left out."""
        return dict(_fields(dict(_fields(self.model)).get(_TRAINER, b"")))

    def learned_pieces(self) -> Iterator[int]:
        """Yield the numbers of the pieces that text is made of: no special entries, no bytes."""
        model = self.processor
        others = (model.is_control, model.is_unknown, model.is_unused, model.is_byte)
        return (n for n in range(model.get_piece_size()) if not any(is_other(n) for is_other in others))

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Train SentencePiece to `size`, or (with a warning) to what the text gives.

        Raises InputError for a size below the alphabet.
        """
        from sentencepiece import SentencePieceTrainer

        chosen, applied = read_options(cls, options, "learn"), read_options(cls, options, "encode")
        coverage = chosen["character_coverage"]
        if not 0.98 <= coverage <= 1:
            raise InputError(
                f"character_coverage={coverage} cannot be used", allowed="0.98 to 1, as SentencePiece has it"
            )
        wanted = check_size(cls, size)
        if wanted > _LARGEST:
            raise InputError(f"{cls.algorithm}: size={wanted} is too large", allowed=f"up to {_LARGEST}")
        normalization = chosen.pop("normalization")
        lines, model, failure = _Lines(texts), io.BytesIO(), ""
        try:
            SentencePieceTrainer.train(
                sentence_iterator=iter(lines),
                model_writer=model,
                model_type=cls.model_type,
                vocab_size=max(wanted, 4),  # below, the error would not name the smallest size
                normalization_rule_name=normalization,
                remove_extra_whitespaces=normalization != "identity",
                max_sentence_length=_MAX_LINE_BYTES,
                num_threads=threads() if cls.model_type == "unigram" else 1,  # the model file names it
                minloglevel=3,
                **chosen,
            )
        except (RuntimeError, OSError, ValueError) as error:
            failure = str(error)
        if lines.error:
            raise lines.error
        if not lines.has_word or "(all_chars_count) > (0)" in failure:  # or none that the normalization leaves
            raise no_word(texts)
        if most := re.search(r"set it to a value <= (\d+)", failure):
            warn_of_fewer(cls, int(most[1]), wanted, "the text gives no more")
            return cls.learn(texts, int(most[1]), **options)
        if failure:
            raise _explained(cls, wanted, failure)
        return cls(model.getvalue(), **applied)

    def special_pieces(self) -> list[str]:
        """Return the pieces of text that are not used as learned ones are: defined by a user, or unused."""
        pieces = (dict(_fields(content)) for number, content in _fields(self.model) if number == _PIECE)
        return [piece[1].decode("utf-8") for piece in pieces if piece.get(3) in (_USER_DEFINED, _UNUSED)]

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        model = cls(read_bytes(path), name=path, **read_options(cls, options, "encode"))
        if model.kind == cls.model_type:
            return model
        if model.kind in ("word", "char"):
            raise InputError(
                f"{path} is a SentencePiece model of type {model.kind}, not of {cls.algorithm}",
                allowed="the types unigram and bpe",
                next_step=f"subwords learn pretrained --set model={path} ..., which applies it as SentencePiece does",
            )
        name = "spm-bpe" if model.kind == "bpe" else "unigram"
        raise InputError(f"{path} is a model of {name}, not of {cls.algorithm}", next_step=f"load it as {name}")

    def write(self, path: Path) -> None:
        write_whole(path, self.model)

    def encode_batch(self, lines: Sequence[str]) -> list[str]:
        encoded = self.processor.encode(list(checked(lines)), out_type=str, num_threads=threads())
        return self._written(lines, encoded)

    def _written(self, lines: Sequence[str], encoded: list[list[str]]) -> list[str]:
        """Return each line's pieces joined by single spaces, none of them named like a special entry; count SPACE.

        SentencePiece makes one piece of a run of unknown characters, and decodes one of that name as the special entry.
        So what the text happens to spell like <unk> or </s> is split in two.
        """
        self._spaces_in_text += sum(line.count(SPACE) for line in lines)
        for line, pieces in zip(lines, encoded, strict=True):
            if any(name in line for name in self._special):
                parts = ([piece[0], piece[1:]] if piece in self._special else [piece] for piece in pieces)
                pieces[:] = [part for found in parts for part in found]
        return [" ".join(pieces) for pieces in encoded]

    def decode(self, pieces: str) -> str:
        return self.processor.decode([piece for piece in checked([pieces])[0].split(" ") if piece])

    def counts(self) -> dict[str, int]:
        spaces, self._spaces_in_text = self._spaces_in_text, 0
        return {f"{SPACE} in the text, which decodes as a space": spaces} if spaces else {}

    def known_pieces(self) -> list[str]:
        return [self.processor.id_to_piece(number) for number in range(self.processor.get_piece_size())]

    def reached(self) -> int:
        return self.processor.get_piece_size()

    def learned_with(self) -> dict[str, Any]:
        """Return what a model says, which another program may have learned with other defaults than ours."""
        trainer, normalizer = self._trainer(), dict(_fields(dict(_fields(self.model)).get(_NORMALIZER, b"")))
        coverage = struct.unpack("<f", trainer.get(10, struct.pack("<f", 0.9995)))[0]
        found = {
            "character_coverage": round(coverage, 6),
            "normalization": normalizer.get(1, b"identity").decode(),
            "byte_fallback": bool(trainer.get(35, 0)),
            "split_digits": bool(trainer.get(25, 0)),
            "split_by_unicode_script": bool(trainer.get(21, 1)),
        }
        return changed_options(type(self), found)


def _fields(content: bytes) -> Iterator[tuple[int, Any]]:
    """Yield the fields of a message in the format of protocol buffers, each with its number."""
    place = 0

    def number() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = content[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while place < len(content):
        key = number()
        kind = key & 7
        if kind == 0:
            yield key >> 3, number()
            continue
        length = {1: 8, 5: 4}[kind] if kind != 2 else number()
        yield key >> 3, content[place : place + length]
        place += length


class _Lines:
    """The lines of the texts as SentencePiece takes them; `error` keeps what stopped them, which its C++ side drops.

    `has_word` says whether one of them has another character than spaces.
    """

    def __init__(self, texts: Sequence[Path]) -> None:
        self.texts = texts
        self.error: InputError | None = None
        self.has_word = False

    def __iter__(self) -> Iterator[str]:
        try:
            for path in self.texts:
                for line in read_lines(path):
                    line = line.translate(_NOT_LEARNED) if "\0" in line or "\u2585" in line else line
                    self.has_word = self.has_word or bool(line.strip(" "))
                    yield from _cut(line)
        except InputError as error:
            self.error = error


def _cut(line: str) -> Iterator[str]:
    """Yield the line, or its stretches of about _LONG_LINE characters between spaces, where it is longer than that."""
    while len(line) > _LONG_LINE:
        space = line.rfind(" ", 1, _LONG_LINE)
        space = space if space > 0 else line.find(" ", _LONG_LINE)
        if space < 0:
            break
        yield line[:space]
        line = line[space + 1 :]
    yield line


def _explained(cls: type[Segmenter], size: int, message: str) -> InputError:
    """Return SentencePiece's complaint in terms of `size`."""
    if too_small := re.search(r"smaller than required_chars\. \d+ vs (\d+)", message):
        return InputError(
            f"{cls.algorithm}: size={size} is below the alphabet of the text",
            allowed=f"at least {too_small[1]}",
            next_step="a larger --size, or --set character_coverage=0.9995",
        )
    return InputError(f"{cls.algorithm}: SentencePiece cannot learn this: {message}")


class SentencePieceBPE(SentencePieceModel):
    """BPE by SentencePiece; see the module's docstring."""

    algorithm = "spm-bpe"
    summary = "BPE on raw text by SentencePiece (Sennrich et al. 2016; Kudo & Richardson 2018)"
    model_type = "bpe"


class Unigram(SentencePieceModel):
    """Pieces under a unigram language model, by SentencePiece; see the module's docstring."""

    algorithm = "unigram"
    applies: ClassVar[tuple[str, ...]] = ("unigram", "unigram-sampling")
    summary = "unigram language model on raw text by SentencePiece (Kudo 2018)"
    model_type = "unigram"
