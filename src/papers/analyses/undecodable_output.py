"""What of the translations has a code that belongs to no word (Huffman's output is codes, some of which name nothing).

`undecodable_output` is a share of all output tokens of a corpus and direction, of all runs of an algorithm together, as
the Huffman paper gives it; `undecodable_output_of_system` is that of each run and test set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from experiment.jsonfiles import read_json

if TYPE_CHECKING:
    from papers.inputs import Inputs

CODES = "unknown codes"


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the shares. Algorithms whose output can always be decoded have none."""
    together: dict[tuple[str, str, str], Counter[str]] = {}
    for run in inputs.runs:
        if inputs.keys(run)["algorithm"] != "huffman":
            continue
        for testset in inputs.experiment.test_sets(run.corpus, run.direction):
            keys = inputs.keys(run, testset)
            report = read_json(f"{run.folder}/{testset}.translation.json")
            codes = report["lost_in_decoding"].get(CODES, 0)
            counts = Counter({"codes": codes, "tokens": report["words"] + codes})  # what has no word is left out
            together.setdefault((keys["corpus"], keys["direction"], keys["algorithm"]), Counter()).update(counts)
            share = {"metric": "undecodable_output_of_system", "value": _share(counts)}
            yield keys | share | {"selection": "dev"}
    for (corpus, direction, algorithm), counts in together.items():
        place = {"corpus": corpus, "direction": direction, "algorithm": algorithm}
        yield place | {"metric": "undecodable_output", "value": _share(counts)}


def _share(counts: Counter[str]) -> float:
    return counts["codes"] / max(counts["tokens"], 1)
