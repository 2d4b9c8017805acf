"""The page on marks: its two algorithms against BPE itself, its verdicts by hand, and its findings from the scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from subwords.bpe import BPE
from subwords.segmenter import Segmenter
from subwords.testing import CHECKS, check_contract

PAGE = "docs/experiments/marks"
TEXT = "abcab bcab abcab\nxyzx abab ##ab ab##ab\ncbab babab abcab"


@pytest.fixture(scope="module")
def marked(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / PAGE / "marked_bpe.py")


@pytest.fixture(scope="module")
def analysis(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / PAGE / "analysis.py")


def learned(cls: type[Segmenter], text: str, folder: Path) -> Segmenter:
    path = folder / "text"
    path.write_text(text, encoding="utf-8")
    return cls.learn([path], 5)


@pytest.mark.parametrize("name", ["MarkedInFront", "MirroredBPE"])
def test_the_algorithms_hold_the_contract(marked: ModuleType, name: str) -> None:
    quick = [check for check in CHECKS if check != "another_process_learns_the_same"]
    assert check_contract(getattr(marked, name), quick) == []


def test_marks_in_front_leave_the_cuts_of_bpe(marked: ModuleType, tmp_path: Path) -> None:
    plain, front = (learned(cls, TEXT, tmp_path) for cls in (BPE, marked.MarkedInFront))
    for line in TEXT.replace("##", "").splitlines():
        words = [[piece.removesuffix("@@") for piece in plain.encode(word).split(" ")] for word in line.split(" ")]
        assert front.encode(line) == " ".join(" ##".join(pieces) for pieces in words)


def test_the_mirrored_bpe_is_bpe_of_reversed_words(marked: ModuleType, tmp_path: Path) -> None:
    text = TEXT.replace("##", "")
    mirrored = learned(marked.MirroredBPE, text, tmp_path)
    backwards = learned(BPE, "\n".join(line[::-1] for line in text.splitlines()), tmp_path)
    for line in text.splitlines():
        pieces = backwards.encode(line[::-1])[::-1]  # "@@ab" continues a word now
        assert mirrored.encode(line) == pieces.replace("@@", "##")


def row(system: str, testset: str, effect: float, half: float, p_value: float, verdict: str = "open") -> dict[str, Any]:
    return {
        "segmentation": system,
        "testset": testset,
        "metric": "chrf",
        "effect": effect,
        "effect_low": effect - half,
        "effect_high": effect + half,
        "effect_p": p_value,
        "verdict": verdict,
    }


def test_verdicts_are_corrected_over_all_that_is_asked(analysis: ModuleType) -> None:
    """Of five p-values the smallest is multiplied by 5, the next by 4, 3, ...: 0.04, 0.044, 0.3, and 0.3 again."""
    rows = [
        row("bpe-front", "test", 2.0, 1.5, 0.008, "better"),
        row("bpe-mirrored", "test", -2.0, 1.6, 0.011),
        row("bpe-front", "other", 1.0, 1.3, 0.1, "better"),
        row("bpe-mirrored", "other", 0.1, 0.3, 0.7),
        row("bpe-mirrored", "third", 0.2, 0.9, 0.6, "learned nothing"),
    ]
    found = [(evidence.rpartition("p = ")[2], verdict) for _, evidence, verdict in analysis.judged(rows)]
    expected = ["0.04", "0.044", "0.3", "1", "1"]
    assert found == list(zip(expected, ["better", "worse", "open", "same", "learned nothing"], strict=True))


def test_each_comparison_is_asked_once(analysis: ModuleType) -> None:
    seeds = [row("bpe-front", testset, 1.0, 0.5, 0.01) for testset in ("test", "other", "test")]
    baseline = row("bpe", "test", 0.0, 0.0, 1.0) | {"effect": None}
    other = row("bpe-front", "test", 1.0, 0.5, 0.01) | {"metric": "bleu"}
    assert [each["testset"] for each in analysis.asked([*seeds, baseline, other])] == ["test", "other"]
