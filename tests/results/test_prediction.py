"""Which measure predicts the score: against scipy, residuals of a regression, and data whose answer is known."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from levels.predictions import excluded, unrelated
from scipy.stats import norm, pearsonr, rankdata, spearmanr, t

from experiment.scoring.prediction import Swept, partial, predict, spearman, swept_systems, tail


def systems(scores, *, algorithms=8, sizes=4, seeds=3, noise=0.0, random=None):
    """Systems with a measure `pieces_per_sentence_target`; `scores(size, pieces)` is the score, but for noise."""
    random = random or np.random.default_rng(1)
    found = []
    for algorithm in range(algorithms):
        offset = random.normal()
        for size in range(1, sizes + 1):
            pieces = -size + offset + 0.1 * random.normal()
            made = tuple(scores(size, pieces) + noise * random.normal() for _ in range(seeds))
            measures = {"vocabulary": float(500 * 2**size), "pieces_per_sentence_target": pieces}
            found.append(Swept(f"algorithm-{algorithm}", measures, made))
    return found


def test_correlations_are_those_of_scipy():
    random = np.random.default_rng(3)
    measures, scores = random.integers(0, 6, size=(3, 20)).astype(float), random.normal(size=20)
    matrix = spearman(np.vstack([measures, scores]))
    for row, measure in zip(matrix, measures, strict=False):
        assert row[-1] == pytest.approx(spearmanr(measure, scores).statistic)
    assert matrix[0, 2] == pytest.approx(spearmanr(measures[0], measures[2]).statistic)


def test_absent_systems_do_not_count_in_a_correlation():
    random = np.random.default_rng(6)
    values, present = random.integers(0, 6, size=(5, 2, 30)).astype(float), random.random((5, 30)) < 0.6
    for one, there, matrix in zip(values, present, spearman(values, present), strict=True):
        assert matrix[0, 1] == pytest.approx(spearmanr(*one[:, there]).statistic)


def test_the_partial_correlation_is_that_of_residuals_of_ranks():
    random = np.random.default_rng(4)
    measures, scores = random.normal(size=(2, 25)), random.normal(size=25)
    given, one, other = (rankdata(values) for values in (measures[0], measures[1], scores))
    residuals = [values - np.polyval(np.polyfit(given, values, 1), given) for values in (one, other)]
    assert partial(spearman(np.vstack([measures, scores])), 1, 2, 0) == pytest.approx(pearsonr(*residuals).statistic)


def test_a_measure_that_decides_the_score_is_found_beyond_size():
    found = predict(systems(lambda size, pieces: -pieces), draws=200)
    assert found is not None
    assert (found.systems, found.algorithms) == (32, 8)
    rho = found.rho["pieces_per_sentence_target"]
    assert (rho.value, rho.low, rho.high) == pytest.approx((-1, -1, -1))
    assert found.beyond_size["pieces_per_sentence_target"].value == pytest.approx(-1)
    assert found.better["vocabulary", "pieces_per_sentence_target"].high < 0


def test_a_measure_that_only_follows_size_says_nothing_beyond_it():
    found = predict(systems(lambda size, pieces: size, noise=0.3), draws=300)
    assert found is not None
    assert found.rho["pieces_per_sentence_target"].high < 0
    beyond = found.beyond_size["pieces_per_sentence_target"]
    assert beyond.low < 0 < beyond.high


def test_the_interval_excludes_no_correlation_no_more_often_than_it_says():
    """Plain percentiles exclude zero in 12 and 14% here; `benchmarks.levels.predictions` has more settings."""
    make = functools.partial(unrelated, algorithms=5, shared=0.0)
    rho, beyond = excluded(make, trials=200, draws=400, seed=5)
    assert max(rho, beyond) <= 0.085  # more than 17 of 200, of which 10 are expected, with probability 0.01


def test_intervals_are_those_of_draws_one_after_the_other():
    """Algorithms with other numbers of sizes, systems with other numbers of seeds."""
    measure, random = "pieces_per_sentence_target", np.random.default_rng(8)
    made = systems(lambda size, pieces: size, algorithms=6, noise=2.0, random=random)
    swept = [replace(system, scores=system.scores[: 1 + k % 3]) for k, system in enumerate(made) if k % 5]
    algorithms = {system.algorithm: [each for each in swept if each.algorithm == system.algorithm] for system in swept}

    def drawn():
        chosen = [each for name in random.choice(list(algorithms), len(algorithms)) for each in algorithms[name]]
        means = [random.choice(each.scores, len(each.scores)).mean() for each in chosen]
        return spearmanr([each.measures[measure] for each in chosen], means).statistic

    found = predict(swept, draws=20_000, seed=1).rho[measure]
    assert (found.low, found.high) == pytest.approx(
        np.quantile([drawn() for _ in range(3000)], [tail(6), 1 - tail(6)]), abs=0.05
    )


def test_expanded_percentiles_of_a_mean_are_its_t_interval():
    """Of normal values, drawn means are normal with the variance of n: see the R package resample, ExpandProbs."""
    values = np.random.default_rng(7).normal(size=8)
    found = norm(values.mean(), values.std() / np.sqrt(8)).ppf([tail(8), 1 - tail(8)])
    assert found == pytest.approx(t(7, values.mean(), values.std(ddof=1) / np.sqrt(8)).interval(0.95))


def test_only_algorithms_with_several_sizes_count():
    def row(algorithm, size, seed, **rest):
        given = {"algorithm": algorithm, "segmentation": f"{algorithm}-{size}", "size": size, "seed": seed}
        given |= {"verdict": "learned nothing" if algorithm == "hft" else "open", "copied_source": 10.0}
        known = {"vocabulary": size, "pieces_per_sentence_target": 20.0 - seed, "renyi_efficiency_target": None}
        known |= {"boundary_f1_source": None}
        return (
            {"testset": "test", "metric": "chrf", "score": 40.0 + seed, "boundary_f1_target": 0.5}
            | given
            | known
            | rest
        )

    rows = [row("bpe", size, seed) for size in (500, 1000) for seed in (1, 2, 3)]
    rows += [row("char", None, 1), row("word", 4000, 1), row("bpe", 500, 1, metric="bleu")]
    rows += [row("hft", size, 1) for size in (500, 1000)]
    found = swept_systems(rows, "test", "chrf")
    assert [(system.algorithm, len(system.scores)) for system in found] == [
        ("bpe", 3),
        ("bpe", 3),
        ("hft", 1),
        ("hft", 1),
    ]
    assert [system.learned for system in found] == [True, True, False, False]
    assert found[0].measures == {"vocabulary": 500, "pieces_per_sentence_target": 18.0, "boundary_f1_target": 0.5}


def test_systems_that_learned_nothing_are_left_out_and_counted():
    made = systems(lambda size, pieces: -pieces)
    useless = [replace(system, scores=(0.0, 0.0, 0.0), learned=False) for system in made[::5]]
    rest = [system for number, system in enumerate(made) if number % 5]
    found = predict(useless + rest, draws=50)
    assert (found.systems, found.untrained) == (len(rest), len(useless))
    assert found.rho == predict(rest, draws=50).rho


def test_one_algorithm_is_too_few():
    assert predict(systems(lambda size, pieces: size, algorithms=1)) is None


def test_systems_of_which_nothing_was_measured_have_no_prediction():
    assert predict([Swept(algorithm, {}, (1.0, 2.0)) for algorithm in ("bpe", "bpe", "hft", "hft")]) is None
