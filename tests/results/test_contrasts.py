"""Verdicts on predicted differences."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

import pytest
import scipy.stats
from levels.contrasts import FAMILIES, any_shown, shown_alone

from experiment.scoring.contrasts import CONFIRMED, OPEN, REFUTED, Interval, contrast, judge


def test_a_contrast_of_two_systems_is_welchs_test() -> None:
    first, second = [40.1, 41.1, 41.4], [35.1, 36.9, 37.8]
    expected = scipy.stats.ttest_ind(first, second, equal_var=False)
    change, p_value = contrast([(1, first), (-1, second)])
    low, high = expected.confidence_interval()
    assert change.value == pytest.approx(statistics.fmean(first) - statistics.fmean(second))
    assert (change.low, change.high, p_value) == pytest.approx((low, high, expected.pvalue))


def test_a_contrast_of_one_group_is_the_t_test() -> None:
    values = [0.3, -0.1, 0.8, 0.4]
    expected = scipy.stats.ttest_1samp(values, 0)
    change, p_value = contrast([(1, values)])
    assert (change.low, change.high) == pytest.approx(expected.confidence_interval())
    assert p_value == pytest.approx(expected.pvalue)


def test_a_contrast_of_four_systems_that_spread_alike_is_that_of_a_linear_model() -> None:
    """With equal variances Satterthwaite's freedom is that of the model: 4 groups of 3, 8 degrees of freedom."""
    groups = [[mean - 1.0, float(mean), mean + 1.0] for mean in (54, 45, 41, 37)]
    change, p_value = contrast(list(zip((1, -1, -1, 1), groups, strict=True)))
    error = math.sqrt(4 * 1.0 / 3)
    assert (change.value, p_value) == pytest.approx((5.0, 2 * scipy.stats.t.sf(5 / error, 8)))
    assert change.high - change.value == pytest.approx(scipy.stats.t.ppf(0.975, 8) * error)
    assert change.value - change.low == pytest.approx(scipy.stats.t.ppf(0.975, 8) * error)


def test_what_has_no_spread_has_no_interval() -> None:
    with pytest.raises(ValueError, match="no group varies"):
        contrast([(1, [2.0, 2.0]), (-1, [1.0, 1.0])])
    with pytest.raises(ValueError, match="at least two"):
        contrast([(1, [2.0]), (-1, [1.0, 1.5])])


@pytest.mark.parametrize(
    ("mean", "deviation", "verdict"),
    [
        (0.5, 0.1, CONFIRMED),
        (0.3, 0.05, CONFIRMED),  # small, but there
        (-0.5, 0.1, REFUTED),  # the other way round
        (0.1, 0.1, REFUTED),  # within half a point: no difference
        (0.1, 0.3, OPEN),
        (0.5, 0.17, OPEN),  # p = 0.036 of one, 0.073 of two
    ],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_the_verdict_on_a_predicted_change(mean: float, deviation: float, verdict: str, sign: int) -> None:
    """By hand: three values, so the interval's half is 4.30 / √3 = 2.48 times their deviation; Holm over two."""
    values = [sign * (mean + each) for each in (-deviation, 0, deviation)]
    found = judge({"one": [(1, values)], "other": [(1, values)]}, expected=sign, none_within=0.5)
    single = scipy.stats.ttest_1samp(values, 0).pvalue
    for each in found.values():
        assert each.verdict == verdict
        assert each.p_value == pytest.approx(min(1, 2 * single))
        half = scipy.stats.t.ppf(0.975, 2) * deviation / math.sqrt(3)
        assert (each.change.value, each.change.high - each.change.value) == pytest.approx((sign * mean, half))


def test_without_a_border_nothing_is_refuted_by_being_small() -> None:
    assert judge({"a": [(1, [0.01, -0.01, 0.0])]})["a"].verdict == OPEN


@pytest.mark.parametrize(("spreads", "seeds"), [((1, 1), 3), ((4, 1), 3)])
def test_means_that_are_equal_are_seldom_told_apart(spreads: tuple[int, ...], seeds: int) -> None:
    """In 2,000 trials; a normal law in place of Student's t tells 12 to 17% apart. More in docs/significance.md."""
    assert 0.02 < shown_alone(spreads, seeds, 2000) < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 2000)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_after_correction_any_of_many_equal_means_is_seldom_told_apart(family: Callable[..., Any]) -> None:
    """In 500 trials; 2.5 and 3.1% in docs/significance.md, and 12 and 54% without correction."""
    assert 0 < any_shown(family, 4, 3, 500) < 0.03 + 4 * math.sqrt(0.03 * 0.97 / 500)


def test_intervals_are_written_with_signs() -> None:
    assert Interval(1.25, -0.314, 2.714).text() == "+1.25 [−0.31, +2.71]"
    assert Interval(-0.6, -0.82, -0.004).text() == "−0.60 [−0.82, −0.00]"  # all of it is below 0
    assert Interval(-0.04, -1.26, 1.0).text(1) == "−0.0 [−1.3, +1.0]"


def test_a_group_of_weight_two_is_that_of_doubled_values() -> None:
    """Not that of the same group twice, as if its errors were independent."""
    first, second = (2.0, 2.5, 3.5), (1.0, 1.5, 1.0)
    assert contrast([(1, first), (-2, second)]) == contrast([(1, first), (-1, [2 * value for value in second])])
