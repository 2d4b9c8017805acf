"""The page of HFT's words: what is committed of findings follows from the scores and dev curves that are committed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


@pytest.mark.parametrize(
    "form", [".", "paper-model", "paper-model/seeds", "cpu", "cpu-ga-en", "cpu-en-mr", "cpu-mr-en"]
)
def test_the_findings_follow_from_the_scores(root: Path, load_program: Callable[[Path], ModuleType], form: str) -> None:
    """But for those that need the corpus."""
    page = root / "docs/experiments/hft-words"
    found = "\n\n".join(load_program(page / "analysis.py").findings(page / form))
    assert (page / form / "findings.md").read_text(encoding="utf-8").startswith(found)
