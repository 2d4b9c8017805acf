"""The comparison of all algorithms on one text."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from subwords import registry, template
from subwords.cli import main
from subwords.compare import Row, compare, table
from subwords.errors import InputError

TEXT = "aba abab, ab\nabab aba ba.\n\nab ab ba\n"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    path.write_text(TEXT * 20)
    return path


def test_figures_by_hand(text: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    gold.write_text("abab\tab ab\n")
    char, word, oracle = compare(text, 6, algorithms=["char", "word", "oracle"], gold=gold)
    assert oracle.morph_f1 == 1
    letters, words, spaces = 10 + 10 + 6, 9, 6  # of one of the 20 copies
    assert char.pieces_per_word == pytest.approx((letters + spaces) / words)
    assert char.pieces_per_sentence == pytest.approx((letters + spaces) / 4)
    assert char.morph_f1 == pytest.approx(2 * (1 / 3) * 1 / (1 / 3 + 1))
    assert (word.size_reached, word.types, word.pieces_per_word, word.kept_whole) == (6, 6, 1.0, 1.0)
    assert word.morph_f1 == 0.0
    assert (char.reason, word.reason) == ("", "")


def test_a_text_and_gold_from_pipes_give_the_same_figures(
    text: Path, tmp_path: Path, piped: Callable[[bytes], str]
) -> None:
    gold = tmp_path / "gold"
    gold.write_text("abab\tab ab\n")
    names, untimed = ["char", "word", "oracle"], {"learn_seconds": None, "encode_seconds": None}
    expected = compare(text, 6, algorithms=names, gold=gold)
    text_pipe, gold_pipe = Path(piped(text.read_bytes())), Path(piped(gold.read_bytes()))
    found = compare(text_pipe, 6, algorithms=names, gold=gold_pipe)
    assert [replace(row, **untimed) for row in found] == [replace(row, **untimed) for row in expected]


def test_gold_without_a_usable_word_is_named(text: Path, piped: Callable[[bytes], str]) -> None:
    gold = piped(b"patronesses\tpatron ess s\n")
    with pytest.raises(InputError, match=f"{gold} has no word whose morphs join to it"):
        compare(text, 6, algorithms=["char"], gold=Path(gold))


def test_every_registered_algorithm_has_a_row_and_failures_their_reason(text: Path) -> None:
    seen: list[Row] = []
    rows = compare(text, 4000, done=seen.append)
    assert [row.algorithm for row in rows] == registry.names()
    assert rows == seen
    by_name = {row.algorithm: row for row in rows}
    assert "gold" in by_name["oracle"].reason
    assert by_name["oracle"].types is None
    assert by_name["word"].size_reached == 6
    assert by_name["char"].reason == ""


def test_tokenized_text_only_for_those_who_read_it(text: Path) -> None:
    raw = {row.algorithm: row for row in compare(text, 5, algorithms=["word", "char"])}
    tokenized = {row.algorithm: row for row in compare(text, 5, algorithms=["word", "char"], moses="en")}
    assert tokenized["char"].types == raw["char"].types
    assert raw["word"].pieces_per_word == 1.0
    assert tokenized["word"].pieces_per_word == pytest.approx(11 / 9), "comma and full stop, by the words as given"


@pytest.mark.parametrize("language", ["klingon", "eng"])
def test_a_language_that_moses_does_not_know_is_said(language: str, text: Path) -> None:
    with pytest.warns(UserWarning, match=f"--moses {language}: .* as in English(?s:.*) cs, de, "):
        compare(text, 5, algorithms=["word"], moses=language)


def test_options_reach_their_algorithm(text: Path) -> None:
    (row,) = compare(text, 5, algorithms=["huffman"], options={"huffman": {"variant": "nonsense"}})
    assert "nonsense" in row.reason
    with pytest.raises(InputError, match="not compared"):
        compare(text, 5, algorithms=["word"], options={"huffman": {}})


def test_tables() -> None:
    rows = [Row("char", reads="raw", types=3, kept_whole=0.25), Row("word", reason="too large")]
    lines = table(rows).split("\n")
    assert lines[0].split("  ")[0] == "algorithm"
    assert "morph F1" not in lines[0]
    assert "25.0%" in lines[1]
    assert lines[2].endswith("too large")
    markdown = table(rows, markdown=True).split("\n")
    assert len({line.count("|") for line in markdown}) == 1
    assert set(markdown[1]) == set("|-: ")
    assert "morph F1" in table([Row("char", morph_f1=0.5)])


def test_the_command(text: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(text), "--size", "6", "--algorithms", "word", "char"]) == 0
    shown = capfd.readouterr().out
    assert shown.split("\n")[1].startswith("word")
    assert "--moses LANG" in shown
    assert main(["compare", str(text), "--size", "6", "--algorithms", "word", "char", "--json"]) == 0
    assert [row["algorithm"] for row in json.loads(capfd.readouterr().out)] == ["word", "char"]
    own = f"{template.__file__}:Template"
    assert main(["compare", str(text), "--size", "6", "--algorithms", own, "--set", f"{own}.min_frequency=2"]) == 0
    assert "why not" not in capfd.readouterr().out
    arguments = ["compare", str(text), "--size", "6", "--algorithms", "huffman", "--set", "huffman.padding=optimal"]
    assert main([*arguments, "--markdown", "--moses", "en"]) == 0
    assert capfd.readouterr().out.startswith("| algorithm")
