"""HFT, the High Frequency Tokenizer: few pieces per word, each of them frequent (Signoroni & Rychlý 2022).

What it computes. Raw text is pretokenized (`subwords.hft.pretokenization`): words carry ¦ on both sides, capitals
become small letters behind a mark, spaces beside punctuation become ▁. The vocabulary starts as all characters; again
and again all words are segmented into the fewest entries, ties broken by the highest minimum frequency, and the most
frequent pairs of neighbours enter while what has become rarer than they are leaves (section 1 of the paper;
`subwords.hft.learning`, `subwords.hft.segmentation`). The model file has one `entry<TAB>count` per line, sorted by
count and entry, descending.

With the entries below, ¦low¦ is two pieces in two ways. The lowest frequency is 3 in "¦l ow¦" and 5 in "¦lo w¦":

>>> frequencies = {"¦l": 3, "ow¦": 9, "¦lo": 7, "w¦": 5, "¦": 1, "l": 1, "o": 1, "w": 1, "𐋇": 20}
>>> HFT(frequencies).encode("Low")
'𐋇 ¦lo w¦'
>>> HFT(frequencies, variant="reference").encode("Low")
'𐋇 ¦l ow¦'
>>> HFT(frequencies).decode("𐋇 ¦lo w¦")
'Low'

Variants. `paper` is the above, with exactly `size` entries; what is still equal is decided by the longest last piece at
the end of every prefix. A character outside the vocabulary becomes a piece <unk-X>, is counted, and decodes as itself.
`reference` is the authors' public code: the minimum frequency decides nothing, the counts of a new entry are taken from
the entries it was made of, the size is a little more than asked, and a word that ends in an unknown character is lost
as a whole (<unk-?>, with its last character but one). `published` is the earlier code behind the paper's figures: no
subtraction, and 100 entries a step. docs/algorithms/hft.md has the differences with numbers.

Round trip: decode(encode(x)) = x in `paper` for every line without repeated, leading or trailing spaces (these are
normalized, as in the published script). The variants `reference` and `published` also lose what
`subwords.hft.escaping` describes: whitespace other than the space, the marks in the text, capitals such as İ.

Complexity: learning takes about 30 passes over the word types, encoding one pass over the text; both are linear in the
number of characters and entries found. A word may be of any length.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from subwords.errors import InputError
from subwords.files import without_returns, write_lines
from subwords.frequencies import read_frequencies
from subwords.segmenter import Parameter, WordSegmenter, at_least, check_size, read_options, warn_of_fewer

if TYPE_CHECKING:
    from subwords.core.hft_segmentation import EntrySplitter
    from subwords.core.hft_text import Pretokenizer
    from subwords.core.words import WordTable

_UNKNOWN = re.compile("<unk-(.)>", re.DOTALL)
_MARKS = str.maketrans("▁", " ", "¦𐋇𐊣𐊼")


class HFT(WordSegmenter):
    """See the module's docstring. `vocabulary` maps each entry to its count."""

    algorithm = "hft"
    summary = "fewest pieces of high frequency, over its own pretokenization (HFT, Signoroni & Rychlý 2022)"
    size_counts = "vocabulary entries"
    reads = "raw"
    parameters = (
        Parameter(
            "variant",
            "paper",
            "paper: as described; reference: the public code; published: the earlier code of the published figures",
            choices=("paper", "reference", "published"),
            stage="both",
        ),
        Parameter("step", None, "entries added per step (size/20; published: 100)", kind=int),
        Parameter("pretokenized", False, "the text is already pretokenized by HFT", stage="both"),
    )

    def __init__(self, vocabulary: Mapping[str, int], variant: str = "paper", pretokenized: bool = False) -> None:
        self.vocabulary = dict(vocabulary)
        self.variant = variant
        self.pretokenized = pretokenized
        self.loses = "unknown characters" if variant == "paper" else "unknown pieces"

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn a vocabulary of `size` entries, or fewer (with a warning) when the text does not offer as many.

        Raises InputError when there is no text, and when `size` is below the number of different characters
        (pretokenized, that is, small letters and marks).
        """
        from subwords.hft.learning import default_step, learn_vocabulary

        chosen = read_options(cls, options)
        wanted, variant, pretokenized = check_size(cls, size), chosen["variant"], chosen["pretokenized"]
        step = default_step(variant, wanted) if chosen["step"] is None else at_least(chosen, "step")
        model = cls({}, variant, pretokenized)
        words = model.count_words(texts)
        model.vocabulary = learn_vocabulary(words, wanted, step, variant)
        warn_of_fewer(cls, len(model.vocabulary), wanted, "the text offers no more")
        return model

    def count_words(self, texts: Sequence[Path]) -> WordTable:
        """Return the words of pretokenized text with their counts. The public code splits at any Unicode space.

        Raises InputError where there is no word.
        """
        from subwords.counting import word_table

        def prepare(block: bytes) -> bytes:
            tokens = self.prepare(without_returns(block))
            return tokens if self.variant == "paper" else " ".join(tokens.decode("utf-8").split()).encode("utf-8")

        return word_table(texts, prepare)

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        """Read a vocabulary file, ours or one of the papers' own."""
        chosen = read_options(cls, options)
        vocabulary = read_frequencies(path)
        if not vocabulary:
            raise InputError(f"{path} has no entries", allowed="lines of entry<TAB>count")
        return cls(vocabulary, chosen["variant"], chosen["pretokenized"])

    def write(self, path: Path) -> None:
        """Write the vocabulary, by count and entry, descending (the public code's order)."""
        write_lines(path, (f"{entry}\t{self.vocabulary[entry]}" for entry in self.known_pieces()))

    def segment_words(self, words: Sequence[str]) -> list[str]:
        """Return the pieces of HFT tokens."""
        return self.new_table().encode("\n".join([*words, ""]).encode("utf-8")).decode("utf-8").split("\n")[:-1]

    def splitter(self) -> EntrySplitter:
        from subwords.core.hft_segmentation import EntrySplitter
        from subwords.hft.learning import VARIANTS

        return EntrySplitter(self.vocabulary, *VARIANTS[self.variant].rules)

    def prepare(self, block: bytes) -> bytes:
        """Return the HFT tokens of whole lines. Raises UnicodeDecodeError where they are not UTF-8."""
        if self.pretokenized:
            return block
        block.decode("utf-8")
        return self._tables.pretokenize(block, self.variant == "paper")

    @cached_property
    def _tables(self) -> Pretokenizer:
        from subwords.hft.characters import pretokenizer
        from subwords.hft.escaping import escapes

        tables = pretokenizer()
        tables.escape(escapes())
        return tables

    def decode(self, pieces: str) -> str:
        from subwords.hft.escaping import unescape
        from subwords.hft.pretokenization import detokenize

        if self.variant != "paper":
            return detokenize(pieces)
        if "<unk-" in pieces:
            pieces = " ".join([_UNKNOWN.sub(r"\1", p) if _UNKNOWN.fullmatch(p) else p for p in pieces.split(" ")])
        return unescape(detokenize(pieces))

    def reached(self) -> int | None:
        return len(self.vocabulary)

    def surfaces(self, pieces: Sequence[str]) -> list[str] | None:
        """Return the stretches of text of pieces, in small letters."""
        return [_UNKNOWN.sub(r"\1", piece).translate(_MARKS) for piece in pieces]

    def known_pieces(self) -> list[str]:
        """Return the entries in the order of the file, which a model that was just learned does not have by itself."""
        return sorted(self.vocabulary, key=lambda entry: (self.vocabulary[entry], entry), reverse=True)

    def applied_with(self) -> dict[str, Any]:
        return {"variant": self.variant, "pretokenized": self.pretokenized}
