"""The text of a corpus group, put together from that of its members (`experiment.corpora.corpus_groups`).

Train and dev are the members' train and dev, one member after the other; each test set is one member's, under its
language. Train loses the pairs of which a side is a line of dev or of the test set of any member: the cleaning of a
member compares with that member's sets only. The numbers of the kept lines are written to files, and other forms of the
members' text, such as tokens, are gathered by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from experiment.corpora.corpus_groups import MANY
from experiment.corpora.overlap import Overlap
from experiment.corpora.parallel_text import Pair, read_pairs, sides, write_pairs
from experiment.jsonfiles import write_json
from experiment.text.lines import write_lines
from subwords.errors import InputError
from subwords.files import read_lines

#: Splits that are put together; {split}.origin says of each line which language and line of the member it was.
JOINED = ("train", "dev")


@dataclass(frozen=True)
class MemberText:
    """One form of a member's text: its language, the folder, and the test set that is taken."""

    language: str
    folder: Path
    test: str

    def pairs(self, split: str, into: str) -> Iterator[Pair]:
        """Yield the pairs of a split."""
        return read_pairs(sides(self.folder, split, (self.language, into)))


def gather_clean(parts: Sequence[MemberText], into: str, output: Path, *, keep_overlap: bool = False) -> dict[str, Any]:
    """Write the group's clean text, its references and origins; return the report, written as cleaning.json.

    The report has the form of a cleaned corpus's report, and the pairs of each member. Raises InputError when
    nothing is left of a member's train.
    """
    overlap = Overlap((MANY, into))
    for part in parts:
        for split in ("dev", part.test):
            overlap.add(f"{part.language} {split}", part.pairs(split, into))
    kept: dict[str, list[int]] = {}
    read = 0
    for part in parts:
        kept[part.language] = []
        for number, pair in enumerate(part.pairs("train", into), 1):
            read += 1
            if not overlap.has(pair) or keep_overlap:
                kept[part.language].append(number)
        if not kept[part.language]:
            raise InputError(
                f"nothing is left of {part.language} in train: all its pairs are in dev or a test set of some member",
                next_step="give it other text, or `cleaning: {overlap: keep}` to the group",
            )
    dev = {part.language: [n for n, _ in enumerate(part.pairs("dev", into), 1)] for part in parts}
    write_origins(output / "train.origin", kept)
    write_origins(output / "dev.origin", dev)
    gather_like(output, parts, into, output)

    references = [MemberText(part.language, part.folder / "references", part.test) for part in parts]
    every_dev = chain.from_iterable(part.pairs("dev", into) for part in references)
    write_pairs(sides(output / "references", "dev", (MANY, into)), every_dev)
    for part in references:
        write_pairs(sides(output / "references", part.language, (MANY, into)), part.pairs(part.test, into))

    left = sum(map(len, kept.values()))
    report = {
        "languages": [MANY, into],
        "options": {"overlap": "keep" if keep_overlap else "remove"},
        "splits": {
            "train": {"read": read, "kept": left, "dropped": {"overlap": read - left}},
            "dev": {"read": sum(map(len, dev.values()))},
            **{part.language: {"read": sum(1 for _ in part.pairs(part.test, into))} for part in parts},
        },
        "members": {language: {"train": len(kept[language]), "dev": len(dev[language])} for language in kept},
        "train pairs also in": {split: dict(counts) for split, counts in overlap.found.items()},
    }
    write_json(output / "cleaning.json", report)
    return report


def gather_like(origins: Path, parts: Sequence[MemberText], into: str, output: Path) -> None:
    """Write the group's train, dev and test sets from any form of the members' text that has the same lines.

    `origins` is the folder of the group's clean text, which says what train and dev are made of.
    """
    languages = (MANY, into)
    for split in JOINED:
        wanted = read_origins(origins / f"{split}.origin")
        write_pairs(sides(output, split, languages), _chosen(parts, split, into, wanted))
    for part in parts:
        write_pairs(sides(output, part.language, languages), part.pairs(part.test, into))


def _chosen(parts: Sequence[MemberText], split: str, into: str, wanted: Mapping[str, Sequence[int]]) -> Iterator[Pair]:
    for part in parts:
        numbers = set(wanted[part.language])
        last = 0
        for last, pair in enumerate(part.pairs(split, into), 1):
            if last in numbers:
                yield pair
        if numbers and last < max(numbers):
            raise InputError(
                f"{part.folder} has {last} lines of {split}, and line {max(numbers)} of {part.language} is wanted",
                next_step="gather the clean text again",
            )


def write_origins(path: Path, lines: Mapping[str, Sequence[int]]) -> None:
    """Write language, tab and line number (from 1) of every line, in the order of the mapping."""
    write_lines(path, (f"{language}\t{number}" for language, numbers in lines.items() for number in numbers))


def read_origins(path: Path) -> dict[str, list[int]]:
    """Return the line numbers of every language, in order."""
    lines: dict[str, list[int]] = {}
    for line in read_lines(path):
        language, _, number = line.partition("\t")
        lines.setdefault(language, []).append(int(number))
    return lines
