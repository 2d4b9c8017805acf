"""What every segmentation algorithm is: learn, encode, decode, save, load, signature."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar, Self

from subwords.errors import InputError, unknown
from subwords.files import STANDARD_INPUT, decode_lines

if TYPE_CHECKING:
    from subwords.wordtable import PieceTable

#: Lines that are segmented together: large enough to fill a batch for compiled code, small enough to stay in cache.
LINES_PER_BATCH = 4096

#: Word types remembered by an encoder before it starts afresh, so that memory is bounded on any input.
CACHED_TYPES = 1_000_000
CACHED_BYTES = 200_000_000

#: Digits of a size; int() itself raises for some thousands of them.
MOST_DIGITS = 18

#: Bytes of a stream that are segmented together.
BLOCK = 1 << 20


@dataclass(frozen=True)
class Parameter:
    """One option of an algorithm, as `subwords list` shows it and `--set NAME=VALUE` takes it."""

    name: str
    default: Any
    help: str
    choices: tuple[Any, ...] = ()
    kind: type | None = None  # of a value that is not None; the default's type when not given
    stage: str = "learn"  # "learn": shapes the model file; "encode": how a model is applied; "both"

    def parse(self, value: Any) -> Any:
        """Return `value` (text from a command line, or a value from YAML) as this parameter's kind, or raise."""
        kind = self.kind or type(self.default)
        if isinstance(value, str) and value.lower() in ("none", "null") and self.default is None:
            return None
        if value is None and self.default is None:
            return None
        try:
            parsed = _as_bool(value) if kind is bool else kind(value)
            if kind is int and isinstance(value, float) and value != parsed:
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"{self.name}={value!r} is not of type {kind.__name__}", allowed=self.help) from None
        if self.choices and parsed not in self.choices:
            raise unknown(f"value for {self.name}", value, self.choices)
        return parsed


def _as_bool(value: Any) -> bool:
    known = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    return known[str(value).lower()] if str(value).lower() in known else _raise()


def _raise() -> bool:
    raise ValueError


