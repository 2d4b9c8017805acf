"""Systems over seeds and sentences: against Welch's test, analysis of variance, statsmodels, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from experiment.scoring.comparison import (
    Comparison,
    _typical_variance,
    compare,
    have_learned,
    holm,
    learned_nothing,
    satterthwaite,
    verdict,
)
from experiment.scoring.metrics import make_metric
from experiment.scoring.sentence_statistics import SentenceStatistics, mean_statistics, text_statistics


def runs(scores: np.ndarray) -> list[SentenceStatistics]:
    """Return the runs of a system from a table of sentences x seeds."""
    return [mean_statistics(column) for column in scores.T]


def constant(scores: list[float], sentences: int = 50) -> list[SentenceStatistics]:
    """Return runs whose sentences all have the run's score: no chance in the sentences."""
    return [mean_statistics([score] * sentences) for score in scores]


def test_without_chance_in_the_sentences_it_is_welchs_test():
    mine, base = [30.1, 30.9, 31.3], [29.0, 29.9, 29.2, 29.3]
    found = compare({"b": constant(base), "a": constant(mine)}, {"a": "b"}, margin=0.5)["a"]
    welch = scipy.stats.ttest_ind(mine, base, equal_var=False)
    interval = welch.confidence_interval(0.95)
    assert found.over_seeds
    assert found.effect == pytest.approx(np.mean(mine) - np.mean(base))
    assert found.p_value == pytest.approx(welch.pvalue, rel=1e-6)
    assert (found.low, found.high) == (pytest.approx(interval.low), pytest.approx(interval.high))


def test_of_two_groups_the_degrees_of_freedom_are_welchs():
    groups = [30.1, 30.9, 31.3], [29.0, 29.9, 29.2, 29.3]
    parts = [(np.var(values, ddof=1) / len(values), len(values) - 1) for values in groups]
    welch = scipy.stats.ttest_ind(*groups, equal_var=False)
    assert satterthwaite(sum(variance for variance, _ in parts), parts) == pytest.approx(welch.df)


def test_the_typical_variance_of_three_seeds_each_is_the_geometric_mean_times_e_to_eulers_gamma():
    """digamma(1) is minus Euler's constant, 0.5772."""
    scores = [np.array([10.0, 11.0, 12.0]), np.array([3.0, 7.0, 11.0]), np.array([5.0, 5.0, 5.0]), np.array([9.0])]
    assert _typical_variance(scores) == pytest.approx(4 * np.exp(0.5772156649))
    assert _typical_variance(scores[2:]) == 0


@pytest.mark.slow
def test_the_typical_variance_is_that_of_normal_scores():
    scores = np.random.default_rng(5).normal(30, 0.8, (20_000, 3))
    assert _typical_variance(list(scores)) == pytest.approx(0.64, rel=0.03)
    some = list(scores[:100])
    with_a_wild_one = _typical_variance([*some, np.array([0.0, 100.0, 200.0])])
    assert with_a_wild_one < 1.2 * _typical_variance(some)


def test_seeds_that_agree_by_chance_are_less_certain_among_others_that_do_not():
    """The effect and its variance stay; degrees of freedom are fewer, never more."""
    rng = np.random.default_rng(7)
    sentence = rng.normal(30, 20, (250, 1))
    luck = {"base": [0.0, 0.05, 0.1], "mine": [1.2, 1.25, 1.3]}
    luck |= {f"other{number}": list(rng.normal(0, 0.8, 3)) for number in range(10)}
    systems = {name: runs(sentence + rng.normal(0, 5, (250, 3)) + np.array(seeds)) for name, seeds in luck.items()}
    alone = compare({name: systems[name] for name in ("base", "mine")}, {"mine": "base"}, margin=0.5)["mine"]
    among = compare(systems, {"mine": "base"}, margin=0.5)["mine"]
    assert among.effect == alone.effect
    assert among.p_value > alone.p_value
    assert among.low < alone.low < alone.high < among.high
    every = compare(systems, dict.fromkeys(list(systems)[1:], "base"), margin=0.5)
    for name in list(systems)[2:]:
        pair = compare({"base": systems["base"], name: systems[name]}, {name: "base"}, margin=0.5)[name]
        assert every[name].p_value >= pair.p_value * 0.99  # the resamples are the same, the block is another


