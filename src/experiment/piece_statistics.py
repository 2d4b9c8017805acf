"""What `subwords stats` measured, per side of a corpus, as tables and plots need it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from experiment.jsonfiles import read_json

SIDES = ("source", "target")


@dataclass(frozen=True)
class SideStatistics:
    """Statistics of one side of the training text; None where not measured."""

    types: int | None = None
    pieces_per_sentence: float | None = None
    pieces_per_word: float | None = None
    histogram: dict[int, int] = field(default_factory=dict)  # pieces in a word -> words


def side_statistics(path: str | None) -> dict[str, SideStatistics]:
    """Return the statistics of source and target from a stats.json; empty ones when there is no file."""
    content = read_json(path) if path else {}
    return {side: _side(content.get(side) or {}) for side in SIDES}


def _side(content: dict[str, Any]) -> SideStatistics:
    histogram = content.get("pieces_per_word_histogram") or {}
    return SideStatistics(
        types=content.get("types"),
        pieces_per_sentence=content.get("pieces_per_sentence"),
        pieces_per_word=content.get("pieces_per_word"),
        histogram={int(pieces): int(words) for pieces, words in histogram.items()},
    )
