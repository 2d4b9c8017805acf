"""From cases in which something is so, or not so, to a finding."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from experiment.scoring.significance import ALPHA, welch_p_value

if TYPE_CHECKING:
    from replication.claims.numbers import Numbers

CONFIRMED, UNDECIDED, NOT_CONFIRMED, NOT_TESTABLE = "confirmed", "undecided", "not confirmed", "not testable"
AS_PRINTED, NOT_AS_PRINTED = "holds as printed", "does not hold as printed"
#: Every state, with the sign that a page shows.
STATES = {CONFIRMED: "✓", AS_PRINTED: "✓", UNDECIDED: "?", NOT_CONFIRMED: "✗", NOT_AS_PRINTED: "✗", NOT_TESTABLE: "–"}
FEWEST_SEEDS = 3
#: Differences of floating-point numbers are not exact: 0.3 - 0.2 is not above 0.1.
SLACK = 1e-9
#: The values of the columns that tell one number from another: its metric, corpus, …
Cell = tuple[Any, ...]


@dataclass(frozen=True)
class Finding:
    """Whether a claim holds (one of `STATES`), and the numbers that say so."""

    state: str
    reason: str

    def __and__(self, other: Finding) -> Finding:
        """Return the finding of both: the weaker state, with its reasons."""
        weakest_first = (NOT_CONFIRMED, NOT_AS_PRINTED, NOT_TESTABLE, UNDECIDED, AS_PRINTED, CONFIRMED)
        state = min(self.state, other.state, key=weakest_first.index)
        reasons = dict.fromkeys(one.reason for one in (self, other) if one.state == state)
        return Finding(state, "; ".join(reasons))

    def noting(self, note: str) -> Finding:
        """Return the finding with a remark behind its reason."""
        return replace(self, reason=f"{self.reason}; {note}")


@dataclass(frozen=True)
class Cases:
    """In which cells something is so, and where that is clear: so, or not so, all over the interval.

    With `sequences`, a cell is a whole sequence.
    """

    numbers: Numbers
    holds: Mapping[Cell, bool]
    clear: Mapping[Cell, bool]
    obstacle: str = ""
    sequences: bool = False


def in_all(cases: Cases) -> Finding:
    return _found(cases, lambda good, total: good == total)


def in_most(cases: Cases) -> Finding:
    """Return whether something is so in more than half of the cases."""
    return _found(cases, lambda good, total: 2 * good > total)


def in_none(cases: Cases) -> Finding:
    return _found(cases, lambda good, total: not good)


def in_at_least(number: float, cases: Cases) -> Finding:
    """Return whether something is so in a number of cases, or, below 1, in a share of them, or more."""
    return _found(cases, lambda good, total: good >= (number * total - SLACK if number < 1 else number))


def _found(cases: Cases, so: Callable[[int, int], bool]) -> Finding:
    """Return whether something is so for as many cases as there are, whichever way the unclear ones turn out."""
    numbers = cases.numbers
    if cases.obstacle:
        return Finding(NOT_TESTABLE, cases.obstacle)
    behind = numbers.cells if numbers.behind is None else numbers.behind
    lost = sum(map(math.isnan, behind.values()))
    told = f"{lost} of {len(behind)} numbers are lost in our copy of the text"
    if 2 * lost > len(behind):
        return Finding(NOT_TESTABLE, told)
    good, number = sum(cases.holds.values()), len(cases.holds)
    clear = sum(cases.clear.values())
    fewest = sum(holds for cell, holds in cases.holds.items() if cases.clear[cell])
    outcomes = {so(count, number) for count in range(fewest, fewest + number - clear + 1)}
    state = UNDECIDED if len(outcomes) > 1 else CONFIRMED if so(good, number) else NOT_CONFIRMED
    reason = _reason(cases)
    if state == UNDECIDED and numbers.printed and all(math.isnan(numbers.halves[cell]) for cell in numbers.known):
        state = AS_PRINTED if so(good, number) else NOT_AS_PRINTED
    elif state == UNDECIDED:
        reason += f"; the 95% interval decides it in {clear} of {number}"
    return Finding(state, f"{reason}; {told}" if lost else reason)


def _reason(cases: Cases) -> str:
    numbers, total = list(cases.numbers.known.values()), len(cases.holds)
    if total == 1 and not cases.sequences:
        known = sum(not math.isnan(value) for value in (cases.numbers.behind or {}).values())
        return (f"mean of {known}: " if known else "value ") + f"{numbers[0]:.4g}"
    reason = f"holds in {sum(cases.holds.values())} of {total}"
    if not cases.sequences:
        reason += f"; values from {min(numbers):.4g} to {max(numbers):.4g}"
    failing = [cell for cell, so in cases.holds.items() if not so]
    if failing and total > 1:
        named = [cell if len(cases.numbers.metrics) > 1 else cell[1:] or cell for cell in failing]
        reason += f"; not: {first_few(map(cell_name, named))}"
    return reason


def rising(numbers: Numbers) -> Cases:
    """Return which sequences rise from each value to the next; clear where no step, or some step, is within noise."""
    cells, halves = numbers.cells, numbers.halves

    def rises(sequence: list[Cell]) -> tuple[bool, bool]:
        steps = [(cells[b] - cells[a], math.hypot(halves[a], halves[b])) for a, b in itertools.pairwise(sequence)]
        clear = all(step - half > 0 for step, half in steps) or any(step + half <= 0 for step, half in steps)
        return all(step > 0 for step, _ in steps), clear

    return _trend(numbers, rises)


def crossing(cases: Cases) -> Cases:
    """Return along which sequences something is not so at first, and so from some place to the end."""

    def crosses(sequence: list[Cell]) -> tuple[bool, bool]:
        so = [cases.holds[cell] for cell in sequence]
        return so[-1] and not so[0] and so == sorted(so), all(cases.clear[cell] for cell in sequence)

    return _trend(cases.numbers, crosses)


def _trend(numbers: Numbers, so: Callable[[list[Cell]], tuple[bool, bool]]) -> Cases:
    sequences: dict[Cell, list[Cell]] = {}
    for cell in numbers.known:
        if not numbers.order or cell[-1] in numbers.order:
            sequences.setdefault(cell[:-1], []).append(cell)
    for cells in sequences.values():
        cells.sort(key=lambda cell: numbers.order.index(cell[-1]) if numbers.order else cell[-1])
    obstacle = numbers.obstacle
    if not obstacle and min(map(len, sequences.values()), default=0) < 2:
        obstacle = f"fewer than two values along {numbers.along}"
    found = {} if obstacle else {key: so(cells) for key, cells in sequences.items()}
    holds, clear = ({key: one[place] for key, one in found.items()} for place in (0, 1))
    return Cases(numbers, holds, clear, obstacle, sequences=True)


def significant(cases: Cases) -> Cases:
    """Return the cases in which Welch's t test over seeds finds the sides different, too, at 0.05."""
    clear = {}
    for cell in cases.holds if not cases.obstacle else ():
        left, right = cases.numbers.sides(cell)
        if min(len(left), len(right)) < FEWEST_SEEDS:
            few = f"a test over seeds needs {FEWEST_SEEDS} a side, here {len(left)} and {len(right)}"
            return replace(cases, obstacle=few)
        p_value = welch_p_value(left, right)
        clear[cell] = p_value is not None and p_value < ALPHA
    return replace(cases, holds={cell: cases.holds[cell] and so for cell, so in clear.items()}, clear=clear)


def first_few(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:3]) + (f" and {len(every) - 3} more" if len(every) > 3 else "")


def cell_name(cell: Cell) -> str:
    return " ".join(str(part) for part in cell if str(part))
