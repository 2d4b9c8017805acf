"""Is a system better than the baseline? One answer for each test set and metric, over all seeds and sentences.

Sentences of the test set and seeds of the trainings are drawn at random, and crossed: every training translates the
same sentences. The variance of a difference of means is therefore V = v_sentences + max(0, v_seeds - v_both): over
resampled test sets, over seeds as in Welch's test, less what the two have in common. Student's interval and test have
the degrees of freedom of Satterthwaite (1946) for V, at most those of systems whose seeds differ as those of the block
typically do. With one seed on either side, or seeds without any spread, interval and p-value come from the resamples
alone (`significance`) and hold for these trained systems only. p-values are Holm's (1979). docs/significance.md says
why; tests/results/test_levels.py simulates the level, and that of a plain bootstrap of seeds, which is far too narrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from experiment.scoring.sentence_statistics import Array, SentenceStatistics
from experiment.scoring.significance import ALPHA, check_test, paired_p_value, resampled_scores, shifted_p_value

#: What a comparison can say, in words that tables print.
BETTER, WORSE, SAME, OPEN, LEARNED_NOTHING = "better", "worse", "same", "open", "learned nothing"
#: The verdicts that say that there is a difference.
DIFFERENT = (BETTER, WORSE)
#: The verdict on a system whose baseline learned nothing: a better score than such a baseline's shows little.
NO_BASELINE = "baseline learned nothing"
#: A system with a lower BLEU has learned nothing, however low the copied source's is.
BLEU_FLOOR = 1.0


@dataclass(frozen=True)
class Comparison:
    """A system against another, in units of the metric's score."""

    effect: float  # mean over the system's seeds, less the mean over the other's
    low: float  # of the effect's 95% interval
    high: float
    p_value: float  # two-sided
    over_seeds: bool  # False: of these trained systems only
    p_holm: float | None = None  # corrected for all systems of the block
    verdict: str = OPEN


@dataclass(frozen=True)
class _ResampledRuns:
    """The runs of one system: scores on the test set, and on resampled test sets (runs x samples)."""

    statistics: Sequence[SentenceStatistics]
    resampled: Array

    @property
    def scores(self) -> Array:
        return np.array([run.score for run in self.statistics])

    @property
    def of_seeds(self) -> float:
        """Variance of the mean score that the choice of seeds explains."""
        return float(self.scores.var(ddof=1)) / len(self.statistics)

    @property
    def of_both(self) -> float:
        """The part of `of_seeds` that comes from single translations, so from the choice of the sentences, too."""
        count = len(self.statistics)
        covariance = np.cov(self.resampled)
        own = np.trace(covariance) / count
        return float(own - (covariance.sum() - np.trace(covariance)) / (count * (count - 1))) / count


def compare(
    systems: Mapping[str, Sequence[SentenceStatistics]],
    against: Mapping[str, str],
    *,
    margin: float,
    higher_is_better: bool = True,
    test: str = "bootstrap",
    samples: int = 1000,
) -> dict[str, Comparison]:
    """Return the comparison of each system in `against` with its baseline: one test set and metric, all seeds' runs.

    `against` maps a system to its baseline: the same for all, in a sweep the one of the same size, or one of its own.
    `margin` is the largest difference that counts as none. `test` is one of `significance.TESTS`, used where there is
    one seed; with several seeds the test is the one above.
    """
    check_test(test, samples)
    runs = _resample(systems, samples)
    typical = _typical_variance([each.scores for each in runs.values()])
    compared = {name: _difference(runs[name], runs[other], test, typical) for name, other in against.items()}
    corrected = holm([each.p_value for each in compared.values()])
    return {
        name: replace(each, p_holm=p_holm, verdict=verdict(each, p_holm, margin, higher_is_better))
        for (name, each), p_holm in zip(compared.items(), corrected, strict=True)
    }


def have_learned(
    systems: Mapping[str, Sequence[SentenceStatistics]], copied_source: SentenceStatistics, *, samples: int = 1000
) -> dict[str, bool]:
    """Return whether each system's BLEU is clearly above that of the source, copied as it is.

    Clearly: more than twice as high and more than `BLEU_FLOOR`; and higher by the test above at 0.05, or above both
    limits in each of these trainings alone, in all but 2.5% of the resampled test sets. Two good trainings may be far
    apart: then the test finds nothing, because it asks of trainings that were not run.
    """
    runs = _resample({**systems, "": [copied_source]}, samples)
    copy = runs.pop("")

    def learned(mine: _ResampledRuns) -> bool:
        above = mine.resampled > np.maximum(2 * copy.resampled, BLEU_FLOOR)
        each_alone = bool((above.mean(axis=1) >= 1 - ALPHA / 2).all())
        higher = _difference(mine, copy, "bootstrap", 0.0, trained=False).low > 0
        return bool(mine.scores.mean() > max(2 * copied_source.score, BLEU_FLOOR)) and (higher or each_alone)

    return {name: learned(mine) for name, mine in runs.items()}


