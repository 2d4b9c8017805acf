"""The running text of a learner: the arrays of `units`, built from word counts and grown as needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from subwords.merges.arrays import (
    CHARS,
    FINISHED,
    FULL,
    HASHED,
    NONE,
    PAIRS,
    PLACES,
    RUNNING,
    STATE,
    SYMBOLS,
    Pairs,
    Symbols,
    Units,
)
from subwords.merges.codes import END, Merge
from subwords.merges.learning import most_merges
from subwords.merges.places import hash_pairs, write_places
from subwords.merges.symbols import spell
from subwords.merges.units import index
from subwords.progress import Progress

#: Merges between two looks at the clock.
STEPS = 200


class RunningText:
    """Word types as units, merged step by step.

    `overlap` says how a run of one symbol is counted ("aaa" as two pairs, or as the one that merging it uses);
    `merges` is how many merges are wanted; `most` is how many of these there can be at all.
    """

    def __init__(self, counts: Mapping[str, int], merges: int, *, overlap: bool = True) -> None:
        words = [word for word in counts if word]
        chars = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.int32)
        self.most = min(merges, most_merges(words))
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        last = np.cumsum(lengths) - 1
        n = len(chars)

        kind = 2 * chars  # odd when it ends a word
        kind[last] += 1
        known = np.zeros(int(kind.max(initial=0)) + 1, np.bool_)
        known[kind] = True
        kinds = np.flatnonzero(known)
        number = np.zeros(len(known), np.int32)
        number[kinds] = np.arange(len(kinds))

        following = np.arange(1, n + 1, dtype=np.int32)
        following[last] = NONE
        preceding = np.arange(-1, n - 1, dtype=np.int32)
        preceding[last - lengths + 1] = NONE
        self.units = Units(
            symbol=number[kind],
            next=following,
            prev=preceding,
            word=np.repeat(np.arange(len(words), dtype=np.int32), lengths),
            pair=np.full(n, NONE, np.int32),
            weight=np.fromiter((counts[word] for word in words), np.int64, len(words)),
            places=np.empty(5 * n, np.int32),  # more than will be used: memory that is not written to costs nothing
            linked=np.empty(2 * n, np.int32),
            linked_to=np.empty(2 * n, np.int32),
        )
        size = len(kinds) + self.most + 1
        self.symbols = Symbols(
            start=np.zeros(size + 1, np.int64),
            chars=np.zeros(len(END) * (len(kinds) + 1) + len(kinds) + 16 * self.most + 1024, np.int32),
            freq=np.zeros(size, np.int64),
            before=np.full(size, NONE, np.int32),
            after=np.full(size, NONE, np.int32),
            slots=np.full(_table(size), NONE, np.int32),
        )
        room = 1 << 16
        self.pairs = Pairs(
            left=np.zeros(room, np.int32),
            right=np.zeros(room, np.int32),
            freq=np.zeros(room, np.int64),
            start=np.zeros(room, np.int64),
            length=np.zeros(room, np.int32),
            stamp=np.zeros(room, np.int32),
            touched=np.zeros(room, np.int32),
            slots=np.full(_table(room), NONE, np.int32),
        )
        self.sizes = np.zeros(12, np.int64)
        self.overlap = overlap
        ending = np.array([ord(char) for char in END], np.int32)
        spell(self.symbols, self.sizes, kinds, ending)
        indexed = 0
        while (indexed := index(*self.arrays, indexed, overlap)) < n:
            self.grow()
        write_places(self.units, self.pairs, self.sizes)

    @property
    def arrays(self) -> tuple[Units, Pairs, Symbols, np.ndarray]:
        """What the compiled functions take."""
        return self.units, self.pairs, self.symbols, self.sizes

    def grow(self) -> None:
        """Make the arrays of pairs and of symbols' code points larger, where another merge may not fit."""
        known, new = int(self.sizes[PAIRS]), 2 * int(self.sizes[SYMBOLS]) + 2
        if known + new > len(self.pairs.left):
            room = known + known // 2 + new
            columns = self.pairs[:-1]
            hashed = int(self.sizes[HASHED])
            table = np.full(_table(room), NONE, np.int32)
            self.pairs = Pairs._make([*(_longer(column, room) for column in columns), table])
            self.sizes[HASHED] = 0
            hash_pairs(self.pairs, self.sizes, hashed)
        longest = int(np.diff(self.symbols.start[: self.sizes[SYMBOLS] + 1]).max())
        if self.sizes[CHARS] + 2 * longest > len(self.symbols.chars):
            chars = _longer(self.symbols.chars, len(self.symbols.chars) * 3 // 2 + 2 * longest)
            self.symbols = self.symbols._replace(chars=chars)
        units = len(self.units.symbol)
        if self.sizes[PLACES] + 2 * units > len(self.units.places):
            places = _longer(self.units.places, len(self.units.places) + 2 * units)
            self.units = self.units._replace(places=places)

    def learn(self, advance: Callable[[int, int], int]) -> int:
        """Call `advance(done, limit)`, which merges pairs and returns how many merges there are, up to `most`.

        Returns their number: fewer than `most` when `sizes[STATE]` comes back FINISHED.
        """
        done = 0
        with Progress("merges", self.most) as progress:
            while done < self.most:
                self.sizes[STATE] = RUNNING
                done = advance(done, min(self.most, done + STEPS))
                progress.show(done)
                if self.sizes[STATE] == FINISHED:
                    break
                if self.sizes[STATE] == FULL:
                    self.grow()
        return done

    def merges(self, chosen: np.ndarray) -> list[Merge]:
        """Return the merges of pairs, given by their index, as strings."""
        strings = self._strings()
        left, right = self.pairs.left[chosen].tolist(), self.pairs.right[chosen].tolist()
        return [(strings[x], strings[y]) for x, y in zip(left, right, strict=True)]

    def tokens(self) -> dict[str, int]:
        """Return how often each symbol occurs now; those that occur no more are left out."""
        counted = zip(self._strings(), self.symbols.freq.tolist(), strict=False)
        return {string: count for string, count in counted if count}

    def _strings(self) -> list[str]:
        spelled = self.symbols.chars[: self.sizes[CHARS]].tobytes().decode("utf-32-le", "surrogatepass")
        bounds = self.symbols.start[: self.sizes[SYMBOLS] + 1].tolist()
        return [spelled[start:end] for start, end in pairwise(bounds)]


def _table(entries: int) -> int:
    """Return the size of a hash table: a power of two, at most half full."""
    return 1 << (2 * entries - 1).bit_length()


def _longer(column: np.ndarray, room: int) -> np.ndarray:
    longer = np.zeros(room, column.dtype)
    longer[: len(column)] = column
    return longer
