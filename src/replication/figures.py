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

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from experiment.reporting.drawing import COLORS, GRID, INK, MARKERS, axes_grid, style
from replication.measurements import NUMBERS, WHOLE_NUMBERS, comparable, listed, matching, without_size
from replication.tables import Frames, sources, summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Drawing
    from pandas import DataFrame, Series

#: What series and panels may be beside columns: a segmentation's name without its size (bpe-2k, bpe-32k: bpe).
SYSTEM = "system"
#: How metrics are written.
NAMES = {"bleu": "BLEU", "chrf": "chrF", "comet": "COMET", "f95": "F95", "mu": "μ", "nu": "ν"}
OURS, PUBLISHED = "ours", "paper"
#: Most panels in a row; more than that, and metrics stand side by side and panels one below the other.
MOST_IN_A_ROW = 4
#: How far apart the marks of two series are at the same x, and ours and the paper's, in points.
STEP, HALF_STEP = 9.0, 4.0


class PaperFigure(NamedTuple):
    """A paper's figure: what is above it, what its numbers come from, and the function that draws it."""

    title: str
    needs: tuple[str, ...]
    draw: Callable[[DataFrame, Frames], Drawing]

    @property
    def note(self) -> str:
        """The sentences below the figure: the function's docstring."""
        return " ".join((self.draw.__doc__ or "").split())


def figure(title: str, needs: str | Sequence[str] = "scores") -> Callable[..., PaperFigure]:
    """Return the decorator that makes a figure of a function. `needs` names measures, or `scores`."""
    return lambda draw: PaperFigure(title, sources(needs), draw)


