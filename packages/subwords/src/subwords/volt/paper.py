"""Vocabularies by optimal transport from characters to tokens (Xu et al. 2021, section 4, Algorithm 1)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from subwords.transport import transport
from subwords.volt.candidates import Candidates
from subwords.volt.utility import entropy

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Section 4.3: a token whose transported characters are less than this share of its frequency is removed.
REMOVED_BELOW = 0.001


@dataclass(frozen=True)
class Vocabulary:
    """What the transport makes of the first `size` candidates: `kept` are the merged tokens that remain."""

    size: int
    kept: Ints
    entropy: float
    length: float
    rounds: int
    miss: float


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

    def vocabulary(self, size: int) -> Vocabulary:
        """Return the vocabulary with the highest entropy among the `size` most frequent candidates."""
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
        lengths = self._lengths[tokens[remains]]
        return Vocabulary(
            size=size,
            kept=tokens[remains & (tokens >= self.candidates.characters)],
            entropy=entropy(plan.columns[remains].tolist(), float(lengths.mean())),
            length=float(lengths.mean()),
            rounds=plan.rounds,
            miss=plan.miss,
        )
