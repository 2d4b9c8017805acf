"""Tables as Markdown (which is also what a terminal shows) and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

from experiment.reporting.table import Cell, Line, Table
from experiment.reporting.tables import Block


def markdown(experiment: str, found: Sequence[Block]) -> str:
    """Return the tables as aligned Markdown, which is also what a terminal shows."""
    parts = [f"# {experiment}"]
    for block in found:
        parts.append(f"## {escape_markdown(block.name)}")
        for table in block.tables:
            notes = [escape_markdown(note) for note in table.notes]
            if table.kind == "scores":
                notes += [f"{label}: `{signature}`" for label, signature in block.signatures]
            parts += [f"### {escape_markdown(table.title)}", markdown_table(table), "\n".join(f"- {n}" for n in notes)]
    return "\n\n".join(part for part in parts if part) + "\n"


def markdown_table(table: Table) -> str:
    """Return one table as aligned Markdown, without its title and notes."""
    body = [[_markdown_name(line), *map(_markdown_cell, line.cells)] for line in table.lines]
    return aligned([[escape_markdown(text) for text in (table.lines_are, *table.headings)], *body])


def _markdown_name(line: Line) -> str:
    name = f"*{line.name}*" if line.bound else escape_markdown(line.name)
    return name + (" (baseline)" if line.baseline else "")


def _markdown_cell(cell: Cell) -> str:
    text = f"**{escape_markdown(cell.text)}**" if cell.bold else escape_markdown(cell.text)
    return f"{text} {escape_markdown(cell.sign)}".rstrip()


#: What Markdown would read as markup: escaped only there, so that the text stays readable in a terminal.
_MARKUP = re.compile(r"[\\`*|]|\](?=[(\[])|<(?=[A-Za-z/!?])|&(?=[A-Za-z#])|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


def escape_markdown(text: str) -> str:
    """Return text, on one line, in which nothing means anything to Markdown."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def aligned(table: list[list[str]]) -> str:
    """Return a Markdown table, its first row the head: first column to the left, the others to the right."""
    # A sentence in a cell does not make every line as long.
    widths = [min(60, max(len(row[column]) for row in table)) for column in range(len(table[0]))]

    def row_text(row: list[str]) -> str:
        first = row[0].ljust(widths[0])
        return "| " + " | ".join([first, *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]) + " |"

    rule = "|" + "|".join(["-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:])]) + "|"
    return "\n".join([row_text(table[0]), rule, *map(row_text, table[1:])])


#: Characters -> LaTeX's commands for them.
_SIGNS = {"→": "rightarrow", "↑": "uparrow", "↓": "downarrow", "✓": "checkmark", "†": "dagger", "±": "pm", "Δ": "Delta"}
_SIGNS |= dict(zip("αβγδλμνρσ", ["alpha", "beta", "gamma", "delta", "lambda", "mu", "nu", "rho", "sigma"], strict=True))
_SIGNS |= {"β\u0304": r"bar\beta", "γ\u0304": r"bar\gamma"}  # longer than one character: found before its first one
_TEXT = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "|": "bar", "<": "less", ">": "greater"}
_LATEX = {sign: rf"$\{name}$" for sign, name in _SIGNS.items()} | {"–": "--", "−": "$-$"}
_LATEX |= {sign: rf"\text{name}{{}}" for sign, name in _TEXT.items()} | {sign: rf"\{sign}" for sign in "&%$#_{}"}
_LATEX_MARKUP = re.compile("|".join(map(re.escape, sorted(_LATEX, key=len, reverse=True))))


def escape_latex(text: str) -> str:
    """Return text, on one line, in which no character means anything to LaTeX; Greek letters and signs are commands."""
    return _LATEX_MARKUP.sub(lambda found: _LATEX[found[0]], " ".join(text.split()))


def latex(experiment: str, found: Sequence[Block]) -> str:
    """Return the tables in LaTeX, for `\\input` in a paper that loads booktabs and graphicx."""
    parts = [f"% {experiment}: needs \\usepackage{{booktabs,graphicx}}; made from scores.csv".replace("\n", " ")]
    for block in found:
        for table in block.tables:
            signed = block.signatures if table.kind == "scores" else []
            notes = " ".join([*table.notes, *(f"{label}: {signature}." for label, signature in signed)])
            label = "-".join([experiment, block.corpus, block.direction, block.model])
            label += "" if table.kind == "scores" else f"-{table.kind}"
            parts.append(latex_table(table, f"{block.name}: {table.title}.", label, notes))
    return "\n\n".join(parts) + "\n"


def latex_table(table: Table, caption: str, label: str, notes: str = "") -> str:
    """Return one table in LaTeX, with notes below it. `caption`, `label` and `notes` are plain text."""
    return "\n".join(
        [
            r"\begin{table*}",
            r"\centering",
            # Wide tables shrink to the page; narrow ones stay as they are.
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            rf"\begin{{tabular}}{{l{'r' * len(table.headings)}}}",
            r"\toprule",
            " & ".join(map(escape_latex, (table.lines_are, *table.headings))) + r" \\",
            r"\midrule",
            *(" & ".join([_latex_name(line), *map(_latex_cell, line.cells)]) + r" \\" for line in table.lines),
            r"\bottomrule",
            r"\end{tabular}}",
            *([r"\par\smallskip\parbox{\linewidth}{\footnotesize " + escape_latex(notes) + "}"] if notes else []),
            rf"\caption{{{escape_latex(caption)}}}",
            r"\label{tab:" + re.sub(r"[^A-Za-z0-9-]", "-", label) + "}",
            r"\end{table*}",
        ]
    )


def _latex_name(line: Line) -> str:
    name = escape_latex(line.name)
    return (rf"\emph{{{name}}}" if line.bound else name) + (r" \emph{(baseline)}" if line.baseline else "")


def _latex_cell(cell: Cell) -> str:
    """Return a cell; its sign takes no room, so that numbers stay in line."""
    text = rf"\textbf{{{escape_latex(cell.text)}}}" if cell.bold else escape_latex(cell.text)
    return text + (rf"\rlap{{{escape_latex(cell.sign)}}}" if cell.sign else "")
