"""Sample translations: the sentences on which the systems differ most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from experiment.jsonfiles import read_json
from experiment.runs import Run
from subwords.errors import InputError
from subwords.files import read_lines


@dataclass(frozen=True)
class Translation:
    """One system's translation: words, each with whether the reference has it, and sentence chrF."""

    segmentation: str
    chrf: float
    words: list[tuple[str, bool]]


@dataclass(frozen=True)
class Sample:
    """One sentence with all systems' translations."""

    number: int  # of the line, from 1
    source: str
    reference: str
    spread: float
    translations: list[Translation]


def choose_samples(runs: Sequence[Run], testset: str, count: int) -> list[Sample]:
    """Return the `count` sentences with the largest spread of sentence chrF over `runs` (one run per segmentation).

    Spread is best minus worst; of equal ones the earlier sentence comes first. Empty when files are not listed.
    """
    files = {run.segmentation: run.testsets[testset] for run in runs if testset in run.testsets}
    if not files or any(not (each.hypothesis and each.source and each.reference) for each in files.values()):
        return []
    chrf = {name: read_json(each.scores)["sentence_chrf"] for name, each in files.items()}
    outputs = {name: list(read_lines(str(each.hypothesis))) for name, each in files.items()}
    first = next(iter(files.values()))
    sources, references = list(read_lines(str(first.source))), list(read_lines(str(first.reference)))
    if len({len(lines) for lines in (sources, references, *chrf.values(), *outputs.values())}) > 1:
        raise InputError(
            f"test set {testset}: translations, scores and references have unequal numbers of lines",
            next_step="translate and score again",
        )
    spread = [max(values) - min(values) for values in zip(*chrf.values(), strict=True)]
    chosen = sorted(range(len(spread)), key=lambda index: (-spread[index], index))[:count]

    def translated(i: int) -> list[Translation]:
        return [
            Translation(name, chrf[name][i], mark_words(lines[i], references[i])) for name, lines in outputs.items()
        ]

    return [Sample(i + 1, sources[i], references[i], spread[i], translated(i)) for i in chosen if spread[i] > 0]


def mark_words(hypothesis: str, reference: str) -> list[tuple[str, bool]]:
    """Return the hypothesis's words, each with whether the reference has it (as often as it has it)."""
    left = Counter(reference.split())
    marked = []
    for word in hypothesis.split():
        marked.append((word, left[word] > 0))
        left[word] -= 1
    return marked
