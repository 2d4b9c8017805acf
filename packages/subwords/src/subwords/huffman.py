"""Huffman coding of words: one to a few arbitrary symbols per word, the fewer the more frequent the word is.

What it computes (Wolleb et al. 2023, Algorithm 1): a Huffman tree with at most n children per node over the word
types and their counts. The path from the root to a word, written in n symbols (CJK ideographs from U+4E00 on), is the
code of that word. Pieces are the symbols of the codes; the piece ␠ (U+2420) stands between words. Codes keep what
subwords say about frequency and drop what they say about composition, which is what the paper wants to tell apart.

Four types, two symbols: each merge joins the two rarest nodes (1+1, 2+2, 3+4), and its first child gets the first
symbol.

>>> codes = huffman_codes(["the", "house", "on", "hill"], [3, 2, 1, 1], 2)
>>> {word: code for code, word in codes.items()}
{'the': '一', 'house': '丁一', 'on': '丁丁一', 'hill': '丁丁丁'}
>>> huffman = Huffman(codes)
>>> huffman.encode("the house on fire")
'一 ␠ 丁 一 ␠ 丁 丁 一 ␠ ␀'
>>> huffman.decode("一 ␠ 丁 一 ␠ 丁 丁 ␠ 一")
'the house the'
>>> huffman.counts()
{'unknown words': 1, 'unknown codes': 1}

Variants. `paper` and `reference` (the authors' public code) build the same tree: among equal counts the layout of
CPython's binary heap decides, in both. They differ in symbols past U+9FFF, where `reference` runs through whatever code
points follow and fails at the surrogates while `paper` stays with ideographs; in the words ␠ and ␀, which `reference`
leaves out; and in unknown codes, which `paper` skips (section 3.1, step 9) and `reference` decodes as <unk>.

`padding=none` is the published algorithm: the merge that comes up short is the last one, so the root has only
((types - 1) mod (n - 1)) + 1 children (n when that is 1). `padding=optimal` is the textbook's: the first, deepest merge
is the short one, as if zero-count words filled the tree; no code for words has a smaller expected length.

Limits: a word never seen in learning has no code: it becomes ␀ (U+2400), is counted, and is lost. Words are separated
by single spaces; every other character may be part of a word. At most 223,921 symbols.
Complexity: learning O(types log types), encoding one dictionary look-up per word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from subwords.core import huffman as core
from subwords.counting import word_table
from subwords.errors import InputError
from subwords.files import read_lines, write_whole
from subwords.segmenter import Parameter, WordSegmenter, check_size, read_options, warn_of_fewer

if TYPE_CHECKING:
    from subwords.core.pieces import PieceTable

WORD_END = "␠"  # the piece between two words
UNKNOWN = "␀"  # the piece for a word without a code

#: Symbols of `paper`: the CJK unified ideographs of Unicode 14 (footnote 3: "nearly 100,000"), each of them a letter
#: that no normalization, truecasing or splitting touches; after these, the private planes, which are as inert.
IDEOGRAPHS = (
    range(0x4E00, 0xA000),
    range(0x3400, 0x4DC0),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B739),
    range(0x2B740, 0x2B81E),
    range(0x2B820, 0x2CEA2),
    range(0x2CEB0, 0x2EBE1),
    range(0x30000, 0x3134B),
    range(0xF0000, 0xFFFFE),
    range(0x100000, 0x10FFFE),
)
#: Symbols of `reference`: it counts up from U+4E00 and cannot write the surrogates, which begin at U+D800.
CONSECUTIVE = (range(0x4E00, 0xD800),)


def huffman_codes(
    words: Sequence[str],
    counts: Sequence[int],
    arity: int,
    padding: str = "none",
    alphabet: Sequence[range] = IDEOGRAPHS,
) -> dict[str, str]:
    """Return code -> word, depth first, of the tree with at most `arity` children per node over words with counts.

    The order of the words decides between equal counts: the published order is by falling count, first seen first. So
    does the heap, which takes the steps of CPython's heapq.

    Raises InputError when the tree needs more symbols than `alphabet` has.
    """
    needed = min(arity, len(counts))
    symbols = [chr(point) for point in islice(chain.from_iterable(alphabet), needed)]
    if len(symbols) < needed:
        raise InputError(
            f"size {arity}: there are only {len(symbols)} symbols",
            allowed=f"sizes up to {len(symbols)}",
            next_step="choose a smaller size" + ("" if alphabet is IDEOGRAPHS else ", or --set variant=paper"),
        )
    if not counts:
        raise InputError("no words to code", next_step="give a text that is not empty")
    if len(counts) == 1:
        return {symbols[0]: words[0]}  # a single word still needs a code that can be seen
    # The textbook's dummy words, without making them: they would all be joined by the first merge.
    first = 2 + (len(counts) - 2) % (arity - 1) if padding == "optimal" else arity
    return core.huffman_codes(list(words), list(counts), arity, first, symbols)


def expected_length(codes: dict[str, str], counts: dict[str, int]) -> float:
    """Return the mean number of symbols per token of a text in which each word occurs `counts[word]` times.

    >>> expected_length({"一": "a", "丁一": "b", "丁丁": "c"}, {"a": 2, "b": 1, "c": 1})
    1.5
    """
    return sum(len(code) * counts[word] for code, word in codes.items()) / sum(counts.values())


class Huffman(WordSegmenter):
    """Words as Huffman codes. The model file is one JSON object, code -> word, as the authors publish it."""

    algorithm = "huffman"
    summary = "words as Huffman codes in n symbols: frequency without composition (Wolleb et al. 2023)"
    size_counts = "symbols"
    reads = "moses"
    unknown_marks = frozenset({UNKNOWN})
    lossy = True
    loses = "unknown words"
    kept_options = ("unknown",)
    parameters = (
        Parameter("variant", "paper", "the paper, or the authors' public code", ("paper", "reference")),
        Parameter("padding", "none", "none: Algorithm 1 as published; optimal: a full root", ("none", "optimal")),
        Parameter(
            "unknown",
            "skip",
            "how a code that no word has is decoded: skip it (the paper) or mark it <unk> (the public code)",
            ("skip", "mark"),
            stage="encode",
        ),
    )

    def __init__(self, codes: dict[str, str], unknown: str = "skip") -> None:
        """Take code -> word; `unknown` says what decoding does with a code that is not there: "skip" or "mark"."""
        self.codes, self.unknown = codes, unknown
        self._unknown_codes = 0

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn codes in `size` symbols, or (with a warning) in as many as there are words.

        Raises InputError for fewer than two symbols and for texts without words.
        """
        options = read_options(cls, options)
        arity = check_size(cls, size)
        if arity < 2:
            raise InputError("one symbol cannot tell words apart", allowed="--size 2 or more")
        table, reference = word_table(texts), options["variant"] == "reference"
        words, counts = table.words(), table.counts()
        del table
        order = sorted(range(len(words)), key=counts.__getitem__, reverse=True)  # stable: first seen first
        if reference:
            order = [i for i in order if words[i] not in (WORD_END, UNKNOWN)]
        words, counts = [words[i] for i in order], [counts[i] for i in order]
        codes = huffman_codes(words, counts, arity, options["padding"], CONSECUTIVE if reference else IDEOGRAPHS)
        warn_of_fewer(cls, len(words), arity, "the text has no more words, and each has one")
        return cls(codes, "mark" if reference else options["unknown"])

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        """Read a mapping. Raises InputError when the file is not one JSON object from codes to different words."""
        try:
            codes = json.loads("\n".join(read_lines(path)))
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(
                f"{path} is not JSON: {error}", allowed="one object, code -> word", next_step="subwords learn huffman"
            ) from error
        if not isinstance(codes, dict) or not all(isinstance(word, str) for word in codes.values()):
            raise InputError(f"{path} is not a mapping of codes to words", next_step="subwords learn huffman")
        texts = [*codes, *codes.values()]
        if not codes or not all(texts) or re.search("[ \n\ud800-\udfff]", "".join(texts)):  # JSON can name all of these
            raise InputError(
                f"{path} has no code, or one that is empty or holds a space, a line feed or half a character (U+D800 to"
                " U+DFFF), or whose word does",
                next_step="subwords learn huffman",
            )
        if len(set(codes.values())) < len(codes):
            raise InputError(f"{path} gives one word two codes", next_step="subwords learn huffman")
        return cls(codes, **read_options(cls, options, "encode"))

    def write(self, path: Path) -> None:
        write_whole(path, json.dumps(self.codes, ensure_ascii=False))

    def segment_words(self, words: Sequence[str]) -> list[str]:
        pieces = {word: " ".join(code) for code, word in self.codes.items()}
        return [pieces.get(word, UNKNOWN) for word in words]

    def new_table(self) -> PieceTable:
        """Return the table of all words that have a code; any other word is unknown."""
        from subwords.core.pieces import PieceTable

        words = "\n".join([*self.codes.values(), ""]).encode("utf-8")
        codes = "\n".join([*self.codes, ""])
        spaced = " ".join(codes).replace(" \n ", "\n").removesuffix(" \n") + "\n"
        table = PieceTable(lambda words: [UNKNOWN] * len(words), f" {WORD_END} ".encode(), lambda word, pieces: 1)
        table.know(words, spaced.encode("utf-8"))
        return table

    def decode(self, pieces: str) -> str:
        joined = pieces.replace(" ", "")
        return " ".join([word for code in joined.split(WORD_END) for word in self._words(code)]) if joined else ""

    def _words(self, code: str) -> list[str]:
        """Return the word of a code, or what stands for it when there is none."""
        if code in self.codes:
            return [self.codes[code]]
        self._unknown_codes += 1
        return ["<unk>"] if self.unknown == "mark" else []

    def reached(self) -> int:
        return len(set("".join(self.codes)))

    def surfaces(self, pieces: Sequence[str]) -> None:
        """Return None: a symbol stands for no stretch of a word."""

    def counts(self) -> dict[str, int]:
        found = super().counts() | {"unknown codes": self._unknown_codes}
        self._unknown_codes = 0
        return {what: number for what, number in found.items() if number}

    def known_pieces(self) -> list[str]:
        return [WORD_END, UNKNOWN, *sorted(set("".join(self.codes)))]
