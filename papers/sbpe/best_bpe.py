"""The BPE with the best BLEU of each direction, chosen on the test set as by Vilar and Federico 2021."""

from __future__ import annotations

from pandas import DataFrame

from replication.measurements import comparable, matching

#: In the paper's experiment.yaml, the BPE with the best BLEU of a direction.
BEST = "best bpe"


def best_segmentations(scores: DataFrame) -> dict[tuple[str, str], str]:
    """Return (corpus, direction) -> the BPE with the highest mean BLEU over seeds.

    Of equals the smallest.
    """
    bleu = comparable(matching(scores, metric="bleu", algorithm="bpe"))
    means = bleu.groupby(["corpus", "direction", "segmentation"], sort=False).agg({"value": "mean", "size": "first"})
    means = means.reset_index().sort_values(["value", "size"], ascending=[False, True], kind="stable")
    best = means.drop_duplicates(["corpus", "direction"])
    return {(str(row["corpus"]), str(row["direction"])): str(row["segmentation"]) for _, row in best.iterrows()}
