"""What judges answered on the sheets of sheets.py, scored per direction: wins, ties, paired tests.

The unit is the sentence. Where several judges saw it, the system that more of them preferred wins (who found both equal
counts for neither); as many for either is a tie. What nobody answered is left out, for each question by itself.

Tests are for paired proportions (McNemar 1947, exact: binomial): of the sentences with a winner, are more won by the
second system than chance would have it? Vilar and Federico 2021 do not say which "paired proportion test" theirs was.
All marks of their Table 6 are those of the one-sided test. Two-sided, three of the six differ (README.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas
from numpy import sign
from pandas import DataFrame

from experiment.jsonfiles import read_json
from subwords.errors import InputError, check_known

from .sheets import QUESTIONS

#: What a judge may write for an answer, in small letters.
SPELLINGS = {"a": "A", "b": "B", **dict.fromkeys(("equal", "=", "tie", "same"), "equal"), "": ""}
REQUIRED = ["sheet", "item", *QUESTIONS.values()]


def read_answers(path: Path) -> DataFrame:
    """Return the answers in a CSV file, one that a sheet's page saved or a filled CSV sheet: a row per judge and
    sentence, with `A`, `B`, `equal` or nothing for each question.

    Columns: `sheet`, `item`, `better_word`, `better_sentence`, and `judge` (or the file's name is the judge's),
    separated by commas, semicolons or tabs. Raises InputError for what is no answer.
    """
    try:
        header = path.read_text(encoding="utf-8-sig").partition("\n")[0]
        separator = max(",;\t", key=header.count)
        table = pandas.read_csv(path, sep=separator, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}", allowed=f"CSV in UTF-8, with the columns {', '.join(REQUIRED)}") from error
    for name in REQUIRED:
        if name not in table:
            raise InputError(f"{path} has no column {name}", allowed=f"columns {', '.join(REQUIRED)}, and judge")
    table = table.apply(lambda column: column.str.strip())
    table = table[(table != "").any(axis="columns")]
    judge = table.get("judge", "")
    found = table[["sheet", "item"]].assign(judge=judge).replace({"judge": {"": path.stem}})
    for question, column in QUESTIONS.items():
        found[question] = table[column].str.lower().map(SPELLINGS)
        for wrong in table[column][found[question].isna()]:
            raise InputError(f"{path}: {column} is {wrong!r}", allowed="A, B, equal, or nothing")
    return found


def score(key: Mapping[str, Any], answers: DataFrame) -> list[dict[str, Any]]:
    """Return the outcome of each question, from a key and the answers to its sheets.

    Wins and ties are numbers of sentences. `agreement` is the share of pairs of answers to the same sentence that agree
    (None: there are no pairs). Raises InputError for answers to a sentence that a sheet does not have, or given twice
    by a judge.
    """

    systems, places = key["systems"], [(name, entry) for name, entries in key["sheets"].items() for entry in entries]
    prefers = {(name, str(each["item"])): {"A": each["A"], "B": each["B"], "equal": ""} for name, each in places}
    for sheet, item in zip(answers["sheet"], answers["item"], strict=True):
        if (sheet, item) not in prefers:
            raise InputError(f"{sheet} has no item {item!r}", allowed="items of that sheet")
    for row in answers[answers.duplicated(["sheet", "judge", "item"])].itertuples():
        raise InputError(
            f"{row.judge} answered item {row.item} of {row.sheet} twice",
            next_step="give each judge's answers once, and each judge another name",
        )
    outcomes = []
    for question in QUESTIONS:
        given = answers[answers[question] != ""]
        asked = zip(given["sheet"], given["item"], given[question], strict=True)
        winners = [prefers[sheet, item][answer] for sheet, item, answer in asked]
        votes = pandas.Series([{systems[0]: -1, "": 0, systems[1]: 1}[winner] for winner in winners], given["item"])
        ahead = sign(votes.groupby(level=0).sum())
        pairs = [a == b for _, of_item in votes.groupby(level=0) for a, b in combinations(of_item, 2)]
        first, ties, second = (int((ahead == side).sum()) for side in (-1, 0, 1))
        outcomes.append(
            {
                "question": question,
                **{"system_1": systems[0], "system_2": systems[1], "wins_1": first, "wins_2": second, "ties": ties},
                "evaluated": len(ahead),
                "unanswered": len({entry["item"] for _, entry in places}) - len(ahead),
                "answers": len(votes),
                "p_value": paired_proportion_test(first, second, "two-sided"),
                "p_one_sided": paired_proportion_test(first, second),
                "agreement": sum(pairs) / len(pairs) if pairs else None,
            }
        )
    return outcomes


def paired_proportion_test(first: int, second: int, alternative: str = "greater") -> float:
    """Return the p-value of the binomial test that `second` wins more often than `first`; 1 where nobody won anything.

    >>> paired_proportion_test(0, 5)
    0.03125
    """
    from scipy.stats import binomtest

    return float(binomtest(second, first + second, alternative=alternative).pvalue) if first + second else 1.0


def score_files(keys: Iterable[Path], answers: Iterable[Path]) -> DataFrame:
    """Return the outcomes of every direction, from files. Raises InputError for answers whose key is not given."""
    files = {path: read_answers(path) for path in answers}
    given = pandas.concat(files.values())
    by_direction = {key["direction"]: key for key in map(read_json, keys)}
    sheets = [sheet for key in by_direction.values() for sheet in key["sheets"]]
    for path, table in files.items():
        check_known(f"sheet in {path}", table["sheet"], sheets, "give the key that was made with this sheet")
    return pandas.DataFrame(
        {"direction": direction} | outcome
        for direction, key in by_direction.items()
        for outcome in score(key, given[given["sheet"].isin(list(key["sheets"]))])
    )
