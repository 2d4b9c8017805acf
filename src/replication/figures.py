"""Figures: a function draws one from measurements, with the published values beside ours.

    @figure("F95, μ and ν by size", needs="frequencies")
    def figure4(ours: DataFrame, printed: Frames) -> Figure:
        \"\"\"A sentence that is shown below the figure.\"\"\"
        return draw(ours, printed.get("figure4"), x="size", y=["f95", "mu", "nu"], series="algorithm", panels="corpus")

Ours is filled and solid, the paper's is hollow and dashed. Where x is the size, a system without one (characters, a
size that the algorithm finds) is a line across. Bars of errors are 95% t intervals, over seeds or by the standard error
that a number was printed with; one seed has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import pandas
from pandas import DataFrame

from experiment.reporting.drawing import COLORS, GRID, INK, MARKERS, axes_grid, styled
from replication.measurements import NUMBERS, WHOLE_NUMBERS, Made, comparable, listed, without_size
from replication.tables import labels, summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

#: What series and panels may be beside columns: a segmentation's name without its size (bpe-2k, bpe-32k: bpe).
SYSTEM = "system"
#: How metrics are written.
NAMES = {"bleu": "BLEU", "chrf": "chrF", "comet": "COMET", "f95": "F95", "mu": "μ", "nu": "ν"}
OURS, PUBLISHED = "ours", "paper"
#: Most panels in a row; more than that, and metrics stand side by side and panels one below the other.
MOST_IN_A_ROW = 4
#: Most sizes that are written at an axis, each at its place.
MOST_TICKS = 12
Look = tuple[str, str]  # a series, and ours or the paper's


class PaperFigure(Made):
    """A paper's figure, drawn from our measurements and the published tables."""


def figure(title: str, needs: str | Sequence[str] = "scores") -> Callable[..., PaperFigure]:
    """Return the decorator that makes a figure of a function. `needs` names measures, or `scores`."""
    return lambda draw: PaperFigure(title, tuple(listed(needs)), draw)


def drawn(
    title: str, needs: str | Sequence[str] = "scores", note: str = "", beside: str = "", **options: Any
) -> PaperFigure:
    """Return a figure of ours, `beside` a published table if one is named. `note` is shown below it, `options` are
    those of `draw`."""
    return PaperFigure(
        title, tuple(listed(needs)), lambda ours, printed: draw(ours, printed.get(beside), **options), note
    )


def curves(
    measured: DataFrame,
    x: str,
    y: Sequence[str],
    series: Sequence[str] = (),
    panels: Sequence[str] = (),
    label: Callable[[str], str] = str,
    source: str = OURS,
) -> DataFrame:
    """Return what is drawn: means over seeds (`y`, `ci95`) by panel, metric, series and x, as they first come.

    Raises InputError where a point would be a mean of different things (see `tables.summary`).
    """
    rows = measured[measured["metric"].isin(y) & measured["value"].notna()]
    rows = comparable(rows, {x, *series, *panels})
    if x != "size":
        rows = rows[rows[x].notna() & (rows[x] != "").fillna(False)]

    named = rows.assign(**{SYSTEM: without_size(rows["segmentation"])})
    keys = [labels(named, panels, label), rows["metric"], labels(named, series, label), rows[x]]
    points: list[tuple[Any, ...]] = []
    place: Any
    for (panel, metric, name, place), group in rows.groupby(keys, sort=False, dropna=False):  # type: ignore[misc]
        ours = summary(group, f"{metric} {panel} {name} at {x} {place} ({source})")
        if ours.number is not None:
            known = None if pandas.isna(place) else place
            points.append((panel, metric, name, source, known, ours.number, ours.ci95 or 0.0))
    return pandas.DataFrame(points, columns=["panel", "metric", "series", "source", "x", "y", "ci95"], dtype=object)


def draw(
    ours: DataFrame,
    printed: DataFrame | None,
    x: str,
    y: str | Sequence[str],
    series: str | Sequence[str] = (),
    panels: str | Sequence[str] = (),
    kind: str = "lines",
    log: str = "",
    labels: Mapping[str, str] | None = None,
) -> Drawing:
    """Return a figure of ours and, unless it is None, of what was printed.

    `x` is a column of the measurements: size, x (of curves), or a category such as segmentation. Each metric in `y` has
    panels of its own, each value of the columns `panels` a panel, and each value of the columns `series` a colour (both
    may be `SYSTEM`). `kind` is lines, points or bars; `log` names the logarithmic axes ("x", "xy"); `labels` says what
    a value, a metric or x is called.
    """

    def label(name: str) -> str:
        return str((labels or {}).get(name) or NAMES.get(name) or name.replace("_", " "))

    metrics, is_number = listed(y), x in (*NUMBERS, *WHOLE_NUMBERS)
    sides = {source: each for source, each in ((OURS, ours), (PUBLISHED, printed)) if each is not None}
    found = [curves(each, x, metrics, listed(series), listed(panels), label, name) for name, each in sides.items()]
    points = pandas.concat(found, ignore_index=True)
    names = list(dict.fromkeys(points["panel"])) or [""]
    looks = list(dict.fromkeys(product(dict.fromkeys(points["series"]), dict.fromkeys(points["source"]))))
    categories = None
    if kind != "lines" or not is_number:
        sized = points[points["x"].notna()]
        categories = list(dict.fromkeys(sized.sort_values("x")["x"] if is_number else sized["x"]))
        categories += [None] * (len(sized) < len(points))
    places = list(product(metrics, names))
    columns = min(len(places), MOST_IN_A_ROW) if 1 in (len(metrics), len(names)) else len(names)
    if len(metrics) > 1 and len(names) > MOST_IN_A_ROW:
        places = [(metric, panel) for panel in names for metric in metrics]
        columns = len(metrics)
    width = max(4.6 if columns < 3 else 3.3, (0.16 * len(looks) if kind == "bars" else 0.3) * len(categories or ()))
    with styled():
        drawing, axes = axes_grid(len(places), columns, width, 3.3 if columns < 3 else 2.6)
        for axis, (metric, panel) in zip(axes, places, strict=True):
            here = points[(points["metric"] == metric) & (points["panel"] == panel)]
            if here.empty:
                axis.text(0.5, 0.5, "nothing was measured", transform=axis.transAxes, ha="center", color=GRID)
            for name, source in looks:
                curve = here[(here["series"] == name) & (here["source"] == source)]
                _draw_curve(axis, curve, kind, looks, (name, source), categories)
            _ticks(axis, here, log, categories and [label(_short(place)) for place in categories])
            axis.set(title=panel, ylabel=label(metric), xlabel=label(x))
            axis.title.set_fontsize(10)
        _legend(drawing, looks, kind)
    return drawing


