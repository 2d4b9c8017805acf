"""Paired tests of two outputs: could their difference be due to the choice of the test set?

- `bootstrap` (default): resampled differences, shifted so that their mean is 0, against the difference observed
  (Noreen 1989; Koehn 2004; Riezler & Maxwell 2005, section 4).
- `randomization`: the two outputs of a sentence are swapped at random (Noreen 1989; Riezler & Maxwell 2005).
- `sacrebleu-bootstrap`: what sacrebleu 2.6.0 computes (`_paired_bs_test`, as Moses's script and multeval). It takes
  absolute values before it subtracts their mean, which removes only a part of their spread: at a level of 0.05 it
  rejects 12% of true null hypotheses. For comparison with numbers printed elsewhere.

The resamples are drawn as sacrebleu draws them. scipy.stats.bootstrap and permutation_test would index every sentence
of every resample; one product of matrices serves all systems and metrics with the same resamples.

Seeds of training are not considered here, but in `comparison`.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiment.scoring.metrics import make_metric
from experiment.scoring.sentence_statistics import Array, SentenceStatistics, text_statistics
from subwords.errors import InputError, check_known

TESTS = ("bootstrap", "randomization", "sacrebleu-bootstrap")
#: The test, and its number of resamples, where an experiment does not say.
DEFAULTS: dict[str, Any] = {"test": "bootstrap", "samples": 1000}
DEFAULT_SEED = 12345
ALPHA = 0.05
_CHUNK = 2**22  # numbers in memory at a time


@dataclass(frozen=True)
class Outcome:
    """One system's result on one test set and metric, against the baseline of the same seed."""

    score: float
    ci95: float  # half the width of the score's 95% bootstrap interval
    p_value: float | None = None  # None for the baseline itself


def resampling_seed() -> int:
    """Return the seed of the tests: the environment's SACREBLEU_SEED, or 12345 as in sacrebleu.

    Raises InputError for "none" and 0: with them sacrebleu draws another sample every time.
    """
    given = os.environ.get("SACREBLEU_SEED", str(DEFAULT_SEED))
    if not given.isdecimal() or int(given) == 0:
        raise InputError(
            f"SACREBLEU_SEED={given} gives a different p-value each time",
            allowed="an integer above 0",
            next_step=f"unset SACREBLEU_SEED (it is {DEFAULT_SEED} by default)",
        )
    return int(given)


def check_test(test: str, samples: int) -> None:
    """Raise InputError for a test that does not exist, or a number of resamples that cannot be."""
    check_known("significance test", [test], TESTS)
    if samples < 1:
        raise InputError(f"samples={samples}", allowed="an integer above 0, usually 1000 or more")
    resampling_seed()


def test_signature(metric_signature: str, test: str, samples: int) -> str:
    """Return how a test was made: the metric's signature, the test, the number of resamples and their seed."""
    return f"{metric_signature}|test:{test}|samples:{samples}|seed:{resampling_seed()}"


test_signature.__test__ = False  # type: ignore[attr-defined]  # not for pytest


def resampled_scores(systems: Sequence[SentenceStatistics], samples: int) -> Array:
    """Return systems x samples: each system's score on each resampled test set, the same sets for all systems.

    Raises InputError when the systems have unequal numbers of sentences.
    """
    sizes = {len(system.counts) for system in systems}
    if len(sizes) > 1:
        raise InputError(
            f"systems with different numbers of sentences: {', '.join(map(str, sorted(sizes)))}",
            next_step="score them again",
        )
    size = sizes.pop()
    rng = np.random.default_rng(resampling_seed())
    rows = max(1, _CHUNK // size)
    parts = []
    for start in range(0, samples, rows):
        many = min(rows, samples - start)
        drawn = rng.choice(size, size=(many, size)) + size * np.arange(many)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=many * size).reshape(many, size).astype(np.float64)
        parts.append([system.weighted(weights) for system in systems])
    return np.concatenate(parts, axis=1)


