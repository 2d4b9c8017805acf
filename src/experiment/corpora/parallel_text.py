"""Parallel text: two files with one sentence per line, in the same order, read and written together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

from subwords.errors import InputError
from subwords.files import read_lines, whole_file

#: Of two codes, two files or two sentences: first and second side.
Pair = tuple[str, str]
Paths = tuple[Path, Path]


def languages_of(pair: str) -> Pair:
    """Return the two languages of a pair such as en-de."""
    first, _, second = pair.partition("-")
    return first, second


def sides(folder: Path, split: str, languages: Pair) -> Paths:
    return folder / f"{split}.{languages[0]}", folder / f"{split}.{languages[1]}"


def read_raw(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, without a byte order mark at its start and carriage returns."""
    for number, line in enumerate(read_lines(path)):
        yield (line.removeprefix("\ufeff") if number == 0 else line).replace("\r", " ")


def read_pairs(paths: Paths) -> Iterator[Pair]:
    """Yield the raw pairs of two parallel files. Raises InputError when their line counts differ."""
    first, second = (read_raw(path) for path in paths)
    for number, (one, other) in enumerate(zip_longest(first, second)):
        if one is None or other is None:
            ends = ((paths[0], one, first), (paths[1], other, second))
            counts = [f"{path} has {number + (line is not None) + sum(1 for _ in rest)}" for path, line, rest in ends]
            raise InputError(
                f"the two sides do not have the same number of lines: {', '.join(counts)}",
                allowed="one line per sentence, in the same order on both sides",
                next_step="correct the files, or the list of parts that they are made of",
            )
        yield one, other


def refuse_same_text(split: str, paths: Paths) -> None:
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


def write_pairs(paths: Paths, pairs: Iterable[Pair]) -> int:
    """Write both sides and return the number of pairs, counted again in the files themselves."""
    with whole_file(paths[0]) as first, whole_file(paths[1]) as second:
        for source, target in pairs:
            first.write(source + "\n")
            second.write(target + "\n")
    counts = [sum(1 for _ in read_lines(path)) for path in paths]
    if counts[0] != counts[1]:
        raise RuntimeError(f"{paths[0]} has {counts[0]} lines, {paths[1]} has {counts[1]}: the disk lost some")
    return counts[0]
