"""What is trained: one run a system and seed, and the grids that say which are combined."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


def directions_of(pair: str, directions: Iterable[str]) -> list[str]:
    """Return those of the directions that a pair of languages serves.

    >>> directions_of("en-de", ["de-en", "en-fr", "en-de"])
    ['de-en', 'en-de']
    """
    return [direction for direction in directions if set(direction.split("-")) == set(pair.split("-"))]


@dataclass(frozen=True)
class Run:
    """One system: corpus × direction × segmentation × model × seed."""

    corpus: str
    source: str
    target: str
    pair: str
    segmentation: str
    model: str
    seed: int

    @property
    def direction(self) -> str:
        return f"{self.source}-{self.target}"

    @property
    def folder(self) -> str:
        """Its folder: its identity in words a person chose."""
        return f"results/runs/{self.corpus}/{self.direction}/{self.segmentation}/{self.model}/seed{self.seed}"


@dataclass(frozen=True)
class Grid:
    """What is combined: names of corpora, directions, segmentations and models, and seeds."""

    corpora: list[str]
    directions: list[str]
    segmentations: list[str]
    models: list[str]
    seeds: list[int]
