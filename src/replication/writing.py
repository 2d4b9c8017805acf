"""A table's cells as CSV, Markdown, LaTeX and, by the template of the report, HTML.

A table of few columns has `paper`, `ours` and `Δ` (ours minus paper) side by side under each printed column. A wide one
keeps its columns as printed, and each printed row is a line for the paper, one for ours and one for the difference.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.reporting.table_formats import aligned, latex_table
from experiment.reporting.table_formats import escape_latex as _escape_latex
from experiment.reporting.table_formats import escape_markdown as _escape_markdown
from replication.tables import COLUMNS
from subwords.files import whole_file

if TYPE_CHECKING:
    from pandas import DataFrame

#: Most numbers in a line, beside the labels. More columns than that are cut into parts of equal width.
WIDEST = 14
#: Longest text that fits beside others in a line; tables of longer ones are stacked.
LONGEST_TEXT = 24
#: Most printed rows in a part where pages have an end (LaTeX).
LONGEST = 36
#: Most digits after the point that are shown; authors' files, unlike their papers, have fourteen.
MOST_DECIMALS, FEWER_DECIMALS = 4, 3
MISSING = "–"  # not measured
LOST = "?"  # cannot be read in the paper's text
PAPER, OURS, DIFFERENCE = "paper", "ours", "Δ"
#: Metrics that are an answer, not an amount.
_ANSWERS = {"effect_includes_zero": {0.0: "no", 1.0: "yes"}}
_FACTORS = {"K": 1e3, "M": 1e6}
Cell = Mapping[str, Any]


@dataclass(frozen=True)
class Made:
    """A table that was made: its names and notes, and its cells (`replication.tables.COLUMNS`)."""

    paper: str
    name: str
    scale: str
    title: str
    note: str
    cells: list[dict[str, Any]]

    @classmethod
    def of(cls, paper: str, name: str, scale: str, title: str, note: str, cells: DataFrame) -> Made:
        records = [{str(name): value for name, value in cell.items()} for cell in cells.to_dict("records")]
        return cls(paper, name, scale, title, note, records)

    @property
    def rows(self) -> list[str]:
        return list(dict.fromkeys(cell["row"] for cell in self.cells))

    @property
    def columns(self) -> list[str]:
        return list(dict.fromkeys(cell["column"] for cell in self.cells))


def called(name: str) -> str:
    """Return what a table or figure is called in a sentence.

    >>> called("table1"), called("appendix-b"), called("text"), called("figure4-corrected")
    ('Table 1', 'Appendix B', 'Numbers in the text', 'Figure 4 corrected')
    """
    if name == "text":
        return "Numbers in the text"
    words = [re.sub(r"^(table|figure)(\d+)", lambda m: f"{m[1].capitalize()} {m[2]}", w) for w in name.split("-")]
    text = " ".join(word.upper() if len(word) == 1 else word for word in words if word)
    return text[:1].upper() + text[1:]


def write_csv(path: Path, table: Made) -> None:
    """Write a table's cells with the columns paper, table, scale and `replication.tables.COLUMNS`."""
    head = {"paper": table.paper, "table": table.name, "scale": table.scale}
    with whole_file(path) as stream:
        writer = csv.DictWriter(stream, [*head, *COLUMNS], lineterminator="\n")
        writer.writeheader()
        for cell in table.cells:
            full = {key: repr(value) if isinstance(value, float) else value for key, value in cell.items()}
            writer.writerow(head | full)


# ---- what is shown where


@dataclass(frozen=True)
class Shown:
    """The text of one cell, and how it looks. `what` is paper, ours, difference, or none for an empty place."""

    text: str
    what: str = "none"
    bold: bool = False
    marks: str = ""


@dataclass(frozen=True)
class Line:
    """A line of a part: its row's label, what it shows (stacked tables only), its cells, whether it opens its row."""

    row: str
    what: str
    cells: list[Shown]
    first: bool = True


