"""Everything that a paper has at a scale: its tables, figures and verdicts as files, and one page with all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas
from pandas import DataFrame

from experiment.manifest import Manifest
from experiment.reporting.drawing import save_figure, save_png
from experiment.reporting.pages import Picture, Section, inline_svg, page
from experiment.reporting.report import provenance, signatures
from experiment.reporting.table import Cell, Line, Table
from experiment.reporting.table_formats import escape_markdown, latex_table, markdown_table
from experiment.reporting.tables import blocks
from experiment.scoring.scorebook import Row
from replication.claims import STATES, Verdict, verdict
from replication.derived import with_derived
from replication.measurements import frame, together
from replication.paper import SCORES, Paper
from replication.tables import layout, notes
from subwords.errors import InputError
from subwords.files import write_whole

#: Numbers in a line that a screen has room for; printed rows that a page of paper has room for.
WIDEST, LONGEST = 9, 36
Measured = Mapping[str, "DataFrame"]


def make(
    paper: Paper, measured: Measured, folder: Path, rows: Sequence[Row] = (), manifest: Manifest | None = None
) -> None:
    """Write all that a paper has into a folder: tables, figures, claims.csv, claims.md and report.html.

    `measured` has the measurements of each source, by name; `rows` are those of scores.csv, whose ordinary tables, with
    all metrics, are on the page, too.
    """
    verdicts = judged(paper, measured)
    claims = _claims_table(paper, verdicts)
    _write_csv(folder / "claims.csv", verdict_frame(paper, verdicts))
    heading = f"{paper.name}, claims (scale {paper.scale})"
    write_whole(folder / "claims.md", _as_markdown(heading, [claims], claims.notes))
    sections = [Section("claims", "Claims", tables=[claims])]
    sections += [_table(paper, name, measured, folder) for name in paper.tables]
    sections += [_figure(paper, name, measured, folder) for name in paper.figures]
    sections += [
        Section(f"scores-{number}", block.name, "all scores", tables=block.tables, signatures=block.signatures)
        for number, block in enumerate(blocks(rows), 1)
    ]
    banner = "Corpora, models and vocabularies are meant to be the paper's own."
    if paper.scale != "full":
        banner = "What is called ours here, and every verdict on it, is about this scale and not about the paper's own."
    html = page(
        f"{paper.title} ({paper.scale})",
        [f"{paper.name}, regenerated", paper.citation],
        sections,
        url=paper.url,
        banner=f"Scale: {paper.scale}. {banner}",
        corpora=manifest.corpora if manifest else {},
        took=_took(rows),
        signatures=signatures(rows),
        provenance=provenance(manifest.runs) if manifest else [],
        folded_title=f"What scale {paper.scale} changes of the paper's experiment",
        folded_text=paper.changes,
    )
    write_whole(folder / "report.html", html)


def _write_csv(path: Path, table: DataFrame) -> None:
    write_whole(path, table.to_csv(index=False, lineterminator="\n"))


def evidence(needs: Sequence[str], measured: Measured) -> DataFrame:
    """Return the measurements of some sources, with what follows from them. Raises InputError for one without any."""
    for source in needs:
        if source not in measured:
            next_step = "give its file after --measurements or --scores; or say with --parts what is to be made"
            raise InputError(f"no measurements called {source}", allowed=", ".join(measured), next_step=next_step)
    return with_derived(together([measured[source] for source in needs]))


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


# ---- tables and figures


def _table(paper: Paper, name: str, measured: Measured, folder: Path) -> Section:
    """Write a table as CSV, Markdown and LaTeX; return its section of the page."""
    described = paper.tables[name]
    cells = described(paper.printed, evidence(described.needs, measured))
    head = {"paper": paper.name, "table": name, "scale": paper.scale}
    _write_csv(folder / f"{name}.csv", cells.assign(**head)[[*head, *cells.columns]])
    scale = f"Ours is of scale {paper.scale}: smaller than the paper where its file says so, under its labels."
    said = [text for text in (described.note, scale if paper.scale != "full" else "") if text] + notes(cells)
    heading = f"{paper.name}, {called(name)}: {described.title} (scale {paper.scale})"
    write_whole(folder / f"{name}.md", _as_markdown(heading, layout(cells), said))
    parts = layout(cells, longest=LONGEST)
    text = [f"% {heading}: needs \\usepackage{{booktabs,graphicx,amssymb}}"]
    for number, part in enumerate(parts, 1):
        of = f", part {number} of {len(parts)}" if len(parts) > 1 else ""
        label = f"{paper.name}-{name}-{paper.scale}" + (f"-{number}" if of else "")
        text.append(latex_table(part, f"{heading}{of}.", label, " ".join(said) if number == len(parts) else ""))
    write_whole(folder / f"{name}.tex", "\n\n".join(text) + "\n")
    shown = layout(cells, widest=WIDEST) or [Table("paper", "", [], [])]
    shown[-1].notes.extend(said)
    files = [f"{name}.{kind}" for kind in ("csv", "md", "tex")]
    return Section(f"table-{name}", called(name), described.title, shown, files=files)


def _as_markdown(heading: str, parts: Sequence[Table], said: Sequence[str] = ()) -> str:
    listed = "\n".join(f"- {escape_markdown(note)}" for note in said)
    return "\n\n".join(filter(None, [f"# {escape_markdown(heading)}", *map(markdown_table, parts), listed])) + "\n"


def _figure(paper: Paper, name: str, measured: Measured, folder: Path) -> Section:
    """Write a figure as SVG and PNG; return its section. Nothing printed is drawn beside ours of generated text."""
    figure = paper.figures[name]
    drawing = figure(evidence(figure.needs, measured), {} if paper.generated else paper.printed)
    svg = inline_svg(save_figure(drawing, folder / f"{name}.svg"), f"figure-{name}-", f"{called(name)}: {figure.title}")
    save_png(drawing, folder / f"{name}.png")
    said = f"{figure.note} Ours is of scale {paper.scale}." if paper.scale != "full" else figure.note
    return Section(f"figure-{name}", called(name), figure.title, pictures=[Picture(svg, "", said, f"{name}.svg")])


# ---- claims


def judged(paper: Paper, measured: Measured) -> dict[str, Verdict]:
    """Return the verdicts on a paper's claims. Every claim may see how long the test sets are, and who has learned."""
    printed = together(paper.printed.values())
    scores = measured.get(SCORES, frame([]))
    lengths = scores[scores["metric"] == "test_sentences"]
    verdicts = {}
    for name, claim in paper.claims.items():
        ours = evidence(claim.needs, measured)
        ours = ours if SCORES in claim.needs else together([ours, lengths])
        verdicts[name] = verdict(claim, printed, ours, paper.scale, paper.generated, scores)
    return verdicts


