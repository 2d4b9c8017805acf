"""The test sentences on which two systems' sentence-BLEU differs most: section 2.5 and Figure 6 of the HFT paper.

Of every direction, the first so many by the absolute difference, largest first (of equals, the earlier line first).
Each has a row with its rank and line and the measurements `sentence_bleu_difference` (of which `x` is the rank),
`sentence_bleu` of both systems, and, as texts, `source`, `reference` and the two systems' `translation`.

Options: `system` [hft] and `baseline` [bpe], algorithms; `count` [50]; `seed`, that of both trainings [the smallest].
Which of its five runs the paper compared is not said. BLEU is sacrebleu's for sentences: effective order, smoothed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from experiment.layout import reference, text_folder
from experiment.scoring.metrics import read_parallel

if TYPE_CHECKING:
    from experiment.runs import Run
    from papers.inputs import Inputs


class Changed(NamedTuple):
    """A sentence (its line, from 1) and what the baseline and the system score on it."""

    line: int
    baseline: float
    system: float

    @property
    def difference(self) -> float:
        return self.system - self.baseline


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the sentences of every corpus, direction and test set that both systems translated."""
    names = (options.get("baseline", "bpe"), options.get("system", "hft"))
    seed = options.get("seed", min(run.seed for run in inputs.runs))
    of_direction: dict[tuple[str, str], dict[str, Run]] = {}
    for run in inputs.runs:
        algorithm = inputs.keys(run)["algorithm"]
        if run.seed == seed and algorithm in names:
            of_direction.setdefault((run.corpus, run.direction), {}).setdefault(algorithm, run)
    for (corpus, direction), runs in of_direction.items():
        if set(runs) == set(names):
            for testset in inputs.experiment.test_sets(corpus, direction):
                yield from of_test_set(inputs, [runs[name] for name in names], testset, options.get("count", 50))


def of_test_set(inputs: Inputs, runs: Sequence[Run], testset: str, count: int) -> Iterator[dict[str, Any]]:
    """Yield the sentences of one test set; `runs` are the baseline and the system."""
    run = runs[-1]
    source = Path(text_folder(run.corpus, run.pair, "raw"), f"{testset}.{run.direction.split('-')[0]}")
    target = reference(run.corpus, run.pair, testset, run.target)
    sources, references, theirs, ours = read_parallel(
        source, target, *(Path(each.folder, f"{testset}.hyp") for each in runs)
    )
    keys = [inputs.keys(each, testset) for each in runs]
    place = {name: keys[0][name] for name in ("corpus", "direction", "seed", "testset")}
    for rank, sentence in enumerate(most_changed(theirs, ours, references, count, run.target), 1):
        at, row = sentence.line - 1, {"row": f"{rank}, line {sentence.line}"}
        yield place | row | {"metric": "sentence_bleu_difference", "x": rank, "value": sentence.difference}
        for key, score in zip(keys, (sentence.baseline, sentence.system), strict=True):
            yield key | row | {"metric": "sentence_bleu", "value": score}
        for metric, lines in (("source", sources), ("reference", references)):
            yield place | row | {"metric": metric, "text": lines[at]}
        for key, lines in zip(keys, (theirs, ours), strict=True):
            yield key | row | {"metric": "translation", "text": lines[at]}


def most_changed(
    baseline: Sequence[str], system: Sequence[str], references: Sequence[str], count: int, target: str = ""
) -> list[Changed]:
    """Return the up to `count` sentences whose BLEU (0 to 100) differs between two systems, most changed first."""
    from sacrebleu.metrics import BLEU

    bleu = BLEU(trg_lang=target, effective_order=True)
    found = []
    for line, (first, second, translation) in enumerate(zip(baseline, system, references, strict=True), 1):
        if first != second:
            scores = [bleu.sentence_score(output, [translation]).score for output in (first, second)]
            found.append(Changed(line, *scores))
    changed = [each for each in found if each.difference]
    return sorted(changed, key=lambda each: (-abs(each.difference), each.line))[:count]
