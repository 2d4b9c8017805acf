"""Clean parallel text: one form for what looks the same, and no useless or harmful pairs in train.

Lines of all splits get one Unicode form and plain spaces. Train loses pairs that are empty, too long, of unlikely
proportions, or also in dev or a test set. Dev and test sets keep every line, and their references are kept apart
as they are, but for byte order marks and carriage returns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

from experiment.corpora.parallel_text import Pair, Paths, read_pairs, read_raw, refuse_same_text, sides, write_pairs
from experiment.jsonfiles import write_json
from experiment.text.normalization import clean_line
from subwords.errors import InputError
from subwords.files import whole_file

#: Why a train pair is dropped, in the order in which the reasons are tried.
REASONS = ("empty", "too long", "ratio", "overlap", "duplicate", "not drawn")


@dataclass(frozen=True)
class Options:
    """How train is cleaned. Limits apply to the longer side. The ratio compares characters.

    Values are checked by the schemas of experiments and corpora.
    """

    max_tokens: int = 200
    max_characters: int = 2000
    max_ratio: float = 9.0
    overlap: str = "remove"  # or "keep"
    deduplicate: bool = False
    train_pairs: int | None = None
    seed: int = 1


OPTIONS = {field.name: field.default for field in fields(Options)}


@dataclass
class _DevOrTest:
    """Dev or a test set: its clean pairs, and how many lines of each side were not clean."""

    paths: Paths
    pairs: list[Pair]
    changed: list[int]

    def write(self, output: Path, stem: str, languages: Pair) -> None:
        """Write the clean pairs, and beside them the references as they are."""
        write_pairs(sides(output, stem, languages), self.pairs)
        write_pairs(sides(output / "references", stem, languages), read_pairs(self.paths))


class Overlap:
    """Looks up train pairs among the lines of dev and the test sets. `found` counts the pairs found, by set."""

    def __init__(self, languages: Pair) -> None:
        self._languages = languages
        self._lines: tuple[dict[str, set[str]], dict[str, set[str]]] = ({}, {})
        self._pairs: dict[Pair, set[str]] = {}
        self.found: dict[str, Counter[str]] = {}

    def add(self, split: str, pairs: Iterable[Pair]) -> None:
        """Add the clean pairs of dev or a test set."""
        self.found[split] = Counter(dict.fromkeys(("pairs", *self._languages), 0))
        for pair in pairs:
            if any(pair):
                self._pairs.setdefault(pair, set()).add(split)
            for side, line in zip(self._lines, pair, strict=True):
                if line:
                    side.setdefault(line, set()).add(split)

    def has(self, pair: Pair) -> bool:
        """Return whether either side is a line of an evaluation set, and count it in each set that has it."""
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
    the lines read, kept and changed, the pairs dropped by reason, and how many train pairs are also in dev and in each
    test set: the whole pair, and the line of either language. All is read and checked before anything is written.
    """
    evaluation = {split: _read_dev_or_test(split, sides(source, split, languages)) for split in ("dev", *tests)}
    overlap = Overlap(languages)
    for split, read in evaluation.items():
        overlap.add(split, read.pairs)

    paths = sides(source, "train", languages)
    refuse_same_text("train", paths)
    dropped = Counter(dict.fromkeys(REASONS, 0))
    changed = [0, 0]
    kept = sum(1 for _ in _kept_pairs(paths, overlap, options, dropped, changed))
    found = {split: dict(counts) for split, counts in overlap.found.items()}
    if not kept:
        reasons = ", ".join(f"{reason}: {count}" for reason, count in dropped.items() if count) or "the files are empty"
        raise InputError(
            f"nothing is left of train ({paths[0]}) after cleaning: {dropped.total()} pairs read; {reasons}",
            next_step="check that the files are parallel, or change `cleaning` in the corpus definition",
        )

    for split, read in evaluation.items():
        read.write(output, split, languages)
    # Train is read a second time rather than kept in memory: it can be large.
    again = _kept_pairs(paths, overlap, options, Counter(), [0, 0])
    drawn = None  # all of them
    if options.train_pairs is not None and options.train_pairs < kept:
        drawn = set(Random(options.seed).sample(range(kept), options.train_pairs))
    taken = (pair for i, pair in enumerate(again) if drawn is None or i in drawn)
    written = write_pairs(sides(output, "train", languages), taken)
    dropped["not drawn"] = kept - written
    train = {"read": written + dropped.total(), "kept": written, "dropped": dict(dropped)}
    report = {
        "languages": list(languages),
        "options": asdict(options),
        "splits": {"train": train | {"lines changed": dict(zip(languages, changed, strict=True))}}
        | {split: _describe(read, languages) for split, read in evaluation.items()},
        "train pairs also in": found,
    }
    write_json(output / "cleaning.json", report)
    return report


def clean_test_set(source: Path, name: str, output: Path, stem: str, languages: Pair, train: Path) -> dict[str, Any]:
    """Clean SOURCE/{name}.{language} into OUTPUT/{stem}.{language} and OUTPUT/references/{stem}.{language}.

    Returns how many lines were read and changed, and how many pairs of the clean text TRAIN.{language} are also in it:
    train is not cleaned of it.
    """
    read = _read_dev_or_test(name, sides(source, name, languages))
    read.write(output, stem, languages)
    overlap = Overlap(languages)
    overlap.add(name, read.pairs)
    hits = sum(map(overlap.has, read_pairs(sides(train.parent, train.name, languages))))
    return _describe(read, languages) | {"train pairs also in it": {"any side": hits, **overlap.found[name]}}


def _read_dev_or_test(split: str, paths: Paths) -> _DevOrTest:
    refuse_same_text(split, paths)
    changed = [0, 0]
    pairs = list(_cleaned(paths, changed))
    if not pairs:
        raise InputError(f"{split} is empty: {paths[0]}", next_step="check the files of the corpus")
    return _DevOrTest(paths, pairs, changed)


def _describe(read: _DevOrTest, languages: Pair) -> dict[str, Any]:
    return {
        "read": len(read.pairs),
        "with an empty side": sum(not all(pair) for pair in read.pairs),
        "lines changed": dict(zip(languages, read.changed, strict=True)),
    }


def _cleaned(paths: Paths, changed: list[int]) -> Iterator[Pair]:
    """Yield the clean pairs; add to `changed` how many lines of each side were not clean."""
    for raw in read_pairs(paths):
        pair = (clean_line(raw[0]), clean_line(raw[1]))
        for side in (0, 1):
            changed[side] += raw[side] != pair[side]
        yield pair


def _kept_pairs(
    paths: Paths, overlap: Overlap, options: Options, dropped: Counter[str], changed: list[int]
) -> Iterator[Pair]:
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
    """Return why a pair is useless, or nothing."""
    short, long = sorted(map(len, pair))
    if not short:
        return "empty"
    if long > options.max_characters or max(line.count(" ") + 1 for line in pair) > options.max_tokens:
        return "too long"
    return "ratio" if long > options.max_ratio * short else ""


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
