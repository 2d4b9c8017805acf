"""The page of HFT's words: what is committed of findings follows from the scores and dev curves that are committed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


@pytest.mark.parametrize("form", ["paper-model", "cpu"])
def test_the_findings_follow_from_the_scores(root: Path, form: str) -> None:
    """But for those that need the corpus."""
    page = root / "docs/experiments/hft-words"
    spec = importlib.util.spec_from_file_location("hft_words_analysis", page / "analysis.py")
    assert spec is not None
    assert spec.loader is not None
    analysis = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(analysis)
    found = "\n\n".join(analysis.findings(page / form))
    assert (page / form / "findings.md").read_text(encoding="utf-8").startswith(found)
