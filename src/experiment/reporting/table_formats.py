"""Tables as Markdown (which is also what a terminal shows) and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from experiment.reporting.tables import Block, Cell, Line


def markdown(experiment: str, tables: Sequence[Block]) -> str:
    """Return the tables as aligned Markdown, which is also what a terminal shows."""
    parts = [f"# {experiment}"]
    for block in tables:
        body = [[_markdown_name(line), *(_markdown_cell(cell) for cell in line.cells)] for line in block.lines]
        parts.append(f"## {escape_markdown(block.name)}")
        parts.append(aligned([["Segmentation", *map(escape_markdown, block.headings)], *body]))
        notes = [escape_markdown(note) for note in block.notes]
        notes += [f"{label}: `{signature}`" for label, signature in block.signatures]
        parts.append("\n".join(f"- {note}" for note in notes))
    return "\n\n".join(parts) + "\n"


def _markdown_name(line: Line) -> str:
    return escape_markdown(line.segmentation) + (" (baseline)" if line.baseline else "")


def _markdown_cell(cell: Cell) -> str:
    text = f"**{cell.text}**" if cell.best else cell.text
    return f"{text} {cell.marks}".rstrip()


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


def latex(experiment: str, tables: Sequence[Block]) -> str:
    """Return the tables in LaTeX, for `\\input` in a paper that loads booktabs and graphicx."""
    parts = [f"% {experiment}: needs \\usepackage{{booktabs,graphicx}}; made from scores.csv".replace("\n", " ")]
    for block in tables:
        signatures = " ".join(f"{label}: {signature}." for label, signature in block.signatures)
        label = "-".join([experiment, block.corpus, block.direction, block.model])
        body = []
        for line in block.lines:
            name = escape_latex(line.segmentation) + (r" \emph{(baseline)}" if line.baseline else "")
            body.append(" & ".join([name, *(_latex_cell(cell) for cell in line.cells)]) + r" \\")
        head = " & ".join(["Segmentation", *map(escape_latex, block.headings)]) + r" \\"
        caption = f"{block.name}. {' '.join(block.notes)} {signatures}"
        parts.append(latex_table("l" + "r" * len(block.headings), [head], body, caption, label))
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


def _latex_cell(cell: Cell) -> str:
    text = escape_latex(cell.text)
    text = rf"\textbf{{{text}}}" if cell.best else text
    return text + (rf"\rlap{{{escape_latex(cell.marks)}}}" if cell.marks else "")
