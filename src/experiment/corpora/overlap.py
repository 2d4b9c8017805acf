"""Train pairs that dev or a test set has too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from experiment.corpora.parallel_text import Pair


class Overlap:
    """The lines of dev and the test sets, by which train pairs are looked up. `found` counts what was, by set."""

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
        """Return whether either side is a line of an evaluation set, and count where."""
        for split in self._pairs.get(pair, ()):
            self.found[split]["pairs"] += 1
        hit = False
        for language, side, line in zip(self._languages, self._lines, pair, strict=True):
            for split in side.get(line, ()):
                self.found[split][language] += 1
                hit = True
        return hit
