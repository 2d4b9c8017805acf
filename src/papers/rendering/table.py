"""A table of a paper: its cells, each with what was printed and what we measured, and how it is kept as CSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from papers.published import KEYS, UNITS, Value
from subwords.errors import InputError
from subwords.files import whole_file

#: Every column of a table's CSV, with what it holds. Numbers are in full and in the cell's unit.
COLUMNS: dict[str, str] = {
    "paper": "name of the paper",
    "table": "name of the table",
    "scale": "a scale of the paper's file: full, reduced, smoke, or one of its own",
    "row": "label of the row as printed",
    "column": "label of the column as printed",
    "extra": "empty: what the cell is compared with; else the name of what is shown beside it",
    "state": "compared, not measured (by us), lost (from the paper's text) or ours alone",
    "kind": "number or text; where the paper's and ours are not of one kind, both: text/number or number/text",
    "published": "as printed",
    "published_error": "what follows ±",
    "published_mark": "what else stands at it",
    "ours": "our mean over runs, or our text",
    "error": "standard error of our mean over runs, or that of the measurement itself",
    "runs": "training runs (seeds) that ours is the mean of; empty where it is measured without any",
    "ours_mark": "marks of ours, by the rules of the paper's file",
    "difference": "ours minus published; equal or differs for texts",
    "unit": "unit of published, ours, error and difference: %, K, M, h or none",
    "decimals": "digits after the decimal point as printed",
    **{name: f"{name} of the cell, as published" for name in KEYS},
    "split": "split of the cell, as published",
}
TEXT_METRICS = frozenset({"pieces"})


@dataclass(frozen=True)
class Ours:
    """What we measured for a cell: a number in base units with its error and number of runs, or a text."""

    number: float | None = None
    error: float | None = None
    runs: int | None = None
    text: str = ""

    @property
    def known(self) -> bool:
        """Whether there is anything."""
        return self.number is not None or bool(self.text)


@dataclass(frozen=True)
class Cell:
    """A cell: what the paper printed (or would have, with an empty value) and what we measured."""

    value: Value
    ours: Ours
    extra: str = ""
    printed: bool = True  # the paper has the cell
    decimals: int = 0
    mark: str = ""  # of ours

    @property
    def kind(self) -> str:
        """What the cell holds, number or text: see `COLUMNS`. What is missing on one side is as on the other."""
        sides = ((self.value.known, self.value.text), (self.ours.known, self.ours.text))
        kinds = dict.fromkeys("text" if text else "number" for known, text in sides if known)
        return "/".join(kinds) or ("text" if self.value.metric in TEXT_METRICS else "number")

    @property
    def state(self) -> str:
        """What can be said of the cell: see `COLUMNS`."""
        if not self.printed:
            return "ours alone"
        if not self.value.known:
            return "lost"
        return "compared" if self.ours.known else "not measured"

    def in_unit(self, number: float | None) -> float | None:
        """Return a number in base units in the cell's unit."""
        return None if number is None else number / float(UNITS[self.value.unit])

    @property
    def difference(self) -> float | None:
        """Ours minus published, in the cell's unit; None for texts and where one of them is missing."""
        if self.ours.number is None or not self.value.value:
            return None
        return self.ours.number / float(UNITS[self.value.unit]) - float(self.value.value)

    @property
    def verdict(self) -> str:
        """For texts: equal, differs, or nothing where one of them is missing."""
        if not (self.value.text and self.ours.text):
            return ""
        return "equal" if self.value.text == self.ours.text else "differs"


@dataclass(frozen=True)
class Table:
    """A table: labels of rows and columns in order, cells by row, column and extra ("" is what is compared)."""

    paper: str
    name: str
    scale: str
    title: str
    note: str = ""
    rows: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    extras: list[str] = field(default_factory=list)
    cells: dict[tuple[str, str, str], Cell] = field(default_factory=dict)

    @property
    def published(self) -> bool:
        """Whether the paper has this table."""
        return any(cell.printed for cell in self.cells.values())


