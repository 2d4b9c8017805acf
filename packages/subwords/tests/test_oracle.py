"""Gold morphemes as pieces."""

from __future__ import annotations

from pathlib import Path

import pytest

from subwords.boundaries import boundary_scores, read_gold
from subwords.compare import compare
from subwords.errors import InputError
from subwords.oracle import Oracle


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold"
    path.write_text(
        "undoing\tun @@do @@ing\ncats\tcat @@s\t100\npatronesses\tpatron @@ess @@s\n#x\t# x\nmouth harp\tmouth harp\n"
    )
    return path


def test_words_with_and_without_gold(gold: Path) -> None:
    model = Oracle.learn([], None, gold=str(gold))
    assert model.encode("Cats undoing patronesses #x") == "Cat ##s un ##do ##ing patronesses # ##x"
    assert model.counts() == {"words without gold morphemes": 1}
    assert Oracle.load(gold, unknown="character").encode("cat") == "c ##a ##t"
    assert model.reached() == len({"un", "do", "ing", "cat", "s", "#", "x"})


def test_its_own_boundaries_are_perfect(gold: Path) -> None:
    scores = boundary_scores(Oracle.load(gold), read_gold(gold))
    assert scores["macro"] == scores["micro"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}


def test_in_a_comparison(gold: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("cats undoing cats\n")
    text, only = tmp_path / "text", ["oracle"]
    for row in (
        compare(text, 4, algorithms=only, gold=gold)[0],
        compare(text, 4, algorithms=only, gold=gold, options={"oracle": {"gold": str(gold)}})[0],
    ):
        assert (row.morph_f1, row.pieces_per_word, row.reason) == (1.0, 7 / 3, "")
    (without,) = compare(text, 4, algorithms=only)
    assert "oracle needs gold" in without.reason


@pytest.mark.parametrize("content", ["", "patronesses\tpatron ess s\n", "no tab\n"])
def test_gold_that_cannot_be_used(content: str, tmp_path: Path) -> None:
    (tmp_path / "gold").write_text(content)
    with pytest.raises(InputError, match="word"):
        Oracle.learn([], None, gold=str(tmp_path / "gold"))
