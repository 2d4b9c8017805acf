"""Scores of the checkpoints that do best on the test set itself, where a paper chose them so: selection is `test`.

They stand beside the scores of what was chosen on dev. `updates_chosen` says after how many updates each was saved.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from experiment.jsonfiles import read_json

if TYPE_CHECKING:
    from papers.inputs import Inputs


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a score per run, test set and metric."""
    with_comet = "comet" in inputs.experiment.settings["metrics"]
    for run in inputs.runs:
        for testset in inputs.experiment.test_sets(run.corpus, run.direction):
            keys = inputs.keys(run, testset) | {"selection": "test"}
            place = f"{run.folder}/{testset}.chosen-on-test"
            report = read_json(f"{place}.json")
            scores = {metric: found["score"] for metric, found in report["scores"].items()}
            if with_comet:
                scores["comet"] = read_json(f"{place}.comet.json")["score"]
            for metric, score in scores.items():
                yield keys | {"metric": metric, "value": score}
            yield keys | {"metric": "updates_chosen", "value": report["chosen"]["updates"]}
