"""Dev and test sets that are drawn at random from the train text, for corpora that come without any.

Each part of train contributes in proportion to its size, so that a drawn set has the composition of train. Only pairs
with text on both sides are drawn. The draw depends on the seed, the sizes and the text, and on nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from random import Random

from experiment.corpora.parallel_text import Pair, read_pairs, sides
from subwords.errors import InputError
from subwords.files import whole_file


def hold_out(folder: Path, languages: Pair, sizes: Mapping[str, int], seed: int, lengths: Sequence[int]) -> None:
    """Move pairs of FOLDER/train.{language} to FOLDER/{split}.{language}, as many as `sizes` says for each split.

    `lengths` are the lines of the parts that train is made of. Lines keep their order and their bytes. Raises
    InputError when no pair would be left in train.
    """
    paths = sides(folder, "train", languages)
    numbered = enumerate(read_pairs(paths))
    full = [[n for n, pair in islice(numbered, length) if all(side.strip() for side in pair)] for length in lengths]
    drawn = draw(full, sizes, seed)
    for language, path in zip(languages, paths, strict=True):
        with ExitStack() as stack:
            source = stack.enter_context(open(path, "rb"))
            files = {split: whole_file(folder / f"{split}.{language}", "wb") for split in ("train", *sizes)}
            streams = {split: stack.enter_context(file) for split, file in files.items()}
            for number, line in enumerate(source):
                streams[drawn.get(number, "train")].write(line)


def draw(parts: Sequence[Sequence[int]], sizes: Mapping[str, int], seed: int) -> dict[int, str]:
    """Return line number -> split for the lines that are drawn, given the numbers of each part's lines.

    Raises InputError when nothing would be left.
    """
    wanted, there = sum(sizes.values()), sum(map(len, parts))
    if wanted >= there:
        raise InputError(f"held_out asks for {wanted} pairs; train has {there}", allowed=f"less than {there}")
    chance = Random(seed)
    drawn: dict[int, str] = {}
    for split, size in sorted(sizes.items()):  # the order in a file is in no key
        left = [[line for line in part if line not in drawn] for part in parts]
        for part, share in zip(left, shares(size, [len(part) for part in left]), strict=True):
            drawn |= dict.fromkeys(chance.sample(part, share), split)
    return drawn


def shares(size: int, lengths: Sequence[int]) -> list[int]:
    """Return `size` in parts that are in proportion to `lengths`, by the largest remainders.

    >>> shares(10, [600, 300, 90, 10])
    [6, 3, 1, 0]
    """
    total = sum(lengths)
    whole = [size * length // total for length in lengths]
    by_remainder = sorted(range(len(lengths)), key=lambda part: (-(size * lengths[part] % total), part))
    for part in by_remainder[: size - sum(whole)]:
        whole[part] += 1
    return whole
