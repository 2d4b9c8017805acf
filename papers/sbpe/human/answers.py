"""What judges answered on the sheets of sheets.py, scored per direction: wins, ties, paired tests.

The unit is the sentence. Where several judges saw it, the system that more of them preferred wins (who found both equal
counts for neither); as many for either is a tie. What nobody answered is left out, for each question by itself.

Tests are for paired proportions (McNemar 1947): of the sentences with a winner, are more won by the second system than
chance would have it? `p_value` is the exact one, two-sided. Also given: the exact one-sided one (that the second
system wins more often) and the asymptotic two-sided one. Vilar and Federico 2021 do not say which "paired proportion
test" theirs was. All marks of their Table 6 are those of the exact one-sided test. Two-sided, three of the six differ
when exact, one when asymptotic (English to German, word: 15 wins against 32, p = 0.013, printed `**`).
"""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json
from subwords.errors import InputError, unknown

from .sheets import ANSWERS, QUESTIONS

#: What a judge may write for an answer, in small letters.
SPELLINGS = {answer.lower(): answer for answer in ANSWERS} | {"=": "equal", "tie": "equal", "same": "equal"}
TIE = "tie"
REQUIRED = ("sheet", "item", *QUESTIONS.values())


@dataclass(frozen=True)
class Answer:
    """What one judge said on one sentence: `A`, `B`, `equal`, or nothing, for each question."""

    sheet: str
    judge: str
    item: int
    chosen: Mapping[str, str]  # question -> answer, empty where there is none


@dataclass(frozen=True)
class Outcome:
    """The answers to one question about one direction."""

    question: str
    systems: tuple[str, str]
    wins: tuple[int, int]  # sentences, in the order of the systems
    ties: int
    unanswered: int  # sentences on the sheets that have no answer
    answers: int  # of all judges
    p_value: float
    p_one_sided: float
    p_asymptotic: float
    agreement: float | None  # share of pairs of answers to the same sentence that agree; None: there are no pairs

    @property
    def evaluated(self) -> int:
        return sum(self.wins) + self.ties

    def share(self, place: int) -> float | None:
        """Return the share of evaluated sentences that the first (0) or second (1) system won."""
        return self.wins[place] / self.evaluated if self.evaluated else None


