"""The demo trained twice as long: agreement and gains by hand, and findings from the scores that are committed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_ind

from experiment.reporting.findings import read_csv
from experiment.scoring.scorebook import read_scores

PAGE = "docs/experiments/demo/longer"


@pytest.fixture(scope="module")
def analysis(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / PAGE / "analysis.py")


def rows(scores: dict[str, list[float]]) -> list[dict[str, Any]]:
    compared = {"effect": None, "effect_low": None, "effect_high": None, "verdict": ""}
    return [
        {"metric": metric, "testset": testset, "segmentation": name, "seed": seed, "score": score + more, **compared}
        for metric, testset, more in (("chrf", "test_unseen", 0), ("bleu", "test_unseen", 7), ("chrf", "test", 9))
        for name, seeds in {**scores, "bpe-knockout": [99.0] * len(next(iter(scores.values())))}.items()
        for seed, score in enumerate(seeds, 1)
    ]


def test_agreement_is_that_of_pairs_in_the_same_order(analysis: ModuleType) -> None:
    one = analysis.by_seed(rows({"a": [1.0, 2.0], "b": [3.0, 5.0], "c": [4.0, 3.0], "d": [9.0, 9.0]}))
    other = analysis.by_seed(rows({"a": [2.5], "b": [2.0], "c": [6.0], "d": [7.0]}))
    signs = [
        np.sign(fmean(one.loc[left]) - fmean(one.loc[right]))
        * np.sign(fmean(other.loc[left]) - fmean(other.loc[right]))
        for left, right in combinations("abcd", 2)
    ]
    assert analysis.agreement(one, other) == pytest.approx(fmean(signs))


def test_seeds_are_divided_in_every_way(analysis: ModuleType) -> None:
    """Of five seeds the first is the odd one: all divisions that leave it with others have the ranking of those."""
    scores = {"a": [9.0, 1.0, 1.0, 1.0, 1.0], "b": [1.0, 9.0, 9.0, 9.0, 9.0]}
    assert len(analysis.divisions(analysis.by_seed(rows(scores)), 2)) == 10
    assert sorted(analysis.divisions(analysis.by_seed(rows(scores)), 1)) == [-1, 1, 1, 1, 1]


def test_gains_of_one_system_are_students_test(analysis: ModuleType) -> None:
    """With one system the pooled spread is that of both lengths, as in the test of equal variances."""
    old, new = [50.0, 51.0, 49.5, 50.2, 50.9], [52.0, 53.5]
    found = analysis.gains(*(analysis.by_seed(rows({"bpe": scores})) for scores in (old, new))).loc["bpe"]
    expected = ttest_ind(new, old).confidence_interval(0.95)
    assert (found["gain"] - found["pooled"], found["gain"] + found["pooled"]) == pytest.approx(tuple(expected))
    # 2.776 is Student's quantile for four degrees of freedom
    assert found["own"] == pytest.approx(2.776 * stdev(old) * sqrt(1 / 2 + 1 / 5), rel=1e-3)


def test_one_seed_has_the_spread_of_the_shorter_trainings(analysis: ModuleType) -> None:
    old = analysis.by_seed(rows({"bpe": [50.0, 51.0, 49.5], "hft": [40.0, 43.0, 47.0]}))
    found = analysis.gains(old, analysis.by_seed(rows({"bpe": [52.0], "hft": [45.0]})))
    pooled = fmean([stdev([50.0, 51.0, 49.5]) ** 2, stdev([40.0, 43.0, 47.0]) ** 2])
    assert list(found["pooled"]) == pytest.approx([2.776 * sqrt(pooled * 4 / 3)] * 2, rel=1e-3)


def test_learning_is_the_last_fifth(analysis: ModuleType) -> None:
    points = [
        {"system": "bpe", "seed": seed, "update": update, "nll_loss": "1.0", "bleu": bleu}
        for seed, scores in {"1": ("60.0", "70.0", "71.0"), "2": ("50.0", "60.0", "62.0")}.items()
        for update, bleu in zip(("2016", "4032", "5040"), scores, strict=True)
    ]
    assert analysis.learning(points).to_dict() == pytest.approx({"bpe": 1.5})
    assert analysis.learning(points[:-1]).to_dict() == pytest.approx({"bpe": 1.0})  # seed 2 ended early


def test_a_seed_that_some_systems_lack_does_not_count(analysis: ModuleType) -> None:
    some = [
        row
        for row in rows({"bpe": [50.0, 51.0], "hft": [49.0, 9.0]})
        if (row["segmentation"], row["seed"]) != ("bpe", 2)
    ]
    assert analysis.by_seed(some).to_dict() == {1: {"bpe": 50.0, "hft": 49.0}}


@pytest.mark.parametrize("folder", ["longer", "new-seeds"])
def test_the_findings_follow_from_the_scores(analysis: ModuleType, root: Path, folder: str) -> None:
    page = (root / PAGE).with_name(folder)
    scores = (read_scores(each / "scores.csv") for each in (page.parent / "shorter", page))
    found = "\n\n".join(analysis.findings(*scores, read_csv(page / "dev.csv"))) + "\n"
    assert (page / "findings.md").read_text(encoding="utf-8") == found