def _draw_curve(
    axis: Axes, curve: DataFrame, kind: str, looks: list[Look], look: Look, categories: Sequence[Any] | None
) -> None:
    """Draw one series of ours or the paper's. Bars and points of several stand side by side around their category."""
    number, paper = list(dict.fromkeys(name for name, _ in looks)).index(look[0]), look[1] == PUBLISHED
    color = COLORS[number % len(COLORS)]
    ink = _ink(color, kind, paper)
    if categories is None:
        for height in curve[curve["x"].isna()]["y"]:  # a system without a size
            axis.axhline(height, color=color, ls=ink["ls"], alpha=0.5 if paper else 0.8, lw=1)
        curve = curve[curve["x"].notna()].sort_values("x")
        places = list(curve["x"])
    else:
        shift = 0.0 if kind == "lines" else (looks.index(look) - (len(looks) - 1) / 2) * 0.8 / len(looks)
        places = [categories.index(place) + shift for place in curve["x"]]
    heights, errors = list(curve["y"]), list(curve["ci95"]) if any(curve["ci95"]) else None
    if kind == "bars":
        axis.bar(places, heights, 0.72 / len(looks), yerr=errors, error_kw={"lw": 1, "ecolor": GRID}, lw=1.2, **ink)
    elif places:
        marker = MARKERS[number % len(MARKERS)] if len(places) <= 40 or kind == "points" else None
        ink |= {"marker": marker, "alpha": 0.65 if paper else 1.0, "zorder": 2 if paper else 3}
        axis.errorbar(places, heights, yerr=errors, lw=1.3, capsize=2.5, elinewidth=1, **ink)


def _ink(color: str, kind: str, paper: bool) -> dict[str, Any]:
    """Return how matplotlib draws a series: ours filled and solid, the paper's hollow and dashed."""
    face, line = ("none", "--") if paper else (color, "-")
    if kind == "bars":
        return {"facecolor": face, "edgecolor": color, "ls": line}
    return {"color": color, "ls": "none" if kind == "points" else line, "mfc": face, "ms": 5}


def _ticks(axis: Axes, here: DataFrame, log: str, categories: list[str] | None) -> None:
    """Write numbers at logarithmic axes, no powers: they are read faster. Sizes are written where they are."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

    if categories:
        long = max(map(len, categories)) * len(categories) > 40
        axis.set_xticks(range(len(categories)), categories, rotation=60 * long, ha="right" if long else "center")
    for name, side in (("x", axis.xaxis), ("y", axis.yaxis)) if len(here) else ():
        if name in log and not (name == "x" and categories):
            axis.set(**{f"{name}scale": "log"})
            side.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            side.set_major_formatter(FuncFormatter(lambda place, _: _short(place)))
            side.set_minor_locator(NullLocator())
    sizes = sorted(set(here["x"].dropna()))
    if not categories and 0 < len(sizes) <= MOST_TICKS:
        axis.xaxis.set_major_locator(FixedLocator(sizes))
        axis.xaxis.set_major_formatter(FuncFormatter(lambda place, _: _short(place)))
        axis.tick_params(axis="x", labelsize=8, rotation=60 * (len(sizes) > 4))
    if "y" not in log and all(float(value).is_integer() for value in here["y"]):
        axis.locator_params(axis="y", integer=True)  # no half language pairs


def _short(place: Any) -> str:
    """Return a category as it is called: 32000 is 32k."""
    if place is None or isinstance(place, str):
        return place or "–"
    return f"{place / 1000:g}k" if place >= 1000 else f"{place:g}"


def _legend(drawing: Drawing, looks: list[Look], kind: str) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    named, sources = (list(dict.fromkeys(look[side] for look in looks)) for side in (0, 1))
    shown = [(COLORS[n % len(COLORS)], MARKERS[n % len(MARKERS)], False, name) for n, name in enumerate(named) if name]
    shown += [(INK, MARKERS[0], name == PUBLISHED, name) for name in sources if len(sources) > 1]
    handles: list[Any] = []
    for color, marker, paper, name in shown:
        ink = _ink(color, kind, paper)
        handles.append(Patch(label=name, **ink) if kind == "bars" else Line2D([], [], marker=marker, label=name, **ink))
    if handles:
        widest = 0.6 + 0.085 * max(len(name) for *_, name in shown)  # inches, about
        columns = max(1, min(len(handles), int(drawing.get_figwidth() / widest)))
        drawing.legend(handles=handles, loc="outside upper center", ncols=columns)
