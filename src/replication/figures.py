"""Figures: a function draws one from measurements, with the published values beside ours.

    @figure("F95, μ and ν by size", needs="frequencies")
    def figure4(ours: DataFrame, printed: Frames) -> Figure:
        \"\"\"A sentence that is shown below the figure.\"\"\"
        return draw(ours, printed.get("figure4"), x="size", y=["f95", "mu", "nu"], series="algorithm", panels="corpus")

Ours is filled and solid, the paper's is hollow and dashed. Where x is the size, a system without one (characters, a
size that the algorithm finds) is a line across. Bars of errors are standard errors over seeds, or what the measurement
brought with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from experiment.reporting.drawing import COLORS, GRID, INK, MARKERS, axes_grid, style
from replication.measurements import NUMBERS, WHOLE_NUMBERS, comparable, listed, matching, without_size
from replication.tables import summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Drawing
    from pandas import DataFrame

#: Published tables as measurements, by name; none where ours is of generated text, which would be a line at the bottom.
Frames = Mapping[str, "DataFrame"]
#: What series and panels may be beside columns: a segmentation's name without its size (bpe-2k, bpe-32k: bpe).
SYSTEM = "system"
#: How metrics are written.
NAMES = {"bleu": "BLEU", "chrf": "chrF", "comet": "COMET", "f95": "F95", "mu": "μ", "nu": "ν"}
OURS, PUBLISHED = "ours", "paper"


@dataclass(frozen=True)
class Figure:
    """A paper's figure: what is above it, what its numbers come from, and the function that draws it."""

    title: str
    needs: tuple[str, ...]
    draw: Callable[[DataFrame, Frames], Drawing]

    @property
    def note(self) -> str:
        """The sentences below the figure: the function's docstring."""
        return " ".join((self.draw.__doc__ or "").split())


def figure(title: str, needs: str | Sequence[str] = "scores") -> Callable[..., Figure]:
    """Return the decorator that makes a figure of a function. `needs` names measures, or `scores`."""
    named = (needs,) if isinstance(needs, str) else tuple(needs)
    return lambda draw: Figure(title, named, draw)


# ---- the curves that measurements make


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
    """What a figure shows: see `draw`."""

    x: str
    y: list[str]
    series: list[str]
    panels: list[str]
    kind: str
    log: str
    labels: Mapping[str, str]

    @property
    def numeric(self) -> bool:
        """Whether x is a number, not a category."""
        return self.kind != "bars" and self.x in (*NUMBERS, *WHOLE_NUMBERS)

    def label(self, name: str) -> str:
        """Return what something is called in the figure."""
        return str(self.labels.get(name) or NAMES.get(name) or name.replace("_", " "))


def curves(plan: Plan, measured: DataFrame, source: str = OURS) -> list[Curve]:
    """Return what is drawn: means over seeds by panel, metric and series, in the order in which they first come.

    Raises InputError where a point would be a mean of different things (see `tables.summary`).
    """
    rows = measured[measured["metric"].isin(plan.y) & measured["value"].notna()]
    rows = comparable(rows, {plan.x, *plan.series, *plan.panels})
    if plan.x != "size":
        rows = rows[rows[plan.x].notna() & (rows[plan.x] != "").fillna(False)]
    keys = [_label(rows, plan.panels, plan), rows["metric"], _label(rows, plan.series, plan)]
    found: dict[tuple[str, str, str], list[Point]] = {}
    for (panel, metric, series, x), group in rows.groupby(  # type: ignore[misc]
        [*keys, rows[plan.x]], sort=False, dropna=False
    ):
        ours = summary(group, f"{metric} {panel} {series} at {plan.x} {x} ({source})")
        if ours.number is not None:
            key = (str(panel), str(metric), str(series))
            found.setdefault(key, []).append(Point(_place(plan, x), ours.number, ours.error))
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


# ---- drawing

#: Most panels in a row; more than that, and metrics stand side by side and panels one below the other.
MOST_IN_A_ROW = 4
#: How far apart the marks of two series stand at the same x, and ours and the paper's, in points.
STEP, HALF_STEP = 9.0, 4.0