@dataclass(frozen=True)
class Part:
    """As much of a table as fits: printed columns, and what is under each of them (stacked: nothing)."""

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


def parts(table: Made, longest: int | None = None, widest: int = WIDEST) -> list[Part]:
    """Return the table in parts of at most `widest` numbers a line and `longest` printed rows; none of an empty one."""
    if not table.cells:
        return []
    extras = list(dict.fromkeys(cell["extra"] for cell in table.cells if cell["extra"]))
    kinds = [(OURS, "")]
    if any(cell["state"] != "ours alone" for cell in table.cells):
        kinds = [(PAPER, ""), (OURS, ""), (DIFFERENCE, "")]
        kinds += [kind for extra in extras for kind in ((extra, extra), (DIFFERENCE, extra))]
    cells = {(cell["row"], cell["column"], cell["extra"]): cell for cell in table.cells}
    wide = len(table.columns) * len(kinds) > widest
    stacked = len(kinds) > 1 and (wide or _reads_better_stacked(table, extras))
    return [
        _part(cells, rows, columns, kinds, stacked)
        for rows in _cut(table.rows, longest or len(table.rows))
        for columns in _cut(table.columns, widest)
    ]


def _reads_better_stacked(table: Made, extras: Sequence[str]) -> bool:
    """Return whether texts are long, or an extra belongs to some columns alone and leaves empty ones under others."""
    texts = [cell[side] for cell in table.cells for side in ("published", "ours") if isinstance(cell[side], str)]
    filled = {(cell["column"], cell["extra"]) for cell in table.cells if _known(cell)}
    partly = any(0 < sum((c, extra) in filled for c in table.columns) < len(table.columns) for extra in extras)
    return partly or any(len(text) > LONGEST_TEXT for text in texts)


def _known(cell: Cell) -> bool:
    return cell["ours"] is not None and cell["ours"] != ""


