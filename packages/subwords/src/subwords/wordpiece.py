"""WordPiece (Schuster & Nakajima 2012, as in BERT): `##` marks a piece that continues a word.

Learning is Hugging Face tokenizers' WordPieceTrainer, which merges the most frequent pair until the vocabulary is
full; encoding takes the longest piece of the vocabulary, from the left (Wu et al. 2016). Words are what single spaces
separate, and nothing else is split off, so that tokenized text stays as it is.

>>> model = WordPiece(["[UNK]", "c", "##a", "##t", "##at", "ca"])
>>> model.encode("cat taca")
'ca ##t t ##a ##c ##a'
>>> model.decode("ca ##t t ##a ##c ##a")
'cat taca'
>>> WordPiece(["[UNK]", "c", "##a", "##t", "##at", "ca"], unknown="word").encode("cat taca")
'ca ##t [UNK]'

Where no piece fits, `unknown=character` (default) takes the one character as a piece, so that nothing is lost;
`unknown=word` makes the whole word `[UNK]`, as BERT does. Both are counted. Runs of spaces become one.

Equal to tokenizers' own encoder under `unknown=word`, but that a word may have any length (there: 100 characters),
that a text's own `[UNK]` is a word like any other, and that no word begins with a piece that begins with `##`: the
text's own `##x` is `#`, `###`, `##x`.

The model file has one piece per line, `[UNK]` first. Encoding is linear in the length of a word times the length of the
longest piece; each word type is segmented once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from subwords.counting import no_word
from subwords.errors import InputError, extra
from subwords.files import pieces_in, read_lines, write_lines
from subwords.marks import CONTINUES
from subwords.segmenter import MarkedSegmenter, Parameter, check_least, check_size, read_options, warn_of_fewer

UNKNOWN = "[UNK]"


class WordPiece(MarkedSegmenter):
    """See the module's docstring. `vocabulary` lists the pieces in file order."""

    algorithm = "wordpiece"
    summary = "longest pieces first, ## continues a word (Schuster & Nakajima 2012; Wu et al. 2016), by tokenizers"
    size_counts = "pieces, single characters and [UNK] included"
    reads = "moses"
    unknown_marks = frozenset({UNKNOWN})
    special_tokens = (UNKNOWN,)
    special_are_entries = True
    parameters = (
        Parameter(
            "unknown",
            "character",
            "what becomes a piece where none of the vocabulary fits",
            choices=("character", "word"),
            stage="encode",
        ),
    )

    def __init__(self, vocabulary: Sequence[str], unknown: str = "character") -> None:
        self.vocabulary = list(vocabulary)
        self.unknown = unknown
        self.loses = "unknown words" if unknown == "word" else "characters outside the vocabulary"
        usable = [piece for piece in self.vocabulary if piece != UNKNOWN]
        self._usable = frozenset(usable)
        self._initial = _Pieces(piece for piece in usable if not piece.startswith(CONTINUES))
        self._continuing = _Pieces(piece[2:] for piece in usable if piece.startswith(CONTINUES))

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn `size` pieces, or fewer (with a warning). Raises InputError for a size below the alphabet."""
        with extra("huggingface"):
            from tokenizers import Tokenizer, models, pre_tokenizers, trainers

        chosen = read_options(cls, options, "encode")
        wanted = check_size(cls, size)
        words = {word for line in _lines(texts) for word in line.split(" ") if word}
        if not words:
            raise no_word(texts)
        continuing = {character for word in words for character in word[1:]}
        smallest = len(continuing | {word[0] for word in words}) + len(continuing) + 1
        check_least(cls, wanted, smallest, "the alphabet of the text")
        # The trainer makes room for as many pieces as it is asked for. Each merge adds at most one.
        largest = smallest + sum(len(word) - 1 for word in words)
        tokenizer = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
        tokenizer.pre_tokenizer = pre_tokenizers.CharDelimiterSplit(" ")
        # The trainer numbers continuing characters in the order of a randomly seeded hash map, and breaks ties by these
        # numbers. Named as special tokens in a fixed order, they have the same numbers in every run.
        fixed = [UNKNOWN, *(CONTINUES + character for character in sorted(continuing))]
        trainer = trainers.WordPieceTrainer(
            vocab_size=min(wanted, largest), min_frequency=0, special_tokens=fixed, show_progress=False
        )
        tokenizer.train_from_iterator(_lines(texts), trainer)
        numbered = tokenizer.get_vocab()
        warn_of_fewer(cls, len(numbered), wanted, "the text has no other pieces")
        return cls(sorted(numbered, key=numbered.__getitem__), **chosen)

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        pieces = pieces_in(path)
        broken = any(not piece or " " in piece for piece in pieces)
        if UNKNOWN not in pieces or broken or len(set(pieces)) < len(pieces):
            raise InputError(
                f"{path} is not a WordPiece vocabulary",
                allowed=f"one piece per line, {UNKNOWN} among them, none empty, with a space or twice",
            )
        return cls(pieces, **read_options(cls, options, "encode"))

    def write(self, path: Path) -> None:
        write_lines(path, self.vocabulary)

    def segment(self, word: str) -> list[str]:
        pieces: list[str] = []
        start, known = 0, self._initial
        while start < len(word):
            piece = known.longest(word, start)
            if not piece and self.unknown == "word":
                return [UNKNOWN]
            pieces.append(piece or word[start])
            start += len(piece) or 1
            known = self._continuing
        return pieces

    def missed(self, word: str, pieces: str) -> int:
        return sum(piece not in self._usable for piece in pieces.split(" "))

    def known_pieces(self) -> list[str]:
        return self.vocabulary

    def applied_with(self) -> dict[str, Any]:
        return {"unknown": self.unknown}

    def reached(self) -> int:
        return len(self.vocabulary)


def _lines(texts: Sequence[Path]) -> Iterator[str]:
    """Yield the lines of texts as they are encoded: carriage returns at their ends are no part of a word."""
    return (line.strip(" \r") for path in texts for line in read_lines(path))


class _Pieces:
    """A set of pieces that finds the longest one at a place of a word."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self.pieces = frozenset(pieces)
        lengths: dict[str, set[int]] = {}
        for piece in self.pieces:
            lengths.setdefault(piece[:1], set()).add(len(piece))
        #: first character -> lengths of the pieces that begin with it, the longest first
        self.lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}

    def longest(self, word: str, start: int) -> str:
        """Return the longest piece that `word` has at `start`, or the empty string."""
        for length in self.lengths.get(word[start], ()):
            if (piece := word[start : start + length]) in self.pieces:
                return piece
        return ""
