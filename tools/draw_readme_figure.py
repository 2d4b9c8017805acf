"""Draw the figure of README.md: test scores of all segmentations, from the committed scores of the Multi30k run."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import pandas as pd

mpl.use("svg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parent.parent
SCORES = ROOT / "docs" / "reproductions" / "all-segmentations-cpu" / "scores.csv"
TARGET = ROOT / "docs" / "figures" / "all-segmentations.svg"
BASELINE = "bpe-1k"


def draw(scores: pd.DataFrame, target: Path) -> None:
    """Write the figure: each seed a point, each mean a line, the best segmentation on top."""
    chosen = scores[(scores["metric"] == "bleu") & (scores["testset"] == "test2016")]
    order = chosen.groupby("segmentation")["score"].mean().sort_values().index
    mpl.rcParams.update({"svg.hashsalt": "subword-lab", "font.size": 10, "svg.fonttype": "none"})
    figure, axes = plt.subplots(figsize=(7.2, 3.8), layout="constrained")
    for height, name in enumerate(order):
        found = chosen.loc[chosen["segmentation"] == name, "score"]
        colour = "#00695c" if name == BASELINE else "#607d8b"
        axes.plot(found, [height] * len(found), "o", color=colour, alpha=0.55, markersize=6)
        axes.plot([found.mean()] * 2, [height - 0.32, height + 0.32], color=colour, linewidth=2)
    mean = chosen.loc[chosen["segmentation"] == BASELINE, "score"].mean()
    axes.axvline(mean, color="#00695c", linewidth=0.8, linestyle=":")
    axes.set_yticks(range(len(order)), [name.removesuffix("-1k") for name in order])
    axes.set_xlabel("BLEU on test 2016 (points: seeds; lines: means)")
    axes.set_xlim(left=0)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    draw(pd.read_csv(SCORES), Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
