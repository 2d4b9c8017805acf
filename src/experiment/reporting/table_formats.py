"""Tables as Markdown (which is also what a terminal shows) and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from experiment.reporting.tables import Block, Cell, Line


def markdown(experiment: str, found: Sequence[Block]) -> str:
    """Return the tables as aligned Markdown, which is also what a terminal shows."""
    parts = [f"# {experiment}"]
    for block in found:
        parts.append(f"## {escape_markdown(block.name)}")
        for table in block.tables:
            body = [
                [_markdown_name(line), *(f"{c.text} {c.sign}".rstrip() for c in line.cells)] for line in table.lines
            ]
            head = [table.lines_are, *map(escape_markdown, table.headings)]
            parts += [f"### {escape_markdown(table.title)}", aligned([head, *body])]
            notes = [escape_markdown(note) for note in table.notes]
            if table.kind == "scores":
                notes += [f"{label}: `{signature}`" for label, signature in block.signatures]
            parts.append("\n".join(f"- {note}" for note in notes))
    return "\n\n".join(part for part in parts if part) + "\n"


def _markdown_name(line: Line) -> str:
    name = f"*{line.name}*" if line.bound else escape_markdown(line.name)
    return name + (" (baseline)" if line.baseline else "")


#: What Markdown would read as markup: escaped only there, so that the text stays readable in a terminal.
_MARKUP = re.compile(r"[\\`*|\[\]]|<(?=[A-Za-z/!?])|&(?=[A-Za-z#])|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


def escape_markdown(text: str) -> str:
    """Return text in which nothing means anything to Markdown."""
    return _MARKUP.sub(r"\\\g<0>", text)


def aligned(table: list[list[str]]) -> str:
    """Return a Markdown table, its first row the head: first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]

    def row_text(row: list[str]) -> str:
        first = row[0].ljust(widths[0])
        return "| " + " | ".join([first, *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]) + " |"

    rule = "|" + "|".join(["-" * (widths[0] + 2), *("-" * (width + 1) + ":" for width in widths[1:])]) + "|"
    return "\n".join([row_text(table[0]), rule, *map(row_text, table[1:])])


_GREEK = ("alpha", "beta", "gamma", "delta", "lambda", "mu", "nu", "rho", "sigma")
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "–": "--",
    "−": "$-$",
    "→": r"$\rightarrow$",
    "✓": r"$\checkmark$",
    **{letter: rf"$\{name}$" for letter, name in zip("αβγδλμνρσ", _GREEK, strict=True)},
    "Δ": r"$\Delta$",
    "β\u0304": r"$\bar\beta$",  # longer than one character: found before its first one
    "γ\u0304": r"$\bar\gamma$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "†": r"$\dagger$",
}


_LATEX_MARKUP = re.compile("|".join(map(re.escape, sorted(_LATEX, key=len, reverse=True))))


def escape_latex(text: str) -> str:
    """Return text in which no character means anything to LaTeX, and Greek letters and signs are its commands."""
    return _LATEX_MARKUP.sub(lambda found: _LATEX[found[0]], text)


def latex(experiment: str, found: Sequence[Block]) -> str:
    """Return the tables in LaTeX, for `\\input` in a paper that loads booktabs and graphicx."""
    parts = [f"% {experiment}: needs \\usepackage{{booktabs,graphicx}}; made from scores.csv".replace("\n", " ")]
    for block in found:
        for table in block.tables:
            signed = block.signatures if table.kind == "scores" else []
            signatures = " ".join(f"{label}: {signature}." for label, signature in signed)
            caption = f"{block.name}: {table.title}. {' '.join(table.notes)} {signatures}"
            label = "-".join([experiment, block.corpus, block.direction, block.model])
            label += "" if table.kind == "scores" else f"-{table.kind}"
            head = " & ".join([table.lines_are, *map(escape_latex, table.headings)]) + r" \\"
            body = [" & ".join([_latex_name(line), *map(_latex_cell, line.cells)]) + r" \\" for line in table.lines]
            parts.append(latex_table("l" + "r" * len(table.headings), [head], body, caption, label))
    return "\n\n".join(parts) + "\n"


def latex_table(columns: str, head: Iterable[str], body: Iterable[str], caption: str, label: str) -> str:
    """Return a table in LaTeX. `head` and `body` are lines of LaTeX, `caption` and `label` plain text."""
    return "\n".join(
        [
            r"\begin{table*}",
            r"\centering",
            # Wide tables shrink to the page; narrow ones stay as they are.
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            *head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}}",
            rf"\caption{{{escape_latex(' '.join(caption.split()))}}}",
            r"\label{tab:" + re.sub(r"[^A-Za-z0-9-]", "-", label) + "}",
            r"\end{table*}",
        ]
    )


def _latex_name(line: Line) -> str:
    name = escape_latex(line.name)
    return (rf"\emph{{{name}}}" if line.bound else name) + (r" \emph{(baseline)}" if line.baseline else "")


def _latex_cell(cell: Cell) -> str:
    """Return a cell; its sign takes no room, so that numbers stay in line."""
    return escape_latex(cell.text) + (rf"\rlap{{{escape_latex(cell.sign)}}}" if cell.sign else "")
