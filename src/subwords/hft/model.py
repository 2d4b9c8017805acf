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
from typing import IO, TYPE_CHECKING, Any, Self

from subwords.errors import InputError
from subwords.files import decode_blocks, whole_file
from subwords.frequencies import read_frequencies
from subwords.segmenter import Parameter, Segmenter, check_size, read_options

if TYPE_CHECKING:
    from subwords.hft.codes import Codes
    from subwords.hft.vocabulary import VocabularySegmenter

#: Bytes of a text that are segmented together: what is made of them on the way stays small enough for the cache.
BLOCK = 1 << 18
_UNKNOWN = re.compile("<unk-(.)>", re.DOTALL)
_MARKS = str.maketrans("▁", " ", "¦𐋇𐊣𐊼")


class HFT(Segmenter):
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
        self._unknown = 0

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn a vocabulary of `size` entries.

        Raises InputError when there is no text, when `size` is below the number of different characters (pretokenized,
        that is, small letters and marks), and, in `paper`, when the text does not offer as many entries.
        """
        from subwords.hft.learning import default_step, learn_vocabulary

        chosen = read_options(cls, options)
        wanted, variant, pretokenized = check_size(cls, size), chosen["variant"], chosen["pretokenized"]
        step = default_step(variant, wanted) if chosen["step"] is None else chosen["step"]
        if step < 1:
            raise InputError(f"step={step} adds nothing", allowed="a whole number, at least 1")
        model = cls({}, variant, pretokenized)
        words = model._count_words(texts)
        if not words:
            raise InputError(
                f"there is no word in {', '.join(map(str, texts)) or '(no file)'}",
                next_step="give a text file that is not empty",
            )
        model.vocabulary = learn_vocabulary(words, wanted, step, variant)
        return model

    def _count_words(self, texts: Sequence[Path]) -> dict[str, int]:
        """Return the words of pretokenized text with their counts. The public code splits at any Unicode space."""
        from subwords.hft.codes import codes_text, text_codes
        from subwords.wordtable import WordTable

        words = WordTable()
        for path in texts:
            try:
                with open(path, "rb") as stream:
                    for block in decode_blocks(stream, str(path), BLOCK):
                        text = codes_text(self._pretokenize(text_codes(block)))
                        words.number((text if self.variant == "paper" else " ".join(text.split())).encode("utf-8"))
            except OSError as error:
                raise InputError(f"cannot read {path}: {error.strerror}", next_step="check the path") from error
        return dict(zip(words.words(), words.counts(), strict=True))

    @classmethod
    def load(cls, path: Path, **options: Any) -> Self:
        """Read a vocabulary file, ours or one of the papers' own."""
        chosen = read_options(cls, options)
        vocabulary = read_frequencies(path)
        if not vocabulary:
            raise InputError(f"{path} has no entries", allowed="lines of entry<TAB>count")
        return cls(vocabulary, chosen["variant"], chosen["pretokenized"])

    def save(self, path: Path) -> None:
        """Write the vocabulary, by count and entry, descending (the public code's order)."""
        with whole_file(path) as stream:
            for entry, count in sorted(self.vocabulary.items(), key=lambda item: (item[1], item[0]), reverse=True):
                stream.write(f"{entry}\t{count}\n")

    def encode_batch(self, lines: Sequence[str]) -> list[str]:
        from subwords.hft.codes import to_codes, to_lines

        return to_lines(self._encode(to_codes(lines))) if lines else []

    def encode_stream(self, source: IO[bytes], sink: IO[bytes], name: str = "standard input") -> None:
        from subwords.hft.codes import codes_text, text_codes

        for text in decode_blocks(source, name, BLOCK):
            sink.write(codes_text(self._encode(text_codes(text))).encode("utf-8") + b"\n")

    def decode(self, pieces: str) -> str:
        from subwords.hft.escaping import unescape
        from subwords.hft.pretokenization import detokenize

        if self.variant != "paper":
            return detokenize(pieces)
        if "<unk-" in pieces:
            pieces = " ".join([_UNKNOWN.sub(r"\1", p) if _UNKNOWN.fullmatch(p) else p for p in pieces.split(" ")])
        return unescape(detokenize(pieces))

    def counts(self) -> dict[str, int]:
        found, self._unknown = self._unknown, 0
        return {"unknown characters" if self.variant == "paper" else "unknown pieces": found} if found else {}

    def reached(self) -> int | None:
        return len(self.vocabulary)

    def surfaces(self, pieces: Sequence[str]) -> list[str] | None:
        """Return the stretches of text of pieces, in small letters."""
        return [_UNKNOWN.sub(r"\1", piece).translate(_MARKS) for piece in pieces]

    @cached_property
    def _segmenter(self) -> VocabularySegmenter:
        from subwords.hft.learning import VARIANTS
        from subwords.hft.vocabulary import VocabularySegmenter

        return VocabularySegmenter(self.vocabulary, VARIANTS[self.variant].rules)

    def _encode(self, text: Codes) -> Codes:
        pieces, unknown = self._segmenter.segment_text(self._pretokenize(text))
        self._unknown += unknown
        return pieces

    def _pretokenize(self, text: Codes) -> Codes:
        if self.pretokenized:
            return text
        from subwords.hft.characters import characters
        from subwords.hft.escaping import escape_codes
        from subwords.hft.pretokenization import pretokenize_codes

        return pretokenize_codes(escape_codes(text) if self.variant == "paper" else text, characters())
