"""Segmenters as the pipeline left them, and which BPE was the best."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from experiment.jsonfiles import read_json
from papers.selection import comparable, matching
from subwords import registry
from subwords.segmenter import Segmenter

if TYPE_CHECKING:
    from pandas import DataFrame


#: In a paper's file, the BPE with the best BLEU of a direction.
BEST = "best bpe"


def load(folder: Path, language: str) -> Segmenter:
    """Return the segmenter of one language from the folder that scripts/segment.py wrote."""
    record = read_json(folder / "segmentation.json")
    options = read_json(folder / f"encode.{language}.json")
    return registry.find(record["algorithm"]).load(folder / f"model.{language}", **options)


def best_segmentations(scores: DataFrame, algorithm: str = "bpe") -> dict[tuple[str, str], str]:
    """Return (corpus, direction) -> the segmentation of this algorithm with the highest mean BLEU over seeds.

    On the test set, as Vilar and Federico 2021 chose the BPE that S-BPE is compared with. Of equals the smallest.
    """
    bleu = comparable(matching(scores, {"metric": "bleu", "algorithm": algorithm}))
    means = bleu.groupby(["corpus", "direction", "segmentation"], sort=False).agg({"value": "mean", "size": "first"})
    means = means.reset_index().sort_values(["value", "size"], ascending=[False, True], kind="stable")
    best = means.drop_duplicates(["corpus", "direction"])
    return {(str(row["corpus"]), str(row["direction"])): str(row["segmentation"]) for _, row in best.iterrows()}
