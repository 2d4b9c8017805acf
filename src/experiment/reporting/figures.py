"""The report's figures."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from experiment.reporting.drawing import COLORS, DASHES, GRID, MARKERS, axes_grid, styled
from experiment.scoring.contrasts import Interval
from experiment.scoring.metrics import METRICS
from experiment.scoring.piece_statistics import PieceStatistics
from experiment.scoring.prediction import MEASURES
from experiment.scoring.scorebook import Row, by_algorithm
from experiment.scoring.significance import mean_and_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PIECES = 8  # of a word, in histograms; the rest is one bar
MOST_LINES = 10  # more algorithms in one panel cannot be told apart
MOST_TICKS = 8  # one for each size; of more, labels overlap


def draw_scores(rows: Sequence[Row]) -> Figure:
    """Return a panel per metric: mean score of each segmentation on each test set, in one corpus, direction and model.

    Bars are 95% t intervals over seeds; with one seed, the 95% bootstrap interval of the test set where there is one.
    Small dots are the seeds.
    """
    names = list(dict.fromkeys(row["segmentation"] for row in rows))
    testsets = list(dict.fromkeys(row["testset"] for row in rows))
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    with styled():
        figure, panels = axes_grid(len(metrics), min(2, len(metrics)), 4.6, 1.3 + 0.34 * len(names), sharey=True)
        offsets = [0.36 * (k + 0.5) / len(testsets) - 0.18 for k in range(len(testsets))]
        for axes, metric in zip(panels, metrics, strict=True):
            for k, testset in enumerate(testsets):
                shown = [row for row in rows if row["testset"] == testset and row["metric"] == metric]
                color, marker = COLORS[k % len(COLORS)], MARKERS[k % len(MARKERS)]
                _draw_test_set(axes, shown, names, offsets[k], color, marker, testset)
            axes.set_xlabel(METRICS[metric].label + ("" if METRICS[metric].higher_is_better else " (lower is better)"))
        panels[0].set_yticks(range(len(names)), names)
        panels[0].set_ylim(len(names) - 0.5, -0.5)
        if len(testsets) > 1:
            _add_legend(figure, panels, columns=len(testsets))
    return figure


def _draw_test_set(
    axes: Axes, rows: Sequence[Row], names: Sequence[str], offset: float, color: str, marker: str, label: str
) -> None:
    means, errors, places = [], [], []
    for place, name in enumerate(names):
        mine = [row for row in rows if row["segmentation"] == name]
        if not mine:
            continue
        mean, error = mean_and_interval([row["score"] for row in mine])
        if len(mine) > 1:
            axes.plot([row["score"] for row in mine], [place + offset] * len(mine), ".", color=color, alpha=0.4, ms=4)
        means.append(mean)
        errors.append(error if error is not None else mine[0]["ci95"] or 0.0)
        places.append(place + offset)
        if mine[0]["baseline"] == name:
            axes.axvline(mean, color=color, lw=0.8, ls=":", zorder=0)
    axes.errorbar(means, places, xerr=errors, fmt=marker, color=color, ms=5, capsize=3, lw=1.2, label=label)


def draw_effects(panels: Mapping[str, Mapping[str, Mapping[str, Interval]]], label: str) -> Figure:
    """Return differences with their 95% intervals: title of a panel -> series -> name -> difference.

    Names are from above to below, in the order in which they first occur; `label` says what is on the axis.
    """
    names = list(dict.fromkeys(name for series in panels.values() for effects in series.values() for name in effects))
    with styled():
        figure, grid = axes_grid(len(panels), len(panels), 3.4, 1.3 + 0.36 * len(names), sharex=True, sharey=True)
        for axes, (title, series) in zip(grid, panels.items(), strict=True):
            axes.axvline(0, color=GRID, lw=0.8, ls=":", zorder=0)
            for k, (said, effects) in enumerate(series.items()):
                places = [names.index(name) + 0.24 * (k - (len(series) - 1) / 2) for name in effects]
                values = [each.value for each in effects.values()]
                errors = [[e.value - e.low for e in effects.values()], [e.high - e.value for e in effects.values()]]
                axes.errorbar(values, places, xerr=errors, fmt=MARKERS[k], color=COLORS[k], ms=5, capsize=3, label=said)
            axes.set_title(title)
            axes.set_xlabel(label)
        grid[0].set_yticks(range(len(names)), names)
        grid[0].set_ylim(len(names) - 0.5, -0.5)
        if (most := max(map(len, panels.values()))) > 1:
            _add_legend(figure, grid, columns=most)
    return figure


def draw_sweep(rows: Sequence[Row], columns: Sequence[tuple[str, str]] | None = None) -> Figure | None:
    """Return score against what was measured of the pieces: a line an algorithm, from its smallest size to its largest.

    A panel for each measure (`prediction.MEASURES`) and each test set and metric, or those of `columns`. Entries are
    those really in the training text, not the size asked for. Bars are 95% t intervals over seeds; one that is much
    longer than the others leaves the panel. An algorithm without sizes is one point. None where no algorithm has two
    sizes, or where nothing was measured of any.
    """
    algorithms = by_algorithm(rows)
    measures = [name for name in MEASURES if any(row[name] is not None for row in rows)]
    sizes = [{runs[0]["size"] for runs in systems.values()} - {None} for systems in algorithms.values()]
    if not measures or all(len(each) < 2 for each in sizes):
        return None
    columns = columns or list(dict.fromkeys((row["testset"], row["metric"]) for row in rows))
    with styled():
        number = len(measures) * len(columns)
        across = len(measures) if len(columns) > 1 else 2 if len(measures) == 4 else min(3, len(measures))
        shared = "col" if across == len(measures) else False
        figure, panels = axes_grid(number, across, 5.0 if across == 2 else 3.6, 3.2, sharey="row", sharex=shared)
        drawn: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for place, axes in enumerate(panels):
            (testset, metric), measure = columns[place // len(measures)], measures[place % len(measures)]
            styles = zip(algorithms.items(), _line_styles(), itertools.cycle(MARKERS), strict=False)
            for (name, systems), (dashes, color), marker in styles:
                if points := _points(systems.values(), measure, testset, metric):
                    xs, means, widths = zip(*points, strict=True)
                    look: dict[str, Any] = {"fmt": marker, "ls": dashes, "color": color, "label": name}
                    look["mfc"] = color if dashes == DASHES[0] else "none"
                    axes.errorbar(xs, means, widths, capsize=2, ms=4, lw=1.2, elinewidth=0.8, **look)
                    drawn.setdefault((testset, metric), []).extend(zip(means, widths, strict=True))
            if measure == "vocabulary":
                _count_on_log_scale(axes, set().union(*sizes))
            if place % across == 0:
                axes.set_ylabel(f"{METRICS[metric].label} on {testset}")
            if (testset, metric) == columns[-1]:
                axes.set_xlabel(MEASURES[measure])
        for place, axes in enumerate(panels):
            if shown := drawn.get(columns[place // len(measures)]):
                axes.set_ylim(*_limits(shown))
        _add_legend(figure, panels, columns=6)
    return figure


def _limits(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return limits that hold all means, and bars of up to four times the median length, with a margin."""
    longest = 4 * statistics.median(width for _, width in points)
    low = min(mean - min(width, longest) for mean, width in points)
    high = max(mean + min(width, longest) for mean, width in points)
    margin = 0.05 * (high - low) or 1.0
    return low - margin, high + margin


