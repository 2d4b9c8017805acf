"""Blind sheets for people who compare two systems on sentences with unknown words, and the key to them.

Vilar and Federico 2021, section 5.2 and Table 6: of test sentences that have a word unknown in training, judges see the
source with one such word highlighted, and the outputs of two systems without their names. They answer two questions:
which output translates the highlighted word better, and which one the sentence? "Equal" is an answer.

The paper does not say, and we chose: the highlighted word has a letter in it, and is drawn where there are several;
sentences on which both systems have the same output are not shown (their number is in the key); each sheet has either
system first equally often, at random places, and its own order of sentences.

What a judge gets (`sheet_html`, `sheet_csv`) names neither the systems nor their files. The key has what is needed to
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

#: The two questions, with the column of the answers.
QUESTIONS = {"word": "better_word", "sentence": "better_sentence"}
COLUMNS = ("sheet", "item", "source", "word", "A", "B", *QUESTIONS.values())


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
class Sheet:
    """What one judge gets: sentences in an order of their own, each with the system that is A (0 or 1)."""

    name: str
    items: list[Item]
    first: list[int]

    def shown(self) -> list[tuple[Item, str, str]]:
        """Return the sentences with output A and output B."""
        return [(i, i.outputs[a], i.outputs[1 - a]) for i, a in zip(self.items, self.first, strict=True)]


def candidates(
    sources: Sequence[str],
    tokens: Sequence[str],
    known: Collection[str],
    outputs: tuple[Sequence[str], Sequence[str]],
    seed: int = 1,
) -> tuple[list[Item], dict[str, int]]:
    """Return the sentences that can be shown, each with one word that is not `known`, and how many there are of which
    kind: sentences; of those, with unknown words; of those, with identical outputs, and without a word to highlight.

    `sources` are the sentences as they came, `tokens` the same as segmenters read them, `outputs` both systems' plain
    text. Raises InputError when they are not equally many.
    """
    if len({len(lines) for lines in (sources, tokens, *outputs)}) > 1:
        raise InputError(
            f"{len(sources)} sentences, {len(tokens)} tokenized ones, {len(outputs[0])} and {len(outputs[1])} outputs",
            allowed="equal numbers: one test set, in all its forms",
        )
    items: list[Item] = []
    counts = {"sentences": len(sources), "with_unknown_words": 0, "identical": 0, "without_place": 0}
    for line, (source, tokenized, *pair) in enumerate(zip(sources, tokens, *outputs, strict=True), 1):
        unknown = unknown_words(tokenized, known)
        spans = word_spans(tokenized, source)
        places = [span for n in unknown if (span := spans[n]) and any(map(str.isalpha, source[slice(*span)]))]
        same = pair[0].split() == pair[1].split()
        counts["with_unknown_words"] += bool(unknown)
        counts["identical"] += bool(unknown) and same
        counts["without_place"] += bool(unknown) and not same and not places
        if places and not same:
            start, end = Random(f"word {seed} {line}").choice(places)
            items.append(Item(line, source, start, end, (pair[0], pair[1])))
    return items, counts


def word_spans(line: str, sentence: str) -> list[tuple[int, int] | None]:
    """Return where the words of a tokenized, truecased line are in the sentence that it was made from.

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


def make_sheets(name: str, items: Sequence[Item], judges: int = 1, seed: int = 1) -> list[Sheet]:
    """Share the sentences out among judges, and draw the orders.

    `name` (en-de) begins the sheets' names, which also have a digest of all that is in them.
    """
    drawn = Random(f"judges {seed}").sample(items, len(items))
    sheets = []
    for judge in range(judges):
        random, share = Random(f"order {seed} {judge + 1}"), drawn[judge::judges]
        random.shuffle(share)
        offset = random.randrange(2)
        first = [(place + offset) % 2 for place in range(len(share))]
        random.shuffle(first)
        sheets.append(Sheet(f"judge{judge + 1}", share, first))
    digest = hashlib.sha256(repr([(sheet.shown(), sheet.first) for sheet in sheets]).encode()).hexdigest()[:8]
    return [Sheet(f"{name}.{digest}.{sheet.name}", sheet.items, sheet.first) for sheet in sheets if sheet.items]


def key(sheets: Sequence[Sheet], systems: Sequence[str], **facts: Any) -> dict[str, Any]:
    """Return what the judges must not see: which system is A and which is B, for each sentence of each sheet.

    `facts` (direction, seed, files, …) are kept with it.
    """
    entries = {
        sheet.name: [
            {"item": item.line, "word": item.word, "A": systems[first], "B": systems[1 - first]}
            for item, first in zip(sheet.items, sheet.first, strict=True)
        ]
        for sheet in sheets
    }
    return {**facts, "systems": list(systems), "sheets": entries}


def sheet_csv(sheet: Sheet) -> str:
    """Return a sheet as CSV for a spreadsheet: the word is in [[ ]], the last two columns are to be filled."""
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


def sheet_html(sheet: Sheet, direction: str) -> str:
    """Return a sheet as a page that needs nothing else, keeps answers in the browser and saves them as CSV.

    The languages of the direction (en-de) are for fonts, hyphens and screen readers.
    """
    source, target = direction.split("-")
    template = environment(Path(__file__).parent).get_template("evaluation_sheet.html")
    return template.render(sheet=sheet, source=source, target=target, questions=QUESTIONS)


def write_sheets(
    home: Path,
    direction: str,
    texts: Mapping[str, Path],
    systems: Mapping[str, Path],
    number: int | None = None,
    judges: int = 1,
    seed: int = 1,
) -> Path | None:
    """Write HOME/sheets/NAME.html and .csv for each judge, and HOME/keys/NAME.json; return the path of the key.

    `texts` are source sides: train and test as segmenters read them, and the test set's `source` as it came. `systems`
    are two names with plain translations. Of the sentences that can be judged `number` are drawn [all]; where there are
    none, nothing is written. The key lies apart, so that the folder of sheets can be handed out.
    """
    source, test, *outputs = (list(read_lines(path)) for path in (texts["source"], texts["test"], *systems.values()))
    items, counts = candidates(source, test, count_words([texts["train"]]), (outputs[0], outputs[1]), seed)
    if not items:
        return None
    facts = {"direction": direction, "seed": seed, **counts, "candidates": len(items)}
    facts["files"] = {name: str(path) for name, path in {**texts, **systems}.items()}
    drawn = Random(f"sentences {seed}").sample(items, min(number or len(items), len(items)))
    sheets = make_sheets(direction, sorted(drawn, key=lambda item: item.line), judges, seed)
    written = {f"sheets/{sheet.name}.html": sheet_html(sheet, direction) for sheet in sheets}
    written |= {f"sheets/{sheet.name}.csv": sheet_csv(sheet) for sheet in sheets}
    of_key = f"keys/{sheets[0].name.rpartition('.')[0]}.json"
    written[of_key] = json.dumps(key(sheets, list(systems), **facts), ensure_ascii=False, indent=1) + "\n"
    for name, content in written.items():
        with whole_file(home / name, "wb") as stream:
            stream.write(content.encode("utf-8"))
    return home / of_key
