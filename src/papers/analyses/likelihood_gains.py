"""What each merge of S-BPE gained in log-likelihood, as a curve, and where the stopping rule ends it.

The gains are delta of Eq. 7 in nats, which learning wrote down merge by merge; `likelihood_gain_mean` is their mean
over the last `window` merges as a share of the first gain, which is what the rule compares with k (section 4.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.jsonfiles import read_json_lines
from experiment.layout import segmentation_folder

if TYPE_CHECKING:
    from papers.inputs import Inputs

#: Points of a curve: as far apart as a logarithmic axis shows them.
POINTS = 300


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield one curve a corpus.

    Options: `segmentations` (of these the first that a corpus has: more merges make a longer curve), `window` [5].
    """
    learned = {(corpus, folder): pair for corpus, pair, folder in inputs.segmented}
    for corpus in dict.fromkeys(corpus for corpus, _ in learned):
        folder = next((name for name in options["segmentations"] if (corpus, name) in learned), None)
        if folder is None:
            continue
        pair = learned[corpus, folder]
        keys = inputs.segmentation_keys(corpus, folder) | {"direction": pair}
        found = read_gains(Path(f"{segmentation_folder(corpus, pair, folder)}/report.{pair}.json"))
        means = shares_of_first(found, options.get("window", 5))
        for merge in spread(len(found)):
            yield keys | {"x": merge, "metric": "likelihood_gain", "value": found[merge - 1]}
            yield keys | {"x": merge, "metric": "likelihood_gain_mean", "value": means[merge - 1]}


def read_gains(path: Path) -> list[float]:
    """Return the gain of every merge, in order, from the report that learning S-BPE writes."""
    return [entry["gain"] for entry in read_json_lines(path)]


def shares_of_first(gains: Sequence[float], window: int) -> list[float]:
    """Return for each merge the mean gain of the last `window` merges (fewer at the start) over the first gain.

    >>> shares_of_first([8.0, 4.0, 2.0], window=2)
    [1.0, 0.75, 0.375]
    """
    recent = (gains[max(0, end - window) : end] for end in range(1, len(gains) + 1))
    return [fsum(last) / len(last) / gains[0] for last in recent]


def spread(number: int, points: int = POINTS) -> list[int]:
    """Return about `points` of the numbers 1 to `number`, evenly spread on a logarithmic scale, both ends included.

    >>> spread(3), spread(1000, points=4)
    ([1, 2, 3], [1, 10, 100, 1000])
    """
    if number < 1:
        return []
    steps = max(points - 1, 1)
    return sorted({round(number ** (step / steps)) for step in range(steps + 1)})
