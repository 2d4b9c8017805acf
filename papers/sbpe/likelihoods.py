"""The log-likelihood of a text as merges are added (Vilar and Federico 2021, Eq. 1 and 2).

    L(S, Σn) = sum over units s of C(s) ln p(s)

C(s) is how often s occurs in S when its words are segmented by the first n merges (Algorithm 2). If S is a development
corpus, p can come from two texts. Usually it comes from the training text, segmented in the same way. Then Laplace's
smoothing is needed, which the paper has for all probabilities: (count + 1) / (N + K), where N is the number of units of
the training text and K that of the units in Σn. The paper does not say what becomes of a character that training lacks:
here Σ0 has the characters of both texts, and those that training lacks have a count of 0. In Eq. 8 of the appendix, p
comes from S itself, without smoothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from math import fsum, log

from subwords.merges import END, Merge


class Units:
    """The words of a text in units, to which merges are applied one by one, and how often each unit occurs."""

    def __init__(self, words: Mapping[str, int]) -> None:
        self.times = list(words.values())
        self.words = [[*word[:-1], word[-1] + END] for word in words]
        self.counts: Counter[str] = Counter()
        self.places: dict[Merge, set[int]] = defaultdict(set)  # of a pair: words that have or had it
        for place, word in enumerate(self.words):
            self._count(word, self.times[place])
            self._note(pairwise(word), place)

    def merge(self, left: str, right: str) -> None:
        """Apply one merge to all words."""
        for place in self.places.pop((left, right), ()):
            word, times = self.words[place], self.times[place]
            self._count(word, -times)
            self.words[place] = word = merged(word, left, right)
            self._count(word, times)
            self._note((pair for pair in pairwise(word) if left + right in pair), place)

    def _count(self, word: list[str], times: int) -> None:
        for unit in word:
            self.counts[unit] += times

    def _note(self, pairs: Iterable[Merge], place: int) -> None:
        for pair in pairs:
            self.places[pair].add(place)


def merged(word: list[str], left: str, right: str) -> list[str]:
    """Return a word's units with a pair merged wherever it stands, from left to right.

    >>> merged(["a", "a", "a", "b"], "a", "a")
    ['aa', 'a', 'b']
    """
    found: list[str] = []
    for unit in word:
        if unit == right and found and found[-1] == left:
            found[-1] += unit
        else:
            found.append(unit)
    return found


def log_likelihoods(
    train: Mapping[str, int], text: Mapping[str, int], merges: Iterable[Merge], added: int = 1
) -> Iterator[float]:
    """Yield the log-likelihood of a text (nats) before the first merge and after each, given words with their counts.

    `added` is what smoothing adds to each unit's count in `train`: 0 where that is the text itself.

    >>> [round(value, 4) for value in log_likelihoods({"ab": 1}, {"ab": 2}, [("a", "b</w>")])]  # 4 ln 2/4, 2 ln 2/4
    [-2.7726, -1.3863]
    """
    learned, given = Units(train), Units(text)
    for unit in given.counts:
        learned.counts[unit] += 0  # in Σ0
    total, pieces = sum(learned.counts.values()), sum(given.counts.values())

    def weight(units: Iterable[str]) -> float:
        there = (unit for unit in units if given.counts[unit])
        return fsum(given.counts[unit] * log(learned.counts[unit] + added) for unit in there)

    def sizes(units: Iterable[str]) -> tuple[int, int]:
        return sum(learned.counts[unit] for unit in units), sum(given.counts[unit] for unit in units)

    weighed = weight(learned.counts)
    yield weighed - pieces * log(total + added * len(learned.counts))
    for left, right in merges:
        changed = {left, right, left + right}
        before, old = weight(changed), sizes(changed)
        learned.merge(left, right)
        given.merge(left, right)
        learned.counts[left + right] += 0  # in Σn
        new = sizes(changed)
        weighed += weight(changed) - before
        total += new[0] - old[0]
        pieces += new[1] - old[1]
        yield weighed - pieces * log(total + added * len(learned.counts))


def unseen(train: Mapping[str, int], text: Mapping[str, int]) -> int:
    """Return how often a text has a character, or one at the end of a word, that no training word has there.

    >>> unseen({"ab": 9}, {"ac": 2, "ba": 1})  # c, and both of "ba": b ends words in training, and a does not
    4
    """
    known = Units(train).counts
    return sum(times for unit, times in Units(text).counts.items() if unit not in known)
