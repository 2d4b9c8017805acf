"""What became of a paper's claims: by the paper's own numbers, and by ours."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from subwords.errors import InputError
from subwords.files import whole_file

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


COLUMNS = ("claim", "says", "where", "rule", "published", "published reason", "ours", "ours reason")


def write_verdicts(path: str | Path, verdicts: Iterable[Verdict]) -> None:
    """Write verdicts as CSV."""
    with whole_file(path) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for one in verdicts:
            outcomes = (one.published.state, one.published.reason, one.ours.state, one.ours.reason)
            writer.writerow([one.name, one.says, one.where, one.rule, *outcomes])


def read_verdicts(path: str | Path) -> list[Verdict]:
    """Return the verdicts of a file. Raises InputError when it is missing or has other columns."""
    try:
        with open(path, encoding="utf-8", newline="") as stream:
            header, *rows = csv.reader(stream)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {error}", next_step="run scripts/judge_claims.py") from error
    if tuple(header) != COLUMNS:
        raise InputError(f"{path} has the columns {header}", allowed=", ".join(COLUMNS))
    return [
        Verdict(name, says, where, rule, Outcome(state, reason), Outcome(our_state, our_reason))
        for name, says, where, rule, state, reason, our_state, our_reason in rows
    ]
