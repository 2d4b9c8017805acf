"""How many merges each segmentation learned, above all one that chose the number by itself; for each direction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.jsonfiles import read_json
from experiment.layout import segmentation_folder
from experiment.runs import directions_of

if TYPE_CHECKING:
    from papers.inputs import Inputs


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield `merges` of every segmentation and direction: both directions of a pair share a joint one.

    Options: `segmentations`, names to be measured [all].
    """
    wanted = options.get("segmentations")
    for corpus, pair, folder in inputs.segmented:
        keys = inputs.segmentation_keys(corpus, folder)
        if wanted is not None and keys["segmentation"] not in wanted:
            continue
        stats = read_json(Path(f"{segmentation_folder(corpus, pair, folder)}/stats.json"))
        for direction in directions_of(pair, inputs.experiment.settings["directions"]):
            # Not joint, the two sides have models of their own: the source's is meant.
            reached = stats[direction.split("-")[0]]["size_reached"]
            yield keys | {"direction": direction, "metric": "merges", "value": reached}
