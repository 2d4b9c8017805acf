"""Clean parallel text: one form for what looks the same, and no pair in train that would only do harm.

Lines of all splits get one Unicode form and plain spaces. Train loses pairs that are empty, too long, of unlikely
proportions, or that dev or a test set has too. Dev and test sets keep every line, and their references are kept apart
as they are, but for byte order marks and carriage returns.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from functools import cache
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

from experiment.jsonfiles import write_json
from subwords.errors import InputError, unknown
from subwords.files import read_lines, whole_file

Pair = tuple[str, str]

#: Why a train pair is dropped, in the order in which the reasons are tried.
REASONS = ("empty", "too long", "ratio", "overlap", "duplicate", "not drawn")


@dataclass(frozen=True)
class Options:
    """How train is cleaned. Lengths are those of the longer side of a pair; the ratio is that of characters."""

    max_tokens: int = 200
    max_characters: int = 2000
    max_ratio: float = 9.0
    overlap: str = "remove"  # or "keep"
    deduplicate: bool = False
    train_pairs: int | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        if self.overlap not in ("remove", "keep"):
            raise unknown("value for overlap", self.overlap, ("remove", "keep"))
        for name in ("max_tokens", "max_characters", "max_ratio", "train_pairs"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{name} is {value}", allowed="1 or more")


OPTIONS = {field.name: field.default for field in fields(Options)}

# ---------------------------------------------------------------------------------------------------------- one line

_ZWNJ_ZWJ = "\u200c\u200d"
#: Formatting characters that are seen: they enclose or precede the digits after them.
_VISIBLE_FORMAT = {
    *map(chr, range(0x600, 0x606)),
    "\u06dd",
    "\u070f",
    "\u0890",
    "\u0891",
    "\u08e2",
    "\U000110bd",
    "\U000110cd",
}
_BLACK_FLAG = "\U0001f3f4"  # flags of regions are this and tag characters
_TAGS = range(0xE0020, 0xE0080)


@cache
def _invisible() -> re.Pattern[str]:
    """Return the class of the control and format characters that are not seen (white space is not among them)."""
    categories = ("Cc", "Cf")
    found = (c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) in categories)
    return re.compile("[" + "".join(re.escape(c) for c in found if not c.isspace() and c not in _VISIBLE_FORMAT) + "]")


def _kept(match: re.Match[str]) -> str:
    """Return an invisible character where it belongs to the spelling, else nothing."""
    character, before = match.group(), match.string[: match.start()][-1:]
    if not before:
        return ""
    if character in _ZWNJ_ZWJ:
        # Joiners matter after letters without case and their marks (Marathi, Persian, ...) and in emoji; after Latin,
        # Greek or Cyrillic letters, digits and spaces they are left-overs of typesetting.
        return character if unicodedata.category(before) in ("Lo", "Mn", "Mc", "So", "Sk") else ""
    if ord(character) in _TAGS:
        return character if before == _BLACK_FLAG or ord(before) in _TAGS else ""
    return ""


def clean_line(text: str) -> str:
    """Return `text` in NFC, with one space for any run of white space, none at the ends, and nothing invisible.

    Control characters and zero-width ones (also soft hyphens, direction marks, byte order marks) are removed; joiners
    are kept where spelling or emoji need them. Applying it twice changes nothing.

    >>> clean_line("  naı\u0308ve\u00a0\u200btext\t")
    'naı̈ve text'
    """
    while True:
        cleaned = " ".join(_invisible().sub(_kept, unicodedata.normalize("NFC", text)).split())
        if cleaned == text:
            return cleaned
        text = cleaned  # what is removed can bring together what NFC joins


# --------------------------------------------------------------------------------------------------------- one split


def read_raw(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, without a byte order mark at its start and carriage returns."""
    for number, line in enumerate(read_lines(path)):
        yield (line.removeprefix("\ufeff") if number == 0 else line).replace("\r", " ")


