"""Runs: a run is one training of a system, with one seed. Grids say which combinations are run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace


def directions_of(pair: str, directions: Iterable[str]) -> list[str]:
    """Return those of the directions that a pair of languages serves.

    >>> directions_of("en-de", ["de-en", "en-fr", "en-de"])
    ['de-en', 'en-de']
    """
    return [direction for direction in directions if set(direction.split("-")) == set(pair.split("-"))]


@dataclass(frozen=True)
class TestSet:
    """The files of one translated test set of a run. Only `scores` is needed for the table."""

    __test__ = False  # not for pytest

    scores: str
    comet: str | None = None
    hypothesis: str | None = None
    reference: str | None = None
    source: str | None = None
    text_record: str | None = None  # of source and reference
    translation: str | None = None
    round_trip: str | None = None  # the reference, through text form and segmentation and back

    @property
    def chosen_on_test(self) -> TestSet:
        """The files of the checkpoint that does best on the test set itself (scripts/select_on_test.py)."""
        place = str(self.hypothesis).removesuffix(".hyp")
        return replace(
            self,
            scores=f"{place}.chosen-on-test.json",
            hypothesis=f"{place}.chosen-on-test.hyp",
            translation=f"{place}.chosen-on-test.json",
            comet=self.comet and f"{place}.chosen-on-test{self.comet.removeprefix(place)}",
        )


@dataclass(frozen=True)
class Run:
    """One run: corpus × direction × segmentation × model × seed, and the files that it led to.

    `folder` has the training, `text` the corpus, `segmented` its pieces; `run_json` says what the run is and what it
    cost, `stats_json` what its pieces are like, `log` is its learning curve. Two runs with equal names are equal.
    """

    corpus: str
    direction: str
    segmentation: str
    algorithm: str
    model: str
    seed: int
    run_json: str = field(compare=False)
    testsets: dict[str, TestSet] = field(compare=False)
    size: int | None = None
    stats_json: str | None = field(default=None, compare=False)
    log: str | None = field(default=None, compare=False)
    pair: str = ""
    key: str = field(default="", compare=False)
    folder: str = field(default="", compare=False)
    text: str = field(default="", compare=False)
    segmented: str = field(default="", compare=False)

    @property
    def source(self) -> str:
        return self.direction.split("-")[0]

    @property
    def target(self) -> str:
        return self.direction.split("-")[1]

    @property
    def block(self) -> tuple[str, str, str]:
        """Corpus, direction and model: what the systems of one table have in common."""
        return self.corpus, self.direction, self.model


@dataclass(frozen=True)
class Grid:
    """What is combined: names of corpora, directions, segmentations and models, and seeds."""

    corpora: list[str]
    directions: list[str]
    segmentations: list[str]
    models: list[str]
    seeds: list[int]
