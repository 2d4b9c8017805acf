"""The text of a corpus group, put together from that of its members (`experiment.corpora.corpus_groups`).

Train and dev are the members' train and dev, one member after the other; each test set is one member's, under its
language. Train loses the pairs of which a side is a line of dev or of the test set of any member: the cleaning of a
member compares with that member's sets only. All forms of the text lose the same lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiment.corpora.cleaning import Overlap
from experiment.corpora.corpus_groups import MANY
from experiment.corpora.parallel_text import Pair, read_pairs, sides, write_pairs
from experiment.jsonfiles import write_json
from subwords.errors import InputError
from subwords.files import read_lines, write_lines


@dataclass(frozen=True)
class MemberText:
    """A member's text: its language, the folder, and the test set that is taken."""

    language: str
    folder: Path
    test: str

    def pairs(self, split: str, into: str, form: str = "") -> Iterator[Pair]:
        """Yield the pairs of a split, in one of the forms that are folders of the text."""
        return read_pairs(sides(self.folder / form, split, (self.language, into)))


def gather(parts: Sequence[MemberText], into: str, output: Path, *, keep_overlap: bool = False) -> dict[str, Any]:
    """Write the group's clean text, its tokens, references and origins; return the report, written as cleaning.json.

    The report has the form of a cleaned corpus's report, and the pairs of each member. Raises InputError when
    nothing is left of a member's train.
    """
    overlap = Overlap((MANY, into))
    for part in parts:
        for split in ("dev", part.test):
            overlap.add(f"{part.language} {split}", part.pairs(split, into))
    train: dict[str, list[int]] = {}
    read = 0
    for part in parts:
        hits = [overlap.has(pair) for pair in part.pairs("train", into)]
        train[part.language] = [number for number, hit in enumerate(hits, 1) if keep_overlap or not hit]
        read += len(hits)
        if not train[part.language]:
            raise InputError(
                f"nothing is left of {part.language} in train: all its pairs are in dev or a test set of some member",
                next_step="give it other text, or `cleaning: {overlap: keep}` to the group",
            )
    dev = {part.language: [number for number, _ in enumerate(part.pairs("dev", into), 1)] for part in parts}
    write_origins(output / "train.origin", train)
    write_origins(output / "dev.origin", dev)
    for form in ("", "moses", "references"):
        place = output / form
        if form != "references":
            write_pairs(sides(place, "train", (MANY, into)), _chosen(parts, "train", into, form, train))
        write_pairs(sides(place, "dev", (MANY, into)), _chosen(parts, "dev", into, form, dev))
        for part in parts:
            write_pairs(sides(place, part.language, (MANY, into)), part.pairs(part.test, into, form))

    left = sum(map(len, train.values()))
    report = {
        "languages": [MANY, into],
        "options": {"overlap": "keep" if keep_overlap else "remove"},
        "splits": {
            "train": {"read": read, "kept": left, "dropped": {"overlap": read - left}},
            "dev": {"read": sum(map(len, dev.values()))},
            **{part.language: {"read": sum(1 for _ in part.pairs(part.test, into))} for part in parts},
        },
        "members": {language: {"train": len(train[language]), "dev": len(dev[language])} for language in train},
        "train pairs also in": {split: dict(counts) for split, counts in overlap.found.items()},
    }
    write_json(output / "cleaning.json", report)
    return report


def _chosen(
    parts: Sequence[MemberText], split: str, into: str, form: str, wanted: Mapping[str, Sequence[int]]
) -> Iterator[Pair]:
    for part in parts:
        numbers = set(wanted[part.language])
        yield from (pair for number, pair in enumerate(part.pairs(split, into, form), 1) if number in numbers)


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