def read_pairs(paths: tuple[Path, Path]) -> Iterator[Pair]:
    """Yield the raw pairs of two parallel files. Raises InputError when their line counts differ."""
    first, second = (read_raw(path) for path in paths)
    number = 0
    for number, line in enumerate(first, 1):
        other = next(second, None)
        if other is None:
            counts = (number + sum(1 for _ in first), number - 1)
            raise _unequal(paths, counts)
        yield line, other
    if rest := sum(1 for _ in second):
        raise _unequal(paths, (number, number + rest))


def _unequal(paths: tuple[Path, Path], counts: tuple[int, int]) -> InputError:
    return InputError(
        f"the two sides do not have the same number of lines: {paths[0]} has {counts[0]}, {paths[1]} has {counts[1]}",
        allowed="one line per sentence, in the same order on both sides",
        next_step="mend the files, or the list of parts that they are made of",
    )


def _cleaned(paths: tuple[Path, Path], changed: list[int] | None = None) -> Iterator[Pair]:
    """Yield the clean pairs; add to `changed` how many lines of each side were not clean."""
    for raw in read_pairs(paths):
        pair = (clean_line(raw[0]), clean_line(raw[1]))
        if changed is not None:
            for side in (0, 1):
                changed[side] += raw[side] != pair[side]
        yield pair


# -------------------------------------------------------------------------------------------------------- one corpus


class _Overlap:
    """The lines of dev and the test sets, by which train pairs are looked up."""

    def __init__(self) -> None:
        self._lines: tuple[dict[str, set[str]], dict[str, set[str]]] = ({}, {})
        self._pairs: dict[Pair, set[str]] = {}
        self.found: dict[str, Counter[str]] = {}

    def add(self, split: str, pairs: list[Pair], languages: Pair) -> None:
        self._languages = languages
        self.found[split] = Counter(dict.fromkeys(("pairs", *languages), 0))
        for pair in pairs:
            self._pairs.setdefault(pair, set()).add(split)
            for side, line in zip(self._lines, pair, strict=True):
                if line:
                    side.setdefault(line, set()).add(split)

    def has(self, pair: Pair) -> bool:
        """Return whether either side is a line of an evaluation set, and count where."""
        for split in self._pairs.get(pair, ()):
            self.found[split]["pairs"] += 1
        hit = False
        for language, side, line in zip(self._languages, self._lines, pair, strict=True):
            for split in side.get(line, ()):
                self.found[split][language] += 1
                hit = True
        return hit


def clean_corpus(source: Path, output: Path, languages: Pair, tests: list[str], options: Options) -> dict[str, Any]:
    """Clean SOURCE/{split}.{language} into OUTPUT/{split}.{language} and return the report, also written there.

    Dev and tests are also written as OUTPUT/references/{split}.{language}, as they are. The report, cleaning.json, has
    the lines read, kept and changed, the pairs dropped by reason, and how many train pairs dev and each test set have
    too: the whole pair, and the line of either language.
    """
    report: dict[str, Any] = {"languages": list(languages), "options": asdict(options), "splits": {}}
    overlap = _Overlap()
    for split in ("dev", *tests):
        paths = _paths(source, split, languages)
        changed = [0, 0]
        pairs = list(_cleaned(paths, changed))
        if not pairs:
            raise InputError(f"{split} is empty: {paths[0]}", next_step="check the files of the corpus")
        _refuse_same_text(split, paths)
        overlap.add(split, pairs, languages)
        _write(output, split, languages, iter(pairs))
        _write(output / "references", split, languages, read_pairs(paths))
        empty = sum(not all(pair) for pair in pairs)
        lines = dict(zip(languages, changed, strict=True))
        report["splits"][split] = {"read": len(pairs), "with an empty side": empty, "lines changed": lines}

    paths = _paths(source, "train", languages)
    _refuse_same_text("train", paths)
    dropped: Counter[str] = Counter()
    changed = [0, 0]
    kept = _count(_kept_pairs(paths, overlap, options, dropped, changed))
    found = {split: dict(counts) for split, counts in overlap.found.items()}
    read = kept + dropped.total()
    if not kept:
        reasons = ", ".join(f"{reason}: {count}" for reason, count in dropped.items()) or "the files are empty"
        raise InputError(
            f"nothing is left of train ({paths[0]}) after cleaning: {read} pairs read; {reasons}",
            next_step="check that the files are parallel, or change `cleaning` in the corpus definition",
        )
    drawn = _draw(kept, options)
    pairs_again = _kept_pairs(paths, overlap, options, Counter())
    written = _write(
        output, "train", languages, (pair for i, pair in enumerate(pairs_again) if drawn is None or i in drawn)
    )
    dropped["not drawn"] = kept - written
    train = {"read": read, "kept": written, "dropped": {reason: dropped[reason] for reason in REASONS}}
    train["lines changed"] = dict(zip(languages, changed, strict=True))
    report["splits"] = {"train": train} | report["splits"]
    report["train pairs also in"] = found
    write_json(output / "cleaning.json", report)
    return report


