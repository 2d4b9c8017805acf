"""Learning Picky BPE: merges, and removals of pieces that are hardly used outside longer ones.

Chizhov, Arnett, Korotkova and Yamshchikov 2024 ("BPE Gets Picky: Efficient Vocabulary Refinement During Tokenizer
Training"). Each step merges the most frequent pair (x, y), and then asks of x and of y which share of its occurrences
has just gone into xy,

    IoS(x | x, y) = f(x, y) / f(x),

f(x) counted before the merge. Above `threshold`, x is removed: what is left of it in the words is split into the pieces
that it was made of (those that were removed themselves into theirs), and its place in the vocabulary is free. A later
merge can bring it back.

>>> text = PickyText({"▁low": 5, "▁lowest": 2}, 1.0)
>>> text.learn(13, threshold=0.6)
>>> [event for event in text.events if not event.merged]
[Event(piece='lo', parts=('l', 'o'), merged=False), Event(piece='low', parts=('l', 'o', 'w'), merged=False)]
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from subwords.merges.codes import replaced

#: Entries of the authors' vocabularies that are no pieces of text.
SPECIAL = ("<PAD>", "<UNK>", "<BOS>", "<EOS>")

Pair = tuple[str, str]


class Event(NamedTuple):
    """A merge of two parts into a piece, or the removal of a piece, which is split into its parts."""

    piece: str
    parts: tuple[str, ...]
    merged: bool


def covering(counts: Mapping[str, int], coverage: float) -> list[str]:
    """Return the characters of words with counts without the rarest ones, which are 1 - `coverage` of the text at most.

    In the order in which they are first seen; of equally rare ones, that seen last goes first.
    """
    frequencies: Counter[str] = Counter()
    for word, count in counts.items():
        for character in word:
            frequencies[character] += count
    total = sum(frequencies.values())
    spare = total - round(coverage * total)
    for character, frequency in reversed(frequencies.most_common()):
        spare -= frequency
        if spare <= 0:
            break
        del frequencies[character]
    return list(frequencies)


class PickyText:
    """Words with counts, as pieces, while pieces are merged and removed. `counts` has words in the order first seen.

    `as_program` counts as the authors' program does; see `subwords.picky.model`. A character outside the vocabulary is
    None, and takes part in no pair.
    """

    def __init__(self, counts: Mapping[str, int], coverage: float, as_program: bool = False) -> None:
        self.characters = covering(counts, coverage)
        self.events: list[Event] = []
        self.present = set(self.characters)
        self.size = len(SPECIAL) + len(self.characters)  # as the program counts it, where `as_program`
        self._as_program = as_program
        self._parts: dict[str, Pair] = {}  # what a piece was first made of
        known = self.present
        self._words = [[c if c in known else None for c in word] for word in counts]
        self._weights = list(counts.values())
        self._frequency: Counter[str] = Counter()
        self._places: defaultdict[str, set[int]] = defaultdict(set)  # words that a piece is in
        self._pairs: Counter[Pair] = Counter()
        for number, word in enumerate(self._words):
            for piece in filter(None, word):
                self._frequency[piece] += self._weights[number]
                self._places[piece].add(number)
            self._pairs.update(self._pairs_of(number))
        self._heap = [(-count, pair) for pair, count in self._pairs.items()]
        heapify(self._heap)

    def learn(self, size: int, threshold: float) -> None:
        """Merge and remove until the vocabulary has `size` entries, or no pair is left."""
        while self.size < size and (pair := self._most_frequent()):
            self._merge(pair, threshold)

    def _most_frequent(self) -> Pair | None:
        """Return the most frequent pair, the first by code points among equals, or None where no pair is left."""
        while self._heap:
            count, pair = self._heap[0]
            if count < 0 and self._pairs.get(pair) == -count:
                return pair
            heappop(self._heap)
        return None

    def _pairs_of(self, number: int) -> Counter[Pair]:
        """Return the pairs of a word, weighted by its count. In "aaa" there are two of (a, a)."""
        pairs: Counter[Pair] = Counter()
        for left, right in pairwise(self._words[number]):
            if left is not None and right is not None:
                pairs[left, right] += self._weights[number]
        return pairs

    def _count(self, changes: Iterable[tuple[Pair, int]]) -> None:
        """Add to the counts of pairs. One that falls to 0 is forgotten."""
        for pair, change in changes:
            self._pairs[pair] += change
            if self._pairs[pair] <= 0:
                del self._pairs[pair]
            else:
                heappush(self._heap, (-self._pairs[pair], pair))

    def _merge(self, pair: Pair, threshold: float) -> None:
        new = "".join(pair)
        if self._as_program or new not in self.present:
            self.size += 1
        self._parts.setdefault(new, pair)
        self.present.add(new)
        self.events.append(Event(new, pair, merged=True))
        if self._as_program:
            del self._pairs[pair]
        merged, around = 0, Counter[Pair]()
        for number in sorted(self._places[pair[0]] & self._places[pair[1]]):
            before = self._pairs_of(number)
            if pair in before:
                merged += self._weights[number] * self._rewrite(number, pair, (new,))
                after = self._pairs_of(number)
                if self._as_program:
                    around.update({found: count for found, count in after.items() if new in found})
                else:
                    before.subtract(after)
                    self._count((found, -change) for found, change in before.items() if change)
        if self._as_program:
            self._count_around(new, pair, around)
        self._frequency[new] += merged
        self._frequency.subtract({pair[0]: merged})
        self._frequency.subtract({pair[1]: merged})
        for piece in dict.fromkeys(pair):
            if len(piece) > 1 and merged / (self._frequency[piece] + merged) > threshold:
                self._remove(piece)

    def _count_around(self, new: str, pair: Pair, around: Counter[Pair]) -> None:
        """Count pairs with a new piece as the program does: all of its words, also those of older occurrences."""
        self._count(around.items())
        for left, right in around:
            old = (pair[1] if left == new else left, pair[0] if right == new else right)
            if old in self._pairs:
                self._count([(old, -around[left, right])])

    def _remove(self, piece: str) -> None:
        """Split what is left of a piece in the words, and take it out of the vocabulary."""
        self.size -= 1
        self.present.discard(piece)
        parts = self._present_parts(piece)
        self.events.append(Event(piece, parts, merged=False))
        gone: Counter[Pair] = Counter()
        for number in sorted(self._places[piece]):
            before = self._pairs_of(number)
            self._rewrite(number, (piece,), parts)
            gone.update({pair: count for pair, count in before.items() if piece in pair})
        self._count([(pair, self._frequency[piece]) for pair in pairwise(parts)])
        for pair, count in gone.items():
            old = (parts[-1] if pair[0] == piece else pair[0], parts[0] if pair[1] == piece else pair[1])
            self._count([(old, count)])
            self._pairs.pop(pair, None)
        for part in parts:
            self._frequency[part] += self._frequency[piece]
        del self._frequency[piece], self._places[piece]

    def _present_parts(self, piece: str) -> tuple[str, ...]:
        """Return the pieces of the vocabulary that a piece is made of. It may be nested as deep as it is long."""
        found, pending = [], [piece]
        while pending:
            part = pending.pop()
            if part in self.present:
                found.append(part)
            else:
                pending += reversed(self._parts[part])
        return tuple(found)

    def _rewrite(self, number: int, old: tuple[str, ...], new: tuple[str, ...]) -> int:
        """Replace stretches of pieces in a word, from the left; return how many."""
        before = self._words[number]
        after = replaced(before, old, new)
        for piece in old:
            self._places[piece].discard(number)
        self._words[number] = after
        for piece in filter(None, after):
            self._places[piece].add(number)
        return abs(len(before) - len(after)) // abs(len(old) - len(new))