def half_width(resampled: Array) -> float:
    """Return half the width of the middle 95% of resampled scores (sacrebleu's `estimate_ci`)."""
    ordered, outer = np.sort(resampled), len(resampled) // 40
    return float(ordered[-outer - 1] - ordered[outer]) / 2


def shifted_p_value(differences: Array, observed: float) -> float:
    """Return the two-sided p-value of an observed difference: resampled differences are moved to a mean of 0."""
    return _p_value(np.abs(differences - differences.mean()), observed)


def _p_value(sizes: Array, observed: float) -> float:
    """Return the share of sizes at least as large as the observed one, itself among them (Phipson & Smyth 2010)."""
    return (int((sizes >= abs(observed) - 1e-12).sum()) + 1) / (len(sizes) + 1)


def _sacrebleu_p_value(differences: Array, observed: float) -> float:
    if observed == 0:  # equal outputs get sacrebleu's smallest p-value: a difference of nothing is no evidence of one
        return 1.0
    sizes = np.abs(differences)
    return (int((sizes - sizes.mean() > abs(observed)).sum()) + 1) / (len(sizes) + 1)


def _randomization_p_value(first: SentenceStatistics, second: SentenceStatistics, samples: int) -> float:
    rng, size = np.random.default_rng(resampling_seed()), len(first.counts)
    rows, gaps = max(1, _CHUNK // size), []
    together, difference = first.counts.sum(axis=0) + second.counts.sum(axis=0), second.counts - first.counts
    for start in range(0, samples, rows):
        kept = rng.integers(2, size=(min(rows, samples - start), size), dtype=bool)
        one = first.counts.sum(axis=0) + kept.astype(np.float64) @ difference
        gaps.append(np.abs(first.from_sums(one) - first.from_sums(together - one)))
    return _p_value(np.concatenate(gaps), second.score - first.score)


def paired_p_value(first: SentenceStatistics, second: SentenceStatistics, differences: Array, test: str) -> float:
    """Return the two-sided p-value of the difference of two outputs, by one of `TESTS`.

    `differences` are those of the scores on resampled test sets; their number is that of the randomizations, too.
    """
    observed = second.score - first.score
    if test == "randomization":
        return _randomization_p_value(first, second, len(differences))
    return (shifted_p_value if test == "bootstrap" else _sacrebleu_p_value)(differences, observed)


def outcomes(systems: Mapping[str, SentenceStatistics], *, test: str, samples: int) -> dict[str, Outcome]:
    """Test every system against the first one."""
    check_test(test, samples)
    resampled = resampled_scores(list(systems.values()), samples)
    found: dict[str, Outcome] = {}
    baseline, *_ = systems.values()
    for (name, system), scores in zip(systems.items(), resampled, strict=True):
        p_value = paired_p_value(baseline, system, scores - resampled[0], test) if found else None
        found[name] = Outcome(system.score, half_width(scores), p_value)
    return found


def count_sentences(
    metric: str, systems: Mapping[Any, Sequence[str]], references: Sequence[str], *, target: str = ""
) -> tuple[str, dict[Any, SentenceStatistics]]:
    """Return a text metric's signature and the statistics of each system's translations."""
    computed = make_metric(metric, [line.rstrip() for line in references], target=target)
    counted = {n: text_statistics(computed, [line.rstrip() for line in lines]) for n, lines in systems.items()}
    return computed.get_signature().format(), counted


def mean_and_interval(values: Sequence[float]) -> tuple[float, float | None]:
    """Return the mean, and half the width of its 95% t interval over seeds; no interval for one value."""
    if len(values) == 1:
        return float(values[0]), None
    from scipy.stats import t

    error = statistics.stdev(values) / len(values) ** 0.5
    return statistics.fmean(values), float(t.ppf(0.975, len(values) - 1)) * error


def welch_p_value(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return the two-sided p-value of Welch's t test; None with fewer than three values on a side or no variance."""
    if min(len(first), len(second)) < 3 or len(set(first)) == len(set(second)) == 1:
        return None
    from scipy import stats

    return float(stats.ttest_ind(first, second, equal_var=False).pvalue)
