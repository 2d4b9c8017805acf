"""What `subwords.statistics` measured on both sides of a run's text, as tables and plots need it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from experiment.jsonfiles import read_json


@dataclass(frozen=True)
class SideStatistics:
    """Statistics of one side; of the training text; None where not measured."""

    vocabulary: int | None = None  # types of pieces
    pieces_per_sentence: float | None = None
    pieces_per_word: float | None = None
    renyi_efficiency: float | None = None
    boundary_f1: float | None = None  # macro, against gold morphs
    histogram: Mapping[int, int] = field(default_factory=dict)  # pieces in a word -> running words


@dataclass(frozen=True)
class PieceStatistics:
    """Statistics of both sides of a run; `overlap` is their `vocabulary_overlap`."""

    sides: Mapping[str, SideStatistics]  # source, target
    overlap: float | None

    @classmethod
    def read(cls, path: str | None, direction: str) -> PieceStatistics:
        """Return the statistics of a stats.json with an entry a language; without it, empty ones."""
        content = read_json(path) if path else {}
        sides = zip(("source", "target"), direction.split("-"), strict=True)
        found = {side: _side(content.get(language) or {}) for side, language in sides}
        return cls(found, content.get("vocabulary_overlap"))

    @property
    def entries(self) -> int | None:
        """How many types of pieces both sides have together; None where that was not measured.

        It follows from the overlap o = |A and B| / |A or B|, because |A| + |B| = |A or B| (1 + o).
        """
        one, other = (side.vocabulary for side in self.sides.values())
        return None if None in (one, other, self.overlap) else round((one + other) / (1 + self.overlap))  # type: ignore[operator]


def _side(content: dict[str, Any]) -> SideStatistics:
    histogram = content.get("pieces_per_word_histogram") or {}
    return SideStatistics(
        **{name: content.get(name) for name in ("pieces_per_sentence", "pieces_per_word", "renyi_efficiency")},
        vocabulary=content.get("types"),
        boundary_f1=((content.get("boundaries") or {}).get("macro") or {}).get("f1"),
        histogram={int(pieces): int(words) for pieces, words in histogram.items()},
    )


def vocabulary_overlap(source: Collection[str], target: Collection[str]) -> float | None:
    """Return the types of pieces that both sides have, divided by the types of either side (Jaccard).

    >>> vocabulary_overlap({"a", "b", "the"}, {"a", "b", "der"})
    0.5
    """
    one, other = set(source), set(target)
    return len(one & other) / len(one | other) if one | other else None
