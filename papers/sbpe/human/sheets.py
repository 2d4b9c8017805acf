"""Blind sheets for people who compare two systems on sentences with unknown words, and the key to them.

Vilar and Federico 2021, section 5.2 and Table 6: of test sentences that have a word unknown in training, judges see the
source with one such word highlighted, and the outputs of two systems without their names. They answer two questions:
which output translates the highlighted word better, and which one the sentence? "Equal" is an answer.

Not stated there and chosen here: the highlighted word has a letter in it, and is drawn where there are several;
sentences on which both systems have the same output are not shown (their number is in the key); each sheet has either
system first equally often, at random places, and its own order of sentences.

What a judge gets (`sheet_html`, `sheet_csv`) names neither the systems nor their files. `key` has what is needed to
score the answers (answers.py) and stays with whoever made the sheets.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from experiment.reporting.pages import environment, visible
from replication.corpus_counts import unknown_words
from subwords.counting import count_words
from subwords.errors import InputError
from subwords.files import read_lines, whole_file

TEMPLATES = Path(__file__).parent
LABELS = ("A", "B")
#: The two questions, with the column of the answers.
QUESTIONS = {"word": "better_word", "sentence": "better_sentence"}
ANSWERS = ("A", "B", "equal")
COLUMNS = ("sheet", "item", "source", "word", *LABELS, *QUESTIONS.values())


@dataclass(frozen=True)
class Item:
    """A test sentence with its unknown word, and what each system made of it."""

    line: int  # of the test set, from 1; also its name in sheets, answers and key
    source: str
    start: int
    end: int
    outputs: tuple[str, str]  # in the order of the systems

    @property
    def word(self) -> str:
        return self.source[self.start : self.end]


@dataclass(frozen=True)
class Candidates:
    """The sentences that can be shown, and how many there are of which kind."""

    items: list[Item]
    sentences: int  # of the test set
    with_unknown_words: int
    identical: int  # of those: both outputs are the same
    without_place: int  # of those: no unknown word with a letter that is found in the sentence


@dataclass(frozen=True)
class Sheet:
    """What one judge gets: sentences in an order of their own, each with the system that stands first (0 or 1)."""

    name: str
    judge: int
    items: list[Item]
    first: list[int]

    def shown(self) -> list[tuple[Item, str, str]]:
        """Return the sentences with output A and output B."""
        return [
            (item, item.outputs[first], item.outputs[1 - first])
            for item, first in zip(self.items, self.first, strict=True)
        ]


def candidates(
    sources: Sequence[str],
    tokens: Sequence[str],
    known: Collection[str],
    outputs: tuple[Sequence[str], Sequence[str]],
    seed: int = 1,
) -> Candidates:
    """Return the sentences with a word that is not `known`, each with one such word.

    `sources` are the sentences as they came, `tokens` the same as segmenters read them, `outputs` both systems' plain
    text. Raises InputError when they are not equally many.
    """
    if len({len(lines) for lines in (sources, tokens, *outputs)}) > 1:
        raise InputError(
            f"{len(sources)} sentences, {len(tokens)} tokenized ones, {len(outputs[0])} and {len(outputs[1])} outputs",
            allowed="equal numbers: one test set, in all its forms",
        )
    items: list[Item] = []
    having = identical = without_place = 0
    for line, (source, tokenized, *pair) in enumerate(zip(sources, tokens, *outputs, strict=True), 1):
        unknown = unknown_words(tokenized, known)
        if not unknown:
            continue
        having += 1
        if pair[0].split() == pair[1].split():
            identical += 1
            continue
        spans = word_spans(tokenized, source)
        places = [span for span in map(spans.__getitem__, unknown) if span and _has_letter(source[slice(*span)])]
        if not places:
            without_place += 1
            continue
        start, end = Random(f"word {seed} {line}").choice(places)
        items.append(Item(line, source, start, end, (pair[0], pair[1])))
    return Candidates(items, len(sources), having, identical, without_place)


def word_spans(line: str, sentence: str) -> list[tuple[int, int] | None]:
    """Return where the words of a tokenized, truecased line stand in the sentence that it was made from.

    Tokenizers put spaces in, truecasers change case; where they changed more, the word is looked for further on, and is
    None when it is nowhere. Spans are start and end in characters.

    >>> word_spans("he 's , well , here .", "He's, well, here.")
    [(0, 2), (2, 4), (4, 5), (6, 10), (10, 11), (12, 16), (16, 17)]
    """
    spans: list[tuple[int, int] | None] = []
    end = 0
    for word in filter(None, line.split(" ")):
        pattern = re.compile(re.escape(word), re.IGNORECASE)
        here = len(sentence) - len(sentence[end:].lstrip())
        found = pattern.match(sentence, here) or pattern.search(sentence, end)
        spans.append(found.span() if found else None)
        end = found.end() if found else end
    return spans


def _has_letter(word: str) -> bool:
    return any(map(str.isalpha, word))


def draw(items: Sequence[Item], number: int | None, seed: int = 1) -> list[Item]:
    """Return `number` of the sentences, drawn at random, in the order of the test set; all when they are fewer."""
    if number is None or number >= len(items):
        return list(items)
    if number < 1:
        raise InputError(f"{number} sentences cannot be judged", allowed="1 or more")
    return sorted(Random(f"sentences {seed}").sample(list(items), number), key=lambda item: item.line)


def make_sheets(name: str, items: Sequence[Item], judges: int = 1, per_item: int = 1, seed: int = 1) -> list[Sheet]:
    """Share the sentences out among judges, each to `per_item` of them, and draw the orders.

    `name` (en-de) begins the sheets' names, which also have a digest of all that is in them. Raises InputError for
    numbers that cannot be, and where there is nothing to judge.
    """
    if judges < 1 or not 1 <= per_item <= judges:
        raise InputError(
            f"{judges} judges, each sentence by {per_item}", allowed="1 or more judges, and not more for a sentence"
        )
    if not items:
        raise InputError("there is no sentence to judge", allowed="unknown words, and outputs that differ")
    drawn = Random(f"judges {seed}").sample(list(items), len(items))
    shares: list[list[Item]] = [[] for _ in range(judges)]
    for place, item in enumerate(drawn):
        for turn in range(per_item):
            shares[(place * per_item + turn) % judges].append(item)
    sheets = []
    for judge, share in enumerate(shares, 1):
        random = Random(f"order {seed} {judge}")
        random.shuffle(share)
        offset = random.randrange(2)
        first = [(place + offset) % 2 for place in range(len(share))]
        random.shuffle(first)
        sheets.append(Sheet("", judge, share, first))
    digest = hashlib.sha256(repr([(sheet.shown(), sheet.first) for sheet in sheets]).encode()).hexdigest()[:8]
    return [Sheet(f"{name}.{digest}.judge{s.judge}", s.judge, s.items, s.first) for s in sheets if s.items]


def key(sheets: Sequence[Sheet], systems: tuple[str, str], found: Candidates, **facts: Any) -> dict[str, Any]:
    """Return what the judges must not see: which system is A and which is B, for each sentence of each sheet.

    `facts` (direction, seed, files, …) are kept with it. Raises InputError for systems of one name.
    """
    if systems[0] == systems[1]:
        raise InputError(f"both systems are called {systems[0]}", allowed="two names")
    counted = {name: getattr(found, name) for name in ("sentences", "with_unknown_words", "identical", "without_place")}
    return {
        **facts,
        "systems": list(systems),
        **counted,
        "candidates": len(found.items),
        "sheets": {
            sheet.name: [
                {"item": item.line, "word": item.word, "A": systems[first], "B": systems[1 - first]}
                for item, first in zip(sheet.items, sheet.first, strict=True)
            ]
            for sheet in sheets
        },
    }


def sheet_csv(sheet: Sheet) -> str:
    """Return a sheet as CSV, for a spreadsheet: the word stands in [[ ]], the last two columns are to be filled."""
    stream = io.StringIO()
    stream.write("\ufeff")  # without it, spreadsheets take UTF-8 for something else
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for item, a, b in sheet.shown():
        source = f"{item.source[: item.start]}[[{item.word}]]{item.source[item.end :]}"
        writer.writerow([sheet.name, item.line, *map(_inert, (source, item.word, a, b)), "", ""])
    return stream.getvalue()


def _inert(text: str) -> str:
    """Return text that a spreadsheet does not run as a formula, and without control characters."""
    text = visible(text)
    return f"'{text}" if text.lstrip().startswith(("=", "+", "-", "@")) else text


def sheet_html(sheet: Sheet, source: str = "", target: str = "") -> str:
    """Return a sheet as a page that needs nothing else, keeps answers in the browser and saves them as CSV.

    `source` and `target` are language codes, for fonts, hyphens and screen readers.
    """
    return (
        environment(TEMPLATES)
        .get_template("evaluation_sheet.html")
        .render(sheet=sheet, source=source, target=target, questions=QUESTIONS)
    )


def write_sheets(
    folder: Path, sheets: Sequence[Sheet], key_of_them: dict[str, Any], source: str = "", target: str = ""
) -> list[Path]:
    """Write FOLDER/sheets/NAME.html and .csv for each sheet, and FOLDER/keys/NAME.json; return the paths, key last.

    The key lies apart, so that the folder of sheets can be handed out as it is.
    """
    contents = {}
    for sheet in sheets:
        contents[folder / "sheets" / f"{sheet.name}.html"] = sheet_html(sheet, source, target)
        contents[folder / "sheets" / f"{sheet.name}.csv"] = sheet_csv(sheet)
    name = sheets[0].name.rpartition(".judge")[0]
    contents[folder / "keys" / f"{name}.json"] = json.dumps(key_of_them, ensure_ascii=False, indent=1) + "\n"
    for path, content in contents.items():
        with whole_file(path, "wb") as stream:
            stream.write(content.encode("utf-8"))
    return list(contents)


def sheets_from_files(
    home: Path,
    direction: str,
    texts: Mapping[str, Path],
    systems: Mapping[str, Path],
    number: int | None = None,
    judges: int = 1,
    per_item: int = 1,
    seed: int = 1,
) -> tuple[Candidates, list[Path]]:
    """Write the sheets of a direction and their key; return what could be shown, and the paths, key last.

    `texts` are source sides: train and test as segmenters read them, and the test set's `source` as it came. `systems`
    are two names with plain translations. There are no paths where there is nothing to judge.
    """
    source, test, *outputs = (list(read_lines(path)) for path in (texts["source"], texts["test"], *systems.values()))
    found = candidates(source, test, count_words([texts["train"]]), (outputs[0], outputs[1]), seed)
    if not found.items:
        return found, []
    made = make_sheets(direction, draw(found.items, number, seed), judges, per_item, seed)
    one, other = systems
    files = {name: str(path) for name, path in {**texts, **systems}.items()}
    facts = key(made, (one, other), found, direction=direction, seed=seed, files=files)
    return found, write_sheets(home, made, facts, *direction.split("-"))