def verdict_frame(paper: Paper, verdicts: Mapping[str, Verdict]) -> DataFrame:
    """Return the verdicts as they are written to claims.csv."""
    return pandas.DataFrame(
        {
            **{"claim": name, "says": claim.title, "where": claim.where, "rule": claim.rule},
            **{"published": verdicts[name].published.state, "published reason": verdicts[name].published.reason},
            **{"ours": verdicts[name].ours.state, "ours reason": verdicts[name].ours.reason},
        }
        for name, claim in paper.claims.items()
    )


def _claims_table(paper: Paper, verdicts: Mapping[str, Verdict]) -> Table:
    """Return the verdicts as they are shown."""
    lines = []
    for name, found in verdicts.items():
        one = paper.claims[name]
        cells = [Cell(one.rule, style="rule")]
        for finding in found:
            style = finding.state.replace(" ", "-")
            cells.append(Cell(f"{STATES[finding.state]} {finding.state}: {finding.reason}", style=style))
        lines.append(Line(f"{name}: {one.title} ({one.where})", cells))
    states = Counter(each.ours.state for each in verdicts.values())
    counts = ", ".join(f"{states[state]} {state}" for state in STATES)
    said = [f"By our numbers: {counts}. A verdict is the stated rule, computed from the numbers."]
    said += [f"Verdicts on our numbers are about scale {paper.scale}."] if paper.scale != "full" else []
    return Table("claims", "", ["rule", "by the paper's own numbers", "by ours"], lines, said, lines_are="claim")


# ---- provenance


def _took(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Return what the runs took together, by scores.csv."""
    keys = ("corpus", "direction", "model", "segmentation", "seed")
    runs = list({tuple(row[key] for key in keys): row for row in rows}.values())
    minutes = sum(row["train_seconds"] or 0 for row in runs) / 60
    hours = sum(row["gpu_hours"] or 0 for row in runs)
    found = [("training runs", f"{len(runs)}"), ("training, all runs", f"{minutes:,.1f} minutes")]
    return found + ([("GPU-hours", f"{hours:,.1f}")] if hours else [])