def curves(
    measured: DataFrame,
    x: str,
    y: Sequence[str],
    series: Sequence[str] = (),
    panels: Sequence[str] = (),
    label: Callable[[str], str] = str,
    source: str = OURS,
) -> DataFrame:
    """Return what is drawn: means over seeds (`y`, `error`) by panel, metric, series and x, as they first come.

    Raises InputError where a point would be a mean of different things (see `tables.summary`).
    """
    import pandas

    rows = measured[measured["metric"].isin(y) & measured["value"].notna()]
    rows = comparable(rows, {x, *series, *panels})
    if x != "size":
        rows = rows[rows[x].notna() & (rows[x] != "").fillna(False)]

    def labels(columns: Sequence[str]) -> Series[str]:
        texts = [without_size(rows["segmentation"]) if name == SYSTEM else rows[name] for name in columns]
        shown = [["" if pandas.isna(each) else label(str(each)) for each in text] for text in texts]
        joined = [" ".join(filter(None, parts)) for parts in zip(*shown, strict=True)] if shown else ""
        return pandas.Series(joined, index=rows.index, dtype=object)

    keys = [labels(panels), rows["metric"], labels(series), rows[x]]
    points: list[tuple[Any, ...]] = []
    place: Any
    for (panel, metric, name, place), group in rows.groupby(keys, sort=False, dropna=False):  # type: ignore[misc]
        ours = summary(group, f"{metric} {panel} {name} at {x} {place} ({source})")
        if ours.number is not None:
            known = None if pandas.isna(place) else place
            points.append((panel, metric, name, source, known, ours.number, ours.error or 0.0))
    return pandas.DataFrame(points, columns=["panel", "metric", "series", "source", "x", "y", "error"], dtype=object)


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
    import pandas

    def label(name: str) -> str:
        return str((labels or {}).get(name) or NAMES.get(name) or name.replace("_", " "))

    found = [
        curves(matching(each, **(where or {})), x, listed(y), listed(series), listed(panels), label, source)
        for each, source in ((ours, OURS), (printed, PUBLISHED))
        if each is not None
    ]
    points = pandas.concat(found, ignore_index=True)
    names, colours = list(dict.fromkeys(points["panel"])) or [""], list(dict.fromkeys(points["series"]))
    numeric = kind != "bars" and x in (*NUMBERS, *WHOLE_NUMBERS)
    categories = [] if numeric else _categories(points["x"], x, label)
    if not numeric:
        points["x"] = [_category(place, label) for place in points["x"]]
    places = [(metric, panel) for metric in listed(y) for panel in names]
    columns = len(names)
    if len(listed(y)) == 1 or len(names) == 1:
        columns = min(len(places), MOST_IN_A_ROW)
    elif len(names) > MOST_IN_A_ROW:
        places = [(metric, panel) for panel in names for metric in listed(y)]
        columns = len(listed(y))
    both = points["source"].nunique() == 2
    bars = len(categories) * max(1, len(colours)) * (1 + both) if kind == "bars" else 0
    width = max(4.6 if columns < 3 else 3.3, 0.3 * len(categories), 0.16 * bars)
    with mpl.rc_context(style()):
        drawing, axes = axes_grid(columns, -(-len(places) // columns), width, 3.3 if columns < 3 else 2.6)
        for axis, (metric, panel) in zip(axes, places, strict=False):
            here = points[(points["metric"] == metric) & (points["panel"] == panel)]
            _draw_panel(axis, here, kind, log if numeric else log.replace("x", ""), colours, categories)
            if numeric and x in WHOLE_NUMBERS and len(here):
                _size_ticks(axis.xaxis, sorted(set(map(float, here["x"].dropna()))))
            axis.set_title(panel, fontsize=10)
            axis.set_ylabel(label(metric))
            axis.set_xlabel(label(x))
        for axis in axes[len(places) :]:
            axis.set_visible(False)
        _legend(drawing, colours, kind, both)
    return drawing


def _category(place: Any, label: Callable[[str], str]) -> str:
    return "–" if place is None else label(place) if isinstance(place, str) else f"{place:g}"


def _categories(places: Series[Any], x: str, label: Callable[[str], str]) -> list[str]:
    """Return the places of a categorical x: numbers by size, names in the order in which they first come."""
    found = list(dict.fromkeys(places))
    if x in (*NUMBERS, *WHOLE_NUMBERS):
        found.sort(key=lambda place: -1 if place is None else place)
        found = [place for place in found if place is not None] + [None] * (None in found)
    return [_category(place, label) for place in found]


def _draw_panel(
    axis: Axes, here: DataFrame, kind: str, log: str, series: Sequence[str], categories: Sequence[str]
) -> None:
    if here.empty:
        axis.text(0.5, 0.5, "nothing was measured", transform=axis.transAxes, ha="center", va="center", color=GRID)
        axis.set_xticks([])
        axis.set_yticks([])
        return
    if kind == "bars":
        _draw_bars(axis, here, series, categories)
    else:
        for (name, source), curve in here.groupby(["series", "source"], sort=False):
            _draw_curve(axis, curve, kind, series.index(str(name)), len(series), str(source), categories)
    if "x" in log:
        axis.set_xscale("log")
        _size_ticks(axis.xaxis, [])
    if "y" in log:
        axis.set_yscale("log")
        _size_ticks(axis.yaxis, [])
    elif all(float(value).is_integer() for value in here["y"]):
        axis.locator_params(axis="y", integer=True)  # no half language pairs
    if categories:
        long = max(map(len, categories)) * len(categories) > 40
        axis.set_xticks(range(len(categories)), categories, rotation=60 * long, ha="right" if long else "center")
        axis.set_xlim(-0.6, len(categories) - 0.4)


def _size_ticks(axis: Axis, places: list[float]) -> None:
    """Write numbers at a logarithmic axis, no powers: they are read faster. Sizes are written where they are."""
    from matplotlib.ticker import EngFormatter, FixedLocator, LogLocator, NullLocator

    axis.set_major_locator(FixedLocator(places) if places else LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(EngFormatter(sep=""))
    axis.set_minor_locator(NullLocator())
    if places:
        axis.set_tick_params(labelsize=8, rotation=60 * (len(places) > 4))


def _look(index: int, paper: bool) -> dict[str, Any]:
    """Return the colours of a series' bars."""
    color = COLORS[index % len(COLORS)]
    return {"facecolor": "none" if paper else color, "edgecolor": color, "ls": "--" if paper else "-"}


def _draw_bars(axis: Axes, here: DataFrame, series: Sequence[str], categories: Sequence[str]) -> None:
    """Draw the bars of each category side by side around its place: by series, ours before the paper's."""
    width = 0.8 / here["x"].value_counts().max()
    for place, category in enumerate(categories):
        beside = here[here["x"] == category]
        order = sorted(beside.to_dict("records"), key=lambda bar: (series.index(bar["series"]), bar["source"]))
        for n, bar in enumerate(order):
            look = _look(series.index(bar["series"]), bar["source"] == PUBLISHED)
            axis.bar(
                place + width * (n - (len(order) - 1) / 2),
                bar["y"],
                width * 0.9,
                lw=1.2,
                yerr=bar["error"] or None,
                error_kw={"lw": 1, "ecolor": GRID},
                **look,
            )


def _draw_curve(
    axis: Axes, curve: DataFrame, kind: str, index: int, number: int, source: str, categories: Sequence[str]
) -> None:
    from matplotlib.transforms import ScaledTranslation

    color, paper = COLORS[index % len(COLORS)], source == PUBLISHED
    for height in curve[curve["x"].isna()]["y"]:  # a system without a size
        axis.axhline(height, color=color, ls="--" if paper else "-", alpha=0.5 if paper else 0.8, lw=1)
    points = curve[curve["x"].notna()]
    if points.empty:
        return
    places = [float(categories.index(place)) if categories else float(place) for place in points["x"]]
    order = sorted(range(len(places)), key=places.__getitem__) if not categories else range(len(places))
    places = [places[n] for n in order]
    heights, errors = ([float(points[name].iloc[n]) for n in order] for name in ("y", "error"))
    move = axis.transData
    if kind == "points":
        shift = STEP * (index - (number - 1) / 2) + (HALF_STEP if paper else 0)
        move += ScaledTranslation(shift / 72, 0, axis.get_figure().dpi_scale_trans)  # type: ignore[union-attr]
        # The axes' limits follow what is not moved: nothing to be seen, where the bars end.
        for sign in (-1, 1):
            axis.plot(places, [height + sign * error for height, error in zip(heights, errors, strict=True)], ls="none")
        axis.margins(x=0.02 * number + 0.08)
    axis.errorbar(
        places,
        heights,
        yerr=errors if any(errors) else None,
        color=color,
        ls="none" if kind == "points" else "--" if paper else "-",
        marker=MARKERS[index % len(MARKERS)] if len(places) <= 40 or kind == "points" else None,
        ms=5,
        mfc="none" if paper else color,
        alpha=0.65 if paper else 1.0,
        lw=1.3,
        capsize=2.5,
        elinewidth=1,
        zorder=2 if paper else 3,
        transform=move,
    )


def _legend(drawing: Drawing, series: Sequence[str], kind: str, both: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    looks = [(COLORS[n % len(COLORS)], MARKERS[n % len(MARKERS)], False, name) for n, name in enumerate(series) if name]
    looks += [(INK, MARKERS[0], paper, PUBLISHED if paper else OURS) for paper in (False, True) if both]
    handles: list[Any] = []
    for color, marker, paper, name in looks:
        face, line = "none" if paper else color, "--" if paper else "-"
        if kind == "bars":
            handles.append(Patch(facecolor=face, edgecolor=color, ls=line, label=name))
        else:
            line = "none" if kind == "points" else line
            handles.append(Line2D([], [], color=color, ls=line, marker=marker, mfc=face, ms=5, label=name))
    if handles:
        widest = 0.6 + 0.085 * max(len(name) for *_, name in looks)  # inches, about
        columns = max(1, min(len(handles), int(drawing.get_figwidth() / widest)))
        drawing.legend(handles=handles, loc="outside upper center", ncols=columns)