def test_variance_components_are_those_of_a_crossed_analysis_of_variance():
    """Mean squares of sentences x seeds (Searle et al. 1992, two-way crossed, random): V in closed form."""
    rng, n = np.random.default_rng(3), 400
    sentence = rng.normal(0, 1, (n, 1))
    tables = {
        name: sentence + rng.normal(0, 0.4, (n, 1)) + rng.normal(0, 0.15, (1, seeds)) + rng.normal(0, 1, (n, seeds))
        for name, seeds in (("base", 4), ("mine", 3))
    }
    found = compare({k: runs(v) for k, v in tables.items()}, {"mine": "base"}, margin=0.5, samples=20_000)["mine"]
    beyond, terms = 0.0, []
    for table in tables.values():
        seeds = table.shape[1]
        residual = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
        error = (residual**2).sum() / ((n - 1) * (seeds - 1)) * (n - 1) / n  # as a bootstrap divides, by n
        of_seeds = table.mean(axis=0).var(ddof=1) / seeds
        beyond += of_seeds - error / n / seeds
        terms.append(of_seeds**2 / (seeds - 1))
    paired = tables["mine"].mean(axis=1) - tables["base"].mean(axis=1)
    of_sentences = paired.var() / n
    variance = of_sentences + max(0.0, beyond)
    freedom = variance**2 / (sum(terms) + of_sentences**2 / (n - 1))
    assert beyond > 0
    effect = paired.mean()
    assert found.effect == pytest.approx(effect)
    assert found.high - found.low == pytest.approx(2 * scipy.stats.t.ppf(0.975, freedom) * variance**0.5, rel=0.02)
    assert found.p_value == pytest.approx(2 * scipy.stats.t.sf(abs(effect) / variance**0.5, freedom), rel=0.05)


def test_with_one_seed_the_interval_and_the_test_agree_and_say_nothing_about_training():
    rng = np.random.default_rng(8)
    base = rng.normal(0, 1, 200)
    for shift in (0.0, 0.05, 0.1, 0.15, 0.2, 0.4):
        other = base + rng.normal(shift, 1, 200)
        systems = {"base": [mean_statistics(base)], "other": [mean_statistics(other)]}
        found = compare(systems, {"other": "base"}, margin=0.1, samples=2000)["other"]
        assert not found.over_seeds
        assert found.low < found.effect < found.high
        assert (found.low <= 0 <= found.high) == (found.p_value > 0.05)
        expected = scipy.stats.ttest_rel(other, base)
        assert found.p_value == pytest.approx(expected.pvalue, abs=0.03)


def test_equal_runs_of_all_seeds_are_one_run():
    """Seeds that change nothing are no evidence about training."""
    base, other = [0.1, 0.2, 0.6, 0.4] * 10, [0.2, 0.2, 0.5, 0.6] * 10
    once = {"base": [mean_statistics(base)], "other": [mean_statistics(other)]}
    thrice = {name: each * 3 for name, each in once.items()}
    one, three = (compare(each, {"other": "base"}, margin=0.1)["other"] for each in (once, thrice))
    assert not three.over_seeds
    assert (three.effect, three.p_value) == (pytest.approx(one.effect), one.p_value)


def test_a_system_equal_to_the_baseline_is_the_same():
    rng = np.random.default_rng(2)
    base = runs(rng.normal(0.8, 0.1, (100, 3)))
    found = compare({"base": base, "twin": base}, {"twin": "base"}, margin=0.05)["twin"]
    assert (found.effect, found.p_value) == (0, 1)


def test_other_systems_change_the_correction_and_nothing_else():
    rng = np.random.default_rng(4)
    systems = {name: runs(rng.normal(shift, 1, (300, 3))) for name, shift in (("b", 0), ("x", 0.25), ("y", 0.1))}
    alone = compare({name: systems[name] for name in ("b", "x")}, {"x": "b"}, margin=0.1)["x"]
    together = compare(systems, {"x": "b", "y": "b"}, margin=0.1)["x"]
    assert (alone.effect, alone.low, alone.p_value) == (together.effect, together.low, together.p_value)
    assert alone.p_holm == alone.p_value
    assert together.p_holm == 2 * together.p_value


@pytest.mark.slow
@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_that_of_statsmodels(p_values):
    from statsmodels.stats.multitest import multipletests

    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())


# low, high, corrected p, higher is better -> verdict with a margin of 0.5
VERDICTS = [
    (0.3, 1.2, 0.01, True, "better"),
    (0.3, 1.2, 0.01, False, "worse"),
    (-1.2, -0.3, 0.01, True, "worse"),
    (-1.2, -0.3, 0.01, False, "better"),
    (0.1, 0.4, 0.2, True, "same"),  # not significant after correction, and within the margin
    (-0.4, 0.4, 0.9, True, "same"),
    (-0.4, 0.6, 0.7, True, "open"),
    (-0.5, 0.4, 0.9, True, "open"),  # the margin itself is not within the margin
    (-0.4, 0.5, 0.9, True, "open"),
    (-0.6, 0.4, 0.7, True, "open"),
]


