"""Train pairs that are also in dev or a test set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from experiment.corpora.parallel_text import Pair


class Overlap:
    """Looks up train pairs among the lines of dev and the test sets. `found` counts the pairs found, by set."""

    def __init__(self, languages: Pair) -> None:
        self._languages = languages
        self._lines: tuple[dict[str, set[str]], dict[str, set[str]]] = ({}, {})
        self._pairs: dict[Pair, set[str]] = {}
        self.found: dict[str, Counter[str]] = {}

    def add(self, split: str, pairs: Iterable[Pair]) -> None:
        """Add the clean pairs of dev or a test set."""
        self.found[split] = Counter(dict.fromkeys(("pairs", *self._languages), 0))
        for pair in pairs:
            self._pairs.setdefault(pair, set()).add(split)
            for side, line in zip(self._lines, pair, strict=True):
                if line:
                    side.setdefault(line, set()).add(split)

    def has(self, pair: Pair) -> bool:
        """Return whether either side is a line of an evaluation set, and count it in each set that has it."""
        for split in self._pairs.get(pair, ()):
            self.found[split]["pairs"] += 1
        hit = False
        for language, side, line in zip(self._languages, self._lines, pair, strict=True):
            for split in side.get(line, ()):
                self.found[split][language] += 1
                hit = True
        return hit
