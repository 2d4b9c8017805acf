"""GreedTok: the tokens that cover most, chosen one by one.

Lim et al. 2025 ("A Partition Cover Approach to Tokenization"). A word is at first its bytes. A token may be placed
wherever it occurs, unless it would cut a token that is there; what lies inside it becomes one piece. Its gain is the
number of pieces that this saves in all words, weighted by their counts (occurrences that overlap are taken from the
left). Learning chooses the token with the highest gain, places it, and goes on: the greedy algorithm for this problem,
whose optimum is NP-hard to find. Unlike in BPE a token need not be made of two others, so that none is in the
vocabulary only because a longer one needs it. A word is segmented by placing the tokens in the order in which they were
chosen.

>>> choose({"abc": 2, "abd": 3, "ab": 9}, 3, 16)
[('ab', 14), ('abd', 3), ('abc', 2)]
>>> GreedTok(["ab", "abc"]).encode("abcabd")
'abc ab d'

Equally good tokens: the shorter one, then the one that comes first by code points (the public code leaves it to a hash
table). `max_length` limits tokens, in bytes. What the public code limits to N has N - 1 bytes at most.

Learning keeps, as the public code does, exact gains and looks only at tokens whose gain can have become the highest:
the gain of an occurrence never rises, so an old gain, without regard to overlaps, is an upper bound.

`variant=reference` segments as the public code: it forgets where one of two equal neighbours ends and the next begins,
and so places no token that starts or ends between them. With the tokens `ab`, `abd` and `bac`, "ababd" is `ab ab d`
there and `ab abd` here, as in learning.

Pre-tokens are GPT-2's, and pieces are written as bytes (`subwords.bytelevel`): nothing is unknown, every line comes
back. The model file has one token per line, in the order in which they were chosen; the 256 bytes are not in it, but
count in `size`. Learning takes time and memory for every substring of a pre-token type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from subwords.bytelevel import BYTES, ByteSegmenter, count_tokens
from subwords.errors import InputError
from subwords.files import read_lines, write_lines
from subwords.segmenter import Parameter, at_least, check_least, check_size, read_options, warn_of_fewer


class GreedTok(ByteSegmenter):
    """See the module's docstring. `tokens` are written as bytes, in the order in which they were chosen."""

    algorithm = "greedtok"
    summary = "tokens that cover most, chosen greedily, not by merging (Lim et al. 2025)"
    kept_options = ("variant",)
    parameters = (
        Parameter("variant", "paper", "how words are segmented", ("paper", "reference"), stage="encode"),
        Parameter("max_length", 16, "bytes of a token at most, at least 2"),
    )

    def __init__(self, tokens: Sequence[str], variant: str = "paper") -> None:
        self.tokens, self.variant = list(tokens), variant
        self._ranks = {token: rank for rank, token in enumerate(tokens, 1)}
        self._longest = max(map(len, tokens), default=1)
        self._prefixes = {token[:end] for token in tokens for end in range(1, len(token) + 1)}

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Choose `size` - 256 tokens, or fewer (with a warning). Raises InputError for a size below 256."""
        chosen = read_options(cls, options)
        wanted = check_size(cls, size)
        longest = at_least(chosen, "max_length", 2)
        check_least(cls, wanted, 256, "the number of bytes")
        found = choose(count_tokens(texts), wanted - 256, longest)
        warn_of_fewer(cls, 256 + len(found), wanted, "no other token gains anything")
        return cls([token for token, _ in found], chosen["variant"])

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        tokens = list(read_lines(path))
        if len(set(tokens)) < len(tokens) or not all(len(token) > 1 and BYTES.keys() >= {*token} for token in tokens):
            raise InputError(
                f"{path} is no list of tokens", allowed="a token of two bytes or more per line, none twice"
            )
        return cls(tokens, **read_options(cls, options, "encode"))

    def write(self, path: Path) -> None:
        write_lines(path, self.tokens)

    def segment_token(self, token: str) -> list[str]:
        if self.variant == "paper":
            return _place(token, self._occurrences(token))
        return [piece for part in self._parts(token) for piece in _place_by_rank(part, self._occurrences(part))]

    def _occurrences(self, text: str) -> list[tuple[int, int, int]]:
        """Return where tokens occur: rank, start, end; in the order in which they are placed."""
        ends = range(2, self._longest + 1)
        spans = ((start, start + n) for start in range(len(text)) for n in ends if start + n <= len(text))
        return sorted((self._ranks[text[s:e]], s, e) for s, e in spans if text[s:e] in self._ranks)

    def _parts(self, text: str) -> Iterator[str]:
        """Yield the stretches that the public code looks at one by one: no start of a token leads over their ends."""
        start = 0
        while start < len(text):
            at, stop = start, start + 1
            while at < stop:
                end = at
                while end < len(text) and text[at : end + 1] in self._prefixes:
                    end += 1
                at, stop = at + 1, max(stop, end)
            yield text[start:stop]
            start = stop


def _place(text: str, occurrences: Sequence[tuple[int, int, int]]) -> list[str]:
    """Return the pieces of a text in which tokens are placed in this order, where they cut none."""
    border = bytearray(b"\1" * (len(text) + 1))  # whether a piece begins at a place
    for _, start, end in occurrences:
        if border[start] and border[end]:
            border[start + 1 : end] = bytes(end - start - 1)
    return _pieces(text, border)


def _place_by_rank(text: str, occurrences: Sequence[tuple[int, int, int]]) -> list[str]:
    """Return what the public code places: two neighbours of the same rank count as one token."""
    if any(start == 0 and end == len(text) for _, start, end in occurrences):
        return [text]
    ranks, border = [0] * len(text), bytearray(b"\1" * (len(text) + 1))
    for rank, start, end in occurrences:
        if start and ranks[start - 1] and ranks[start - 1] == ranks[start]:
            continue
        if end < len(text) and ranks[end] and ranks[end - 1] == ranks[end]:
            continue
        ranks[start:end] = [rank] * (end - start)
        border[start:end] = b"\1" + bytes(end - start - 1)
    return _pieces(text, border)


def _pieces(text: str, border: bytearray) -> list[str]:
    places = [place for place, begins in enumerate(border) if begins]
    return [text[start:end] for start, end in pairwise(places)]


def choose(counts: Mapping[str, int], size: int, max_length: int) -> list[tuple[str, int]]:
    """Return `size` tokens of words with counts, each with its gain when it was chosen; fewer where none gains more.

    A token has 2 to `max_length` characters (bytes, as they are written). Words are laid end to end; `border` says
    whether a piece begins at a place, which is always so where a word begins.
    """
    weights: list[int] = []
    places: dict[str, list[int]] = {}
    for word, count in counts.items():
        for start in range(len(word)):
            for end in range(start + 2, min(len(word), start + max_length) + 1):
                places.setdefault(word[start:end], []).append(len(weights))
            weights.append(count)
    border = bytearray(b"\1" * (len(weights) + 1))

    def gains(token: str) -> tuple[int, int]:
        """Return the gain of a token, and the sum over all its occurrences, overlapping ones too: its upper bound."""
        length, gain, bound, free = len(token), 0, 0, 0
        for place in places[token]:
            if border[place] and border[place + length]:
                saved = weights[place] * border.count(1, place + 1, place + length)
                bound += saved
                if place >= free:
                    gain, free = gain + saved, place + length
        return gain, bound

    heap = [(-gains(token)[1], len(token), token) for token in places]
    heapify(heap)
    chosen: list[tuple[str, int]] = []
    while len(chosen) < size:
        best = _best(heap, gains)
        if best is None:
            break
        gain, token = best
        chosen.append((token, gain))
        for place in places.pop(token):
            if border[place] and border[place + len(token)]:
                border[place + 1 : place + len(token)] = bytes(len(token) - 1)
    return chosen


_Entry = tuple[int, int, str]  # minus the upper bound, the length, the token: the first one is chosen


def _best(heap: list[_Entry], gains: Callable[[str], tuple[int, int]]) -> tuple[int, str] | None:
    """Take the token of the highest gain off the heap and return both, or None where no token gains anything."""
    overlapping: list[tuple[int, int, str, int]] = []  # minus the gain, length, token, bound: looked at in this step
    best: tuple[int, str] | None = None
    while heap and heap[0][0] < 0 and best is None:
        if overlapping and min(overlapping)[:3] < heap[0]:
            break
        before, length, token = heappop(heap)
        gain, bound = gains(token)
        if gain < bound:
            overlapping.append((-gain, length, token, bound))
        elif -bound > before:
            heappush(heap, (-bound, length, token))
        elif overlapping and min(overlapping)[:3] < (-gain, length, token):
            heappush(heap, (-bound, length, token))
            break
        else:
            best = gain, token
    if best is None and overlapping and (first := min(overlapping))[0] < 0:
        overlapping.remove(first)
        best = -first[0], first[2]
    for _, length, token, bound in overlapping:
        heappush(heap, (-bound, length, token))
    return best
