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

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Self

from subwords.counting import count_words
from subwords.frequencies import CountedPieces, by_frequency
from subwords.segmenter import WordSegmenter, check_size, read_options, warn_of_fewer

UNKNOWN = "<unk>"


class Words(CountedPieces, WordSegmenter):
    """See the module's docstring. `vocabulary` maps each known word to its count."""

    algorithm = "word"
    summary = "the most frequent words, the rest is <unk> (frequency baseline of Wolleb et al. 2023)"
    size_counts = "words"
    reads = "moses"
    unknown_marks = frozenset({UNKNOWN})
    lossy = True
    loses = "unknown words"

    @classmethod
    def trial_arguments(cls, text: Path) -> tuple[int | str | None, dict[str, Any]]:
        """All words: a line with any other would not come back."""
        return len(count_words([text])), {}

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Keep the `size` most frequent words, or all (with a warning). Raises InputError for texts without words."""
        read_options(cls, options)
        wanted = check_size(cls, size)
        counts = count_words(texts)
        counts.pop(UNKNOWN, None)
        warn_of_fewer(cls, len(counts), wanted, "the text has no more")
        return cls(dict(islice(by_frequency(counts), wanted)))

    def segment_words(self, words: Sequence[str]) -> list[str]:
        return [word if word in self.vocabulary else UNKNOWN for word in words]

    def missed(self, word: str, pieces: str) -> int:
        return pieces == UNKNOWN != word  # the text's own <unk> comes back

    def decode(self, pieces: str) -> str:
        return pieces
