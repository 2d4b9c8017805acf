"""Is S-BPE's BLEU other than BPE's? Paired bootstrap (Koehn 2004) on each test set, seed by seed.

Measured of every S-BPE system: `bleu_p_against_bpe`, the p-value against BPE of the same size, and
`bleu_p_against_best_bpe`, that against the BPE whose test BLEU is the highest (mean over seeds; chosen on the test set
as the paper did). At a level of 0.01 they give the marks of 99 % confidence. Both are those of the same seed.

Options: `algorithm` [sbpe], `baseline` [bpe], `samples` [1000].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.layout import reference
from experiment.runs import Run
from experiment.scoring.metrics import read_parallel
from experiment.scoring.significance import paired_tests
from papers.measures.segmenters import best_segmentations

if TYPE_CHECKING:
    from papers.inputs import Inputs


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the p-values of every system of the algorithm that has a rival."""
    algorithm, baseline = options.get("algorithm", "sbpe"), options.get("baseline", "bpe")
    best = best_segmentations(inputs.scores(), baseline)
    for run in inputs.runs:
        if inputs.keys(run)["algorithm"] != algorithm:
            continue
        for testset in inputs.experiment.test_sets(run.corpus, run.direction):
            own, keys = inputs.keys(run, testset), {other: inputs.keys(other, testset) for other in inputs.runs}
            for metric, rival in rivals(own, list(keys.values()), baseline, best).items():
                other = next(other for other, theirs in keys.items() if theirs == rival)
                p_value = bootstrap(run, other, testset, options.get("samples", 1000))
                yield own | {"metric": metric, "value": p_value}


def rivals(
    own: Mapping[str, Any],
    systems: Sequence[Mapping[str, Any]],
    baseline: str,
    best: Mapping[tuple[str, str], str],
) -> dict[str, Mapping[str, Any]]:
    """Return metric -> the system that a system is compared with: same corpus, direction, model and seed."""
    alike = [
        other
        for other in systems
        if other["algorithm"] == baseline
        and all(other[key] == own[key] for key in ("corpus", "direction", "model", "seed"))
    ]
    found = {}
    for other in alike:
        if own["size"] is not None and other["size"] == own["size"]:
            found["bleu_p_against_bpe"] = other
        if other["segmentation"] == best.get((own["corpus"], own["direction"])):
            found["bleu_p_against_best_bpe"] = other
    return found


def bootstrap(run: Run, rival: Run, testset: str, samples: int) -> float:
    """Return the two-sided p-value of a run's BLEU against a rival's on the same test set."""
    paths = [str(Path(each.folder, f"{testset}.hyp")) for each in (rival, run)]
    references, theirs, ours = read_parallel(reference(run.corpus, run.pair, testset, run.target), *paths)
    systems = {"rival": theirs, "run": ours}
    _, outcomes = paired_tests(systems, references, ["bleu"], samples=samples, target=run.target)
    p_value = outcomes["bleu"]["run"].p_value
    assert p_value is not None  # only the first system has none
    return p_value
