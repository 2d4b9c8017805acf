"""Answers on blind sheets, scored: made-up answers whose outcome is computed by hand."""

from __future__ import annotations

import csv
import json
from math import comb
from pathlib import Path
from typing import Any

import pytest
from papers.sbpe.human import __main__ as program
from papers.sbpe.human.answers import (
    Answer,
    Outcome,
    exact_one_sided,
    paired_proportion_tests,
    read_answers,
    score,
    stars,
    winner,
)
from papers.sbpe.human.sheets import Candidates, Item, key, make_sheets, sheet_csv

from replication.paper import read
from subwords.errors import InputError

SYSTEMS = ("bpe", "sbpe")


def made(number: int, judges: int = 1, per_item: int = 1) -> dict[str, Any]:
    """Return the key of sheets with `number` sentences."""
    items = [Item(n, "the word here", 4, 8, (f"{n} a", f"{n} b")) for n in range(1, number + 1)]
    sheets = make_sheets("de-en", items, judges, per_item)
    return key(sheets, SYSTEMS, Candidates(items, number, number, 0, 0), direction="de-en")


def preferring(
    given: dict[str, Any], wanted: dict[int, tuple[str, str]], judge: str = "x", sheet: int = 0
) -> list[Answer]:
    """Return a judge's answers; `wanted`: item -> system preferred for word and sentence, `equal` or nothing."""
    name = list(given["sheets"])[sheet]
    entries = {entry["item"]: entry for entry in given["sheets"][name]}

    def letter(item: int, system: str) -> str:
        return next((label for label in "AB" if entries[item][label] == system), system)

    return [
        Answer(name, judge, item, {"word": letter(item, word), "sentence": letter(item, sentence)})
        for item, (word, sentence) in wanted.items()
    ]


# ---- the tests, by hand


def by_hand(first: int, second: int) -> tuple[float, float]:
    """Return the exact p-values, two-sided and one-sided, from binomial coefficients."""
    n = first + second
    tail = sum(comb(n, k) for k in range(max(first, second), n + 1)) / 2**n
    upper = sum(comb(n, k) for k in range(second, n + 1)) / 2**n
    return min(1.0, 2 * tail), upper


@pytest.mark.parametrize("wins", [(0, 5), (2, 8), (8, 2), (5, 5), (15, 32), (1, 0), (63, 97)])
def test_exact_p_values_are_those_of_coin_tosses(wins: tuple[int, int]) -> None:
    two_sided, one_sided, _ = paired_proportion_tests(*wins)
    assert (two_sided, one_sided) == pytest.approx(by_hand(*wins))
    assert exact_one_sided(*wins) == one_sided


def test_p_values_by_hand() -> None:
    # 0 against 5: 2 / 2^5 and 1 / 2^5. 2 against 8: (45 + 10 + 1) / 1024, twice; (8 - 2)^2 / 10 = 3.6 on one degree of
    # freedom, which a table of the normal distribution gives as 2 (1 - Phi(1.897)) = 0.0578.
    assert paired_proportion_tests(0, 5)[:2] == pytest.approx((0.0625, 0.03125))
    two_sided, one_sided, asymptotic = paired_proportion_tests(2, 8)
    assert (two_sided, one_sided) == pytest.approx((112 / 1024, 56 / 1024))
    assert asymptotic == pytest.approx(0.0578, abs=5e-5)
    assert paired_proportion_tests(0, 0) == (1.0, 1.0, 1.0)
    assert exact_one_sided(0, 0) == 1.0


def test_table_6_has_the_marks_of_the_one_sided_test() -> None:
    """Wins follow from the printed shares and numbers of sentences; the marks of the paper are all reproduced."""
    values = {(value.row, value.column): value for value in read("sbpe").printed["table6"].itertuples()}
    for row in dict.fromkeys(row for row, _ in values):
        n = int(values[row, "Evaluated sentences"].printed)
        for question in ("word", "sentence"):
            first, second = (values[row, f"Better {question} {name}"] for name in ("BPE", "S-BPE"))
            wins = round(first.value * n), round(second.value * n)
            assert (f"{wins[0] / n:.1%}", f"{wins[1] / n:.1%}") == (f"{first.printed}%", f"{second.printed}%")
            assert stars(paired_proportion_tests(*wins)[1]) == second.mark, (row, question)


