"""`vocabulary` of joint segmentations: the pieces that source and target together have in the training text.

It is measured in each direction that the experiment has of a pair, because papers print it in either one's rows. A
published number without a direction is held against the one number that they share.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from experiment.layout import segmentation_folder
from experiment.runs import directions_of
from papers.measures.marginal_utility import piece_counts

if TYPE_CHECKING:
    from papers.inputs import Inputs


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the size of every joint vocabulary of the grids; others have none."""
    for corpus, pair, folder in inputs.segmented:
        if not inputs.graph.segmentation_of(folder).joint:
            continue
        size = vocabulary(corpus, pair, folder)
        for direction in directions_of(pair, inputs.experiment.settings["directions"]):
            yield inputs.segmentation_keys(corpus, folder) | {
                "direction": direction,
                "metric": "vocabulary",
                "value": size,
            }


def vocabulary(corpus: str, pair: str, folder: str) -> int:
    """Return the number of different pieces on both sides of the training text of a segmentation."""
    place = segmentation_folder(corpus, pair, folder)
    return len(piece_counts(f"{place}/train.{language}" for language in pair.split("-")))