def learned_nothing(row: Mapping[str, Any]) -> bool:
    """Return whether a row of scores.csv is of a system that has learned nothing: by `have_learned`, or, where its file
    does not know the copied source, by `BLEU_FLOOR` alone."""
    if row["copied_source"] is None:
        return bool(row["metric"] == "bleu" and row["score"] <= BLEU_FLOOR)
    return bool(row["verdict"] == LEARNED_NOTHING)


def _resample(systems: Mapping[str, Sequence[SentenceStatistics]], samples: int) -> dict[str, _ResampledRuns]:
    scores = iter(resampled_scores([run for runs in systems.values() for run in runs], samples))
    return {name: _ResampledRuns(runs, np.array([next(scores) for _ in runs])) for name, runs in systems.items()}


def _typical_variance(scores: Sequence[Array]) -> float:
    """Return the variance over seeds that is typical of systems: the scale of limma's prior (Smyth 2004, section 6.2).

    The mean of the logarithms, less their bias with so few seeds, hardly feels a system whose seeds differ wildly. It
    is 0 where no system has several seeds that differ.
    """
    from scipy.special import digamma

    known = [(each.var(ddof=1), (len(each) - 1) / 2) for each in scores if len(each) > 1 and each.var() > 0]
    logarithms = [np.log(variance) - digamma(half) + np.log(half) for variance, half in known]
    return float(np.exp(np.mean(logarithms))) if logarithms else 0.0


def _difference(
    mine: _ResampledRuns, other: _ResampledRuns, test: str, typical: float, trained: bool = True
) -> Comparison:
    """Compare two systems; `trained` is False where the other is one text and no training, as the copied source."""
    effect = float(mine.scores.mean() - other.scores.mean())
    differences = mine.resampled.mean(axis=0) - other.resampled.mean(axis=0)
    drawn = [mine, other] if trained else [mine]
    if min(len(runs.statistics) for runs in drawn) > 1 and any(runs.of_seeds for runs in drawn):
        return _over_seeds(effect, float(differences.var(ddof=1)), drawn, typical)
    if len(mine.statistics) == len(other.statistics) == 1:
        p_value = paired_p_value(other.statistics[0], mine.statistics[0], differences, test)
    else:
        p_value = shifted_p_value(differences, effect)
    width = float(np.quantile(np.abs(differences - differences.mean()), 1 - ALPHA))
    return Comparison(effect, effect - width, effect + width, p_value, over_seeds=False)


def _over_seeds(effect: float, of_sentences: float, drawn: Sequence[_ResampledRuns], typical: float) -> Comparison:
    """Return Student's test of an effect whose variance over resampled test sets is `of_sentences`.

    `typical` is the least variance over seeds that the degrees of freedom are computed with.
    """
    from scipy.stats import t

    of_both = sum(runs.of_both for runs in drawn)
    known = [len(runs.statistics) - 1 for runs in drawn] + [max(1, len(drawn[0].statistics[0].counts) - 1)]

    def variance_and_freedom(of_seeds: Sequence[float]) -> tuple[float, float]:
        variance = max(of_sentences + max(0.0, sum(of_seeds) - of_both), 1e-24)
        return variance, satterthwaite(variance, zip([*of_seeds, of_sentences], known, strict=True))

    variance, freedom = variance_and_freedom([runs.of_seeds for runs in drawn])
    at_least = [max(runs.of_seeds, typical / len(runs.statistics)) for runs in drawn]
    freedom = min(freedom, variance_and_freedom(at_least)[1])
    width = float(t.ppf(1 - ALPHA / 2, freedom)) * variance**0.5
    p_value = float(2 * t.sf(abs(effect) / variance**0.5, freedom))
    return Comparison(effect, effect - width, effect + width, p_value, over_seeds=True)


def satterthwaite(variance: float, parts: Iterable[tuple[float, int]]) -> float:
    """Return the degrees of freedom of a variance that is a sum: of two means, Welch's (1947).

    `parts` are the variances that it is the sum of, with theirs (Satterthwaite 1946, An approximate distribution of
    estimates of variance components).
    """
    return variance**2 / sum(part**2 / freedom for part, freedom in parts)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's step-down procedure, in the order given.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = largest
    return corrected


def verdict(compared: Comparison, p_holm: float, margin: float, higher_is_better: bool) -> str:
    """Return better or worse (corrected p below 0.05), same (the interval lies within the margin), or open."""
    if p_holm < ALPHA:
        return BETTER if (compared.effect > 0) == higher_is_better else WORSE
    return SAME if -margin < compared.low and compared.high < margin else OPEN