class Segmenter(ABC):
    """A learned segmentation: text line in, space-separated pieces out, and back.

    Subclasses are found through `subwords.registry`. Their modules import in milliseconds: numba, SentencePiece and
    the like are imported inside the methods that need them.
    """

    algorithm: ClassVar[str]
    #: One line: what it is, and the paper.
    summary: ClassVar[str]
    #: What `size` counts ("merges", "pieces", "symbols", ...); None when the algorithm takes no size.
    size_counts: ClassVar[str | None]
    #: True where the size may be left to the algorithm (None or "auto").
    chooses_size: ClassVar[bool] = False
    #: The form of text it is meant for: "raw" (it handles spaces itself) or "moses" (tokenized, truecased).
    reads: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    #: Pieces that stand for what the algorithm does not know.
    unknown_marks: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    @abstractmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn a model of `size` from text files (all of them together). `options` are the learn parameters."""

    @classmethod
    @abstractmethod
    def load(cls, path: Path, **options: Any) -> Self:
        """Read a model file in the algorithm's published format. `options` are the encode parameters."""

    @abstractmethod
    def save(self, path: Path) -> None:
        """Write the model in the algorithm's published format."""

    @abstractmethod
    def encode_batch(self, lines: Sequence[str]) -> list[str]:
        """Return, for each line, its pieces joined by single spaces (an empty line stays empty)."""

    @abstractmethod
    def decode(self, pieces: str) -> str:
        """Return the text of a line of pieces."""

    def encode(self, line: str) -> str:
        """Return the pieces of one line, joined by single spaces."""
        return self.encode_batch([line])[0]

    def encode_lines(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the pieces of each line, in order; memory does not grow with the number of lines."""
        lines = iter(lines)
        while batch := list(islice(lines, LINES_PER_BATCH)):
            yield from self.encode_batch(batch)

    def encode_stream(self, source: IO[bytes], sink: IO[bytes], name: str = STANDARD_INPUT) -> None:
        """Write the pieces of each UTF-8 line of `source` to `sink`; an error calls the source `name`."""
        sink.writelines(line.encode("utf-8") + b"\n" for line in self.encode_lines(decode_lines(source, name)))

    def pieces_of(self, words: Iterable[str]) -> Iterator[list[str]]:
        """Yield the pieces of each word, encoded alone."""
        for pieces in self.encode_lines(words):
            yield pieces.split(" ") if pieces else []

    def counts(self) -> dict[str, int]:
        """Return what encoding and decoding could not do so far (for instance {"unknown words": 3}), and reset it."""
        return {}

    def reached(self) -> int | None:
        """Return the size of the model in what `size_counts` counts, or None where that is not known."""
        return None

    def surfaces(self, pieces: Sequence[str]) -> list[str] | None:
        """Return the stretch of text that each piece of one word stands for, or None where they stand for none.

        Joined, the stretches are the word (letter case may differ). This is how boundaries inside words are found. Here
        a stretch is what a piece adds to the decoded text; an algorithm whose pieces carry other marks overrides this.
        """
        texts = [self.decode(" ".join(pieces[:n])) for n in range(1, len(pieces) + 1)]
        grows = all(longer.startswith(text) for text, longer in pairwise(texts))
        return [text[len(before) :] for before, text in zip(["", *texts], texts, strict=False)] if grows else None

    def model_bytes(self) -> bytes:
        """Return the bytes `save` writes."""
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            self.save(path)
            return path.read_bytes()

    def signature(self) -> str:
        """Return what a score needs to name: algorithm, package version and a digest of the model file."""
        from subwords import __version__

        digest = hashlib.sha256(self.model_bytes()).hexdigest()[:12]
        return f"{self.algorithm}|subwords:{__version__}|model:{digest}"


class WordSegmenter(Segmenter):
    """An algorithm that segments each space-separated word by itself, so that every type is segmented once."""

    def __init__(self) -> None:
        self._pieces: dict[str, str] = {}
        self._characters = 0

    @abstractmethod
    def segment_words(self, words: Sequence[str]) -> list[str]:
        """Return the pieces of each word, joined by single spaces, with whatever marks tell words apart."""

    def encode_batch(self, lines: Sequence[str]) -> list[str]:
        if not lines:
            return []
        encoded = self._encode_text("\n".join(lines)).split("\n")
        if len(encoded) != len(lines):
            raise ValueError("a line to encode holds a line feed")
        return encoded

    def encode_stream(self, source: IO[bytes], sink: IO[bytes], name: str = STANDARD_INPUT) -> None:
        number = 1
        table: PieceTable | None = None
        while lines := source.readlines(BLOCK):
            if not lines[-1].endswith(b"\n"):
                lines[-1] += b"\n"
            block = b"".join(lines)
            if b"\r" in block:
                block = b"".join([line.strip(b" \r\n") + b"\n" for line in lines])
            if table is None and len(block) >= BLOCK:  # a short text is done before numba is loaded
                from subwords.wordtable import PieceTable

                table = PieceTable(self.segment_words, CACHED_BYTES)
            try:
                sink.write(
                    self._encode_block(block, table)
                    if table
                    else self._encode_text(block.decode("utf-8")).encode("utf-8")
                )
            except UnicodeDecodeError:
                for _ in decode_lines(lines, name, number):  # raises, and says in which line
                    pass
                raise
            number += len(lines)

    def _encode_block(self, block: bytes, table: PieceTable) -> bytes:
        """Return the pieces of a block of lines, from the table of a large text."""
        return table.encode(block)

    def _encode_text(self, text: str) -> str:
        """Return the pieces of a text of several lines. A line feed is looked up like a word, all lines in one pass."""
        if "\r" in text:
            text = "\n".join([line.strip(" \r") for line in text.split("\n")])
        words = text.replace("\n", " \n ").split(" ")
        known = self._pieces
        if len(known) > CACHED_TYPES or self._characters > CACHED_BYTES:
            known.clear()
            self._characters = 0
        known["\n"] = "\n"
        new = [word for word in dict.fromkeys(words) if word and word not in known]
        if new:
            known.update(zip(new, self.segment_words(new), strict=True))
            self._characters += sum(map(len, new))
        return " ".join(map(known.__getitem__, filter(None, words))).replace(" \n", "\n").replace("\n ", "\n")


def read_options(cls: type[Segmenter], given: dict[str, Any], stage: str | None = None) -> dict[str, Any]:
    """Return the options of `cls` (of one stage, or all) with defaults filled in; raise on unknown names and values."""
    known = {parameter.name: parameter for parameter in cls.parameters}
    for name in given:
        if name not in known:
            raise unknown(
                f"option of {cls.algorithm}", name, known or ["(none)"], next_step=f"subwords list {cls.algorithm}"
            )
    wanted = (p for p in cls.parameters if stage is None or p.stage in (stage, "both"))
    return {p.name: p.parse(given[p.name]) if p.name in given else p.default for p in wanted}


def chosen_size(cls: type[Segmenter], size: object) -> int | None:
    """Return `size` as `check_size` does, or None where it is left to the algorithm: None or "auto"."""
    return None if cls.chooses_size and size in (None, "auto") else check_size(cls, size)


def check_size(cls: type[Segmenter], size: object) -> int:
    """Return `size` (a count, or text from a command line) as the int that `cls` learns, or raise InputError.

    It must be a whole number of at least 1, and absent where the algorithm takes none (then the answer is 0).
    """
    if cls.size_counts is None:
        if size is not None:
            raise InputError(f"{cls.algorithm} takes no size, but got {size!r}", next_step="leave the size out")
        return 0
    digits = isinstance(size, str) and size.isascii() and size.isdigit() and len(size) <= MOST_DIGITS
    number = int(size) if digits else size  # type: ignore[call-overload]
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InputError(
            f"{cls.algorithm} cannot have the size {size!r}",
            allowed=f"a whole number of {cls.size_counts}, at least 1" + ", or auto" * cls.chooses_size,
            next_step=f"subwords learn {cls.algorithm} --size 4000 ...",
        )
    return number
