"""Everything that a paper has at a scale: its tables, figures and verdicts as files, and one page with all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiment.manifest import Manifest
from experiment.reporting.drawing import save_figure, save_png
from experiment.reporting.pages import TEMPLATES as SHARED
from experiment.reporting.pages import environment, inline_svg
from experiment.reporting.report import provenance, signatures
from experiment.scoring.scorebook import Row
from replication import published
from replication.claims import STATES, Verdict, verdict, write_verdicts
from replication.derived import with_derived
from replication.measurements import frame, together
from replication.paper import SCORES, Paper
from replication.writing import Made, Part, called, escape_markdown, latex, markdown, notes, parts, write_csv
from subwords.errors import InputError
from subwords.files import whole_file

if TYPE_CHECKING:
    from pandas import DataFrame

TEMPLATES = Path(__file__).parent / "templates"
#: Tables of more rows than this are folded.
LONG = 40
#: Numbers in a line that a screen has room for.
WIDEST = 9
Measured = Mapping[str, "DataFrame"]


def make(
    paper: Paper, measured: Measured, folder: Path, rows: Sequence[Row] = (), manifest: Manifest | None = None
) -> None:
    """Write all that a paper has into a folder: tables, figures, claims.csv, claims.md and report.html.

    `measured` has the measurements of each source, by name; `rows` are those of scores.csv.
    """
    tables = [made(paper, name, measured) for name in paper.tables]
    for table in tables:
        write_csv(folder / f"{table.name}.csv", table)
        _write(folder / f"{table.name}.md", markdown(table))
        _write(folder / f"{table.name}.tex", latex(table))
    figures = {name: _draw(paper, name, measured, folder) for name in paper.figures}
    verdicts = judged(paper, measured)
    write_verdicts(folder / "claims.csv", verdicts)
    _write(folder / "claims.md", claims_markdown(paper, verdicts))
    _write(folder / "report.html", page(paper, tables, verdicts, figures, rows, manifest))


def _write(path: Path, text: str) -> None:
    with whole_file(path) as stream:
        stream.write(text)


def evidence(needs: Sequence[str], measured: Measured) -> DataFrame:
    """Return the measurements of some sources, with what follows from them. Raises InputError for one without any."""
    for source in needs:
        if source not in measured:
            raise InputError(f"there are no measurements called {source}", allowed=", ".join(measured))
    return with_derived(together([measured[source] for source in needs]))


def made(paper: Paper, name: str, measured: Measured) -> Made:
    """Return one of a paper's tables."""
    table = paper.tables[name]
    cells = table.make(paper.printed, evidence(table.needs, measured))
    return Made.of(paper.name, name, paper.scale, table.title, table.note, cells)


def judged(paper: Paper, measured: Measured) -> list[Verdict]:
    """Return the verdicts on a paper's claims. Every claim may see how long the test sets are, and BLEU."""
    printed = published.as_measurements(value for values in paper.printed.values() for value in values)
    scores = measured.get(SCORES, frame([]))
    bleu, lengths = (scores[scores["metric"] == metric] for metric in ("bleu", "test_sentences"))
    verdicts = []
    for name, claim in paper.claims.items():
        ours = evidence(claim.needs, measured)
        ours = ours if SCORES in claim.needs else together([ours, lengths])
        verdicts.append(verdict(name, claim, printed, ours, paper.scale, paper.generated, bleu))
    return verdicts


def _draw(paper: Paper, name: str, measured: Measured, folder: Path) -> str:
    """Write a figure as SVG and PNG; return the SVG. What was printed is not drawn beside ours of generated text."""
    frames = {} if paper.generated else {t: published.as_measurements(v) for t, v in paper.printed.items()}
    figure = paper.figures[name]
    drawing = figure.draw(evidence(figure.needs, measured), frames)
    svg = save_figure(drawing, folder / f"{name}.svg")
    save_png(drawing, folder / f"{name}.png")
    return svg


def claims_markdown(paper: Paper, verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts as Markdown."""
    lines = [f"# {escape_markdown(paper.name)}, claims (scale {paper.scale})", ""]
    if paper.scale != "full":
        lines += [f"Verdicts on our numbers are about scale {paper.scale}.", ""]
    lines += ["| claim | rule | by the paper's own numbers | by ours |", "|---|---|---|---|"]
    for one in verdicts:
        cells = [escape_markdown(f"{one.name}: {one.says} ({one.where})"), escape_markdown(one.rule)]
        cells += [f"**{found.state}**: {escape_markdown(found.reason)}" for found in (one.published, one.ours)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


# ---- the page


@dataclass(frozen=True)
class Section:
    """A table or a figure in the page."""

    anchor: str
    called: str
    title: str
    name: str
    rows: int = 0
    parts: Sequence[Part] = ()
    notes: Sequence[str] = ()
    svg: str = ""

    @property
    def long(self) -> bool:
        """Whether the table is folded."""
        return self.rows > LONG


def page(
    paper: Paper,
    tables: Sequence[Made],
    verdicts: Sequence[Verdict],
    figures: Mapping[str, str],
    rows: Sequence[Row] = (),
    manifest: Manifest | None = None,
) -> str:
    """Return the page's HTML. `figures` has the SVG of every figure, by name; the tables' files are beside the page."""
    import yaml

    states = Counter(one.ours.state for one in verdicts)
    changed = yaml.safe_dump(paper.changed, sort_keys=False, allow_unicode=True) if paper.changed else ""
    template = environment(TEMPLATES, SHARED).get_template("report.html")
    return template.render(
        paper=paper,
        tables=[_section(table) for table in tables],
        pictures=[_picture(paper, name, svg) for name, svg in figures.items()],
        verdicts=verdicts,
        counts={state: states[state] for state in STATES},
        signs=STATES,
        facts=_facts(rows, manifest),
        provenance=provenance(manifest.runs) if manifest else {},
        signatures=signatures(rows),
        changed=changed.splitlines(),
        corpora=manifest.corpora if manifest else {},
        style="\n".join((path / "report.css").read_text(encoding="utf-8") for path in (SHARED, TEMPLATES)),
    )


def _section(table: Made) -> Section:
    name = called(table.name)
    shown, said = parts(table, widest=WIDEST), notes(table, scale=False)
    return Section(f"table-{table.name}", name, table.title, table.name, len(table.rows), shown, said)


def _picture(paper: Paper, name: str, drawn: str) -> Section:
    figure, title = paper.figures[name], called(name)
    said = [figure.note, f"Ours is of scale {paper.scale}." if paper.scale != "full" else ""]
    svg = inline_svg(drawn, f"figure-{name}-", f"{title}: {figure.title}")
    return Section(f"figure-{name}", title, figure.title, name, notes=[note for note in said if note], svg=svg)


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
