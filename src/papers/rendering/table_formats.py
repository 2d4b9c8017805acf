"""A paper's tables as Markdown and LaTeX."""

from __future__ import annotations

from experiment.reporting.table_formats import aligned, latex_table
from experiment.reporting.table_formats import escape_latex as _escape_latex
from experiment.reporting.table_formats import escape_markdown as _escape_markdown
from papers.rendering.table import Table, table_title
from papers.rendering.table_layout import LONGEST, Line, Part, Shown, notes, parts


def escape_markdown(text: str) -> str:
    """Return text as it stands in a table's cell: one line, no markup."""
    return _escape_markdown(" ".join(text.split()))


def escape_latex(text: str) -> str:
    """Return text as it stands in a table's cell: one line, no markup."""
    return _escape_latex(" ".join(text.split()))


def heading(table: Table) -> str:
    """Return what stands above a table: paper, table and scale."""
    called = table_title(table.name)
    title = "" if table.title == called else f": {table.title}"
    return f"{table.paper}, {called}{title} (scale {table.scale})"


def markdown(table: Table) -> str:
    """Return a table as aligned Markdown, which is also what a terminal shows."""
    text = [f"# {escape_markdown(heading(table))}"]
    text += [_markdown_part(part) for part in parts(table)]
    text.append("\n".join(f"- {escape_markdown(note)}" for note in notes(table)))
    return "\n\n".join(filter(None, text)) + "\n"


def _markdown_part(part: Part) -> str:
    columns = [escape_markdown(column) for column in part.columns]
    if part.stacked:
        lead = ["", ""] if part.labelled else [""]
        head = [*lead, *columns]
    else:
        kinds = [escape_markdown(kind) for kind in part.kinds]
        head = ["", *(f"{column}: {kinds[0]}" if not n else kind for column in columns for n, kind in enumerate(kinds))]
    body = [[*_labels(line, len(head) - len(line.cells)), *map(_markdown_cell, line.cells)] for line in part.lines]
    return aligned([head, *body])


def _labels(line: Line, number: int) -> list[str]:
    row = escape_markdown(line.row) if line.first else ""
    return [row, escape_markdown(line.what)][:number]


def _markdown_cell(shown: Shown) -> str:
    text = escape_markdown(shown.text)
    text = f"**{text}**" if shown.bold else text
    return f"{text} {escape_markdown(shown.marks)}".rstrip()


def latex(table: Table) -> str:
    """Return a table in LaTeX, for `\\input` in a paper that loads booktabs, graphicx and amssymb."""
    top = f"% {' '.join(heading(table).split())}: needs \\usepackage{{booktabs,graphicx,amssymb}}"
    found = parts(table, LONGEST)
    return "\n\n".join([top, *(_latex_part(table, part, n, len(found)) for n, part in enumerate(found, 1))]) + "\n"


def _latex_part(table: Table, part: Part, number: int, of: int) -> str:
    labels = 2 if part.labelled else 1
    each = max(1, len(part.kinds))
    columns = [escape_latex(column) for column in part.columns]
    head = [" & " * labels + " & ".join(columns) + r" \\"]
    if part.kinds:
        spans = [rf"\multicolumn{{{each}}}{{c}}{{{column}}}" for column in columns]
        rules = [
            rf"\cmidrule(lr){{{labels + 1 + n * each}-{labels + (n + 1) * each}}}" for n in range(len(part.columns))
        ]
        kinds = " & ".join([escape_latex(kind) for kind in part.kinds] * len(part.columns))
        head = [" & " * labels + " & ".join(spans) + r" \\", "".join(rules), " & " * labels + kinds + r" \\"]
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
    return latex_table("l" * labels + "r" * (each * len(part.columns)), head, body, caption, label)


def _latex_cell(shown: Shown) -> str:
    text = escape_latex(shown.text)
    text = rf"\textbf{{{text}}}" if shown.bold else text
    return text + (rf"\rlap{{{escape_latex(shown.marks)}}}" if shown.marks else "")
