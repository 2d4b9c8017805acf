"""The ranking of the demo's systems: it follows from the committed scores, and agreement is measured rightly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

from experiment.scoring.scorebook import read_scores

FOLDER = "docs/experiments/demo"


@pytest.fixture(scope="module")
def module(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / FOLDER / "ranking.py")


def test_the_ranking_follows_from_the_scores(module: ModuleType, root: Path) -> None:
    rows = read_scores(root / FOLDER / "scores.csv")
    assert module.ranking(rows) == (root / FOLDER / "ranking.md").read_text(encoding="utf-8")


def test_agreement_by_hand(module: ModuleType) -> None:
    """Three systems, three seeds: rank sums 3, 7, 8, so W = 12 · 14 / (9 · 24) = 0.78; b and c change places once."""
    scores = pd.DataFrame({1: [9, 8, 7], 2: [9, 7, 8], 3: [9, 7, 8]}, index=["a", "b", "c"], dtype=float)
    said = module.agreement(scores)
    assert "W of the 3 rankings is 0.78" in said
    assert "a τ of 0.33 to 1.00" in said
    assert "2 of 3 pairs" in said
