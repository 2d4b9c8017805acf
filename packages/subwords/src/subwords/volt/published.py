"""What the authors' public code computes (`variant=reference`), overflow included.

It differs from the paper in nearly every step: candidates stay in merge order; a candidate's frequency is the count of
all tokens that contain it, plus one; the distance is 0.001 times the candidate's rank where it shares a character with
the key "left right" (`</w>` included) and 100 elsewhere; neither side's masses are normalized (they sum to 1.01 and
about 5), so that plain Sinkhorn scaling overflows after some 400 rounds and stops there; the score of a size is the
difference of sum P ln(1 + P), not divided by length or size. It chooses the size at which the damage changes most, so
the choice depends on the order of the floating-point operations, which is kept here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from subwords.errors import InputError
from subwords.merges import END, Merge

Floats = NDArray[np.float64]

ROUNDS = 500  # of the scaling iteration
CHECKED_EACH = 10
THRESHOLD = 1e-9
SMOOTHING = 1e-4  # added to every mass
RARE = 2  # characters that occur this often or less are left out
KEPT = 1e-5  # least transported mass of a kept candidate, relative to its frequency over the number of candidates


def read_tokens(counts: Mapping[str, int]) -> Counter[str]:
    """Return the tokens that the public code reads from segmented text, given the true ones (`</w>` ends a word).

    In the text a token that does not end its word carries @@; what carries none gets `</w>`. Any white space separates.
    """
    tokens: Counter[str] = Counter()
    for token, count in counts.items():
        piece = token.removesuffix(END) if token.endswith(END) else token + "@@"
        for item in piece.split():
            tokens[item if item.endswith("@@") else item + END] += count
    return tokens


def candidate_frequencies(merges: Sequence[Merge], tokens: Mapping[str, int]) -> list[int]:
    """Return, for each merge, 1 + the counts of all tokens that contain its two parts joined."""
    joined = [left + right for left, right in merges]
    frequencies = dict.fromkeys(joined, 1)
    lengths = sorted(set(map(len, joined)))
    for token, count in tokens.items():
        inside: set[str] = set()
        for length in lengths:
            if length > len(token):
                break
            inside.update(token[start : start + length] for start in range(len(token) - length + 1))
        for candidate in inside & frequencies.keys():
            frequencies[candidate] += count
    return [frequencies[candidate] for candidate in joined]


def character_counts(words: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the characters that are neither white space nor rare, most frequent first, first seen first if equal."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for character in word:
            counts[character] += count
    kept = [(character, count) for character, count in counts.items() if count > RARE and not character.isspace()]
    return sorted(kept, key=lambda item: -item[1])


class PublishedTransport:
    """The public code's transport between characters and the first candidates, for any number of them."""

    def __init__(self, merges: Sequence[Merge], words: Mapping[str, int], counts: Mapping[str, int], largest: int):
        """Take merges, words and the tokens of the text segmented with the merges, each with counts.

        `largest` is the largest number of candidates that will be asked for.
        """
        self.candidates = len(merges)
        merges = merges[:largest]
        characters = character_counts(words)
        if not characters:
            raise InputError(
                f"no character occurs more than {RARE} times, and the public code leaves out all others",
                next_step="give a longer text, or --set variant=paper",
            )
        self.frequencies = np.array(candidate_frequencies(merges, read_tokens(counts)), dtype=np.int64)
        self._keys = [f"{left} {right}" for left, right in merges]
        self._lengths = np.array([len(key) for key in self._keys])
        total = sum(count for _, count in characters)
        self._characters = np.array([count / total + SMOOTHING for _, count in characters])
        index = {character: i for i, (character, _) in enumerate(characters)}
        self._distance = np.full((len(characters), len(merges)), 100.0)
        for j, key in enumerate(self._keys):
            for character in set(key) & index.keys():
                self._distance[index[character], j] = 0.001 * j

    def plan(self, size: int) -> tuple[float, Floats]:
        """Return sum P ln(1 + P) and P, characters by candidates, for the first `size` candidates."""
        a = self._characters
        first = self.frequencies[:size]
        total = int(first.sum())
        b = np.array(
            [length * (count / total) + SMOOTHING for length, count in zip(self._lengths, first.tolist(), strict=False)]
        )
        plan = scale(a, b, self._distance[:, :size])
        return float((plan * np.log(1 + plan)).sum()), plan

    def kept(self, plan: Floats) -> list[int]:
        """Return which candidates remain: those with enough mass from one character, and the parts of such ones."""
        mass = plan.max(axis=0)
        frequencies = self.frequencies[: plan.shape[1]]
        enough = (mass != 0) & (mass * self.candidates > KEPT * frequencies)
        parts = {part for j in np.flatnonzero(enough) for part in self._keys[j].split(" ")}
        return [j for j, key in enumerate(self._keys[: len(mass)]) if enough[j] or key.replace(" ", "") in parts]


def scale(a: Floats, b: Floats, distance: Floats) -> Floats:
    """Return the plan of Sinkhorn scaling, with the public code's order of operations and its ways to end."""
    u = np.ones(len(a)) / len(a)
    v = np.ones(len(b)) / len(b)
    kernel = np.divide(distance, -1.0)
    np.exp(kernel, out=kernel)
    kernel_over_a = (1 / a).reshape(-1, 1) * kernel
    rounds = 0
    error = 1.0
    with np.errstate(all="ignore"):
        while error > THRESHOLD and rounds < ROUNDS:
            before = u, v
            received = np.dot(kernel.T, u)
            v = np.divide(b, received)
            u = 1.0 / np.dot(kernel_over_a, v)
            if np.any(received == 0) or not np.isfinite(u).all() or not np.isfinite(v).all():
                u, v = before
                break
            if rounds % CHECKED_EACH == 0:
                error = float(np.linalg.norm(np.einsum("i,ij,j->j", u, kernel, v) - b))
            rounds += 1
        return u.reshape(-1, 1) * kernel * v.reshape(1, -1)