def read_answers(path: Path) -> list[Answer]:
    """Return the answers in a CSV file: one that a sheet's page saved, or a filled CSV sheet.

    Columns: `sheet`, `item`, `better_word`, `better_sentence`, and `judge` (or the file's name is the judge's),
    separated by commas, semicolons or tabs. Raises InputError, with the line, for what is no answer.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error}", next_step="save it as CSV in UTF-8") from error
    header = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count))
    for name in REQUIRED:
        if name not in (reader.fieldnames or ()):
            raise InputError(f"{path} has no column {name}", allowed=f"columns {', '.join(REQUIRED)}, and judge")
    answers = []
    for row in reader:
        where = f"{path}, line {reader.line_num}"
        if not any((value or "").strip() for value in row.values() if not isinstance(value, list)):
            continue
        item = (row["item"] or "").strip()
        if not item.isdecimal():
            raise InputError(f"{where}: item {item!r}", allowed="the number that the sheet gave the sentence")
        chosen = {question: _answer(row[column], f"{where}: {column}") for question, column in QUESTIONS.items()}
        judge = (row.get("judge") or "").strip() or path.stem
        answers.append(Answer((row["sheet"] or "").strip(), judge, int(item), chosen))
    return answers


def _answer(given: str | None, where: str) -> str:
    word = (given or "").strip()
    if word and word.lower() not in SPELLINGS:
        raise InputError(f"{where} is {word!r}", allowed=f"{', '.join(ANSWERS)}, or nothing")
    return SPELLINGS[word.lower()] if word else ""


def score(key: Mapping[str, Any], answers: Iterable[Answer]) -> list[Outcome]:
    """Return the outcome of both questions, from a key and the answers to its sheets.

    Raises InputError for answers to other sheets, to a sentence that a sheet does not have, or given twice by a judge.
    """
    shown: dict[str, dict[int, Mapping[str, str]]] = {
        name: {entry["item"]: entry for entry in entries} for name, entries in key["sheets"].items()
    }
    first, second = key["systems"]
    votes: dict[str, dict[int, list[str]]] = {question: defaultdict(list) for question in QUESTIONS}
    seen: set[tuple[str, str, int]] = set()
    for answer in answers:
        if answer.sheet not in shown:
            raise unknown("sheet", answer.sheet, shown, next_step="give the key that was made with this sheet")
        entry = shown[answer.sheet].get(answer.item)
        if entry is None:
            raise InputError(f"{answer.sheet} has no item {answer.item}", allowed="items of that sheet")
        if (answer.sheet, answer.judge, answer.item) in seen:
            raise InputError(
                f"{answer.judge} answered item {answer.item} of {answer.sheet} twice",
                allowed="one answer of a judge to a sentence",
                next_step="give each judge's answers once, and each judge another name",
            )
        seen.add((answer.sheet, answer.judge, answer.item))
        for question, chosen in answer.chosen.items():
            if chosen:
                votes[question][answer.item].append(TIE if chosen == "equal" else entry[chosen])
    items = {item for entries in shown.values() for item in entries}
    return [_outcome(question, (first, second), votes[question], len(items)) for question in QUESTIONS]


def _outcome(question: str, systems: tuple[str, str], votes: Mapping[int, Sequence[str]], items: int) -> Outcome:
    verdicts = Counter(winner(given, systems) for given in votes.values())
    wins = verdicts[systems[0]], verdicts[systems[1]]
    pairs = [a == b for given in votes.values() for a, b in combinations(given, 2)]
    return Outcome(
        question,
        systems,
        wins,
        verdicts[TIE],
        items - len(votes),
        sum(map(len, votes.values())),
        *paired_proportion_tests(*wins),
        agreement=sum(pairs) / len(pairs) if pairs else None,
    )


def winner(votes: Sequence[str], systems: tuple[str, str]) -> str:
    """Return the system that more judges preferred, or `TIE`.

    >>> winner(["sbpe", "tie", "tie"], ("bpe", "sbpe")), winner(["sbpe", "bpe"], ("bpe", "sbpe"))
    ('sbpe', 'tie')
    """
    ahead = votes.count(systems[1]) - votes.count(systems[0])
    if not ahead:
        return TIE
    return systems[1] if ahead > 0 else systems[0]


def paired_proportion_tests(first: int, second: int) -> tuple[float, float, float]:
    """Return p-values of `first` against `second` wins: exact two-sided, exact one-sided (second > first), asymptotic.

    Exact: McNemar's test as a binomial one. Asymptotic: McNemar's chi-squared statistic without continuity correction.
    All are 1 where nobody won anything.
    """
    if first + second == 0:
        return 1.0, 1.0, 1.0
    from statsmodels.stats.contingency_tables import mcnemar

    # Sentences that both or neither won do not enter: with one winner a sentence, there are none that both won.
    table = [[0, first], [second, 0]]
    return (
        float(mcnemar(table, exact=True).pvalue),
        exact_one_sided(first, second),
        float(mcnemar(table, exact=False, correction=False).pvalue),
    )


def exact_one_sided(first: int, second: int) -> float:
    """Return the p-value of the binomial test that `second` wins more often than `first`; 1 where nobody won anything.

    >>> exact_one_sided(0, 5)
    0.03125
    """
    if first + second == 0:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(second, first + second, alternative="greater").pvalue)


def stars(p_value: float) -> str:
    """Return the mark of a p-value in Table 6: `**` below 0.01, `*` below 0.05."""
    return "**" if p_value < 0.01 else "*" if p_value < 0.05 else ""


def read_key(path: Path) -> dict[str, Any]:
    """Return a key. Raises InputError for a file that is none."""
    try:
        key = read_json(path)
    except InputError:
        key = None
    if not isinstance(key, dict) or not {"systems", "sheets", "direction"} <= set(key):
        raise InputError(
            f"{path} is no key of evaluation sheets", next_step="make sheets: python -m papers.sbpe.human sheets"
        )
    return key


def score_files(keys: Iterable[Path], answers: Iterable[Path]) -> dict[str, tuple[dict[str, Any], list[Outcome]]]:
    """Return direction -> key and outcomes, from files. A file of answers goes to the key that has its sheets.

    Raises InputError for answers whose key is not given, and for two keys of one direction.
    """
    found: dict[str, dict[str, Any]] = {}
    for path in keys:
        key = read_key(path)
        if key["direction"] in found:
            raise InputError(f"{path} is a second key for {key['direction']}", allowed="one key a direction")
        found[key["direction"]] = key
    given: dict[str, list[Answer]] = {direction: [] for direction in found}
    owner = {sheet: direction for direction, key in found.items() for sheet in key["sheets"]}
    for path in answers:
        for answer in read_answers(path):
            if answer.sheet not in owner:
                raise unknown(
                    f"sheet in {path}", answer.sheet, owner, next_step="give the key that was made with this sheet"
                )
            given[owner[answer.sheet]].append(answer)
    return {direction: (key, score(key, given[direction])) for direction, key in found.items()}
