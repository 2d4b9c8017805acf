"""How a table is laid out on a page: what stands in which cell, in the paper's order, and where a wide table is cut.

A table of few columns has `paper`, `ours` and `Δ` (ours minus paper) side by side under each printed column. A wide one
keeps its columns as printed, and each printed row is a line for the paper, one for ours and one for the difference.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from papers.rendering.table import Cell, Table

#: Most numbers in a line, beside the labels. More columns than that are cut into parts of equal width.
WIDEST = 14
#: Longest text that stands beside others in a line; tables of longer ones are stacked.
LONGEST_TEXT = 24
#: Most printed rows in a part where pages have an end (LaTeX).
LONGEST = 36
#: Most digits after the point that are shown; authors' files, unlike their papers, have fourteen.
MOST_DECIMALS = 4
FEWER_DECIMALS = 3

MISSING = "–"  # not measured
LOST = "?"  # cannot be read in the paper's text
PAPER, OURS, DIFFERENCE = "paper", "ours", "Δ"
#: Metrics that are an answer, not an amount.
_ANSWERS = {"effect_includes_zero": {0.0: "no", 1.0: "yes"}}


@dataclass(frozen=True)
class Shown:
    """The text of one cell, and how it is to look. `what` is paper, ours, difference, or none for an empty place."""

    text: str
    what: str = "none"
    bold: bool = False
    marks: str = ""


EMPTY = Shown("")


@dataclass(frozen=True)
class Line:
    """A line of a part: its row's label, what it shows (stacked tables only), its cells, whether it opens its row."""

    row: str
    what: str
    cells: list[Shown]
    first: bool = True


@dataclass(frozen=True)
class Part:
    """As much of a table as fits: printed columns, and what stands under each of them (stacked: nothing)."""

    columns: list[str]
    kinds: list[str]
    lines: list[Line]

    @property
    def stacked(self) -> bool:
        """Whether paper, ours and difference are lines, not columns."""
        return not self.kinds

    @property
    def labelled(self) -> bool:
        """Whether lines say what they show."""
        return any(line.what for line in self.lines)

    def height(self, row: str) -> int:
        """Return how many lines a printed row has."""
        return sum(line.row == row for line in self.lines)


def parts(table: Table, longest: int | None = None, widest: int = WIDEST) -> list[Part]:
    """Return the table in parts of at most `widest` numbers a line and `longest` printed rows; none of an empty one."""
    if not table.cells:
        return []
    kinds = _kinds(table)
    stacked = len(kinds) > 1 and (len(table.columns) * len(kinds) > widest or _reads_better_stacked(table))
    return [
        _part(table, rows, columns, kinds, stacked)
        for rows in _cut(table.rows, longest or len(table.rows))
        for columns in _cut(table.columns, widest)
    ]


def _reads_better_stacked(table: Table) -> bool:
    """Whether texts are long, or an extra is a matter of some columns alone and would leave empty ones under others."""
    texts = [text for cell in table.cells.values() for text in (cell.value.text, cell.ours.text)]
    filled = {(column, extra) for (_, column, extra), cell in table.cells.items() if extra and cell.ours.known}
    partly = any(
        0 < sum((column, extra) in filled for column in table.columns) < len(table.columns) for extra in table.extras
    )
    return partly or any(len(text) > LONGEST_TEXT for text in texts)


def _kinds(table: Table) -> list[tuple[str, str]]:
    """Return what is shown of each cell: a heading, and the extra that it is of."""
    if not table.published:
        return [(OURS, "")]
    kinds = [(PAPER, ""), (OURS, ""), (DIFFERENCE, "")]
    return kinds + [kind for extra in table.extras for kind in ((extra, extra), (DIFFERENCE, extra))]


