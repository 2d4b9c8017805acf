"""Applying merges to words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from subwords.merges.codes import END, Merge

CODE_POINTS = 0x110000
#: Characters of words up to which plain Python takes less than the loading of compiled code does; and of one word, as
#: its time grows with the square of that.
FEW, SHORT = 150_000, 200


class MergeEncoder:
    """Segments words with a list of merges, as subword-nmt's apply-bpe does.

    The merge that comes first in the list is applied first, to all its occurrences from left to right, until none
    applies. Characters that no merge knows stay single. Pieces that do not end a word carry `separator`.

    The first words are segmented in Python, so that small texts need neither the time nor the memory of compiled code.
    """

    def __init__(self, merges: Iterable[Merge], separator: str = "@@") -> None:
        self._merges, self._separator = list(merges), separator
        self._ranks: dict[Merge, int] = {}
        for rank, merge in enumerate(self._merges):
            self._ranks.setdefault(merge, rank)
        self._left = FEW  # characters that may still be segmented in Python
        self._compiled: CompiledEncoder | None = None

    def segment_words(self, words: Sequence[str]) -> list[str]:
        """Return the pieces of each word, joined by single spaces. A word holds neither a space nor a line feed."""
        if self._compiled is None:
            lengths = [len(word) for word in words]
            self._left -= sum(lengths)
            if self._left >= 0 and max(lengths, default=0) <= SHORT:
                return [self._segment(word) for word in words]
            self._compiled = CompiledEncoder(self._merges, self._separator)
        return self._compiled.segment_words(words)

    def _segment(self, word: str) -> str:
        units = [*word[:-1], word[-1:] + END]
        last = len(self._merges)
        while len(units) > 1:
            ranks = [self._ranks.get(pair, last) for pair in pairwise(units)]
            rank = min(ranks)
            if rank == last:
                break
            place = ranks.index(rank)
            while place + 1 < len(units):
                if (units[place], units[place + 1]) == self._merges[rank]:
                    units[place : place + 2] = ["".join(self._merges[rank])]
                place += 1
        return f"{self._separator} ".join(units).removesuffix(END)


class CompiledEncoder:
    """What `MergeEncoder` does, compiled."""

    def __init__(self, merges: Sequence[Merge], separator: str) -> None:
        import numpy as np

        from subwords.merges.applying import NONE, Ranks, hash_ranks

        numbers: dict[str, int] = {}
        columns = [(left, right, left + right) for left, right in merges]
        triples = [[numbers.setdefault(symbol, len(numbers)) for symbol in column] for column in columns]
        table = np.array(triples, np.int32).reshape(-1, 3).T
        slots = np.full(1 << (2 * len(merges) + 1).bit_length(), NONE, np.int32)
        self._ranks = Ranks._make([*np.ascontiguousarray(table), slots])
        hash_ranks(self._ranks)
        self._inner = np.full(CODE_POINTS, NONE, np.int32)  # symbol of a code point
        self._final = np.full(CODE_POINTS, NONE, np.int32)  # symbol of a code point that ends a word
        for symbol, number in numbers.items():
            if len(symbol) == 1:
                self._inner[ord(symbol)] = number
            elif len(symbol) == 1 + len(END) and symbol.endswith(END):
                self._final[ord(symbol[0])] = number
        self._separator = np.array([ord(char) for char in f"{separator} "], np.int32)

    def segment_words(self, words: Sequence[str]) -> list[str]:
        """Return the pieces of each word, joined by single spaces."""
        import numpy as np

        from subwords.merges.applying import spell, split

        if not words:
            return []
        chars = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.int32)
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        last = np.cumsum(lengths)[lengths > 0] - 1
        symbols = self._inner[chars]
        symbols[last] = self._final[chars[last]]
        starts = np.empty(len(chars), np.uint8)
        split(symbols, lengths, self._ranks, starts)
        out = np.empty(len(chars) + int(starts.sum()) * len(self._separator) + len(words), np.int32)
        end = spell(chars, lengths, starts, self._separator, out)
        return out[:end].tobytes().decode("utf-32-le", "surrogatepass").split("\n")[:-1]