def draw(
    ours: DataFrame,
    printed: DataFrame | None,
    x: str,
    y: str | Sequence[str],
    series: str | Sequence[str] = (),
    panels: str | Sequence[str] = (),
    kind: str = "lines",
    log: str = "",
    where: Mapping[str, Any] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Drawing:
    """Return a figure of ours and, unless it is None, of what was printed.

    `x` is a column of the measurements: size, x (of curves), or a category such as segmentation. Each metric in `y` has
    panels of its own, each value of the columns `panels` a panel, and each value of the columns `series` a colour (both
    may be `SYSTEM`). `kind` is lines, points or bars; `log` names the logarithmic axes ("x", "xy"); `where` says which
    measurements are meant; `labels` what a value, a metric or x is called.
    """
    import matplotlib as mpl

    plan = Plan(x, listed(y), listed(series), listed(panels), kind, log, labels or {})
    mine = curves(plan, matching(ours, **(where or {})))
    theirs = [] if printed is None else curves(plan, matching(printed, **(where or {})), PUBLISHED)
    found = mine + theirs
    names = list(dict.fromkeys(curve.panel for curve in found)) or [""]
    colours = list(dict.fromkeys(curve.series for curve in found))
    places = [(metric, panel) for metric in plan.y for panel in names]
    columns = len(names)
    if len(plan.y) == 1 or len(names) == 1:
        columns = min(len(places), MOST_IN_A_ROW)
    elif len(names) > MOST_IN_A_ROW:
        places = [(metric, panel) for panel in names for metric in plan.y]
        columns = len(plan.y)
    categories = [] if plan.numeric else _categories(plan, found)
    bars = len(categories) * max(1, len(colours)) * (2 if theirs and mine else 1) if kind == "bars" else 0
    width = max(4.6 if columns < 3 else 3.3, 0.3 * len(categories), 0.16 * bars)
    with mpl.rc_context(style()):
        drawing, axes = axes_grid(columns, -(-len(places) // columns), width, 3.3 if columns < 3 else 2.6)
        for axis, (metric, panel) in zip(axes, places, strict=False):
            here = [curve for curve in found if (curve.metric, curve.panel) == (metric, panel)]
            _draw_panel(axis, plan, here, colours, categories)
            axis.set_title(panel, fontsize=10)
            axis.set_ylabel(plan.label(metric))
            axis.set_xlabel(plan.label(plan.x))
        for axis in axes[len(places) :]:
            axis.set_visible(False)
        _legend(drawing, colours, plan, bool(mine) and bool(theirs))
    return drawing


def _categories(plan: Plan, found: Sequence[Curve]) -> list[str]:
    """Return the places of a categorical x: numbers by size, names in the order in which they first come."""
    places = list(dict.fromkeys(str(point.x) for curve in found for point in curve.points))
    if plan.x in (*NUMBERS, *WHOLE_NUMBERS):
        return sorted(places, key=lambda place: (place == "–", float(place) if place != "–" else 0.0))
    return places


def _draw_panel(axis: Axes, plan: Plan, here: Sequence[Curve], series: list[str], categories: list[str]) -> None:
    if not here:
        axis.text(0.5, 0.5, "nothing was measured", transform=axis.transAxes, ha="center", va="center", color=GRID)
    standing = _standing_together(here, series, categories)
    for curve in here:
        if plan.kind == "bars":
            _draw_bars(axis, curve, standing, series, categories)
        else:
            _draw_curve(axis, plan, curve, series.index(curve.series), len(series), categories)
    for name, scale, of_numbers in (("x", axis.set_xscale, plan.numeric), ("y", axis.set_yscale, True)):
        if name in plan.log and of_numbers and here:
            scale("log")
            _log_ticks(axis.xaxis if name == "x" else axis.yaxis)
    if here and "y" not in plan.log and all(point.y.is_integer() for curve in here for point in curve.points):
        axis.locator_params(axis="y", integer=True)  # no half language pairs
    if not here:
        axis.set_xticks([])
        axis.set_yticks([])
    elif not plan.numeric:
        long = max(map(len, categories)) * len(categories) > 40
        axis.set_xticks(
            range(len(categories)), categories, rotation=60 if long else 0, ha="right" if long else "center"
        )
        axis.set_xlim(-0.6, len(categories) - 0.4)
    elif plan.x in WHOLE_NUMBERS:
        places = sorted({float(point.x) for curve in here for point in curve.points if not math.isnan(float(point.x))})
        _size_ticks(axis, places, "x" in plan.log)


def _log_ticks(axis: Axis) -> None:
    """Write 1, 2, 5, 10, … and no powers: numbers are read faster."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda place, _: _short(place)))
    axis.set_minor_formatter(NullFormatter())


def _size_ticks(axis: Axes, places: list[float], log: bool) -> None:
    """Write the sizes themselves at the axis, from the largest down, as many as have room."""
    from matplotlib.ticker import FuncFormatter, NullLocator

    if not places:
        axis.set_xticks([])
        return
    position = math.log if log else float
    span = position(places[-1]) - position(places[0])
    kept: list[float] = []
    for place in reversed(places):
        if not kept or position(kept[-1]) - position(place) >= 0.11 * span:
            kept.append(place)
    axis.set_xticks(kept[::-1])
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda place, _: _short(place)))
    axis.tick_params(axis="x", labelsize=8)


def _short(number: float) -> str:
    """Return a size as it is called: 32000 is 32k."""
    return f"{number / 1000:g}k" if number >= 1000 else f"{number:g}"


def _standing_together(here: Sequence[Curve], series: list[str], categories: list[str]) -> dict[str, list[Curve]]:
    """Return which curves have a bar at each category, from left to right: by series, ours before the paper's."""
    ordered = sorted(here, key=lambda curve: (series.index(curve.series), curve.source))
    return {name: [c for c in ordered if any(str(point.x) == name for point in c.points)] for name in categories}


def _draw_bars(
    axis: Axes, curve: Curve, standing: dict[str, list[Curve]], series: list[str], categories: list[str]
) -> None:
    """Draw the bars of one series and source, those of a category side by side around its place."""
    color, paper = COLORS[series.index(curve.series) % len(COLORS)], curve.source == PUBLISHED
    width = 0.8 / max(map(len, standing.values()))
    places = []
    for name in (str(point.x) for point in curve.points):
        beside = standing[name]
        places.append(categories.index(name) + width * (beside.index(curve) - (len(beside) - 1) / 2))
    heights, errors = [point.y for point in curve.points], [point.error or 0.0 for point in curve.points]
    options: dict[str, Any] = {
        "color": "none" if paper else color,
        "edgecolor": color,
        "ls": "--" if paper else "-",
        "lw": 1.2,
        "yerr": errors if any(errors) else None,
        "error_kw": {"lw": 1, "ecolor": GRID},
    }
    axis.bar(places, heights, width * 0.9, **options)


def _draw_curve(axis: Axes, plan: Plan, curve: Curve, index: int, number: int, categories: list[str]) -> None:
    from matplotlib.transforms import ScaledTranslation

    color, marker = COLORS[index % len(COLORS)], MARKERS[index % len(MARKERS)]
    paper = curve.source == PUBLISHED
    points = []
    for point in curve.points:
        if isinstance(point.x, float) and math.isnan(point.x):
            axis.axhline(point.y, color=color, ls="--" if paper else "-", alpha=0.5 if paper else 0.8, lw=1)
        else:
            points.append(point)
    places = [point.x if isinstance(point.x, float) else float(categories.index(point.x)) for point in points]
    heights = [point.y for point in points]
    errors = [point.error or 0.0 for point in points]
    if not points:
        return
    errors_shown = errors if any(errors) else None
    move = axis.transData
    if plan.kind == "points":
        shift = STEP * (index - (number - 1) / 2) + (HALF_STEP if paper else 0)
        move += ScaledTranslation(shift / 72, 0, axis.get_figure().dpi_scale_trans)  # type: ignore[union-attr]
        # The axes' limits follow what is not moved: nothing to be seen, where the bars end.
        for sign in (-1, 1):
            axis.plot(places, [height + sign * error for height, error in zip(heights, errors, strict=True)], ls="none")
        axis.margins(x=0.02 * number + 0.08)
    line = "none" if plan.kind == "points" else "--" if paper else "-"
    few = len(places) <= 40
    axis.errorbar(
        places,
        heights,
        yerr=errors_shown,
        color=color,
        ls=line,
        marker=marker if few or plan.kind == "points" else None,
        ms=5,
        mfc="none" if paper else color,
        alpha=0.65 if paper else 1.0,
        lw=1.3,
        capsize=2.5,
        elinewidth=1,
        zorder=2 if paper else 3,
        transform=move,
    )


def _legend(figure: Drawing, series: list[str], plan: Plan, both: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    def handle(color: str, marker: str, paper: bool, label: str) -> Any:
        face = "none" if paper else color
        if plan.kind == "bars":
            return Patch(facecolor=face, edgecolor=color, ls="--" if paper else "-", label=label)
        line = "none" if plan.kind == "points" else "--" if paper else "-"
        return Line2D([], [], color=color, ls=line, marker=marker, mfc=face, ms=5, label=label)

    shown = [name for name in series if name]
    handles = [
        handle(COLORS[series.index(name) % len(COLORS)], MARKERS[series.index(name) % len(MARKERS)], False, name)
        for name in shown
    ]
    if both:
        marker = MARKERS[0]
        handles += [handle(INK, marker, False, OURS), handle(INK, marker, True, PUBLISHED)]
    if handles:
        widest = 0.6 + 0.085 * max(len(handle.get_label()) for handle in handles)  # inches, about
        columns = max(1, min(len(handles), int(figure.get_figwidth() / widest)))
        figure.legend(handles=handles, loc="outside upper center", ncols=columns)
