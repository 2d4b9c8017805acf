"""`bleu_tokenized` of every translation of the grids: case-sensitive tokenized BLEU, compounds split at hyphens.

A group's test sets are measured in the direction of their language, as its scores are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from experiment.layout import reference
from papers.measures.tokenized_bleu import tokenized_bleu
from subwords.files import read_lines

if TYPE_CHECKING:
    from experiment.runs import Run
    from papers.inputs import Inputs


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the score of every run and test set."""
    for run in inputs.runs:
        for testset in inputs.experiment.test_sets(run.corpus, run.direction):
            score = {"metric": "bleu_tokenized", "value": score_of(run, testset), "selection": "dev"}
            yield inputs.keys(run, testset) | score


def score_of(run: Run, testset: str) -> float:
    """Return the tokenized BLEU of a run on a test set."""
    references = read_lines(reference(run.corpus, run.pair, testset, run.target))
    return tokenized_bleu(list(read_lines(f"{run.folder}/{testset}.hyp")), list(references), run.target)