def _cut(labels: list[str], most: int) -> Iterable[list[str]]:
    """Yield the labels in as few pieces as possible, of nearly equal length."""
    pieces = max(1, -(-len(labels) // most))
    size, more = divmod(len(labels), pieces)
    start = 0
    for piece in range(pieces):
        end = start + size + (piece < more)
        yield labels[start:end]
        start = end


def _part(
    cells: Mapping[Any, Cell], rows: list[str], columns: list[str], kinds: list[tuple[str, str]], stacked: bool
) -> Part:
    lines = []
    for row in rows:
        shown = {kind: [_shown(cells.get((row, column, kind[1])), kind[0]) for column in columns] for kind in kinds}
        if not stacked:
            across = [shown[kind][n] for n in range(len(columns)) for kind in kinds]
            lines.append(Line(row, "", across))
            continue
        for number, kind in enumerate(kinds):
            if not kind[1] or any(cell.text for cell in shown[kind]):  # an extra does not belong to every row
                lines.append(Line(row, kind[0], shown[kind], first=not number))
    return Part(columns, [] if stacked or kinds == [(OURS, "")] else [heading for heading, _ in kinds], lines)


def _shown(cell: Cell | None, heading: str) -> Shown:
    if cell is None:
        return Shown("")
    if heading == PAPER:
        return _paper(cell)
    return _difference(cell) if heading == DIFFERENCE else _ours(cell)


def _paper(cell: Cell) -> Shown:
    if cell["state"] == "ours alone":
        return Shown("")
    text, marks = cell["published"], cell["published_mark"].split()
    if not text:
        return Shown(LOST, "paper")
    if not cell["kind"].startswith("text"):
        answer = _ANSWERS.get(cell["metric"], {}).get(float(text))
        text = answer or _printed(text) + (f" ± {cell['published_error']}" if cell["published_error"] else "")
        text += _unit(cell["unit"])
    return Shown(text, "paper", "bold" in marks, " ".join(mark for mark in marks if mark not in ("bold", "✓")))


def _printed(number: str) -> str:
    """Return a published number with its digits and separators of thousands.

    >>> _printed("1783512"), _printed("-0.50"), _printed("46.62269457161543")
    ('1,783,512', '−0.50', '46.623')
    """
    digits = len(number.partition(".")[2])
    shown = f"{Decimal(number):,}" if digits <= MOST_DECIMALS else f"{Decimal(number):,.{FEWER_DECIMALS}f}"
    return shown.replace("-", "−")


def _ours(cell: Cell) -> Shown:
    if isinstance(cell["ours"], str) and cell["ours"]:
        return Shown(cell["ours"], "ours")
    if not _known(cell):
        return Shown(MISSING, "ours")
    marks = cell["ours_mark"].split()
    text = _ANSWERS.get(cell["metric"], {}).get(cell["ours"]) or _with_error(cell)
    return Shown(text, "ours", "bold" in marks, " ".join(mark for mark in marks if mark != "bold"))


def _with_error(cell: Cell) -> str:
    unit, decimals, number, error = cell["unit"], _decimals(cell), cell["ours"], cell["error"]
    if unit in _FACTORS and number and abs(number) < 10.0 ** (1 - decimals):
        # A small scale: in the paper's unit nothing would be left of it.
        number, error = number * _FACTORS[unit], None if error is None else error * _FACTORS[unit]
        unit, decimals = "", 0
    text = number_text(number, decimals)
    if unit == "h" and number and not text.strip("-0.,"):
        text = f"{number:.1g}"  # minutes or seconds; "0 h" would say that it cost nothing
    return text + (f" ± {number_text(error, decimals)}" if error is not None else "") + _unit(unit)


def _difference(cell: Cell) -> Shown:
    difference = cell["difference"]
    if isinstance(difference, str):
        return Shown(difference, "difference")
    if difference is None:
        return Shown("" if cell["state"] == "ours alone" else MISSING, "difference")
    if cell["metric"] in _ANSWERS:
        return Shown("differs" if difference else "equal", "difference")
    unit = cell["unit"] if cell["unit"] in _FACTORS else ""
    return Shown(number_text(difference, _decimals(cell), signed=True) + unit, "difference")


def _decimals(cell: Cell) -> int:
    return int(cell["decimals"]) if cell["decimals"] <= MOST_DECIMALS else FEWER_DECIMALS


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


def notes(table: Made, scale: bool = True) -> list[str]:
    """Return sentences about a table: its scale, what our numbers are, what is missing and why."""
    cells = [cell for cell in table.cells if not cell["extra"]]
    found = [table.note] if table.note else []
    if not cells:
        return [*found, "Nothing was measured for this table."]
    if scale and table.scale != "full":
        found.append(
            f"Ours is of scale {table.scale}: smaller than the paper where its file says so, under its labels."
        )
    runs = sorted({cell["runs"] for cell in cells if cell["runs"]})
    if runs:
        number = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        spread = "the mean ± standard error" if runs[-1] > 1 else "the score"
        found.append(f"Ours is {spread} of {number} training run{'s' if runs[-1] > 1 else ''} a cell.")
    if any(cell["difference"] is not None for cell in cells):
        found.append(f"{DIFFERENCE} is ours minus the paper's.")
    lost, missing = sum(cell["state"] == "lost" for cell in cells), sum(not _known(cell) for cell in cells)
    if lost:
        found.append(f"{LOST}: cannot be read in the text of the paper at hand ({_count(lost)}).")
    if missing:
        found.append(f"{MISSING}: not measured by us ({_count(missing)}).")
    if any(len(cell["published"].partition(".")[2]) > MOST_DECIMALS for cell in cells if "text" not in cell["kind"]):
        found.append(f"Shown to {FEWER_DECIMALS} digits; the CSV has all.")
    return found


def _count(cells: int) -> str:
    return f"{cells} cell{'s' if cells > 1 else ''}"


def heading(table: Made) -> str:
    """Return what is above a table: paper, table and scale."""
    title = "" if table.title in ("", called(table.name)) else f": {table.title}"
    return f"{table.paper}, {called(table.name)}{title} (scale {table.scale})"


# ---- Markdown


def escape_markdown(text: str) -> str:
    """Return text for a table's cell: one line, no markup."""
    return _escape_markdown(" ".join(text.split()))


def markdown(table: Made) -> str:
    """Return a table as aligned Markdown, which is also what a terminal shows."""
    text = [f"# {escape_markdown(heading(table))}"]
    text += [_markdown_part(part) for part in parts(table)]
    text.append("\n".join(f"- {escape_markdown(note)}" for note in notes(table)))
    return "\n\n".join(filter(None, text)) + "\n"


def _markdown_part(part: Part) -> str:
    columns, kinds = ([escape_markdown(text) for text in texts] for texts in (part.columns, part.kinds))
    head = [*([""] * (1 + part.labelled)), *columns]
    if kinds:
        head = ["", *(f"{column}: {kinds[0]}" if not n else kind for column in columns for n, kind in enumerate(kinds))]
    body = []
    for line in part.lines:
        labels = [escape_markdown(line.row) if line.first else "", escape_markdown(line.what)]
        body.append([*labels[: 1 + part.labelled], *map(_markdown_cell, line.cells)])
    return aligned([head, *body])


def _markdown_cell(shown: Shown) -> str:
    text = escape_markdown(shown.text)
    text = f"**{text}**" if shown.bold else text
    return f"{text} {escape_markdown(shown.marks)}".rstrip()


# ---- LaTeX


def escape_latex(text: str) -> str:
    """Return text for a table's cell: one line, no markup."""
    return _escape_latex(" ".join(text.split()))


def latex(table: Made) -> str:
    """Return a table in LaTeX, for `\\input` in a paper that loads booktabs, graphicx and amssymb."""
    top = f"% {' '.join(heading(table).split())}: needs \\usepackage{{booktabs,graphicx,amssymb}}"
    found = parts(table, LONGEST)
    return "\n\n".join([top, *(_latex_part(table, part, n, len(found)) for n, part in enumerate(found, 1))]) + "\n"


def _latex_part(table: Made, part: Part, number: int, of: int) -> str:
    labels, each = 1 + part.labelled, max(1, len(part.kinds))
    columns = [escape_latex(column) for column in part.columns]
    head = [" & " * labels + " & ".join(columns) + r" \\"]
    if part.kinds:
        spans = " & ".join(rf"\multicolumn{{{each}}}{{c}}{{{column}}}" for column in columns)
        starts = [labels + 1 + n * each for n in range(len(columns))]
        rules = "".join(rf"\cmidrule(lr){{{start}-{start + each - 1}}}" for start in starts)
        kinds = " & ".join([escape_latex(kind) for kind in part.kinds] * len(columns))
        head = [" & " * labels + spans + r" \\", rules, " & " * labels + kinds + r" \\"]
    body = []
    for index, line in enumerate(part.lines):
        if part.stacked and labels == 2 and line.first and index:
            body.append(r"\addlinespace")
        lead = [escape_latex(line.row) if line.first else "", escape_latex(line.what)][:labels]
        body.append(" & ".join([*lead, *map(_latex_cell, line.cells)]) + r" \\")
    caption = heading(table) + (f", part {number} of {of}" if of > 1 else "") + "."
    if number == of:
        caption += " " + " ".join(notes(table))
    label = f"{table.paper}-{table.name}-{table.scale}" + (f"-{number}" if of > 1 else "")
    return latex_table("l" * labels + "r" * (each * len(columns)), head, body, caption, label)


def _latex_cell(shown: Shown) -> str:
    text = escape_latex(shown.text)
    text = rf"\textbf{{{text}}}" if shown.bold else text
    return text + (rf"\rlap{{{escape_latex(shown.marks)}}}" if shown.marks else "")
