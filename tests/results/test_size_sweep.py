"""The size sweep's pages: the verdicts that are committed follow from the scores that are committed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from experiment.scoring.comparison import LEARNED_NOTHING
from experiment.scoring.scorebook import read_scores

SWEEP = "docs/experiments/size-sweep"


@pytest.fixture(scope="module")
def analysis(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("size_sweep_analysis", root / SWEEP / "analysis.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["en-de", "en-cs", "en-fr", "en-ga"])
def test_the_findings_follow_from_the_scores(analysis: ModuleType, root: Path, pair: str) -> None:
    folder = root / SWEEP / pair
    rows = read_scores(folder / "scores.csv")
    if (folder / "morphemes.csv").exists():
        rows = analysis.with_morphemes(rows, folder / "morphemes.csv")
    assert analysis.findings(rows, rows[0]["testset"]) == (folder / "findings.md").read_text(encoding="utf-8")


def test_a_difference_between_systems_that_learned_nothing_is_not_testable(analysis: ModuleType, root: Path) -> None:
    """One size that learned something is enough for its algorithm, in H1."""
    rows = read_scores(root / SWEEP / "en-de/scores.csv")
    nothing = [{**row, "verdict": LEARNED_NOTHING} for row in rows]
    some = [row if row["segmentation"] == "hft-4000" else bad for row, bad in zip(rows, nothing, strict=True)]

    def verdicts(rows: list[dict[str, object]]) -> dict[str, str]:
        testset = str(rows[0]["testset"])
        found, learned = analysis.curves(rows, testset), analysis.sizes_that_learned(rows, testset)
        lines = [*analysis.more_entries_are_better(found, learned), *analysis.composition_matters(rows, testset)]
        return {name: verdict for name, _, verdict in lines}

    assert set(verdicts(nothing).values()) == {analysis.NOT_TESTABLE}
    untested = {name for name, verdict in verdicts(some).items() if verdict == analysis.NOT_TESTABLE}
    assert verdicts(nothing).keys() - untested == {"H1, hft"}
    assert verdicts(some)["H1, hft"] == analysis.CONFIRMED
