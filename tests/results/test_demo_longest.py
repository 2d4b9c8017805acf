"""The demo trained four times as long: its statistics by hand, and findings from the scores that are committed."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev, variance
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, ttest_ind

from experiment.reporting.findings import read_csv

PAGE = "docs/experiments/demo/longest"


@pytest.fixture(scope="module")
def analysis(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / PAGE / "analysis.py")


def seeds(**systems: list[float]) -> pd.DataFrame:
    """Return scores: a row a system, a column a seed, nan where a system has fewer seeds."""
    return pd.DataFrame.from_dict(systems, orient="index").rename(columns=lambda column: column + 1)


def points(**systems: list[float]) -> list[dict[str, str]]:
    """Return what dev.csv says: BLEU after 20, 40, … updates of seed 1."""
    return [
        {"system": name, "seed": "1", "update": str(20 * number), "bleu": str(bleu)}
        for name, scores in systems.items()
        for number, bleu in enumerate(scores, 1)
    ]


FIRST = {"char": [70.0, 75.0, 79.0], "bpe": [80.0, 81.0, 80.5], "hft": [79.0, 79.0, 80.0]}
OLD = {"char": [88.0, 92.0], "bpe": [80.0, 82.0], "hft": [77.0, 78.0]}
AGAIN = [76.0, 72.0, 71.0]


@pytest.fixture
def scores(analysis: ModuleType) -> object:
    new = seeds(char=[95.0, 93.0], bpe=[82.0], hft=[79.0])
    return analysis.Scores(seeds(**FIRST), seeds(**OLD), new, seeds(char=AGAIN))


def test_a_difference_is_students_test(analysis: ModuleType) -> None:
    one, other = seeds(bpe=[52.0, 53.5]), seeds(bpe=[50.0, 51.0, 49.5, 50.2, 50.9])
    found, p_value = analysis.difference(one.loc["bpe"], other.loc["bpe"], analysis.spread([one, other]))
    expected = ttest_ind(one.loc["bpe"], other.loc["bpe"])
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert p_value == pytest.approx(expected.pvalue)


def test_characters_have_a_spread_of_their_own(analysis: ModuleType, scores: object) -> None:
    found = analysis.spreads(scores)
    others = [FIRST["bpe"], FIRST["hft"], OLD["bpe"], OLD["hft"]]
    for name, groups in (("bpe", others), ("hft", others), ("char", [FIRST["char"], OLD["char"], AGAIN])):
        freedom = sum(len(group) - 1 for group in groups)
        squares = sum(sum((value - fmean(group)) ** 2 for value in group) for group in groups)
        assert found[name] == pytest.approx((squares / freedom, freedom))


def test_a_seed_that_is_missing_counts_for_nothing(analysis: ModuleType) -> None:
    found = analysis.spread([seeds(bpe=[50.0, 51.0, 53.0], hft=[40.0])])
    assert found == pytest.approx((variance([50.0, 51.0, 53.0]), 2))


def test_the_mean_gain_has_the_variance_of_independent_seeds(analysis: ModuleType, scores: object) -> None:
    """Drawn seeds of three systems: the mean gain leaves its interval once in twenty draws."""
    each = analysis.spreads(scores)
    found = analysis.mean_gain(scores)
    assert found.value == pytest.approx(fmean([95.0 - 90.0, 82.0 - 81.0, 79.0 - 77.5]))
    generator = np.random.default_rng(5)
    drawn = [
        generator.normal(size=200_000) * sqrt(of.variance) + generator.normal(size=200_000) * sqrt(of.variance / 2)
        for of in each.values()
    ]
    error = np.mean(drawn, axis=0).std()
    # Student's quantiles for 5 and 6 degrees of freedom: those of characters are 5, and nearly all variance is theirs
    assert 2.447 * error * 0.99 < found.high - found.value < 2.571 * error * 1.01


def test_rankings_of_chance_have_kendalls_tau(analysis: ModuleType) -> None:
    means, deviations = pd.Series([3.0, 1.0, 2.0, 9.0]), pd.Series([1.0, 2.0, 0.5, 4.0])
    generator = np.random.default_rng(1)
    one, two = (generator.normal(size=(analysis.DRAWS, 4)) * list(deviations) for _ in range(2))
    expected = [kendalltau(means + one[draw], means + two[draw] / sqrt(2)).statistic for draw in range(50)]
    assert list(analysis.taus_of_chance(means, deviations, 2)[:50]) == pytest.approx(expected)


def test_a_ranking_changes_if_chance_seldom_changes_it_as_much(analysis: ModuleType, scores: object) -> None:
    assert "τ of 1.000" in analysis.ranking(scores)
    assert analysis.ranking(scores).endswith("**No change is shown.**")
    turned = scores._replace(new=seeds(char=[60.0], bpe=[70.0], hft=[80.0]))  # type: ignore[attr-defined]
    assert "τ of -1.000" in analysis.ranking(turned)
    assert analysis.ranking(turned).endswith("**It changes.**")


def test_parts_of_the_gain_of_characters_add_up(analysis: ModuleType, scores: object) -> None:
    lines = analysis.characters(scores).splitlines()
    assert lines[0] == "`char` has 74.7 (first), 73.0 (trained again), 90.0 (5,040)."
    groups = [FIRST["char"], OLD["char"], AGAIN]
    deviation = sqrt(sum(stdev(group) ** 2 * (len(group) - 1) for group in groups) / 5)
    half = 2.571 * deviation * sqrt(1 / 2 + 1 / 3)  # Student's quantile for five degrees of freedom
    assert lines[4].endswith(f"| +17.0 [+{17 - half:.1f}, +{17 + half:.1f}] | shown |")
    assert "| −1.7 [" in lines[5]
    assert lines[5].endswith("| not shown |")


def test_learning_is_the_last_fifth_of_seed_1(analysis: ModuleType) -> None:
    found = points(bpe=[1.0, 50.0, 60.0, 71.0, 70.0], hft=[1.0, 20.0, 30.0, 40.0, 44.0])
    other = [{**point, "seed": "2", "bleu": "0.0"} for point in found]
    assert analysis.learning(found + other, 100).to_dict() == pytest.approx({"bpe": -1.0, "hft": 4.0})
    assert analysis.best_updates(found).to_dict() == {"bpe": "80", "hft": "100"}
    assert analysis.best_updates(found + other)["bpe"] == "80; 20"


def test_the_findings_follow_from_the_scores(analysis: ModuleType, root: Path) -> None:
    page = root / PAGE
    dev = (read_csv(folder / "dev.csv") for folder in (page.parent / "longer", page))
    found = "\n\n".join(analysis.findings(analysis.Scores.read(), *dev)) + "\n"
    assert (page / "findings.md").read_text(encoding="utf-8") == found
