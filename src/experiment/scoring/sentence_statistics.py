"""Statistics of single sentences, and corpus scores from their sums. Resampling tests work on them.

Corpus BLEU, chrF and TER, and every mean, depend on a test set only through sums over its sentences (n-gram counts,
lengths). So the score of a resampled test set is a function of a weighted sum, and a thousand of them are one product
of matrices. The counts are those that sacrebleu extracts; the formulas are its own, over arrays (Post 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SentenceStatistics:
    """One system's translations of one test set, as one metric counts them."""

    counts: Array  # sentences x counts
    from_sums: Callable[[Array], Array]  # sums of counts (... x counts) -> corpus scores (...)

    @property
    def score(self) -> float:
        return float(self.from_sums(self.counts.sum(axis=0)))

    def weighted(self, weights: Array) -> Array:
        """Return the scores of test sets that hold sentence i `weights[b, i]` times: one for each row."""
        return self.from_sums(weights @ self.counts)


def text_statistics(metric: Any, hypotheses: Sequence[str]) -> SentenceStatistics:
    """Return the statistics of a sacrebleu metric that was made with its references."""
    counts = np.asarray(metric._extract_corpus_statistics(hypotheses, None), dtype=np.float64)
    return SentenceStatistics(counts, _formula(metric))


def mean_statistics(values: Sequence[float]) -> SentenceStatistics:
    """Return the statistics of a metric whose corpus score is the mean of sentence scores, as COMET's."""
    counts = np.stack([np.asarray(values, dtype=np.float64), np.ones(len(values))], axis=1)
    return SentenceStatistics(counts, lambda sums: sums[..., 0] / sums[..., 1])


def _formula(metric: Any) -> Callable[[Array], Array]:
    from sacrebleu.metrics import BLEU, CHRF

    if isinstance(metric, BLEU) and metric.smooth_method == "exp" and not metric.effective_order:
        return bleu
    if isinstance(metric, CHRF) and not metric.eps_smoothing:
        return partial(chrf, beta=metric.beta)
    return partial(np.apply_along_axis, lambda sums: metric._compute_score_from_stats(sums.tolist()).score, -1)


def bleu(sums: Array) -> Array:
    """Return BLEU of sums [hypothesis length, reference length, correct 1..4-grams, all 1..4-grams].

    sacrebleu's default: the k-th n-gram order without a match counts 1 / 2^k matches ("exp"), and no order is left out.
    """
    length, reference = sums[..., 0], sums[..., 1]
    correct, total = np.split(sums[..., 2:], 2, axis=-1)
    missed = correct == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        penalty = np.exp(np.minimum(0, 1 - reference / length))
        precisions = np.where(missed, 0.5 ** missed.cumsum(axis=-1), correct) / total
        found = 100 * penalty * np.exp(np.log(precisions).mean(axis=-1))
    return np.where((total > 0).all(axis=-1) & (correct > 0).any(axis=-1), found, 0.0)


def chrf(sums: Array, beta: float) -> Array:
    """Return chrF of sums [hypothesis, reference, match] of each n-gram order, of characters and then of words.

    Precision and recall are means over the orders that both sides have (Popović 2015, 2017; sacrebleu from 2.0 on).
    """
    hypothesis, reference, match = np.moveaxis(sums.reshape(*sums.shape[:-1], -1, 3), -1, 0)
    counted = (hypothesis > 0) & (reference > 0)
    orders = np.maximum(counted.sum(axis=-1), 1)
    precision, recall = (
        np.divide(match, side, out=np.zeros_like(match), where=counted).sum(axis=-1) / orders
        for side in (hypothesis, reference)
    )
    divisor = beta**2 * precision + recall
    return np.divide(100 * (1 + beta**2) * precision * recall, divisor, out=np.zeros_like(divisor), where=divisor > 0)