def copy_gold(source: Path, target: Path) -> None:
    """Copy a gold segmentation (word, tab, morphemes), cleaned as text is. Raises InputError for a bad line."""
    with whole_file(target) as stream:
        for number, line in enumerate(read_raw(source), 1):
            word, _, morphemes = (clean_line(part) for part in line.partition("\t"))
            if not word or morphemes.replace(" ", "") != word:
                raise InputError(
                    f"{source}, line {number}: {line!r}", allowed="word, tab, its morphemes separated by spaces"
                )
            stream.write(f"{word}\t{morphemes}\n")


def _kept_pairs(paths: tuple[Path, Path], overlap: _Overlap, options: Options, dropped: Counter[str]) -> Iterator[Pair]:
    """Yield the clean train pairs that are kept; count the others in `dropped` by reason."""
    seen: set[bytes] = set()
    for pair in _cleaned(paths, changed):
        reason = _why_drop(pair, options)
        in_evaluation = overlap.has(pair)
        if not reason and in_evaluation and options.overlap == "remove":
            reason = "overlap"
        if not reason and options.deduplicate:
            digest = blake2b("\n".join(pair).encode(), digest_size=16).digest()
            reason = "duplicate" if digest in seen else ""
            seen.add(digest)
        if reason:
            dropped[reason] += 1
        else:
            yield pair


def _why_drop(pair: Pair, options: Options) -> str:
    """Return why a pair cannot be of use, or nothing."""
    short, long = sorted(map(len, pair))
    if not short:
        return "empty"
    if long > options.max_characters or max(line.count(" ") + 1 for line in pair) > options.max_tokens:
        return "too long"
    return "ratio" if long > options.max_ratio * short else ""


def _draw(kept: int, options: Options) -> set[int] | None:
    """Return which of the kept pairs are drawn; None for all of them."""
    if options.train_pairs is None or options.train_pairs >= kept:
        return None
    return set(Random(options.seed).sample(range(kept), options.train_pairs))


def _paths(folder: Path, split: str, languages: Pair) -> tuple[Path, Path]:
    return folder / f"{split}.{languages[0]}", folder / f"{split}.{languages[1]}"


def _refuse_same_text(split: str, paths: tuple[Path, Path]) -> None:
    """Raise InputError when both sides are one file, or two with the same text."""
    try:
        one_file = paths[0].samefile(paths[1])
    except OSError as error:
        raise InputError(f"cannot read {error.filename}: {error.strerror}", next_step="prepare the corpus") from error
    any_line = False
    if not one_file:
        for first, second in read_pairs(paths):
            any_line = True
            if first != second:
                return
    if one_file or any_line:
        raise InputError(f"both sides of {split} are the same text: {paths[0]}, {paths[1]}", allowed="two languages")


def _write(folder: Path, split: str, languages: Pair, pairs: Iterator[Pair]) -> int:
    """Write both sides and return the number of pairs, counted again in the files themselves."""
    paths = _paths(folder, split, languages)
    with whole_file(paths[0]) as first, whole_file(paths[1]) as second:
        for source, target in pairs:
            first.write(source + "\n")
            second.write(target + "\n")
    counts = [_count(read_lines(path)) for path in paths]
    if counts[0] != counts[1]:
        raise RuntimeError(f"{paths[0]} has {counts[0]} lines, {paths[1]} has {counts[1]}: the disk lost some")
    return counts[0]


def _count(items: Iterator[Any]) -> int:
    return sum(1 for _ in items)
