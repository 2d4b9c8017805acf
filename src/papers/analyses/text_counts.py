"""Sizes of single texts: Figure 3 of the HFT paper.

Measured of every text: `sentences`, `words` (between spaces), `word_types`, `characters` and `distinct_characters`
(spaces left out; HFT keeps every one of them in its vocabulary). Options: `files`, `texts`
(see papers/measures/monolingual.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from papers.measures.monolingual import texts
from subwords.files import read_lines

if TYPE_CHECKING:
    from papers.inputs import Inputs


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the sizes of every text."""
    for name, path in texts(inputs, options).items():
        for metric, value in counts(path).items():
            yield {"corpus": name, "metric": metric, "value": value}


def counts(path: Path) -> dict[str, int]:
    """Return the sizes of a text."""
    words, sentences = Counter[str](), 0
    for line in read_lines(path):
        sentences += 1
        words.update(line.split())
    return {
        "sentences": sentences,
        "words": sum(words.values()),
        "word_types": len(words),
        "characters": sum(len(word) * count for word, count in words.items()),
        "distinct_characters": len(set().union(*words)),
    }
