"""Answers on blind sheets, scored: made-up answers whose outcome is computed by hand."""

from __future__ import annotations

import csv
import json
from math import comb
from pathlib import Path
from typing import Any

import pytest
from pandas import DataFrame, concat
from papers.sbpe.human import __main__ as program
from papers.sbpe.human.answers import paired_proportion_test, read_answers, score
from papers.sbpe.human.sheets import Item, key, make_sheets, sheet_csv

from replication.paper import read
from subwords.errors import InputError

SYSTEMS = ("bpe", "sbpe")


def made(number: int) -> dict[str, Any]:
    """Return the key of sheets with `number` sentences."""
    items = [Item(n, "the word here", 4, 8, (f"{n} a", f"{n} b")) for n in range(1, number + 1)]
    return key(make_sheets("de-en", items), SYSTEMS, direction="de-en")


def answers_of(*rows: tuple[str, str, int, str, str]) -> DataFrame:
    """Return answers: sheet, judge, item, and A, B, `equal` or nothing for word and sentence."""
    found = DataFrame(list(rows), columns=["sheet", "judge", "item", "word", "sentence"])
    return found.assign(item=found["item"].astype(str))


def preferring(given: dict[str, Any], wanted: dict[int, tuple[str, str]], judge: str = "x") -> DataFrame:
    """Return a judge's answers; `wanted`: item -> system preferred for word and sentence, `equal` or nothing."""
    (name,) = given["sheets"]
    entries = {entry["item"]: entry for entry in given["sheets"][name]}

    def letter(item: int, system: str) -> str:
        return next((label for label in "AB" if entries[item][label] == system), system)

    return answers_of(
        *((name, judge, n, letter(n, word), letter(n, sentence)) for n, (word, sentence) in wanted.items())
    )


# ---- the tests, by hand


def by_hand(first: int, second: int) -> tuple[float, float]:
    """Return the exact p-values, two-sided and one-sided, from binomial coefficients."""
    n = first + second
    tail = sum(comb(n, k) for k in range(max(first, second), n + 1)) / 2**n
    upper = sum(comb(n, k) for k in range(second, n + 1)) / 2**n
    return min(1.0, 2 * tail), upper


@pytest.mark.parametrize("wins", [(0, 5), (2, 8), (8, 2), (5, 5), (15, 32), (1, 0), (63, 97)])
def test_exact_p_values_are_those_of_coin_tosses(wins: tuple[int, int]) -> None:
    found = paired_proportion_test(*wins, "two-sided"), paired_proportion_test(*wins)
    assert found == pytest.approx(by_hand(*wins))


def test_where_nobody_won_nothing_is_significant() -> None:
    assert paired_proportion_test(0, 0) == paired_proportion_test(0, 0, "two-sided") == 1.0


def test_table_6_has_the_marks_of_the_one_sided_test() -> None:
    """Wins follow from the printed shares and numbers of sentences; the marks of the paper are all reproduced."""
    values = {(value.row, value.column): value for value in read("sbpe").printed["table6"].itertuples()}
    for row in dict.fromkeys(row for row, _ in values):
        n = int(values[row, "Evaluated sentences"].printed)
        for question in ("word", "sentence"):
            first, second = (values[row, f"Better {question} {name}"] for name in ("BPE", "S-BPE"))
            wins = round(first.value * n), round(second.value * n)
            assert (f"{wins[0] / n:.1%}", f"{wins[1] / n:.1%}") == (f"{first.printed}%", f"{second.printed}%")
            p_value = paired_proportion_test(*wins)
            assert ("**" if p_value < 0.01 else "*" if p_value < 0.05 else "") == second.mark, (row, question)


# ---- from answers to outcomes


def test_one_judge() -> None:
    """Ten sentences. Word: 1 for bpe, 6 for sbpe, 2 equal, 1 open. Sentence: 4, 4, 1, 1."""
    given = made(10)
    word = ["bpe", *["sbpe"] * 6, "equal", "equal", ""]
    sentence = ["", *["bpe"] * 4, *["sbpe"] * 4, "equal"]
    outcomes = score(given, preferring(given, dict(zip(range(1, 11), zip(word, sentence, strict=True), strict=True))))
    numbers = {"wins_1": 1, "wins_2": 6, "ties": 2, "evaluated": 9, "unanswered": 1, "answers": 9}
    p_values = {"p_value": pytest.approx(16 / 128), "p_one_sided": pytest.approx(8 / 128)}
    systems = {"system_1": "bpe", "system_2": "sbpe"}
    assert outcomes[0] == {"question": "word", **systems, **numbers, **p_values, "agreement": None}
    assert [outcomes[1][name] for name in ("wins_1", "wins_2", "ties", "unanswered", "p_value")] == [4, 4, 1, 1, 1.0]