def table_title(name: str) -> str:
    """Return how a table is called in a sentence.

    >>> table_title("table1"), table_title("appendix-b"), table_title("text"), table_title("table2-from-table1")
    ('Table 1', 'Appendix B', 'Numbers in the text', 'Table 2 from Table 1')
    """
    if name == "text":
        return "Numbers in the text"
    words = [
        re.sub(r"^(table|figure)(\d+)", lambda found: f"{found[1].capitalize()} {found[2]}", word)
        for word in name.split("-")
    ]
    words = [word.upper() if len(word) == 1 else word for word in words if word]
    called = " ".join(words)
    return called[:1].upper() + called[1:]


def assembled(cells: Iterable[Cell], paper: str, name: str, scale: str, entry: Mapping[str, Any]) -> Table:
    """Return a table of cells, its labels in the order in which they first come."""
    known = {(cell.value.row, cell.value.column, cell.extra): cell for cell in cells}
    return Table(
        paper,
        name,
        scale,
        str(entry.get("title") or table_title(name)),
        str(entry.get("note") or ""),
        list(dict.fromkeys(row for row, _, _ in known)),
        list(dict.fromkeys(column for _, column, _ in known)),
        list(dict.fromkeys(extra for _, _, extra in known if extra)),
        known,
    )


# ---- CSV


def write_csv(path: str | Path, table: Table) -> None:
    """Write a table's cells, in the order of their rows, in the columns of `COLUMNS`."""
    with whole_file(path) as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n", restval="")
        writer.writeheader()
        for cell in table.cells.values():
            writer.writerow({name: _text(content) for name, content in _record(table, cell).items()})


def _record(table: Table, cell: Cell) -> dict[str, Any]:
    value, ours = cell.value, cell.ours
    return {
        "paper": table.paper,
        "table": table.name,
        "scale": table.scale,
        "row": value.row,
        "column": value.column,
        "extra": cell.extra,
        "state": cell.state,
        "kind": cell.kind,
        "published": value.value or value.text,
        "published_error": value.error,
        "published_mark": value.mark,
        "ours": ours.text or cell.in_unit(ours.number),
        "error": cell.in_unit(ours.error),
        "runs": ours.runs,
        "ours_mark": cell.mark,
        "difference": cell.verdict or cell.difference,
        "unit": value.unit,
        "decimals": cell.decimals,
        **{name: getattr(value, name) for name in (*KEYS, "split")},
    }


def _text(content: Any) -> str:
    return "" if content is None else repr(content) if isinstance(content, float) else str(content)


def read_csv(path: str | Path, title: str = "", note: str = "") -> Table:
    """Return a table as `write_csv` wrote it. Raises InputError when the file is missing or has other columns."""
    try:
        with open(path, encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream)
            if list(reader.fieldnames or ()) != list(COLUMNS):
                raise InputError(f"{path} has the columns {reader.fieldnames}", allowed=", ".join(COLUMNS))
            rows = list(reader)
    except OSError as error:
        problem = f"cannot read {path}: {error.strerror}"
        raise InputError(problem, next_step="run scripts/make_paper_tables.py") from error
    first = rows[0] if rows else dict.fromkeys(COLUMNS, "")
    entry = {"title": title, "note": note}
    return assembled(map(_cell, rows), first["paper"], first["table"] or Path(path).stem, first["scale"], entry)


def _cell(row: Mapping[str, str]) -> Cell:
    kinds = row["kind"].split("/")
    published_text, our_text = kinds[0] == "text", kinds[-1] == "text"
    names = ("paper", "table", "row", "column", "unit", *KEYS, "split")
    printed = {"text": row["published"], "value": ""} if published_text else {"value": row["published"]}
    printed |= {"error": row["published_error"], "mark": row["published_mark"]}
    value = Value(**{name: row[name] for name in names}, **printed)
    factor = float(UNITS[row["unit"]])
    number = None if our_text or not row["ours"] else float(row["ours"]) * factor
    ours = Ours(
        number,
        float(row["error"]) * factor if row["error"] else None,
        int(row["runs"]) if row["runs"] else None,
        row["ours"] if our_text else "",
    )
    return Cell(value, ours, row["extra"], row["state"] != "ours alone", int(row["decimals"]), row["ours_mark"])
