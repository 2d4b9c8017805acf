"""A table as all pages and formats show it: lines of cells under headings, and notes."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """One value of a table: its text, a number to sort it by, the sign at it, and how it looks."""

    text: str
    value: float | None = None
    sign: str = ""
    bold: bool = False
    style: str = ""  # a class of the page's style sheet


@dataclass(frozen=True)
class Line:
    """One system of a table, or a bound (the copied source, the round trip); without a name, it belongs to
    the line above."""

    name: str
    cells: list[Cell]
    baseline: bool = False
    bound: bool = False


@dataclass(frozen=True)
class Table:
    """A table under a heading, with notes below it."""

    kind: str  # scores, comparison, differences, costs or prediction; or one of a paper's
    title: str
    headings: list[str]
    lines: list[Line]
    notes: list[str] = field(default_factory=list)
    lines_are: str = "Segmentation"  # the heading of the names
