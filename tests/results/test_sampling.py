"""The page on random segmentation: its hypotheses, judged by hand and on scores that another program judged."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from pathlib import Path
from statistics import fmean
from types import ModuleType

import pytest
from scipy.stats import t as student_t

from experiment.scoring.scorebook import read_scores

PAGE, SWEEP = "docs/experiments/sampling", "docs/experiments/size-sweep"


@pytest.fixture(scope="module")
def analysis(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / PAGE / "analysis.py")


def of_three(mean: float) -> tuple[float, float, float]:
    return (mean - 0.1, mean, mean + 0.1)


def made(gains: dict[int, float]) -> dict[str, dict[int, tuple[float, ...]]]:
    """Return scores with a standard deviation of 0.1 over seeds, and a gain of both for each size."""
    plain = {size: of_three(20 + size / 1000) for size in gains}
    drawn = {size: of_three(20 + size / 1000 + gain) for size, gain in gains.items()}
    return {"bpe": plain, "unigram": plain, "bpe-dropout": drawn, "unigram-sampling": drawn}


def test_the_three_hypotheses_by_hand(analysis: ModuleType) -> None:
    """Gains of −1, 0, 1 and 3 at the four sizes, before of −7: S1 0.75, without 500 1.33, S2 4, S3 7.75."""
    now, before = made({500: -1.0, 1000: 0.0, 2000: 1.0, 4000: 3.0}), made(dict.fromkeys(analysis.SIZES, -7.0))
    lines = list(analysis.hypotheses(now, before))
    expected = {"S1": (0.75, 2), "S1, without size 500": (4 / 3, 2), "S2": (4.0, 4), "S3": (7.75, 4)}
    assert [name for name, *_ in lines] == [f"{each}, {one}" for each in expected for one in analysis.DRAWN]
    for (name, evidence, verdict), (value, groups) in zip(
        lines, [v for v in expected.values() for _ in "12"], strict=True
    ):
        half = student_t.ppf(0.975, 2 * groups) * sqrt(groups * 0.01 / 3)
        shown = f"{value:+.2f} [{value - half:+.2f}, {value + half:+.2f}]".replace("-", "−")
        assert evidence.startswith(shown), name
        assert verdict == "confirmed"


@pytest.mark.parametrize(
    ("gain", "deviation", "verdict"),
    [
        (-2.0, 0.3, "refuted"),
        (0.0, 0.1, "refuted"),  # within half a point of none: the interval's half is 0.23
        (0.4, 0.3, "open"),
        (0.7, 0.3, "open"),  # its interval is above 0, but not after correction
        (1.0, 0.3, "confirmed"),
    ],
)
def test_the_verdict_on_a_gain(analysis: ModuleType, gain: float, deviation: float, verdict: str) -> None:
    plain, drawn = (
        dict.fromkeys(analysis.SIZES, (mean - deviation, mean, mean + deviation)) for mean in (20, 20 + gain)
    )
    scores = {"bpe": plain, "unigram": plain, "bpe-dropout": drawn, "unigram-sampling": drawn}
    assert next(analysis.hypotheses(scores, {}))[2] == verdict


@pytest.mark.parametrize("pair", ["en-de", "en-cs", "en-fr"])
def test_the_mean_over_sizes_is_that_of_the_sweep(analysis: ModuleType, root: Path, pair: str) -> None:
    """Its analysis judged the runs of 800 updates by Welch's test of scipy (G2)."""
    scores = analysis.by_size(read_scores(root / SWEEP / pair / "scores.csv"), "chrf")
    found = list(analysis.hypotheses(scores, {}))[:2]
    page = (root / SWEEP / pair / "findings.md").read_text(encoding="utf-8")
    for name, evidence, _ in found:
        assert f"| G2, {name.rpartition(', ')[2]} | {evidence} |" in page
    assert fmean(scores["bpe"][500]) > fmean(scores["bpe-dropout"][500])


def test_the_findings_follow_from_the_scores(analysis: ModuleType, root: Path) -> None:
    found = "\n\n".join(analysis.findings(root / PAGE)) + "\n"
    assert found == (root / PAGE / "findings.md").read_text(encoding="utf-8")
