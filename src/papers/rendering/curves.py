"""What a paper's figure shows: its entry in the paper's file, and the curves that measurements make of it.

A figure's entry:

    title: …               what stands above it
    note: …                a sentence that stands below it
    kind: lines            lines, points or bars
    x: size                column of the measurements: size, x (of curves), or a category such as segmentation
    y: [f95, mu, nu]       metrics; each has panels of its own
    series: algorithm      column (or columns) whose values have a colour each; `system` is a segmentation's name
                           without the size at its end (bpe-2k, bpe-32k: bpe)
    panels: corpus         column (or columns) whose values have a panel each
    where: {model: base}   which measurements are meant, as in `papers.selection`
    log: [x]               logarithmic axes
    published: table1      published table that is drawn beside ours; left out: the one of the figure's name; null: none
    labels: {f95: F95}     what a value, a metric or x is called in the figure
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from papers import published
from papers.measurements import COLUMNS, NUMBERS, WHOLE_NUMBERS, published_frame, without_size
from papers.rendering.table_building import summary
from papers.selection import check_selectors, comparable, listed, matching
from subwords.errors import InputError, unknown

if TYPE_CHECKING:
    from pandas import DataFrame

    from papers.paper import Paper

KINDS = ("lines", "points", "bars")
#: Keys of an entry, beside those that say what is measured and what stands around the figure.
KEYS = ("kind", "x", "y", "series", "panels", "where", "log", "published", "labels", "title", "note", "from")
#: What series and panels may be beside columns.
SYSTEM = "system"
#: How metrics are written.
NAMES = {"bleu": "BLEU", "chrf": "chrF", "comet": "COMET", "f95": "F95", "mu": "μ", "nu": "ν"}
OURS, PUBLISHED = "ours", "paper"


@dataclass(frozen=True)
class Point:
    """One mark of a figure. `x` is a number (NaN: at every x), or the label of a category."""

    x: float | str
    y: float
    error: float | None


@dataclass(frozen=True)
class Curve:
    """The points of one series in one panel, in the order of x."""

    panel: str
    metric: str
    series: str
    source: str  # ours or paper
    points: list[Point]


@dataclass(frozen=True)
class Plan:
    """A figure's entry, read."""

    name: str
    kind: str
    x: str
    y: list[str]
    series: list[str]
    panels: list[str]
    where: Mapping[str, Any]
    log: list[str]
    labels: Mapping[str, str]

    @property
    def numeric(self) -> bool:
        """Whether x is a number, not a category."""
        return self.kind != "bars" and self.x in (*NUMBERS, *WHOLE_NUMBERS)

    def label(self, name: str) -> str:
        """Return what something is called in the figure."""
        return str(self.labels.get(name) or NAMES.get(name) or name.replace("_", " "))


def read_plan(name: str, entry: Mapping[str, Any]) -> Plan:
    """Return what a figure's entry asks for. Raises InputError for what does not exist."""
    where = f"figures.{name}"
    for key in entry:
        if key not in KEYS:
            raise unknown(f"key in {where}:", key, KEYS)
    for key in ("x", "y"):
        if not entry.get(key):
            raise InputError(f"{where} has no {key}", allowed="x: a column of measurements; y: metrics")
    plan = Plan(
        name=name,
        kind=entry.get("kind", "lines"),
        x=entry["x"],
        y=listed(entry["y"]),
        series=listed(entry.get("series")),
        panels=listed(entry.get("panels")),
        where=entry.get("where") or {},
        log=listed(entry.get("log")),
        labels={str(key): str(label) for key, label in (entry.get("labels") or {}).items()},
    )
    if plan.kind not in KINDS:
        raise unknown(f"kind in {where}:", plan.kind, KINDS)
    check_selectors(plan.where, f"{where}.where")
    for column in (plan.x, *plan.series, *plan.panels):
        if column not in COLUMNS and (column != SYSTEM or plan.x == SYSTEM):
            raise unknown(f"column in {where}:", column, COLUMNS)
    for axis in plan.log:
        if axis not in ("x", "y"):
            raise unknown(f"axis in {where}.log:", axis, ("x", "y"))
    return plan


def published_beside(paper: str, name: str, entry: Mapping[str, Any]) -> DataFrame | None:
    """Return the published values that a figure shows beside ours; None where there are none, or none are wanted."""
    known = published.tables(paper)
    table = entry.get("published", name if name in known else None)
    if table is None:
        return None
    if table not in known:
        raise unknown(f"published table in figures.{name}:", table, known)
    return published_frame(known[table])


def beside(paper: Paper, name: str) -> DataFrame | None:
    """Return what a figure of a paper shows beside ours: nothing where ours is of generated text.

    Its numbers would be a line at the bottom of the paper's.
    """
    return None if paper.generated else published_beside(paper.name, name, paper.figures[name])


def curves(plan: Plan, measured: DataFrame, source: str = OURS) -> list[Curve]:
    """Return what is drawn: means over seeds by panel, metric and series, in the order in which they first come.

    Raises InputError where a point would be a mean of different things (see `summary`).
    """
    rows = measured[measured["metric"].isin(plan.y) & measured["value"].notna()]
    rows = matching(comparable(rows, {plan.x, *plan.series, *plan.panels, *plan.where}), plan.where)
    if plan.x != "size":
        rows = rows[rows[plan.x].notna() & (rows[plan.x] != "").fillna(False)]
    keys = [_label(rows, plan.panels, plan), rows["metric"], _label(rows, plan.series, plan)]
    found: dict[tuple[str, str, str], list[Point]] = {}
    for (panel, metric, series, x), group in rows.groupby(  # type: ignore[misc]
        [*keys, rows[plan.x]], sort=False, dropna=False
    ):
        place = _place(plan, x)
        at = " ".join(filter(None, (f"figures.{plan.name}: {metric}", str(panel), str(series), f"{plan.x} {x}")))
        ours = summary(group, f"{at} ({source})", "x, series or panels")
        if ours.number is not None:
            found.setdefault((str(panel), str(metric), str(series)), []).append(Point(place, ours.number, ours.error))
    if plan.numeric:
        for points in found.values():
            points.sort(key=lambda point: float(point.x))
    return [Curve(*key, source, points) for key, points in found.items()]


def _place(plan: Plan, x: Any) -> float | str:
    """Return a value of x as it is drawn."""
    import pandas

    if pandas.isna(x):
        return math.nan if plan.numeric else "–"
    if plan.numeric:
        return float(x)
    return plan.label(x) if isinstance(x, str) else f"{x:g}"


def _label(rows: DataFrame, columns: Sequence[str], plan: Plan) -> Any:
    """Return what a panel or series of each row is called: the values of its columns."""
    import pandas

    texts = []
    for name in columns:
        values = without_size(rows["segmentation"]) if name == SYSTEM else rows[name]
        texts.append(["" if pandas.isna(value) else plan.label(str(value)) for value in values])
    joined = [" ".join(filter(None, parts)) for parts in zip(*texts, strict=True)] if columns else [""] * len(rows)
    return pandas.Series(joined, index=rows.index, dtype=object)