def draw_algorithms(rows: Sequence[Row], testset: str, metric: str) -> Figure | None:
    """Return a panel for each algorithm of a sweep: score against entries in the vocabulary, in front of all others.

    The dashed line is that of the baseline's algorithm, where baselines have one. Bars are 95% t intervals over seeds.
    None where one panel can show all algorithms (`draw_sweep`), or where none has two sizes.
    """
    algorithms = by_algorithm(rows)
    every = {name: _points(systems.values(), "vocabulary", testset, metric) for name, systems in algorithms.items()}
    found = {name: points for name, points in every.items() if points}
    if len(found) <= MOST_LINES or all(len(points) < 2 for points in found.values()):
        return None
    baselines = {row["baseline"] for row in rows}
    compared = [name for name, systems in algorithms.items() if baselines & {*systems}]
    reference = compared[0] if len(compared) == 1 and compared[0] in found else None
    with styled():
        figure, panels = axes_grid(len(found), 6, 1.8, 1.5, sharex=True, sharey=True)
        for axes, (name, points) in zip(panels, found.items(), strict=True):
            lines = {other: list(zip(*each, strict=True))[:2] for other, each in found.items()}
            for line in lines.values():
                axes.plot(*line, marker=".", ms=3, lw=0.8, color=GRID, alpha=0.35, zorder=1)
            if reference is not None and name != reference:
                axes.plot(*lines[reference], "--", lw=1, color=COLORS[1], zorder=2)
            xs, means, widths = zip(*points, strict=True)
            axes.errorbar(xs, means, widths, fmt="o-", ms=3.5, lw=1.3, capsize=2, color=COLORS[0], zorder=3)
            axes.set_title(name, fontsize=9)
            axes.tick_params(labelsize=8)
            _count_on_log_scale(axes)
        figure.supxlabel("entries in the vocabulary", fontsize=9)
        figure.supylabel(f"{METRICS[metric].label} on {testset}", fontsize=9)
    return figure


