"""A segmentation of one's own, to start from: the most frequent words stay whole, all others become characters.

Every class that subwords takes has these methods. Change what they do, then run the contract and compare:

    subwords check NAME.py:Template
    subwords compare TEXT --size 4000 --algorithms bpe NAME.py:Template

In an experiment file it is `algorithm: NAME.py:Template`, with the file beside the experiment file.

>>> model = Template(["cat"])
>>> model.encode("cat sat")
'cat s ##a ##t'
>>> model.decode("cat s ##a ##t")
'cat sat'
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from subwords import marks
from subwords.counting import count_words
from subwords.errors import InputError
from subwords.files import pieces_in, write_lines
from subwords.frequencies import by_frequency
from subwords.segmenter import Parameter, WordSegmenter, check_size, read_options, warn_of_fewer


class Template(WordSegmenter):
    """See the module's docstring. A `WordSegmenter` segments each word type once; what spans words is a `Segmenter`."""

    algorithm = "template"
    summary = "frequent words whole, the others as characters (Author Year)"
    #: What `size` counts; None if there is no size.
    size_counts = "words"
    #: The text it is meant for: "moses" (tokenized) or "raw".
    reads = "moses"
    parameters = (Parameter("min_frequency", 1, "words that occur less often are not kept whole, at least 1"),)

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self._whole = frozenset(words)

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Return a model of the `size` most frequent words, or (with a warning) of all where there are fewer."""
        chosen = read_options(cls, options, "learn")
        wanted = check_size(cls, size)
        frequent = [word for word, count in by_frequency(count_words(texts)) if count >= chosen["min_frequency"]]
        warn_of_fewer(cls, len(frequent), wanted, f"no other word occurs {chosen['min_frequency']} times")
        return cls(frequent[:wanted])

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        """Return the model of a file that `write` wrote: the algorithm's name, then one word per line."""
        read_options(cls, options)
        name, *words = pieces_in(path) or [""]
        if name != cls.algorithm or any(not word or " " in word for word in words):
            raise InputError(f"{path} is not a model of {cls.algorithm}", allowed="its name, then one word per line")
        return cls(words)

    def write(self, path: Path) -> None:
        write_lines(path, [self.algorithm, *self.words])

    def segment_words(self, words: Sequence[str]) -> list[str]:
        """Return the pieces of each word, joined by single spaces."""
        return [marks.write([word] if word in self._whole else list(word)) for word in words]

    def decode(self, pieces: str) -> str:
        return marks.read(pieces)

    def known_pieces(self) -> list[str]:
        """Return the pieces in a fixed order: what `encode_ids` numbers. Any other piece is unknown there."""
        return marks.both_forms(self.words + [character for word in self.words for character in word])

    def reached(self) -> int:
        return len(self.words)