# ---- from answers to outcomes


def test_one_judge() -> None:
    """Ten sentences. Word: 1 for bpe, 6 for sbpe, 2 equal, 1 open. Sentence: 4, 4, 1, 1."""
    given = made(10)
    word = ["bpe", *["sbpe"] * 6, "equal", "equal", ""]
    sentence = ["", *["bpe"] * 4, *["sbpe"] * 4, "equal"]
    outcomes = score(given, preferring(given, dict(zip(range(1, 11), zip(word, sentence, strict=True), strict=True))))
    assert outcomes[0] == Outcome(
        "word",
        SYSTEMS,
        (1, 6),
        2,
        1,
        9,
        pytest.approx(16 / 128),
        pytest.approx(8 / 128),
        pytest.approx(0.0588, abs=5e-5),
        None,
    )
    assert (outcomes[0].evaluated, outcomes[0].share(0), outcomes[0].share(1)) == (9, 1 / 9, 6 / 9)
    assert (outcomes[1].wins, outcomes[1].ties, outcomes[1].unanswered, outcomes[1].p_value) == ((4, 4), 1, 1, 1.0)


def test_several_judges_of_a_sentence_count_as_one() -> None:
    given = made(4, judges=3, per_item=3)
    answers = [
        *preferring(given, {1: ("sbpe", "bpe"), 2: ("sbpe", ""), 3: ("equal", "equal"), 4: ("bpe", "")}, "x", 0),
        *preferring(given, {1: ("sbpe", "bpe"), 2: ("bpe", ""), 3: ("sbpe", "equal")}, "y", 1),
        *preferring(given, {1: ("bpe", "bpe"), 2: ("equal", "sbpe")}, "z", 2),
    ]
    word, sentence = score(given, answers)
    # 1: two of three for sbpe; 2: one each; 3: one for sbpe, one equal; 4: bpe.
    assert (word.wins, word.ties, word.unanswered, word.answers) == ((1, 2), 1, 0, 9)
    assert (sentence.wins, sentence.ties, sentence.unanswered, sentence.answers) == ((1, 1), 1, 1, 6)
    # Pairs: sentence 1 has 1 of 3 that agree, 2 has 0 of 3, 3 has 0 of 1.
    assert word.agreement == pytest.approx(1 / 7)
    assert sentence.agreement == 1.0  # 3 of 3 in sentence 1, 1 of 1 in sentence 3


def test_the_place_of_a_system_does_not_matter() -> None:
    """Whoever always says A prefers nobody: half the time it is the one system, half the time the other."""
    given = made(40)
    (name,) = given["sheets"]
    outcomes = score(given, [Answer(name, "x", n, {"word": "A", "sentence": "B"}) for n in range(1, 41)])
    assert [outcome.wins for outcome in outcomes] == [(20, 20), (20, 20)]


def test_no_answers() -> None:
    for outcome in score(made(3), []):
        assert (outcome.evaluated, outcome.unanswered, outcome.p_value, outcome.share(0)) == (0, 3, 1.0, None)


def test_one_sheet_may_be_judged_by_two() -> None:
    given = made(1)
    answers = preferring(given, {1: ("sbpe", "sbpe")}, "x") + preferring(given, {1: ("sbpe", "equal")}, "y")
    assert [outcome.wins for outcome in score(given, answers)] == [(0, 1), (0, 1)]


def test_answers_that_cannot_be() -> None:
    given = made(2)
    (name,) = given["sheets"]
    neutral = {"word": "equal", "sentence": ""}
    with pytest.raises(InputError, match="unknown sheet 'other'"):
        score(given, [Answer("other", "x", 1, neutral)])
    with pytest.raises(InputError, match="has no item 3"):
        score(given, [Answer(name, "x", 3, neutral)])
    with pytest.raises(InputError, match=r"x answered item 1 of .* twice"):
        score(given, [Answer(name, "x", 1, neutral)] * 2)


