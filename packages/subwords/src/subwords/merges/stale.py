"""S-BPE as its authors' public code computes it, in plain Python, with its heap of stale scores.

The paper asks for the pair of the highest score at each step. The public code keeps the pairs in a binary heap whose
order is repaired only around pairs whose own count changed, while the scores of all others drift with every merge. The
merges it writes therefore depend on the layout of that heap; this module repeats it, slot by slot.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise

from subwords.merges.codes import END, Merge, replaced


class Entry:
    """A pair with its count, and its score as of the step in which it was last compared."""

    __slots__ = ("count", "pair", "score", "step")

    def __init__(self, pair: Merge, count: int) -> None:
        self.pair, self.count = pair, count
        self.score, self.step = 0.0, -1


class Tokens:
    """The counts that scores are made of: N tokens, the count of each unit ever seen, and the current step."""

    def __init__(self) -> None:
        self.units: defaultdict[str, int] = defaultdict(int)
        self.total = 0
        self.step = 0

    def score(self, entry: Entry) -> float:
        """Return the entry's score, computed once a step (Eq. 7, add-one smoothing over K + 1 units)."""
        if entry.step != self.step:
            c, (x, y) = entry.count, entry.pair
            entry.score = c * (
                math.log(c + 1)
                - math.log(self.units[x] - c + 1)
                - math.log(self.units[y] - c + 1)
                + math.log(self.total - c + len(self.units) + 1)
            )
            entry.step = self.step
        return entry.score


class StaleHeap:
    """A binary heap with slots that are empty because their pair's count has changed."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._slots: list[Entry | None] = []
        self._where: dict[Merge, int] = {}
        self._empty: set[int] = set()

    def insert(self, pair: Merge, count: int) -> None:
        """Put a pair into an empty slot (whichever the set gives), or at the end."""
        entry = Entry(pair, count)
        if self._empty:
            slot = self._empty.pop()
            self._put(slot, entry)
            self._sift_down(slot)
            self._sift_up(slot)
        else:
            self._slots.append(entry)
            self._where[pair] = len(self._slots) - 1
            self._sift_up(len(self._slots) - 1)

    def remove(self, pair: Merge) -> None:
        """Empty the slot of a pair, if it has one."""
        slot = self._where.pop(pair, None)
        if slot is not None:
            self._slots[slot] = None
            self._empty.add(slot)

    def pop(self) -> Entry | None:
        """Take out the root, or return None when nothing is left."""
        if self._slots and self._slots[0] is None:
            self._push_down(0)
        self._trim()
        if not self._slots:
            return None
        root, last = self._slots[0], self._slots.pop()
        assert root is not None
        assert last is not None
        del self._where[root.pair]
        if self._slots:
            self._put(0, last)
            self._sift_down(0)
        return root

    def _put(self, slot: int, entry: Entry | None) -> None:
        self._slots[slot] = entry
        if entry is None:
            self._empty.add(slot)
        else:
            self._where[entry.pair] = slot
            self._empty.discard(slot)

    def _swap(self, a: int, b: int) -> None:
        first, second = self._slots[a], self._slots[b]
        self._put(a, second)
        self._put(b, first)

    def _above(self, a: Entry, b: Entry) -> bool:
        return (self._tokens.score(a), a.pair) > (self._tokens.score(b), b.pair)

    def _larger_child(self, slot: int) -> int | None:
        """Move empty children to the leaves, and return the slot of the larger child; None where there is none."""
        children = range(2 * slot + 1, min(2 * slot + 3, len(self._slots)))
        for child in children:
            if self._slots[child] is None:
                self._push_down(child)
        best: int | None = None
        for child in children:
            entry = self._slots[child]
            if entry is None:
                continue
            rival = self._slots[best] if best is not None else None
            if rival is None or not self._above(rival, entry):
                best = child
        return best

    def _push_down(self, slot: int) -> None:
        """Move an empty slot to the leaves."""
        while (child := self._larger_child(slot)) is not None:
            self._empty.add(child)  # before `slot` leaves: which slot a set gives next depends on such history
            self._swap(slot, child)
            slot = child

    def _sift_down(self, slot: int) -> None:
        while slot < len(self._slots) and (entry := self._slots[slot]) is not None:
            child = self._larger_child(slot)
            if child is None:
                break
            below = self._slots[child]
            assert below is not None
            if not self._above(below, entry):
                break
            self._swap(slot, child)
            slot = child
        self._trim()

    def _sift_up(self, slot: int) -> None:
        while slot > 0 and slot < len(self._slots) and (entry := self._slots[slot]) is not None:
            parent = (slot - 1) // 2
            above = self._slots[parent]
            if above is None:
                self._swap(parent, slot)  # in this order, see `_push_down`
                self._sift_down(parent)
            elif self._above(entry, above):
                self._swap(slot, parent)
            else:
                break
            slot = parent
        self._trim()

    def _trim(self) -> None:
        """Drop empty slots at the end."""
        while self._slots and self._slots[-1] is None:
            self._slots.pop()
            self._empty.discard(len(self._slots))


def stale_merges(counts: Mapping[str, int]) -> Iterator[tuple[Merge, float]]:
    """Yield merges and their scores, as they were when the pair left the heap, until no pair is left."""
    words = [[*word[:-1], word[-1] + END] for word in counts]
    weights = list(counts.values())
    tokens = Tokens()
    totals: dict[Merge, int] = {}
    places: defaultdict[Merge, set[int]] = defaultdict(set)
    for number, (units, weight) in enumerate(zip(words, weights, strict=True)):
        tokens.total += weight * len(units)
        for unit in units:
            tokens.units[unit] += weight
        for pair, times in _pairs(units).items():
            totals[pair] = totals.get(pair, 0) + weight * times
            places[pair].add(number)
    heap = StaleHeap(tokens)
    for pair, count in totals.items():
        heap.insert(pair, count)

    while (entry := heap.pop()) is not None:
        score = tokens.score(entry) if entry.step < 0 else entry.score
        yield entry.pair, score
        tokens.step += 1
        x, y = entry.pair
        tokens.total -= entry.count
        tokens.units[x] -= entry.count
        tokens.units[y] -= entry.count
        tokens.units[x + y] += entry.count
        changes: dict[Merge, int] = {}
        for number in places.pop(entry.pair):
            before = _pairs(words[number])
            words[number] = replaced(words[number], entry.pair, (x + y,))
            after = _pairs(words[number])
            for pair in sorted(before.keys() | after.keys()):
                if pair == entry.pair:
                    continue
                change = after.get(pair, 0) - before.get(pair, 0)
                if change:
                    changes[pair] = changes.get(pair, 0) + change * weights[number]
                if pair not in before:
                    places[pair].add(number)
                elif pair not in after:
                    places[pair].discard(number)
        del totals[entry.pair]
        for pair in changes:
            heap.remove(pair)
        for pair, change in changes.items():
            totals[pair] = totals.get(pair, 0) + change
            if totals[pair] > 0:
                heap.insert(pair, totals[pair])


def _pairs(units: list[str]) -> dict[Merge, int]:
    """Return the adjacent pairs with how often merging would use them: "aaa" has (a, a) once."""
    pairs: dict[Merge, int] = {}
    skip = False
    for left, right in pairwise(units):
        pair = (left, right)
        if left == right and skip:
            skip = False
            continue
        pairs[pair] = pairs.get(pair, 0) + 1
        skip = left == right
    return pairs