@pytest.mark.parametrize(("low", "high", "p_holm", "higher", "expected"), VERDICTS)
def test_verdicts(low, high, p_holm, higher, expected):
    compared = Comparison((low + high) / 2, low, high, p_holm, over_seeds=True)
    assert verdict(compared, p_holm, 0.5, higher) == expected


def bleu_of(lines: list[str], references: list[str]) -> SentenceStatistics:
    return text_statistics(make_metric("bleu", references), lines)


@pytest.mark.parametrize(
    ("said", "copied", "metric", "score", "nothing"),
    [
        ("learned nothing", 16.0, "chrf", 20.0, True),
        ("baseline learned nothing", 2.0, "bleu", 9.0, False),
        (
            None,
            2.0,
            "bleu",
            0.5,
            False,
        ),  # no verdict of a file that knows the copied source: a baseline that has learned
        (None, None, "bleu", 0.5, True),
        (None, None, "bleu", 1.5, False),
        (None, None, "chrf", 0.5, False),
    ],
)
def test_rows_of_systems_that_learned_nothing(said, copied, metric, score, nothing):
    row = {"verdict": said, "copied_source": copied, "metric": metric, "score": score}
    assert learned_nothing(row) is nothing


def test_what_only_copies_has_learned_nothing():
    rng = np.random.default_rng(6)
    words = [f"w{number}" for number in range(60)]
    references = [" ".join(rng.choice(words, 9)) for _ in range(120)]
    noisy = lambda rate: [" ".join(w if rng.random() > rate else "x" for w in line.split()) for line in references]  # noqa: E731
    systems = {
        "good": [bleu_of(noisy(0.2), references) for _ in range(3)],
        "above, but not twice as high": [bleu_of(noisy(0.44), references) for _ in range(3)],
        "copies": [bleu_of(noisy(0.5), references) for _ in range(3)],
    }
    copy = bleu_of(noisy(0.5), references)
    scores = {name: np.mean([run.score for run in each]) for name, each in systems.items()}
    assert scores["good"] > 2 * copy.score > scores["above, but not twice as high"] > copy.score
    assert have_learned(systems, copy) == {"good": True, "above, but not twice as high": False, "copies": False}
    # Copying earns nothing here: the floor decides.
    none = bleu_of(["y"] * 120, references)
    few = bleu_of(["w1 x x x x x x x x"] * 120, references)
    assert few.score < 1
    assert have_learned({"few": [few], "good": systems["good"]}, none) == {"few": False, "good": True}


def test_seeds_far_apart_have_learned_if_each_has():
    """A t interval of two values far apart reaches below zero; then each training alone has to be clear."""
    rng = np.random.default_rng(7)
    words = [f"w{number}" for number in range(60)]
    references = [" ".join(rng.choice(words, 9)) for _ in range(120)]
    noisy = lambda rate: bleu_of(  # noqa: E731
        [" ".join(w if rng.random() > rate else "x" for w in line.split()) for line in references], references
    )
    copy, perfect = noisy(0.5), bleu_of(references, references)
    limit = 2 * copy.score
    high, barely, below = noisy(0.2), noisy(0.36), noisy(0.42)
    assert copy.score < below.score < limit < barely.score < 1.15 * limit
    assert high.score > 1.5 * limit
    systems = {
        "each is clear": [perfect, high],
        "one copies": [perfect, copy],
        "one is not twice as high": [perfect, below],
        "one is above by chance": [perfect, barely],
    }
    for each in systems.values():
        assert scipy.stats.ttest_1samp([run.score - copy.score for run in each], 0).pvalue > 0.05
        assert np.mean([run.score for run in each]) > limit
    said = {name: name == "each is clear" for name in systems}
    # no training alone is clear, but all agree
    assert have_learned({**systems, "all agree": [barely] * 3}, copy) == {**said, "all agree": True}
    # where copying earns nothing, one training has to be above the floor
    none, few = bleu_of(["y"] * 120, references), bleu_of(["w1 x x x x x x x x"] * 120, references)
    assert 0 < few.score < 1
    assert have_learned({"few": [perfect, few], "each": [perfect, high]}, none) == {"few": False, "each": True}
