"""The page on sizes beyond 4,000: its hypotheses by hand, and its findings from the scores that are committed."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from scipy.stats import t as student_t

from experiment.scoring.comparison import BETTER, OPEN, SAME

PAGE = "docs/experiments/size-sweep/beyond-4000"


@pytest.fixture(scope="module")
def analysis(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / PAGE / "analysis.py")


def rows_of(scores: dict[int, float], verdict: str = OPEN) -> list[dict[str, Any]]:
    """Return rows of the three algorithms, with a standard deviation of 0.1 over seeds."""
    return [
        {
            "segmentation": f"{algorithm}-{size}",
            "algorithm": algorithm,
            "size": size,
            "seed": seed,
            "metric": "chrf",
            "score": score + change,
            "baseline": f"bpe-{size}",
            "verdict": verdict,
        }
        for algorithm in ("bpe", "hft", "unigram")
        for size, score in scores.items()
        for seed, change in enumerate((-0.1, 0.0, 0.1), 1)
    ]


def found(analysis: ModuleType, larger: dict[int, float], verdict: str = OPEN) -> dict[str, tuple[str, str]]:
    lines = analysis.hypotheses(rows_of(larger, verdict), rows_of({2000: 50.0, 4000: 53.0}))
    return {name: (evidence, said) for name, evidence, said in lines}


def interval(value: float, squares: float, freedom: float) -> str:
    """Return a value with its interval; `squares` are the sum of the squared weights of means of three."""
    half = student_t.ppf(0.975, freedom) * sqrt(squares * 0.01 / 3)
    return f"{value:+.2f} [{value - half:+.2f}, {value + half:+.2f}]".replace("-", "−")


def test_the_steps_and_their_bend_by_hand(analysis: ModuleType) -> None:
    """Gains of 3, then 2, then 0.1: M1 2, M2 0.1, M3 −1, in which the scores at 4,000 count twice.

    Satterthwaite's degrees of freedom of weights 1, −2 and 1: (1 + 4 + 1)² / (1/2 + 16/2 + 1/2) = 4.
    """
    lines = found(analysis, {8000: 55.0, 16000: 55.1})
    for algorithm in analysis.ALGORITHMS:
        for label, shown, verdict in (
            ("M1", interval(2.0, 2, 4), "confirmed"),
            ("M2", interval(0.1, 2, 4), "refuted"),  # within half a point of none
            ("M3", interval(-1.0, 6, 4), "confirmed"),
        ):
            evidence, said = lines[f"{label}, {algorithm}"]
            assert (evidence.startswith(shown), said) == (True, verdict), label


def test_a_falling_score_refutes(analysis: ModuleType) -> None:
    lines = found(analysis, {8000: 57.0, 16000: 55.0})
    assert {lines[f"M2, {each}"][1] for each in analysis.ALGORITHMS} == {"refuted"}
    assert {lines[f"M3, {each}"][1] for each in analysis.ALGORITHMS} == {"refuted"}  # it bends upwards


@pytest.mark.parametrize(("verdict", "said"), [(BETTER, "confirmed"), (SAME, "refuted"), (OPEN, "open")])
def test_whether_algorithms_are_told_from_bpe_is_the_pipelines_verdict(
    analysis: ModuleType, verdict: str, said: str
) -> None:
    evidence, judged = found(analysis, {8000: 55.0, 16000: 55.0}, verdict)["M4"]
    assert (judged, evidence.split(":")[0]) == (said, "4 of 4" if verdict == BETTER else "0 of 4")
    assert "bpe-8000" not in evidence


def test_the_findings_follow_from_the_scores(analysis: ModuleType, root: Path) -> None:
    found = "\n\n".join(analysis.findings(root / PAGE)) + "\n"
    assert found == (root / PAGE / "findings.md").read_text(encoding="utf-8")
