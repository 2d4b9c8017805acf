"""The sweep at equal numbers of entries: hypotheses by hand, and findings from the scores that are committed."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any

import pytest
from scipy.stats import t as student_t
from scipy.stats import ttest_ind

PAGE = "docs/experiments/size-sweep/equal-entries"


@pytest.fixture(scope="module")
def analysis(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / PAGE / "analysis.py")


def row(algorithm: str, seed: int, score: float, entries: int, size: int = 500, **more: Any) -> dict[str, Any]:
    name = f"{algorithm}-of-{entries}"
    systems = {"segmentation": name, "algorithm": algorithm, "size": size, "vocabulary": entries}
    compared = {"effect": None, "effect_low": -2.0, "effect_high": -1.0, "effect_p_holm": 0.01, "verdict": ""}
    return {"testset": "test2017", "metric": "chrf", "seed": seed, "score": score, **systems, **compared, **more}


def sweep(algorithm: str, scores: dict[int, list[float]], sizes: list[int]) -> list[dict[str, Any]]:
    return [
        row(algorithm, seed, score, entries, size)
        for size, (entries, seeds) in zip(sizes, scores.items(), strict=True)
        for seed, score in enumerate(seeds)
    ]


def test_interpolation_by_hand(analysis: ModuleType) -> None:
    """Half way between 400 and 1,600 entries, in logarithms, are 800."""
    bpe = {800: [50.0, 50.2]}
    hft = {400: [48.0, 48.4], 1600: [53.0, 53.6]}
    signed = analysis.interpolated([*sweep("bpe", bpe, [500]), *sweep("hft", hft, [400, 1600])], "hft", 500)
    assert [weight for weight, _ in signed] == pytest.approx([0.5, 0.5, -1])
    assert sum(weight * fmean(seeds) for weight, seeds in signed) == pytest.approx((48.2 + 53.3) / 2 - 50.1)
    uneven = analysis.interpolated([*sweep("bpe", {600: [50.0]}, [500]), *sweep("hft", hft, [400, 1600])], "hft", 500)
    assert uneven[1][0] == pytest.approx(log(600 / 400) / log(4))


def test_e1_is_welchs_test_where_both_sizes_differ_alike(analysis: ModuleType) -> None:
    """With the same scores at both numbers of entries, Welch's test has half the variance and twice the freedom."""
    hft, bpe = [51.0, 51.4, 51.3], [50.0, 50.1, 50.5]
    scores = {"hft": hft, "bpe": bpe}
    rows = [row(name, s, each, n) for n in (500, 1000) for name, of in scores.items() for s, each in enumerate(of)]
    (_, evidence, verdict) = next(analysis.hypotheses({"en-de": rows}))
    assert evidence.startswith(f"{fmean(hft) - fmean(bpe):+.2f} [")
    low, high = (float(each) for each in evidence.partition("[")[2].partition("]")[0].split(", "))
    one = ttest_ind(hft, bpe, equal_var=False)
    error = (fmean(hft) - fmean(bpe)) / one.statistic / 2**0.5
    assert high - low == pytest.approx(2 * student_t.ppf(0.975, 2 * one.df) * error, abs=0.01)
    assert verdict == "confirmed"
    swapped = [each | {"algorithm": {"hft": "bpe", "bpe": "hft"}[each["algorithm"]]} for each in rows]
    assert next(analysis.hypotheses({"en-de": swapped}))[2] == "refuted"


@pytest.mark.parametrize(
    ("verdict", "said"), [("worse", "confirmed"), ("better", "refuted"), ("same", "refuted"), ("open", "open")]
)
def test_e2_follows_the_pipelines_verdict(analysis: ModuleType, verdict: str, said: str) -> None:
    rows = [row(name, s, 50 + s / 10, n) for n in (500, 1000) for name in ("hft", "bpe") for s in range(3)]
    rows += [row("unigram", s, 48.0, 500, effect=-1.5, verdict=verdict) for s in range(3)]
    found = [each for each in analysis.hypotheses({"en-de": rows}) if each[0].startswith("E2")]
    assert found == [("E2, unigram, English to German", "−1.50 [−2.00, −1.00], p = 0.01", said)]


def test_the_findings_follow_from_the_scores(analysis: ModuleType, root: Path) -> None:
    found = "\n\n".join(analysis.findings(root / PAGE)) + "\n"
    assert (root / PAGE / "findings.md").read_text(encoding="utf-8") == found
