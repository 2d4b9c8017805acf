"""Vocabularies by optimal transport from characters to tokens (Xu et al. 2021, section 4, Algorithm 1).

Token candidates are the merges of byte-pair encoding, ranked by their frequencies (section 4.3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from subwords.merges import END, Merge
from subwords.transport import transport
from subwords.volt.utility import Step, entropy

Ints = NDArray[np.int64]

#: Section 4.3: a token whose transported characters are less than this share of its frequency is removed.
REMOVED_BELOW = 0.001


class Candidates:
    """Tokens that merges make from characters, with their counts in a text.

    Tokens are numbered: first the characters (`token` and `token</w>` are two), then the merged tokens in merge order.
    A token that two merges spell alike is one token, made by the first of them.
    """

    def __init__(self, merges: Sequence[Merge], counts: Mapping[str, int]) -> None:
        """Take merges, and the counts of tokens in a text that they segment (a word's last token carries `</w>`)."""
        made = {left + right for left, right in merges}
        characters = {part for merge in merges for part in merge if part not in made}
        characters.update(token for token in counts if token not in made)
        names = dict.fromkeys([*sorted(characters), *(left + right for left, right in merges)])
        self.tokens = list(names)
        self.characters = len(characters)
        number = {token: i for i, token in enumerate(self.tokens)}
        self.counts = np.array([counts.get(token, 0) for token in self.tokens], dtype=np.int64)
        self.merges = list(merges)
        self.made = np.array([number[left + right] for left, right in merges], dtype=np.int64)
        self.parts = np.full((len(self.tokens), 2), -1, dtype=np.int64)
        for left, right in reversed(merges):
            self.parts[number[left + right]] = number[left], number[right]

    def __len__(self) -> int:
        """Return the number of merged tokens."""
        return len(self.tokens) - self.characters

    def surface(self, token: int) -> str:
        """Return a token's text, without the mark of a word's end."""
        return self.tokens[token].removesuffix(END) or END  # a text may spell the mark itself

    def ranked(self) -> Ints:
        """Return the merged tokens by frequency, most frequent first, in merge order among equals.

        A part is needed as often as what is built from it, so its rank never falls behind: every prefix of the ranking
        can be applied as it is.
        """
        needed = self.counts.copy()
        for token in range(len(self.tokens) - 1, self.characters - 1, -1):
            for part in self.parts[token]:
                needed[part] = max(needed[part], needed[token])
        return self.characters + np.argsort(-needed[self.characters :], kind="stable")

    def counts_with(self, kept: Sequence[int] | Ints) -> Ints:
        """Return the counts of all tokens when only the `kept` merged tokens exist.

        Section 4.3: tokens out of the vocabulary are split into smaller ones, here into the parts they are made of.
        """
        counts = self.counts.copy()
        lost = np.ones(len(counts), dtype=bool)
        lost[: self.characters] = False
        lost[kept] = False
        for token in np.flatnonzero(lost)[::-1]:
            for part in self.parts[token]:
                counts[part] += counts[token]
            counts[token] = 0
        return counts

    def merges_of(self, kept: Sequence[int] | Ints) -> list[Merge]:
        """Return the merges, in their order, that make the `kept` tokens and the parts these are made of."""
        needed = np.zeros(len(self.tokens), dtype=bool)
        needed[kept] = True
        for token in range(len(self.tokens) - 1, self.characters - 1, -1):
            if needed[token]:
                needed[self.parts[token]] = True
        return [merge for merge, token in zip(self.merges, self.made, strict=True) if needed[token]]


class Transporter:
    """The transport problem of candidates, for any number of them."""

    def __init__(self, candidates: Candidates, epsilon: float) -> None:
        """`epsilon` is how far a token's mass may be from its probability (Eq. 9)."""
        self.candidates = candidates
        self.epsilon = epsilon
        self._ranked = candidates.ranked()
        surfaces = [candidates.surface(token) for token in range(len(candidates.tokens))]
        self._lengths = np.array([len(surface) for surface in surfaces])
        counts: Counter[str] = Counter()
        for surface, count in zip(surfaces, candidates.counts.tolist(), strict=True):
            for character in surface:
                counts[character] += count
        counts = +counts
        row = {character: i for i, character in enumerate(counts)}
        mass = np.array(list(counts.values()), dtype=np.float64)
        self._characters = mass / mass.sum()  # P(j), Eq. 10
        # The edges: from each character to the tokens that contain it (elsewhere the distance is infinite).
        edges = [[row[character] for character in dict.fromkeys(surface)] for surface in surfaces]
        self._starts = np.concatenate(([0], np.cumsum([len(ends) for ends in edges])))
        self._rows = np.array([end for ends in edges for end in ends])

    def vocabulary(self, size: int) -> tuple[Ints, Step]:
        """Return what the transport keeps of the `size` most frequent candidates, and the step of this size."""
        merged = np.sort(self._ranked[:size])
        counts = self.candidates.counts_with(merged)
        tokens = np.concatenate((np.arange(self.candidates.characters), merged))
        probability = counts[tokens] / counts[tokens].sum()  # P(i), Eq. 9
        degree = np.diff(self._starts)[tokens]
        columns = np.repeat(np.arange(len(tokens)), degree)
        offsets = np.arange(len(columns)) - np.repeat(np.cumsum(degree) - degree, degree)
        rows = self._rows[np.repeat(self._starts[tokens], degree) + offsets]
        distance = np.log(self._lengths[tokens])[columns]  # -ln P(j|i) = ln len(i)
        plan = transport(rows, columns, distance, self._characters, probability, epsilon=self.epsilon)
        remains = (plan.columns > 0) & (plan.columns >= REMOVED_BELOW * probability)
        kept = tokens[remains & (tokens >= self.candidates.characters)]
        length = float(self._lengths[tokens[remains]].mean())
        value = entropy(plan.columns[remains].tolist(), length)
        return kept, Step(size, value, len(kept), length, rounds=plan.rounds, miss=plan.miss)
