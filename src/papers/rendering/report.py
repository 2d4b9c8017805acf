"""A paper's report: one HTML file with its claims, tables and figures and where our numbers come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.manifest import Manifest
from experiment.reporting.pages import TEMPLATES as SHARED
from experiment.reporting.pages import environment, inline_svg
from experiment.reporting.report import provenance, signatures
from experiment.scoring.scorebook import Row
from papers.claims.verdicts import CONFIRMED, NOT_CONFIRMED, NOT_TESTABLE, Verdict
from papers.rendering.curves import beside
from papers.rendering.table import Table, table_title
from papers.rendering.table_formats import escape_markdown
from papers.rendering.table_layout import Part, notes, parts

if TYPE_CHECKING:
    from papers.paper import Paper

TEMPLATES = Path(__file__).parent / "templates"
SIGNS = {CONFIRMED: "✓", NOT_CONFIRMED: "✗", NOT_TESTABLE: "–"}
#: Tables of more rows than this are folded.
LONG = 40
#: Numbers in a line that a screen has room for.
WIDEST = 9


@dataclass(frozen=True)
class Section:
    """A table in the page."""

    anchor: str
    called: str
    title: str
    file: str
    folder: str
    rows: int
    parts: list[Part]
    notes: list[str]

    @property
    def long(self) -> bool:
        """Whether the table is folded."""
        return self.rows > LONG


@dataclass(frozen=True)
class Picture:
    """A figure in the page."""

    anchor: str
    called: str
    title: str
    note: str
    svg: str


def render_report(
    paper: Paper,
    tables: Sequence[Table],
    verdicts: Sequence[Verdict],
    figures: Mapping[str, str],
    rows: Sequence[Row] = (),
    manifest: Manifest | None = None,
    folder: str = "",
) -> str:
    """Return the report's HTML.

    `figures` holds the SVG of every figure of the paper, by name; `rows` are those of scores.csv; `folder` is where the
    tables' files are, as seen from the report ("tables/").
    """
    template = environment(TEMPLATES, SHARED).get_template("report.html")
    states = Counter(verdict.ours.state for verdict in verdicts)
    return template.render(
        paper=paper,
        tables=[_section(table, folder) for table in tables],
        pictures=[_picture(paper, name, figures[name]) for name in paper.figures],
        verdicts=verdicts,
        counts={state: states[state] for state in SIGNS},
        signs=SIGNS,
        facts=_facts(rows, manifest),
        provenance=provenance(manifest.runs) if manifest else {},
        signatures=signatures(rows),
        changed=_as_yaml(paper.changed),
        corpora=manifest.corpora if manifest else {},
        style="\n".join((path / "report.css").read_text(encoding="utf-8") for path in (SHARED, TEMPLATES)),
    )


def _as_yaml(content: Mapping[str, Any]) -> list[str]:
    """Return lines of YAML; none for nothing."""
    import yaml

    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True).splitlines() if content else []


def _section(table: Table, folder: str) -> Section:
    called = table_title(table.name)
    title = "" if table.title == called else table.title
    shown, said = parts(table, widest=WIDEST), notes(table, scale=False)
    return Section(f"table-{table.name}", called, title, table.name, folder, len(table.rows), shown, said)


def _picture(paper: Paper, name: str, drawn: str) -> Picture:
    entry, called = paper.figures[name], table_title(name)
    title = str(entry.get("title") or "")
    note = " ".join(
        filter(
            None,
            [
                str(entry.get("note") or ""),
                "Hollow and dashed: the paper; filled: ours." if beside(paper, name) is not None else "",
                f"Ours is of scale {paper.scale}." if paper.scale != "full" else "",
            ],
        )
    )
    svg = inline_svg(drawn, f"figure-{name}-", f"{called}: {title or paper.title}")
    return Picture(f"figure-{name}", called, title, note, svg)


def _facts(rows: Sequence[Row], manifest: Manifest | None) -> dict[str, str]:
    """Return what the runs took together, by scores.csv."""
    keys = ("corpus", "direction", "model", "segmentation", "seed")
    runs = {tuple(row[key] for key in keys): row for row in rows}
    found = {"training runs": str(len(runs) or (len(manifest.runs) if manifest else 0))}
    seconds = [row["train_seconds"] for row in runs.values() if row["train_seconds"] is not None]
    if seconds:
        found["training, all runs"] = duration(sum(seconds))
    hours = [row["gpu_hours"] for row in runs.values() if row["gpu_hours"] is not None]
    if any(hours):
        found["GPU-hours"] = f"{sum(hours):.1f}"
    commits = dict.fromkeys(row["commit"] for row in rows if row["commit"])
    if commits:
        found["trained at commit"] = ", ".join(commits)
    return found


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration(42.4), duration(600), duration(90061)
    ('42 s', '10 min', '25 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def claims_markdown(paper: Paper, verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts as Markdown."""
    lines = [f"# {escape_markdown(paper.name)}, claims (scale {paper.scale})", ""]
    if paper.scale != "full":
        lines += [f"Verdicts on our numbers are about scale {paper.scale}.", ""]
    lines += ["| claim | rule | by the paper's own numbers | by ours |", "|---|---|---|---|"]
    for verdict in verdicts:
        where = f" ({verdict.where})" if verdict.where else ""
        cells = [escape_markdown(f"{verdict.name}: {verdict.says}{where}"), escape_markdown(verdict.rule)]
        cells += [
            f"**{escape_markdown(outcome.state)}**: {escape_markdown(outcome.reason)}"
            for outcome in (verdict.published, verdict.ours)
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
