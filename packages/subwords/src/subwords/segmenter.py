"""What every segmentation algorithm is: learn, encode, decode, save, load, signature."""

from __future__ import annotations

import hashlib
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from os.path import commonprefix
from pathlib import Path
from random import Random
from threading import Lock, RLock
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, ClassVar, Self

from subwords import marks
from subwords.errors import InputError, Shortfall, check_known, unknown
from subwords.files import STANDARD_INPUT, FileRead, decode_lines, place_for_model, whole_lines, without_returns
from subwords.threads import share_out, threads

if TYPE_CHECKING:
    from subwords.core.pieces import PieceTable, Splitter
    from subwords.vocabulary import Vocabulary

#: Lines that are segmented together.
LINES_PER_BATCH = 4096

#: Bytes of words and pieces that an encoder remembers before it starts afresh, so that memory is bounded on any input.
CACHED_BYTES = 200_000_000

#: Digits of a number in a file, of a size or an option; int() itself raises for some thousands, the core above 2 ** 63.
MOST_DIGITS = 18

#: Held while an encoder is made, so that threads that begin together share one.
_MAKING = RLock()


@dataclass(frozen=True)
class Parameter:
    """One option of an algorithm, as `subwords list` shows it and `--set NAME=VALUE` takes it."""

    name: str
    default: Any
    help: str
    choices: tuple[Any, ...] = ()
    allows: Callable[[Any], bool] | None = None  # whether a value can be used; `help` says which can
    kind: type | None = None  # of a value that is not None; the default's type when not given
    stage: str = "learn"  # "learn": shapes the model file; "encode": how a model is applied; "both"
    required: bool = False  # without it, its stage cannot be done
    draws: bool = False  # decides random segmentations only (`sample_lines`), not what `encode` gives
    is_file: bool = False  # a path; what the file holds counts, not where it lies
    is_output: bool = False  # a path that learning writes to

    def parse(self, value: Any) -> Any:
        """Return `value` (text from a command line, or a value from YAML) as this parameter's kind, or raise."""
        kind = self.kind or type(self.default)
        if self.default is None and (value is None or (isinstance(value, str) and value.lower() in ("none", "null"))):
            return None
        if value is None:
            raise InputError(f"{self.name} has no value", allowed=self.help)
        try:
            parsed = _TRUTH[str(value).lower()] if kind is bool else kind(value)
            if kind is int and isinstance(value, float) and value != parsed:
                raise ValueError
        except (TypeError, ValueError, KeyError, OverflowError):
            raise InputError(f"{self.name}={value!r} is not of type {kind.__name__}", allowed=self.help) from None
        if self.choices and parsed not in self.choices:
            raise unknown(f"value for {self.name}", value, self.choices)
        if self.allows and not self.allows(parsed):
            raise InputError(f"{self.name}={parsed} cannot be used", allowed=self.help)
        return parsed


_TRUTH = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


