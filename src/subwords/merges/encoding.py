"""Applying merges to words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from subwords.merges.codes import END, Merge

CODE_POINTS = 0x110000


class MergeEncoder:
    """Segments words with a list of merges, as subword-nmt's apply-bpe does.

    The merge that comes first in the list is applied first, to all its occurrences from left to right, until none
    applies. Characters that no merge knows stay single. Pieces that do not end a word carry `separator`.
    """

    def __init__(self, merges: Iterable[Merge], separator: str = "@@") -> None:
        import numpy as np

        from subwords.merges.applying import NONE, Ranks, hash_ranks

        merges = list(merges)
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
        """Return the pieces of each word, joined by single spaces. A word holds neither a space nor a line feed."""
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
