"""Whole words: the most frequent ones are the vocabulary, all others are `<unk>`.

The frequency baseline of Wolleb et al. 2023 ("Assessing the Importance of Frequency versus Compositionality for
Subword-based Tokenization in NMT", section 5). Words are what single spaces separate. Equally frequent words enter the
vocabulary in code-point order.

>>> model = Words({"the": 3, "cat": 2})
>>> model.encode("the cat sat")
'the cat <unk>'
>>> model.counts()
{'unknown words': 1}

What is lost: every word outside the vocabulary (it decodes as `<unk>`, and is counted), and runs of spaces (they become
one). A word that is spelled `<unk>` in the text is never learned; it is encoded as itself and so survives.

The model file has one `word<TAB>count` per line, most frequent first. Learning is linear in the number of words, with
memory for each word type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Self

from subwords.counting import count_words
from subwords.errors import InputError
from subwords.frequencies import by_frequency, read_frequencies, write_frequencies
from subwords.segmenter import Segmenter, check_size, read_options

UNKNOWN = "<unk>"


class Words(Segmenter):
    """See the module's docstring. `vocabulary` maps each known word to its count."""

    algorithm = "word"
    summary = "the most frequent words, the rest is <unk> (frequency baseline of Wolleb et al. 2023)"
    size_counts = "words"
    reads = "moses"
    unknown_marks = frozenset({UNKNOWN})

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self.vocabulary = dict(vocabulary)
        self._unknown = 0

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Keep the `size` most frequent words. Raises InputError when the text has fewer word types than that."""
        read_options(cls, options)
        wanted = check_size(cls, size)
        counts = count_words(texts)
        counts.pop(UNKNOWN, None)
        if wanted > len(counts):
            raise InputError(f"size={wanted} is more words than the text has", allowed=f"1 to {len(counts)} words")
        return cls(dict(islice(by_frequency(counts), wanted)))

    @classmethod
    def load(cls, path: Path, **options: Any) -> Self:
        read_options(cls, options)
        return cls(read_frequencies(path))

    def save(self, path: Path) -> None:
        write_frequencies(self.vocabulary, path)

    def encode_batch(self, lines: Sequence[str]) -> list[str]:
        known = self.vocabulary
        encoded = [[word if word in known else UNKNOWN for word in line.split(" ") if word] for line in lines]
        marks = sum(pieces.count(UNKNOWN) for pieces in encoded)
        own = sum(line.split(" ").count(UNKNOWN) for line in lines if UNKNOWN in line)  # these come back
        self._unknown += marks - own
        return [" ".join(pieces) for pieces in encoded]

    def decode(self, pieces: str) -> str:
        return pieces

    def counts(self) -> dict[str, int]:
        unknown, self._unknown = self._unknown, 0
        return {"unknown words": unknown} if unknown else {}

    def reached(self) -> int:
        return len(self.vocabulary)