class Segmenter(ABC):
    """A learned segmentation: text line in, space-separated pieces out, and back.

    Subclasses are found through `subwords.registry`. Their modules import in milliseconds: NumPy, SentencePiece and
    the like are imported inside the methods that need them.

    `decode(encode(x)) = comes_back_as(x)`, unless the class says that it is `lossy`; `subwords.testing` checks this and
    whatever else an algorithm must hold.

    A subclass implements `learn`, `read` and `write` (the model's published format), `encode_batch` and `decode`. A
    line is text without line feeds and without halves of characters; any other is an InputError, in all algorithms.
    """

    algorithm: ClassVar[str]
    #: One line: what it is, and the paper.
    summary: ClassVar[str]
    #: What `size` counts ("merges", "pieces", "symbols", ...); None when the algorithm takes no size.
    size_counts: ClassVar[str | None]
    #: True where the size may be left to the algorithm (None or "auto"). It may keep less than a given one by its rule.
    chooses_size: ClassVar[bool] = False
    #: The form of text it is meant for: "raw" (it handles spaces itself) or "moses" (tokenized, truecased).
    reads: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    #: True where words that learning never saw do not come back. They are counted (see `counts`).
    lossy: ClassVar[bool] = False
    #: False where the model comes from elsewhere, and no text shapes it.
    learns_from_text: ClassVar[bool] = True
    #: True where train text can be segmented at random (subword regularization): see `sample_lines`.
    samples: ClassVar[bool] = False
    #: True where spaces only separate words: repeated ones, and those at a line's ends, do not come back.
    drops_spaces: ClassVar[bool] = False
    #: Pieces that stand for what the algorithm does not know.
    unknown_marks: frozenset[str] = frozenset()
    #: Tokens of the vocabulary beside the pieces; the first is written for what is not in it.
    special_tokens: tuple[str, ...] = ("<unk>", "<s>", "</s>", "<pad>")
    #: True where these are entries of the model itself. Else a piece of that spelling is text, and unknown in ids.
    special_are_entries: bool = False
    #: Other algorithms whose models it applies: they have the same form, and the same pieces.
    applies: ClassVar[tuple[str, ...]] = ()
    #: Options that are kept in attributes of the same names and decide what the pieces are: see `applied_with`.
    kept_options: ClassVar[tuple[str, ...]] = ()
    #: Packages that decide what the pieces are.
    libraries: tuple[str, ...] = ()
    #: Characters of the text that it was learned from, where its published file has no room for them.
    learned_letters: str = ""
    #: The options that it was learned or loaded with, where they are not the defaults.
    options: dict[str, Any]
    #: The files that options name and that were read to apply it, by option.
    files_read: Mapping[str, FileRead] = MappingProxyType({})

    @classmethod
    def comes_back_as(cls, line: str) -> str:
        """Return what decode(encode(line)) gives; the line itself, unless the algorithm rewrites some characters."""
        return line

    @classmethod
    def trial_arguments(cls, text: Path) -> tuple[int | str | None, dict[str, Any]]:
        """Return the size and options with which `subwords.testing` learns from its small text.

        The text has 98 word types over 19 letters. Files that an option needs are written beside it.
        """
        return 60 if cls.size_counts else None, {}

    @classmethod
    @abstractmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn a model of `size` from text files (all of them together). `options` are the parameters."""

    @classmethod
    @abstractmethod
    def read(cls, path: Path, **options: Any) -> Self:
        """Read a model file in the algorithm's published format. `options` are the encode parameters."""

    @abstractmethod
    def write(self, path: Path) -> None:
        """Write the model in the algorithm's published format."""

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> Self:
        """Read a model, with the options that it was learned with where its description (FILE.json) names them.

        Raises InputError for a file of another algorithm, for options that contradict the description, and for options
        that do nothing when a model is applied.
        """
        from subwords import description

        path = Path(path)
        described = description.read(path) or {}
        known = description.options_for(cls, path, described, options, read_options(cls, options))
        applied = {p.name for p in cls.parameters if p.stage != "learn"}
        model = cls.read(path, **{name: value for name, value in known.items() if name in applied})
        model.options = changed_options(cls, known)
        model.learned_letters = str(described.get("letters", ""))
        return model

    def save(self, path: str | Path) -> None:
        """Write the model in its published format, and beside it FILE.json: the algorithm and its options."""
        from subwords import description

        path = place_for_model(path)
        description.check_place(path)
        described = description.of(self, path)
        self.write(path)
        description.write(described, path)

    @abstractmethod
    def encode_batch(self, lines: Sequence[str]) -> list[str]:
        """Return, for each line, its pieces joined by single spaces (an empty line stays empty)."""

    @abstractmethod
    def decode(self, pieces: str) -> str:
        """Return the text of a line of pieces."""

    def encode(self, line: str) -> str:
        """Return the pieces of one line, joined by single spaces."""
        return self.encode_batch(checked([line]))[0]

    def encode_lines(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the pieces of each line, in order; memory does not grow with the number of lines."""
        lines = iter(lines)
        while batch := list(islice(lines, LINES_PER_BATCH)):
            yield from self.encode_batch(checked(batch))

    def encode_stream(self, source: IO[bytes], sink: IO[bytes], name: str = STANDARD_INPUT) -> None:
        """Write the pieces of each UTF-8 line of `source` to `sink`; an error calls the source `name`.

        Lines are answered as they come, so that the two may be pipes of another program.
        """
        number = 1

        def encode(encoder: Callable[[bytes], bytes], numbered: tuple[int, bytes]) -> bytes:
            first, block = numbered
            try:
                return encoder(without_returns(block))
            except UnicodeDecodeError:
                for _ in decode_lines(block.split(b"\n"), name, first):  # raises, and says in which line
                    pass
                raise

        def blocks() -> Iterator[tuple[int, bytes]]:
            nonlocal number
            for block in whole_lines(source):
                yield number, block
                number += block.count(b"\n")

        def answer(pieces: bytes) -> None:
            sink.write(pieces)
            sink.flush()

        share_out(encode, self.encoders(threads()), blocks(), answer)

    def encoders(self, number: int) -> Sequence[Callable[[bytes], bytes]]:
        """Return functions from blocks of whole lines to their pieces, up to `number`, each for one thread."""
        return [self.encode_block]

    def encode_block(self, block: bytes) -> bytes:
        """Return the pieces of whole lines. Raises UnicodeDecodeError where they are not UTF-8."""
        lines = block.decode("utf-8").split("\n")[:-1]
        return "\n".join([*self.encode_batch(lines), ""]).encode("utf-8")

    def encode_ids(self, line: str) -> list[int]:
        """Return the numbers of a line's pieces in `vocab`; the unknown piece's where a piece is not in it."""
        pieces = self.encode(line)
        return self.vocab.ids(pieces.split(" ")) if pieces else []

    def decode_ids(self, ids: Iterable[int]) -> str:
        """Return the text of numbers of pieces; special tokens are left out. Raises InputError for other numbers."""
        return self.decode(" ".join(self.vocab.pieces(ids)))

    @cached_property
    def vocab(self) -> Vocabulary:
        """The special tokens and the pieces of the model, numbered."""
        from subwords.vocabulary import Vocabulary

        text = () if self.special_are_entries else self.special_tokens
        return Vocabulary((piece for piece in self.known_pieces() if piece not in text), self.special_tokens)

    def known_pieces(self) -> list[str]:
        """Return the pieces that the model names, in a fixed order. Raises InputError where it names none."""
        raise InputError(
            f"a model of {self.algorithm} has no list of pieces", next_step="subwords vocabulary PIECES, of a text"
        )

    def offsets(self, line: str) -> list[tuple[str, int, int]]:
        """Return each piece of `encode(line)` with the start and the end of its stretch of the line, in characters.

        A piece that is a part of a character, or of an escape, has an empty stretch; the last part has it all.

        Raises InputError where the algorithm's pieces stand for no stretch of text, or the line does not come back.
        """
        encoded = self.encode(line)
        if not encoded:
            return []
        pieces, text = encoded.split(" "), self.decode(encoded)
        if self.surfaces(pieces[:1]) is None or (places := self._places(text, line)) is None:
            raise InputError(f"the pieces of {self.algorithm} are no stretches of {line!r:.60}")
        ends, end = [len(text)], len(text)  # of the pieces, from the last one: what is decoded, and stays so
        for number in range(len(pieces) - 1, 0, -1):
            end = min(end, len(commonprefix([self.decode(" ".join(pieces[:number])), text])))  # noqa: RUF071
            ends.append(end)
        found, start = [], 0
        for piece, end in zip(pieces, reversed(ends), strict=False):
            while self.drops_spaces and start < end and text[start] == " ":
                start += 1
            found.append((piece, places[start], places[end - 1] + 1 if end > start else places[start]))
            start = end
        return found

    def _places(self, text: str, line: str) -> list[int] | None:
        """Return where each character of a decoded text is in its line, and where the line ends; None if it is not."""
        places, place, line = [], 0, self.comes_back_as(line)
        for character in text:
            while self.drops_spaces and line[place : place + 1] != character and line[place : place + 1] in (" ", "\r"):
                place += 1
            if line[place : place + 1] != character:
                return None
            places.append(place)
            place += 1
        return [*places, place] if self.drops_spaces or place == len(line) else None

    def sample_lines(self, lines: Iterable[str], seed: int) -> Iterator[str]:
        """Yield a random segmentation of each line, in order: one draw of train text (subword regularization).

        The draws depend on `seed`, the lines and their order alone. Train text is drawn again for every epoch, or
        several times beforehand, each time with another seed; dev and test text are encoded by `encode_lines`.

        Raises InputError where the algorithm has one segmentation for each line (`samples` is False).
        """
        raise InputError(
            f"{self.algorithm} segments a line in one way only: there is nothing to sample",
            next_step="an algorithm that samples, for instance bpe-dropout or unigram-sampling",
        )

    def sample_stream(self, source: IO[bytes], sink: IO[bytes], seed: int, name: str = STANDARD_INPUT) -> None:
        """Write a random segmentation of each UTF-8 line of `source` to `sink`; see `sample_lines`."""
        drawn = self.sample_lines(decode_lines(source, name), seed)
        sink.writelines(line.encode("utf-8") + b"\n" for line in drawn)

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

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: everything but what is computed from the rest when it is first needed."""
        kinds = ((name, getattr(type(self), name, None)) for name in vars(self))
        return {name: vars(self)[name] for name, kind in kinds if not isinstance(kind, cached_property)}

    def model_bytes(self) -> bytes:
        """Return the model in its published format."""
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            self.write(path)
            return path.read_bytes()

    def applied_with(self) -> dict[str, Any]:
        """Return the options that decide, beside the model file, what the pieces are."""
        return changed_options(type(self), {name: getattr(self, name) for name in self.kept_options})

    def learned_with(self) -> dict[str, Any]:
        """Return the options that the model itself names as those it was learned with."""
        return {}

    def signature(self, model: bytes | None = None) -> str:
        """Return what identifies the segmentation, to be named with every score.

        Algorithm, the options that decide what the pieces are, the version of the package and of the libraries that
        segment, a digest of the source of a class that is not of this package, and a digest of the model file (`model`,
        where it is at hand). Equal signatures, equal pieces.
        """
        from subwords.description import digest_of
        from subwords.version import __version__

        fields = [self.algorithm, *(f"{name}:{value}" for name, value in sorted(self.applied_with().items()))]
        if self.libraries:
            from importlib import metadata  # takes as long to import as many a text to learn

            fields += [f"{library}:{metadata.version(library)}" for library in self.libraries]
        if not type(self).__module__.startswith("subwords."):
            fields.append(f"source:{digest_of(type(self))[:12]}")
        digest = hashlib.sha256(self.model_bytes() if model is None else model).hexdigest()[:12]
        return "|".join([*fields, f"subwords:{__version__}", f"model:{digest}"])


def seeded(seed: int) -> Callable[[], float]:
    """Return a function that draws from [0, 1). Raises InputError where the seed is no whole number."""
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise InputError(f"seed={seed!r} cannot be used", allowed="a whole number")
    return Random(seed).random


def checked(lines: Sequence[str]) -> Sequence[str]:
    """Return lines. Raises InputError where one holds a line feed, or half a character, which UTF-8 cannot write."""
    text = "\n".join(lines)
    if lines and text.count("\n") != len(lines) - 1:
        line = next(line for line in lines if "\n" in line)
        raise InputError(f"a line to encode holds a line feed: {line[:60]!r}", next_step="split the text into lines")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        half = f"U+{ord(text[error.start]):04X}"
        raise InputError(
            f"a line to encode holds half a character, {half}",
            allowed="text that UTF-8 can write",
            next_step="line.encode('utf-8', 'replace').decode('utf-8')",
        ) from None
    return lines


class WordSegmenter(Segmenter):
    """An algorithm that segments each space-separated word by itself, so that every type is segmented once.

    A subclass implements `segment_words`, or `splitter` where compiled code segments. Spaces and carriage returns at
    both ends of a line are dropped, and runs of spaces are one.
    """

    drops_spaces = True
    #: Written between the pieces of two words.
    between: ClassVar[str] = " "
    #: What `missed` counts; None where nothing is ever lost.
    loses: str | None = None

    @abstractmethod
    def segment_words(self, words: Sequence[str]) -> list[str]:
        """Return the pieces of each word, joined by single spaces, with whatever marks tell words apart."""

    def splitter(self) -> Splitter | None:
        """Return compiled code that does what `segment_words` does, for one thread."""
        return None

    def missed(self, word: str, pieces: str) -> int:
        """Return how much of a word its pieces have lost, in what `loses` counts."""
        return 0

    def prepare(self, block: bytes) -> bytes:
        """Return whole lines as words between single spaces."""
        from subwords.counting import strip_lines

        return strip_lines(block)

    def new_table(self) -> PieceTable:
        """Return what encodes in one thread: a table of words and their pieces."""
        from subwords.core.pieces import PieceTable

        segment = self.splitter() or self.segment_words
        return PieceTable(segment, f"{self.between}".encode(), self.missed if self.loses else None)

    def encode_batch(self, lines: Sequence[str]) -> list[str]:
        if not lines:
            return []
        block = "\n".join([*checked(lines), ""]).encode("utf-8")
        return self.encode_block(block).decode("utf-8").split("\n")[:-1]

    def encode_block(self, block: bytes) -> bytes:
        return self.encoders(1)[0](block)

    def encoders(self, number: int) -> Sequence[Callable[[bytes], bytes]]:
        with _MAKING:
            while len(self._encoders) < number:
                self._encoders.append(_Encoder(self))
            return self._encoders[:number]

    @cached_property
    def _encoders(self) -> list[_Encoder]:
        return []

    def counts(self) -> dict[str, int]:
        missed = sum(encoder.take_missed() for encoder in self._encoders)
        return {self.loses: missed} if missed and self.loses else {}


class MarkedSegmenter(WordSegmenter):
    """An algorithm whose pieces carry the mark `##` of `subwords.marks` where they continue a word."""

    @abstractmethod
    def segment(self, word: str) -> list[str]:
        """Return the pieces of a word, without marks."""

    def segment_words(self, words: Sequence[str]) -> list[str]:
        return [marks.write(self.segment(word)) for word in words]

    def decode(self, pieces: str) -> str:
        return marks.read(pieces)


class _Encoder:
    """A table of words and pieces that starts afresh when it has grown by CACHED_BYTES. One thread at a time has it."""

    def __init__(self, segmenter: WordSegmenter) -> None:
        self._segmenter = segmenter
        self._missed = 0
        self._lock = Lock()
        self._table = segmenter.new_table()
        self._most = self._table.memory() + CACHED_BYTES

    def __call__(self, block: bytes) -> bytes:
        block = self._segmenter.prepare(block)
        with self._lock:
            if self._table.memory() > self._most:
                self._renew()
            try:
                pieces: bytes = self._table.encode(block)
            except BaseException:
                self._renew()  # it has words now that have no pieces
                raise
        return pieces

    def _renew(self) -> None:
        self._missed += self._table.take_missed()
        self._table = self._segmenter.new_table()
        self._most = self._table.memory() + CACHED_BYTES

    def take_missed(self) -> int:
        """Return how much was lost since this was asked last."""
        with self._lock:
            missed, self._missed = self._missed + self._table.take_missed(), 0
        return missed


def read_options(cls: type[Segmenter], given: dict[str, Any], stage: str | None = None) -> dict[str, Any]:
    """Return the options of `cls` (of one stage, or all) with defaults filled in; raise on unknown names and values."""
    known = {parameter.name: parameter for parameter in cls.parameters}
    if given and not known:
        raise InputError(f"{cls.algorithm} takes no options, but got {', '.join(given)}", next_step="leave them out")
    check_known(f"option of {cls.algorithm}", given, known, next_step=f"subwords list {cls.algorithm}")
    wanted = [p for p in cls.parameters if stage is None or p.stage in (stage, "both")]
    for parameter in wanted:
        if stage and parameter.required and given.get(parameter.name) in (None, ""):
            raise InputError(
                f"{cls.algorithm} needs {parameter.name}: {parameter.help}", next_step=f"--set {parameter.name}=..."
            )
    return {p.name: p.parse(given[p.name]) if p.name in given else p.default for p in wanted}


def changed_options(cls: type[Segmenter], options: dict[str, Any]) -> dict[str, Any]:
    """Return the options whose values are not the defaults."""
    defaults = {parameter.name: parameter.default for parameter in cls.parameters}
    return {name: value for name, value in options.items() if name not in defaults or value != defaults[name]}


def at_least(options: Mapping[str, Any], name: str, least: int = 1) -> int:
    """Return the value of an option. Raises InputError where it is below the least one, or of too many digits."""
    value = int(options[name])
    if not least <= value < 10**MOST_DIGITS:
        raise InputError(
            f"{name}={value} is too {'small' if value < least else 'large'}",
            allowed=f"a whole number, at least {least}, of at most {MOST_DIGITS} digits",
        )
    return value


def whole_number(text: str) -> int | None:
    """Return the number that a text writes in the digits 0 to 9, or None: for another text, and one of many digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None


def check_least(cls: type[Segmenter], size: int, least: int, what: str) -> None:
    """Raise InputError where a size is below the least one that a model can have."""
    if size < least:
        raise InputError(f"{cls.algorithm}: size={size} is below {what}", allowed=f"at least {least}")


def warn_of_fewer(cls: type[Segmenter], reached: int, wanted: int, reason: str) -> None:
    """Warn where the model that `cls.learn` gives is smaller than asked, at the line that calls `subwords.learn`."""
    if reached < wanted:
        unit = re.split(r"[,(]| before ", cls.size_counts or "")[0].strip()
        warnings.warn(f"{cls.algorithm}: {reached} {unit}, not {wanted}: {reason}", Shortfall, stacklevel=4)


def check_idle(cls: type[Segmenter], options: dict[str, Any], names: Sequence[str], reason: str) -> None:
    """Raise InputError where an option of `names` is not at its default, though it does nothing: for this `reason`."""
    if idle := changed_options(cls, {name: options[name] for name in names}):
        said = ", ".join(f"{name}={value}" for name, value in idle.items())
        raise InputError(f"{cls.algorithm}: {said} does nothing here", next_step=reason)


def chosen_size(cls: type[Segmenter], size: object) -> int | None:
    """Return `size` as `check_size` does, or None where it is left to the algorithm: None or "auto"."""
    return None if cls.chooses_size and size in (None, "auto") else check_size(cls, size)


def check_size(cls: type[Segmenter], size: object) -> int:
    """Return `size` (a count, or text from a command line) as the int that `cls` learns, or raise InputError.

    It must be a whole number of at least 1, of at most MOST_DIGITS digits, and absent where the algorithm takes none
    (then the answer is 0).
    """
    if cls.size_counts is None:
        if size is not None:
            raise InputError(f"{cls.algorithm} takes no size, but got {size!r}", next_step="leave the size out")
        return 0
    number = whole_number(size) if isinstance(size, str) else size
    if isinstance(number, bool) or not isinstance(number, int) or not 0 < number < 10**MOST_DIGITS:
        raise InputError(
            f"{cls.algorithm} needs a size" if size is None else f"{cls.algorithm} cannot have the size {size!r}",
            allowed=f"a whole number of {cls.size_counts}, at least 1, of at most {MOST_DIGITS} digits"
            + ", or auto" * cls.chooses_size,
            next_step=f"subwords learn {cls.algorithm} --size 4000 ...",
        )
    return number
