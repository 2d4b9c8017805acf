"""A paper's claims, and the verdict on each by the paper's own numbers and by ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pandas import DataFrame

from replication.claims.cases import NOT_TESTABLE, Finding
from replication.claims.numbers import Runs
from replication.measurements import Made, listed


@dataclass(frozen=True)
class Claim(Made):
    """A claim of a paper: its sentence (`title`), its place in the paper, and the function that judges `Runs`."""

    where: str = ""
    scales: tuple[str, ...] = ()  # none: any; else those whose corpora the claim is about

    @property
    def rule(self) -> str:
        return self.note.rstrip(".")


def claim(
    says: str, where: str, needs: str | Sequence[str] = "scores", scales: Sequence[str] = ()
) -> Callable[[Callable[[Runs], Finding]], Claim]:
    """Return the decorator that makes a claim of a function. `needs` names measures, or `scores`."""
    return lambda judge: Claim(says, tuple(listed(needs)), judge, where=where, scales=tuple(scales))


class Verdict(NamedTuple):
    """What became of a claim by the paper's own numbers and by ours."""

    published: Finding
    ours: Finding


def verdict(
    claim: Claim,
    printed: DataFrame,
    ours: DataFrame,
    scale: str = "full",
    generated: bool = False,
    trained: DataFrame | None = None,
) -> Verdict:
    """Return the verdict on a claim at a scale.

    `trained` are our systems' BLEU and `learned_nothing`, where `ours` does not hold them. On generated text the
    finding is told, but it is no verdict: the claim is not about such text.
    """
    theirs = Runs(printed)
    by_paper = claim(theirs)
    trained = ours if trained is None else trained
    found = claim(Runs(ours, theirs, trained[trained["metric"].isin(["bleu", "learned_nothing"])]))
    if claim.scales and scale not in claim.scales:
        found = Finding(NOT_TESTABLE, f"about corpora of scale {' or '.join(claim.scales)}")
    elif generated and found.state != NOT_TESTABLE:
        found = Finding(NOT_TESTABLE, f"on generated text (there by the rule {found.state}: {found.reason})")
    return Verdict(by_paper, found)