def _cut(labels: list[str], most: int) -> Iterable[list[str]]:
    """Yield the labels in as few pieces as possible, of nearly equal length."""
    pieces = max(1, -(-len(labels) // most))
    size, more = divmod(len(labels), pieces)
    start = 0
    for piece in range(pieces):
        end = start + size + (piece < more)
        yield labels[start:end]
        start = end


def _part(table: Table, rows: list[str], columns: list[str], kinds: list[tuple[str, str]], stacked: bool) -> Part:
    lines = []
    for row in rows:
        if stacked:
            for number, kind in enumerate(kinds):
                shown = [_shown(table, row, column, kind) for column in columns]
                if not kind[1] or any(cell.text for cell in shown):  # an extra is no matter of every row
                    lines.append(Line(row, kind[0], shown, first=not number))
        else:
            lines.append(Line(row, "", [_shown(table, row, column, kind) for column in columns for kind in kinds]))
    single = kinds == [(OURS, "")]
    return Part(columns, [] if stacked or single else [heading for heading, _ in kinds], lines)


def _shown(table: Table, row: str, column: str, kind: tuple[str, str]) -> Shown:
    heading, extra = kind
    cell = table.cells.get((row, column, extra))
    if cell is None:
        return EMPTY
    if heading == PAPER:
        return _paper(cell)
    return _difference(cell) if heading == DIFFERENCE else _ours(cell)


def _paper(cell: Cell) -> Shown:
    value = cell.value
    if not cell.printed:
        return EMPTY
    if value.text:
        text = value.text
    elif not value.value:
        return Shown(LOST, "paper")
    else:
        text = _answer(cell, value.number) or _printed(value.value) + (f" ± {value.error}" if value.error else "")
        text += _unit(value.unit)
    marks = [mark for mark in value.marks if mark not in ("bold", "✓")]
    return Shown(text, "paper", "bold" in value.marks, " ".join(marks))


def _printed(number: str) -> str:
    """Return a published number with its digits and separators of thousands.

    >>> _printed("1783512"), _printed("-0.50"), _printed("46.62269457161543")
    ('1,783,512', '−0.50', '46.623')
    """
    digits = len(number.partition(".")[2])
    shown = f"{Decimal(number):,}" if digits <= MOST_DECIMALS else f"{Decimal(number):,.{FEWER_DECIMALS}f}"
    return shown.replace("-", "−")


def _ours(cell: Cell) -> Shown:
    ours = cell.ours
    if ours.text:
        return Shown(ours.text, "ours")
    if ours.number is None:
        return Shown(MISSING, "ours")
    marks = [mark for mark in cell.mark.split() if mark != "bold"]
    text = _answer(cell, ours.number) or _number_with_error(cell)
    return Shown(text, "ours", "bold" in cell.mark.split(), " ".join(marks))


def _number_with_error(cell: Cell) -> str:
    unit, decimals = cell.value.unit, _decimals(cell)
    number, error = cell.in_unit(cell.ours.number), cell.in_unit(cell.ours.error)
    assert number is not None
    if unit in ("K", "M") and cell.ours.number and abs(number) < 10.0 ** (1 - decimals):
        # A small scale: in the paper's unit nothing would be left of it.
        unit, decimals, number, error = "", 0, cell.ours.number, cell.ours.error
    text = number_text(number, decimals)
    if unit == "h" and number and not text.strip("-0.,"):
        text = f"{number:.1g}"  # minutes or seconds; "0 h" would say that it cost nothing
    return text + (f" ± {number_text(error, decimals)}" if error is not None else "") + _unit(unit)


def _difference(cell: Cell) -> Shown:
    if cell.verdict:
        return Shown(cell.verdict, "difference")
    if cell.difference is None:
        return Shown(MISSING if cell.printed else "", "difference")
    answers = _ANSWERS.get(cell.value.metric)
    if answers:
        return Shown("equal" if cell.difference == 0 else "differs", "difference")
    unit = cell.value.unit if cell.value.unit in ("K", "M") else ""
    return Shown(number_text(cell.difference, _decimals(cell), signed=True) + unit, "difference")


def _decimals(cell: Cell) -> int:
    return cell.decimals if cell.decimals <= MOST_DECIMALS else FEWER_DECIMALS


def _answer(cell: Cell, number: float | None) -> str:
    return _ANSWERS.get(cell.value.metric, {}).get(number if number is not None else -1.0, "")


def _unit(unit: str) -> str:
    return f" {unit}" if unit == "h" else unit


def number_text(number: float, decimals: int, signed: bool = False) -> str:
    """Return a number for reading: separators of thousands, a true minus, no minus before a zero.

    >>> number_text(-1234.56, 1), number_text(-0.01, 1, signed=True), number_text(0.25, 2, signed=True)
    ('−1,234.6', '0.0', '+0.25')
    """
    text = f"{number:,.{decimals}f}"
    if not text.strip("-0.,"):
        return text.lstrip("-")
    return ("+" + text if signed and number > 0 else text).replace("-", "−")


def notes(table: Table, scale: bool = True) -> list[str]:
    """Return sentences about a table: its scale, what our numbers are, what is missing and why."""
    cells = [cell for cell in table.cells.values() if not cell.extra]
    found = [table.note] if table.note else []
    if not cells:
        return [*found, "Nothing was measured for this table."]
    if scale and table.scale != "full":
        found.append(
            f"Ours is of scale {table.scale}: smaller than the paper where its file says so, under its labels."
        )
    runs = sorted({cell.ours.runs for cell in cells if cell.ours.runs})
    if runs:
        number = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        spread = "the mean ± standard error" if runs[-1] > 1 else "the score"
        found.append(f"Ours is {spread} of {number} training run{'s' if runs[-1] > 1 else ''} a cell.")
    if any(cell.difference is not None or cell.verdict for cell in cells):
        found.append(f"{DIFFERENCE} is ours minus the paper's.")
    lost = sum(cell.state == "lost" for cell in cells)
    if lost:
        found.append(f"{LOST}: cannot be read in the text of the paper at hand ({_cells(lost)}).")
    missing = sum(not cell.ours.known for cell in cells)
    if missing:
        found.append(f"{MISSING}: not measured by us ({_cells(missing)}).")
    if any(cell.printed and cell.value.value and cell.value.decimals > MOST_DECIMALS for cell in cells):
        found.append(f"Shown to {FEWER_DECIMALS} digits; the CSV has all.")
    return found


def _cells(number: int) -> str:
    return f"{number} cell{'s' if number > 1 else ''}"