def _points(
    systems: Iterable[Sequence[Row]], measure: str, testset: str, metric: str
) -> list[tuple[float, float, float]]:
    """Return measure, mean score and half of its interval of each system of an algorithm, in the order of sizes."""
    found = []
    for rows in sorted(systems, key=lambda rows: rows[0]["size"] or 0):
        mine = [row for row in rows if (row["testset"], row["metric"]) == (testset, metric)]
        if mine and all(row[measure] is not None for row in mine):
            mean, width = mean_and_interval([row["score"] for row in mine])
            found.append((_mean([row[measure] for row in mine]), mean, width or 0.0))
    return found


def _count_on_log_scale(axes: Axes, sizes: Collection[int] = ()) -> None:
    """Draw counts on a log scale, with a tick for each of the sizes that were asked for, if they are few."""
    from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter

    axes.set_xscale("log")
    many = LogLocator(subs=(1, 2, 5) if sizes else (1,))
    axes.xaxis.set_major_locator(FixedLocator(sorted(sizes)) if 0 < len(sizes) <= MOST_TICKS else many)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_minor_formatter(NullFormatter())


Curve = Sequence[Mapping[str, Any]]
#: A run's curve, and what its last update had cost: floating-point operations, or None where not known.
CostedCurve = tuple[Curve, float | None]


def draw_curves(curves: Mapping[str, Sequence[CostedCurve]]) -> Figure | None:
    """Return dev BLEU (where it was measured) and dev loss against updates, minutes and PFLOP: a line for each seed.

    `curves` maps a segmentation to the points of its log.jsonl, one sequence for each seed. Rows of panels are
    measures, columns are costs. None when there are no points.
    """
    measures = {"bleu": "BLEU on dev", "loss": "loss on dev (bits per piece)"}
    costs = {"update": "updates", "minutes": "minutes", "pflop": "PFLOP (estimate)"}
    seen = {name: [_costed(curve, flops) for curve, flops in seeds] for name, seeds in curves.items()}
    points = [point for seeds in seen.values() for curve in seeds for point in curve]
    measures = {name: label for name, label in measures.items() if any(p.get(name) is not None for p in points)}
    costs = {name: label for name, label in costs.items() if any(p.get(name) is not None for p in points)}
    if not measures:
        return None
    with styled():
        figure, panels = axes_grid(len(costs) * len(measures), len(costs), 3.4, 2.9, sharey="row", sharex="col")
        for axes, (measure, cost) in zip(panels, itertools.product(measures, costs), strict=True):
            for (name, seeds), (dashes, color) in zip(seen.items(), _line_styles(), strict=False):
                for curve in seeds:
                    known = [p for p in curve if p.get(measure) is not None and p.get(cost) is not None]
                    xs, ys = [p[cost] for p in known], [p[measure] for p in known]
                    axes.plot(xs, ys, dashes, color=color, lw=1.3, alpha=0.8, label=name)
            axes.locator_params(axis="x", nbins=4)
            if cost == "update":
                axes.set_ylabel(measures[measure])
            if measure == list(measures)[-1]:
                axes.set_xlabel(costs[cost])
        _add_legend(figure, panels, columns=4)
    return figure


