"""Is a difference between two systems more than chance?

Two kinds of chance are kept apart, and both are reported (Clark et al. 2011, "Better Hypothesis Testing for
Statistical Machine Translation: Controlling for Optimizer Instability"):

- which sentences happen to be in the test set: paired bootstrap (Koehn 2004) or paired approximate randomization
  (Riezler & Maxwell 2005), between two systems of the same seed, by sacrebleu;
- how training happened to go: mean, standard error and Welch's t test over seeds.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiment.scoring.metrics import check_metrics, make_metric
from subwords.errors import InputError, unknown

#: name in an experiment file -> name in sacrebleu
TESTS = {"bootstrap": "bs", "randomization": "ar"}
DEFAULT_SEED = 12345
ALPHA = 0.05


@dataclass(frozen=True)
class Outcome:
    """One system's result on one test set and metric, against the baseline of the same seed."""

    score: float
    mean: float | None = None  # of the bootstrap resamples
    ci95: float | None = None  # half the width of the 95% confidence interval
    p_value: float | None = None  # None for the baseline itself


def resampling_seed() -> int:
    """Return the seed of the tests: the environment's SACREBLEU_SEED, or 12345 as in sacrebleu.

    Raises InputError for "none" and 0: both make sacrebleu's tests differ from run to run.
    """
    given = os.environ.get("SACREBLEU_SEED", str(DEFAULT_SEED))
    if not given.isdecimal() or int(given) == 0:
        raise InputError(
            f"SACREBLEU_SEED={given} gives another p-value every time",
            allowed="an integer above 0",
            next_step=f"unset SACREBLEU_SEED (it is {DEFAULT_SEED} by default)",
        )
    return int(given)


def check_test(test: str, samples: int) -> None:
    """Raise InputError for a test that does not exist, or a number of resamples that cannot be."""
    if test not in TESTS:
        raise unknown("significance test", test, TESTS)
    if samples < 1:
        raise InputError(f"samples={samples}", allowed="an integer above 0, usually 1000 or more")


def paired_tests(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[str],
    metrics: Iterable[str],
    *,
    test: str = "bootstrap",
    samples: int = 1000,
    target: str = "",
    tokenizer: str | None = None,
) -> tuple[dict[str, str], dict[str, dict[str, Outcome]]]:
    """Test every system against the first one, on one test set, with sacrebleu.

    Returns the signature of each metric, and for each metric the outcome of each system.
    """
    from sacrebleu.significance import PairedTest

    check_test(test, samples)
    resampling_seed()
    stripped = {name: [line.rstrip() for line in lines] for name, lines in systems.items()}
    references = [line.rstrip() for line in references]
    signatures: dict[str, str] = {}
    outcomes: dict[str, dict[str, Outcome]] = {}
    for name in check_metrics(metrics, lexical=True):
        metric = make_metric(name, references, target=target, tokenizer=tokenizer)
        # One metric at a time: sacrebleu keys results by the metric's own name, ours are the experiment's.
        paired = PairedTest(list(stripped.items()), {name: metric}, None, TESTS[test], samples)
        signed, results = paired()
        (label,) = signed
        signatures[name] = signed[label].format()
        baseline = results[label][0]
        outcomes[name] = {
            system: _outcome(result, baseline, first=not index)
            for index, (system, result) in enumerate(zip(stripped, results[label], strict=True))
        }
    return signatures, outcomes


def _outcome(result: Any, baseline: Any, first: bool) -> Outcome:
    p_value = None if first else result.p_value
    # Equal scores: sacrebleu counts resamples with a statistic above 0, finds none for equal outputs, and gives its
    # smallest p-value. A difference of nothing is no evidence of a difference.
    if not first and result.score == baseline.score:
        p_value = 1.0
    return Outcome(result.score, _number(result.mean), _number(result.ci), _number(p_value))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def paired_segment_tests(
    systems: Mapping[str, Sequence[float]], *, test: str = "bootstrap", samples: int = 1000
) -> dict[str, Outcome]:
    """Test every system against the first one by the mean of segment scores, as COMET's.

    The same resamples, statistics and p-value as sacrebleu's tests, where the corpus score is a mean.
    """
    import numpy as np

    check_test(test, samples)
    scores = {name: np.asarray(values, dtype=np.float64) for name, values in systems.items()}
    names = list(scores)
    if len({len(values) for values in scores.values()}) > 1:
        raise InputError("systems with different numbers of segment scores", next_step="score them again")
    baseline = scores[names[0]]
    size = len(baseline)
    outcomes = {}
    for name in names:
        rng = np.random.default_rng(resampling_seed())
        difference = scores[name] - baseline
        observed = abs(difference.mean())
        mean = ci95 = None
        if test == "bootstrap":
            picks = rng.choice(size, size=(samples, size), replace=True)
            resampled = np.sort(scores[name][picks].mean(axis=1))
            outer = samples // 40
            mean = float(resampled.mean())
            ci95 = float(resampled[samples - outer - 1] - resampled[outer]) / 2
            statistics = np.abs(difference[picks].mean(axis=1))
            statistics = statistics - statistics.mean()
        else:
            swap = rng.integers(2, size=(samples, size), dtype=bool)
            # Swapping a pair turns the sign of its difference.
            statistics = np.abs(np.where(swap, difference, -difference).mean(axis=1))
        p_value: float | None = (int((statistics > observed).sum()) + 1) / (samples + 1)
        if name == names[0]:
            p_value = None
        elif observed == 0:
            p_value = 1.0
        outcomes[name] = Outcome(float(scores[name].mean()), mean, ci95, p_value)
    return outcomes


def mean_and_error(values: Sequence[float]) -> tuple[float, float | None]:
    """Return the mean and its standard error (sample standard deviation over root n); no error for one value."""
    import statistics

    mean = statistics.fmean(values)
    return mean, statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else None


def welch_p_value(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return the two-sided p-value of Welch's t test, or None with fewer than three values on a side."""
    if min(len(first), len(second)) < 3:
        return None
    if len(set(first)) == len(set(second)) == 1:  # no variance: t is undefined
        return 1.0 if first[0] == second[0] else 0.0
    from scipy import stats

    return float(stats.ttest_ind(first, second, equal_var=False).pvalue)
