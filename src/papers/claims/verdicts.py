"""What became of a paper's claims: by the paper's own numbers, and by ours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json, write_json

CONFIRMED, NOT_CONFIRMED, NOT_TESTABLE = "confirmed", "not confirmed", "not testable"


@dataclass(frozen=True)
class Outcome:
    """Whether a claim holds: `CONFIRMED`, `NOT_CONFIRMED` or `NOT_TESTABLE`, and the numbers that say so."""

    state: str
    reason: str


@dataclass(frozen=True)
class Verdict:
    """A claim, its rule in words, and what became of it."""

    name: str
    says: str
    where: str  # in the paper
    rule: str
    published: Outcome  # the rule on the paper's own numbers
    ours: Outcome


def write_verdicts(path: str | Path, verdicts: Iterable[Verdict]) -> None:
    """Write verdicts as JSON."""
    write_json(path, {"verdicts": [asdict(verdict) for verdict in verdicts]})


def read_verdicts(path: str | Path) -> list[Verdict]:
    """Return the verdicts of a file."""
    found: list[dict[str, Any]] = read_json(path)["verdicts"]
    return [
        Verdict(**{**given, "published": Outcome(**given["published"]), "ours": Outcome(**given["ours"])})
        for given in found
    ]