def _costed(curve: Curve, flops: float | None) -> list[dict[str, Any]]:
    """Return the points on the dev set with minutes and PFLOP; operations grow in proportion to updates."""
    last = max((point["update"] for point in curve), default=0)
    return [
        {
            **point,
            "minutes": None if point.get("seconds") is None else point["seconds"] / 60,
            "pflop": None if not (flops and last) else flops * point["update"] / last / 1e15,
        }
        for point in curve
        if point["split"] == "dev"
    ]


def _add_legend(figure: Figure, panels: Iterable[Axes], columns: int) -> None:
    """Name everything that the panels draw, each name once, above them."""
    drawn = (zip(*axes.get_legend_handles_labels(), strict=True) for axes in panels)
    named = {label: handle for handle, label in itertools.chain.from_iterable(drawn)}
    figure.legend(named.values(), named, loc="outside upper center", ncols=columns)


def _line_styles() -> Iterator[tuple[str, str]]:
    return itertools.cycle(itertools.product(DASHES, COLORS))


WordClasses = Mapping[str, Mapping[str, float | None]]


def draw_words(found: Mapping[str, Sequence[WordClasses]]) -> Figure | None:
    """Return F1 of words by their frequency in the training text: a line a segmentation, the mean over its seeds.

    `found` maps a segmentation to the `words_by_frequency` of its runs. Words that training has not seen (class 0)
    have recall only, because no translation can avoid false ones. A class without words in the references has no point.
    None when there are none.
    """
    classes = list(next((runs[0] for runs in found.values() if runs), ()))
    if not classes:
        return None
    with styled():
        figure, (axes,) = axes_grid(1, 1, 7.2, 3.4)
        for (name, runs), (dashes, color) in zip(found.items(), _line_styles(), strict=False):
            means = []
            for each in classes:
                values = [run[each]["recall" if each == "0" else "f1"] for run in runs if run[each]["words"]]
                means.append(_mean([value for value in values if value is not None]))
            axes.plot(range(len(classes)), means, dashes, marker="o", ms=4, lw=1.3, color=color, label=name)
        labels = ["unseen\n(recall)" if each == "0" else each for each in classes]
        axes.set_xticks(range(len(classes)), labels)
        axes.set_xlabel("occurrences of the word in the training text")
        axes.set_ylabel("F1 of words (%)")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")
    return figure


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def draw_histograms(statistics: Mapping[str, PieceStatistics]) -> Figure | None:
    """Return a panel per segmentation: the share of word tokens of the training text that have 1, 2, 3, ... pieces."""
    found = {n: each.sides for n, each in statistics.items() if any(side.histogram for side in each.sides.values())}
    if not found:
        return None
    with styled():
        figure, panels = axes_grid(len(found), min(4, len(found)), 2.4, 1.9, sharex=True, sharey=True)
        for axes, (name, sides) in zip(panels, found.items(), strict=True):
            for (side, measured), color, shift in zip(sides.items(), COLORS, (-0.2, 0.2), strict=False):
                shares = _shares(measured.histogram)
                axes.bar([p + shift for p in range(1, MOST_PIECES + 1)], shares, 0.4, color=color, label=side)
            axes.set_title(name, fontsize=10)
        labels = [*map(str, range(1, MOST_PIECES)), f"{MOST_PIECES}+"]
        panels[0].set_xticks(range(1, MOST_PIECES + 1), labels)
        panels[0].set_ylim(0, 1)
        figure.supxlabel("pieces in a word", fontsize=10)
        figure.supylabel("share of words", fontsize=10)
        _add_legend(figure, panels, columns=2)
    return figure


def _shares(histogram: Mapping[int, int]) -> list[float]:
    total = sum(histogram.values()) or 1
    counts = [histogram.get(pieces, 0) for pieces in range(1, MOST_PIECES)]
    return [count / total for count in [*counts, total - sum(counts) if histogram else 0]]
