"""How many symbols (pieces) the words of the training text have: `symbols_share`, the share of running words by number.

Option: `language`, the side that is counted (left out: the pair's first). `symbols_most` is the largest number that any
word has, in any segmentation of an algorithm. Of a joint segmentation, also `vocabulary`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from experiment.jsonfiles import read_json
from experiment.layout import segmentation_folder
from experiment.runs import directions_of

if TYPE_CHECKING:
    from papers.inputs import Inputs


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the shares for every segmentation of the grids; `x` is the number of symbols, from 1 without gaps."""
    order = list(inputs.experiment.segmentations)
    most: dict[tuple[str, str], int] = {}
    for corpus, pair, folder in sorted(
        inputs.segmented, key=lambda place: order.index(inputs.graph.segmentation_of(place[2]).name)
    ):
        statistics = read_json(f"{segmentation_folder(corpus, pair, folder)}/stats.json")
        side = statistics[options.get("language") or pair.split("-")[0]]
        keys = inputs.segmentation_keys(corpus, folder)
        found = shares(side["pieces_per_word_histogram"])
        for symbols, share in found.items():
            yield keys | {"metric": "symbols_share", "x": symbols, "value": share}
        system = keys["corpus"], keys["algorithm"]
        most[system] = max([most.get(system, 0), *found])
        if inputs.graph.segmentation_of(folder).joint:
            for direction in directions_of(pair, inputs.experiment.settings["directions"]):
                yield keys | {"direction": direction, "metric": "vocabulary", "value": side["size_reached"]}
    for (corpus, algorithm), symbols in most.items():
        yield {"corpus": corpus, "algorithm": algorithm, "metric": "symbols_most", "value": symbols}


def shares(histogram: Mapping[str, int]) -> dict[int, float]:
    """Return number of symbols -> share of the words, up to the largest number that there is.

    >>> shares({"1": 6, "3": 2})
    {1: 0.75, 2: 0.0, 3: 0.25}
    """
    counts = {int(symbols): words for symbols, words in histogram.items()}
    total = sum(counts.values())
    return {symbols: counts.get(symbols, 0) / total for symbols in range(1, max(counts, default=0) + 1)}
