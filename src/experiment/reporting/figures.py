"""The report's figures."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from experiment.reporting.drawing import COLORS, DASHES, MARKERS, axes_grid, style
from experiment.scoring.metrics import METRICS
from experiment.scoring.piece_statistics import SIDES, SideStatistics
from experiment.scoring.scorebook import Row
from experiment.scoring.significance import mean_and_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PIECES = 8  # of a word, in histograms; the rest is one bar


def draw_scores(rows: Sequence[Row]) -> Figure:
    """Return a panel per metric: mean score of each segmentation on each test set, in one corpus, direction and model.

    Bars are standard errors over seeds; with one seed, the 95% bootstrap interval of the test set where there is one.
    Small dots are the seeds.
    """
    import matplotlib as mpl

    names = list(dict.fromkeys(row["segmentation"] for row in rows))
    testsets = list(dict.fromkeys(row["testset"] for row in rows))
    metrics = [metric for metric in METRICS if any(row["metric"] == metric for row in rows)]
    with mpl.rc_context(style()):
        figure, panels = axes_grid(len(metrics), 1, 4.6, 1.3 + 0.34 * len(names), sharey=True)
        offsets = [0.36 * (k + 0.5) / len(testsets) - 0.18 for k in range(len(testsets))]
        for axes, metric in zip(panels, metrics, strict=True):
            for k, testset in enumerate(testsets):
                shown = [row for row in rows if row["testset"] == testset and row["metric"] == metric]
                _draw_test_set(axes, shown, names, offsets[k], COLORS[k % 6], MARKERS[k % 7], testset)
            axes.set_xlabel(METRICS[metric].label + ("" if METRICS[metric].higher_is_better else " (lower is better)"))
        panels[0].set_yticks(range(len(names)), names)
        panels[0].set_ylim(len(names) - 0.5, -0.5)
        if len(testsets) > 1:
            handles, labels = panels[0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside upper center", ncols=len(testsets))
    return figure


def _draw_test_set(
    axes: Axes, rows: Sequence[Row], names: Sequence[str], offset: float, color: str, marker: str, label: str
) -> None:
    means, errors, places = [], [], []
    for place, name in enumerate(names):
        mine = [row for row in rows if row["segmentation"] == name]
        if not mine:
            continue
        mean, error = mean_and_error([row["score"] for row in mine])
        if len(mine) > 1:
            axes.plot([row["score"] for row in mine], [place + offset] * len(mine), ".", color=color, alpha=0.4, ms=4)
        means.append(mean)
        errors.append(error if error is not None else mine[0]["ci95"] or 0.0)
        places.append(place + offset)
        if mine[0]["baseline"] == name:
            axes.axvline(mean, color=color, lw=0.8, ls=":", zorder=0)
    axes.errorbar(means, places, xerr=errors, fmt=marker, color=color, ms=5, capsize=3, lw=1.2, label=label)


Curve = Sequence[Mapping[str, Any]]


def draw_curves(curves: Mapping[str, Sequence[Curve]]) -> Figure | None:
    """Return dev BLEU (where it was measured) and dev loss by update: a line for each seed of each segmentation.

    `curves` maps a segmentation to the points of its log.jsonl, one sequence for each seed. None when there are none.
    """
    import matplotlib as mpl

    labels = {"bleu": "BLEU on dev", "loss": "loss on dev (bits per piece)"}
    points = [point for seeds in curves.values() for curve in seeds for point in curve if point["split"] == "dev"]
    measures = [name for name in labels if any(point.get(name) is not None for point in points)]
    if not measures:
        return None
    with mpl.rc_context(style()):
        figure, panels = axes_grid(len(measures), 1, 4.6, 3.4)
        styles = list(itertools.product(DASHES, COLORS))
        for axes, measure in zip(panels, measures, strict=True):
            for index, (name, seeds) in enumerate(curves.items()):
                dashes, color = styles[index % len(styles)]
                for seed, curve in enumerate(seeds):
                    seen = [point for point in curve if point["split"] == "dev" and point.get(measure) is not None]
                    axes.plot(
                        [point["update"] for point in seen],
                        [point[measure] for point in seen],
                        dashes,
                        color=color,
                        lw=1.3,
                        alpha=1.0 if len(seeds) == 1 else 0.7,
                        label=name if seed == 0 else None,
                    )
            axes.set_xlabel("updates")
            axes.set_ylabel(labels[measure])
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper")
    return figure


def draw_histograms(statistics: Mapping[str, Mapping[str, SideStatistics]]) -> Figure | None:
    """Return a panel per segmentation: the share of word tokens of the training text that have 1, 2, 3, ... pieces."""
    import matplotlib as mpl

    found = {name: sides for name, sides in statistics.items() if any(sides[side].histogram for side in SIDES)}
    if not found:
        return None
    columns = min(4, len(found))
    with mpl.rc_context(style()):
        height = -(-len(found) // columns)
        figure, panels = axes_grid(columns, height, 2.4, 1.9, sharex=True, sharey=True)
        for axes, (name, sides) in zip(panels, found.items(), strict=False):
            for side, color, shift in zip(SIDES, COLORS, (-0.2, 0.2), strict=False):
                shares = _shares(sides[side].histogram)
                axes.bar([p + shift for p in range(1, MOST_PIECES + 1)], shares, 0.4, color=color, label=side)
            axes.set_title(name, fontsize=10)
        for axes in panels[len(found) :]:
            axes.set_visible(False)
        labels = [*map(str, range(1, MOST_PIECES)), f"{MOST_PIECES}+"]
        panels[0].set_xticks(range(1, MOST_PIECES + 1), labels)
        panels[0].set_ylim(0, 1)
        figure.supxlabel("pieces in a word", fontsize=10)
        figure.supylabel("share of words", fontsize=10)
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure


def _shares(histogram: Mapping[int, int]) -> list[float]:
    total = sum(histogram.values()) or 1
    counts = [histogram.get(pieces, 0) for pieces in range(1, MOST_PIECES)]
    return [count / total for count in [*counts, total - sum(counts) if histogram else 0]]
