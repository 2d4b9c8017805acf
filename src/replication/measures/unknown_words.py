"""Words of a test text that the training text does not have, and where they stand in the sentence as it came.

Words are what single spaces separate in the tokenized, truecased text that a segmenter reads: so a word that is only
capitalized, because a sentence starts with it, is no unknown one.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from subwords.counting import count_words


def words_of(text: Path) -> frozenset[str]:
    """Return the words of a tokenized text."""
    return frozenset(count_words([text]))


def unknown_words(line: str, known: Collection[str]) -> list[int]:
    """Return the places (from 0) of the words of a tokenized line that are not known.

    >>> unknown_words("the turning lane", {"the", "lane"})
    [1]
    """
    return [place for place, word in enumerate(_words(line)) if word not in known]


def word_spans(line: str, sentence: str) -> list[tuple[int, int] | None]:
    """Return where the words of a tokenized, truecased line stand in the sentence that it was made from.

    Tokenizers put spaces in, truecasers change case; where they changed more, the word is looked for further on, and is
    None when it is nowhere. Spans are start and end in characters.

    >>> word_spans("he 's , well , here .", "He's, well, here.")
    [(0, 2), (2, 4), (4, 5), (6, 10), (10, 11), (12, 16), (16, 17)]
    """
    spans: list[tuple[int, int] | None] = []
    end = 0
    for word in _words(line):
        pattern = re.compile(re.escape(word), re.IGNORECASE)
        here = len(sentence) - len(sentence[end:].lstrip())
        found = pattern.match(sentence, here) or pattern.search(sentence, end)
        spans.append(found.span() if found else None)
        end = found.end() if found else end
    return spans


def _words(line: str) -> list[str]:
    return [word for word in line.split(" ") if word]
