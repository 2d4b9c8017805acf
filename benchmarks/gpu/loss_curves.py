"""The loss curves of two trainings laid over each other, by updates and by time."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiment.reporting.drawing import COLORS, DASHES, axes_grid, save_figure, save_png, style


def draw(curves: Mapping[str, Sequence[Mapping[str, Any]]], folder: Path) -> None:
    """Write loss_curves.svg and .png: points are the dev set's loss, lines the training's, in bits a piece.

    Time is updates by the median time of an update, which leaves out starts, checkpoints and looks at the dev set.
    """
    import matplotlib as mpl

    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(style()):
        figure, (by_update, by_time) = axes_grid(2, 1, 4.6, 3.2, sharey=True)
        for number, (name, points) in enumerate(curves.items()):
            per_update = seconds_per_update(points)
            look: dict[str, Any] = {"color": COLORS[number], "linestyle": DASHES[number]}
            for axes, scale in ((by_update, 1.0), (by_time, per_update)):
                for split, marks in (("train", {}), ("dev", {"marker": "o", "linestyle": "none"})):
                    shown = [point for point in points if point["split"] == split]
                    axes.plot(
                        [point["update"] * scale for point in shown],
                        [point["nll_loss"] for point in shown],
                        **(look | marks),
                        label=name if split == "train" else None,
                    )
        by_update.set_xlabel("updates")
        by_time.set_xlabel("seconds")
        by_update.set_ylabel("cross-entropy (bits a piece)")
        by_update.legend()
    save_figure(figure, folder / "loss_curves.svg")
    save_png(figure, folder / "loss_curves.png")


def seconds_per_update(points: Sequence[Mapping[str, Any]]) -> float:
    """Return the median over a curve's training points; where training was resumed, its clock starts anew."""
    train = [point for point in points if point["split"] == "train"]
    steps = [
        (after["seconds"] - before["seconds"]) / (after["update"] - before["update"])
        for before, after in itertools.pairwise(train)
        if after["seconds"] > before["seconds"]
    ]
    # fairseq's clock has whole seconds: where all points fall into one, the mean since the start is what is left.
    return statistics.median(steps) if steps else train[-1]["seconds"] / train[-1]["update"]