@pytest.mark.parametrize(
    ("votes", "verdict"),
    [(["bpe"], "bpe"), (["sbpe", "bpe", "sbpe"], "sbpe"), (["tie"], "tie"), (["bpe", "sbpe"], "tie")],
)
def test_winner(votes: list[str], verdict: str) -> None:
    assert winner(votes, SYSTEMS) == verdict


@pytest.mark.parametrize(("p_value", "mark"), [(0.0099, "**"), (0.01, "*"), (0.0499, "*"), (0.05, ""), (1.0, "")])
def test_stars(p_value: float, mark: str) -> None:
    assert stars(p_value) == mark


# ---- files


def test_answers_of_a_filled_csv_sheet_in_a_spreadsheets_ways(tmp_path: Path) -> None:
    """Semicolons, a byte order mark, CR LF, spaces, capitals, ties in other words, an empty last line."""
    path = tmp_path / "anna.csv"
    lines = [
        "sheet;item;source;better_word;better_sentence",
        "s;1;a, b;a; EQUAL ",
        's;2;"x;\ny";=;',
        ";;;;",
        "s;3;z;Tie;b",
    ]
    path.write_bytes(("\ufeff" + "\r\n".join(lines) + "\r\n").encode())
    assert read_answers(path) == [
        Answer("s", "anna", 1, {"word": "A", "sentence": "equal"}),
        Answer("s", "anna", 2, {"word": "equal", "sentence": ""}),
        Answer("s", "anna", 3, {"word": "equal", "sentence": "B"}),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("sheet,item,better_word\n", "no column better_sentence"),
        ("sheet,item,better_word,better_sentence\ns,1,C,A\n", r"line 2: better_word is 'C'"),
        ("sheet,item,better_word,better_sentence\ns,one,A,A\n", "item 'one'"),
        ("", "no column sheet"),
    ],
)
def test_files_that_are_no_answers(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_answers(path)
    path.write_bytes(b"sheet,item\n\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        read_answers(path)


def test_an_untouched_csv_sheet_has_no_answers(tmp_path: Path) -> None:
    items = [Item(n, "the word here", 4, 8, ("a", "b")) for n in (1, 2)]
    (sheet,) = make_sheets("de-en", items)
    path = tmp_path / "sheet.csv"
    path.write_bytes(sheet_csv(sheet).encode())
    given = key([sheet], SYSTEMS, Candidates(items, 2, 2, 0, 0), direction="de-en")
    assert [outcome.unanswered for outcome in score(given, read_answers(path))] == [2, 2]


def test_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = made(8)
    (tmp_path / "key.json").write_text(json.dumps(given))
    answers = preferring(given, {n: ("sbpe", "bpe" if n < 3 else "equal") for n in range(1, 8)})
    with open(tmp_path / "answers.csv", "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["sheet", "judge", "item", "better_word", "better_sentence"])
        writer.writerows([a.sheet, a.judge, a.item, a.chosen["word"], a.chosen["sentence"]] for a in answers)
    command = ["--key", str(tmp_path / "key.json"), "--answers", str(tmp_path / "answers.csv")]
    assert program.main(["scores", *command, "--output", str(tmp_path / "scores.csv")]) == 0
    printed = capsys.readouterr().out
    assert "de-en, better word: bpe 0.0%, sbpe 100.0% of 7 sentences (0 ties, 1 unanswered); p = 0.0156 *" in printed
    with open(tmp_path / "scores.csv", newline="") as stream:
        word, sentence = csv.DictReader(stream)
    assert (word["wins_1"], word["wins_2"], float(word["p_value"])) == ("0", "7", 2 / 128)
    assert (sentence["wins_1"], sentence["ties"], float(sentence["p_value"])) == ("2", "5", 0.5)
    assert program.main(["scores", *command, "--answers", str(tmp_path / "none.csv")]) == 2
    assert "none.csv" in capsys.readouterr().err