def test_several_judges_of_a_sentence_count_as_one() -> None:
    given = made(4)
    answers = concat(
        [
            preferring(given, {1: ("sbpe", "bpe"), 2: ("sbpe", ""), 3: ("equal", "equal"), 4: ("bpe", "")}, "x"),
            preferring(given, {1: ("sbpe", "bpe"), 2: ("bpe", ""), 3: ("sbpe", "equal")}, "y"),
            preferring(given, {1: ("bpe", "bpe"), 2: ("equal", "sbpe")}, "z"),
        ]
    )
    word, sentence = score(given, answers)
    # 1: two of three for sbpe; 2: one each; 3: one for sbpe, one equal; 4: bpe.
    names = ("wins_1", "wins_2", "ties", "unanswered", "answers")
    assert [word[name] for name in names] == [1, 2, 1, 0, 9]
    assert [sentence[name] for name in names] == [1, 1, 1, 1, 6]
    # Pairs: sentence 1 has 1 of 3 that agree, 2 has 0 of 3, 3 has 0 of 1.
    assert word["agreement"] == pytest.approx(1 / 7)
    assert sentence["agreement"] == 1.0  # 3 of 3 in sentence 1, 1 of 1 in sentence 3


def test_the_place_of_a_system_does_not_matter() -> None:
    """Whoever always says A prefers nobody: half the time it is the one system, half the time the other."""
    given = made(40)
    (name,) = given["sheets"]
    outcomes = score(given, answers_of(*((name, "x", n, "A", "B") for n in range(1, 41))))
    assert [(outcome["wins_1"], outcome["wins_2"]) for outcome in outcomes] == [(20, 20), (20, 20)]


def test_no_answers() -> None:
    for outcome in score(made(3), answers_of()):
        assert (outcome["evaluated"], outcome["unanswered"], outcome["p_value"]) == (0, 3, 1.0)


def test_answers_that_cannot_be() -> None:
    given = made(2)
    (name,) = given["sheets"]
    with pytest.raises(InputError, match="has no item '3'"):
        score(given, answers_of((name, "x", 3, "equal", "")))
    with pytest.raises(InputError, match=r"x answered item 1 of .* twice"):
        score(given, answers_of(*[(name, "x", 1, "equal", "")] * 2))


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
    assert read_answers(path).to_numpy().tolist() == [
        ["s", "1", "anna", "A", "equal"],
        ["s", "2", "anna", "equal", ""],
        ["s", "3", "anna", "equal", "B"],
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("sheet,item,better_word\n", "no column better_sentence"),
        ("sheet,item,better_word,better_sentence\ns,1,C,A\n", "better_word is 'C'"),
        ("", "with the columns sheet"),
    ],
)
def test_files_that_are_no_answers(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_answers(path)
    path.write_bytes(b"sheet,item\n\xff")
    with pytest.raises(InputError, match="CSV in UTF-8"):
        read_answers(path)


def test_an_untouched_csv_sheet_has_no_answers(tmp_path: Path) -> None:
    items = [Item(n, "the word here", 4, 8, ("a", "b")) for n in (1, 2)]
    (sheet,) = make_sheets("de-en", items)
    path = tmp_path / "sheet.csv"
    path.write_bytes(sheet_csv(sheet).encode())
    given = key([sheet], SYSTEMS, direction="de-en")
    assert [outcome["unanswered"] for outcome in score(given, read_answers(path))] == [2, 2]


def test_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = made(8)
    (tmp_path / "key.json").write_text(json.dumps(given))
    answers = preferring(given, {n: ("sbpe", "bpe" if n < 3 else "equal") for n in range(1, 8)})
    columns = {"word": "better_word", "sentence": "better_sentence"}
    answers.rename(columns=columns).to_csv(tmp_path / "answers.csv", index=False)
    command = ["--key", str(tmp_path / "key.json"), "--answers", str(tmp_path / "answers.csv")]
    assert program.main(["scores", *command, "--output", str(tmp_path / "scores.csv")]) == 0
    assert "0.015625" in capsys.readouterr().out
    with open(tmp_path / "scores.csv", newline="") as stream:
        word, sentence = csv.DictReader(stream)
    assert (word["wins_1"], word["wins_2"], float(word["p_value"])) == ("0", "7", 2 / 128)
    assert (sentence["wins_1"], sentence["ties"], float(sentence["p_value"])) == ("2", "5", 0.5)
    other = preferring(given, {1: ("sbpe", "sbpe")}).assign(sheet="other").rename(columns=columns)
    other.to_csv(tmp_path / "other.csv", index=False)
    assert program.main(["scores", *command, "--answers", str(tmp_path / "other.csv")]) == 2
    assert "unknown sheet" in capsys.readouterr().err
    assert program.main(["scores", *command, "--answers", str(tmp_path / "none.csv")]) == 2
    assert "none.csv" in capsys.readouterr().err
