"""PathPiece: the fewest pieces that a vocabulary allows (Schmidt et al. 2024, "Tokenization Is More Than Compression").

A pre-token is segmented into the fewest pieces of the vocabulary, by a shortest path over its bytes. Among equally good
ones the last piece is the longest possible, then the one before it, and so on, as in the authors' program. Its other
rule, to draw among them, is not offered.

Learning goes from above (section 3.2). The first vocabulary is the `initial` most frequent byte n-grams of up to
`max_length` bytes. In each round the text is segmented, and for every piece in it one sees by how much the number of
pieces of its pre-token would grow without it: either a border comes to lie inside the piece, or a longer piece reaches
over it. With f(i) the fewest pieces of the first i bytes, b(i) those of the rest, and K all of them, the increase for a
piece from i to j is

    min( min over i < x < j: f(x) + b(x),  min over longer pieces from i' <= i to j' >= j: f(i') + 1 + b(j') ) - K

The increase of a token is the sum over its pieces. The tokens of the least increase are taken away, a share `removed`
of those that are left in each round, until `size` is reached; the 256 bytes stay. The paper takes tokens away in
batches, too; the program that learns is not public, and neither the batches nor the order of equal tokens is known.
Here the rarer n-gram goes first, then the longer one.

>>> model = PathPiece(["ab", "bcd", "cde"])
>>> model.encode("abcde abcd")
'ab cde Ġ a bcd'

Pre-tokens are GPT-2's, and pieces are written as bytes (`subwords.bytelevel`): nothing is unknown, every line comes
back. The model file is the authors': a token a line in hexadecimal, the 256 bytes among them. Learning takes time for
each byte of each pre-token type, times `max_length`, in each round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from subwords.bytelevel import ALPHABET, BYTES, ByteSegmenter, count_tokens
from subwords.errors import InputError
from subwords.files import read_lines, write_lines
from subwords.segmenter import Parameter, at_least, check_least, check_size, read_options, warn_of_fewer


class PathPiece(ByteSegmenter):
    """See the module's docstring. `tokens` are those of two bytes or more, written as bytes."""

    algorithm = "pathpiece"
    summary = "the fewest pieces that a vocabulary allows (Schmidt et al. 2024)"
    parameters = (
        Parameter("initial", 1 << 18, "n-grams of the first vocabulary at most, at least 1"),
        Parameter("max_length", 16, "bytes of a token at most, at least 2"),
        Parameter("removed", 0.25, "share of the tokens that a round takes away at most, above 0, below 1"),
    )

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = list(tokens)
        self._known = frozenset(tokens)
        self._longest = max(map(len, tokens), default=1)

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn `size` - 256 tokens, or fewer (with a warning). Raises InputError for a size below 256."""
        chosen = read_options(cls, options)
        wanted = check_size(cls, size)
        if not 0 < chosen["removed"] < 1:
            raise InputError(f"removed={chosen['removed']} is no such share", allowed="above 0, below 1")
        longest, initial = at_least(chosen, "max_length", 2), at_least(chosen, "initial")
        check_least(cls, wanted, 256, "the number of bytes")
        counts = count_tokens(texts)
        ngrams = most_frequent(counts, longest, initial)
        warn_of_fewer(cls, 256 + len(ngrams), wanted, "the text, or initial, has no other n-grams")
        return cls(reduce(counts, ngrams, wanted - 256, chosen["removed"]))

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        read_options(cls, options)
        try:
            tokens = [bytes.fromhex(line) for line in read_lines(path)]
        except InputError:
            raise
        except ValueError:
            tokens = []
        if len(set(tokens)) < len(tokens) or not {bytes([byte]) for byte in range(256)} <= set(tokens):
            raise InputError(f"{path} is no vocabulary", allowed="a token a line in hexadecimal, every byte among them")
        return cls(["".join(ALPHABET[byte] for byte in token) for token in tokens if len(token) > 1])

    def write(self, path: Path) -> None:
        single = [bytes([byte]) for byte in range(256)]
        write_lines(path, map(bytes.hex, [*single, *(bytes(BYTES[c] for c in token) for token in self.tokens)]))

    def segment_token(self, token: str) -> list[str]:
        _, widths = shortest(token, self._known, self._longest)
        return pieces(token, widths)


def shortest(text: str, known: Collection[str], longest: int) -> tuple[list[int], list[int]]:
    """Return, for each number of first characters, the fewest pieces, and the length of the last one (the longest)."""
    fewest, widths = [0], [0]
    for end in range(1, len(text) + 1):
        best, width = fewest[end - 1] + 1, 1
        for length in range(2, min(longest, end) + 1):
            if fewest[end - length] < best and text[end - length : end] in known:
                best, width = fewest[end - length] + 1, length
        fewest.append(best)
        widths.append(width)
    return fewest, widths


def pieces(text: str, widths: Sequence[int]) -> list[str]:
    """Return the pieces of a text, given the length of the last one of each number of first characters."""
    found, end = [], len(text)
    while end:
        found.append(text[end - widths[end] : end])
        end -= widths[end]
    return found[::-1]


def most_frequent(counts: Mapping[str, int], longest: int, most: int) -> dict[str, int]:
    """Return the most frequent n-grams of 2 to `longest` characters with their counts, `most` of them."""
    ngrams: Counter[str] = Counter()
    for word, count in counts.items():
        for start in range(len(word)):
            for end in range(start + 2, min(len(word), start + longest) + 1):
                ngrams[word[start:end]] += count
    return dict(sorted(ngrams.items(), key=lambda item: (-item[1], len(item[0]), item[0]))[:most])


def reduce(counts: Mapping[str, int], ngrams: Mapping[str, int], size: int, removed: float) -> list[str]:
    """Return `size` of the n-grams, most frequent first, taken away from above in rounds."""
    left = list(ngrams)
    rank = {ngram: place for place, ngram in enumerate(left)}
    while len(left) > size:
        increase = increases(counts, set(left))
        worst = sorted(left, key=lambda ngram: (increase[ngram], -rank[ngram]))
        gone = set(worst[: min(len(left) - size, max(1, int(removed * len(left))))])
        left = [ngram for ngram in left if ngram not in gone]
    return left


def increases(counts: Mapping[str, int], known: Collection[str]) -> Counter[str]:
    """Return by how many pieces the text would grow without each token, by the equation of the module's docstring."""
    longest = max(map(len, known), default=1)
    backwards = frozenset(token[::-1] for token in known)
    found: Counter[str] = Counter()
    for word, count in counts.items():
        before, widths = shortest(word, known, longest)
        after = shortest(word[::-1], backwards, longest)[0][::-1]
        end = len(word)
        while end:
            start = end - widths[end]
            if widths[end] > 1:
                least = min(before[x] + after[x] for x in range(start + 1, end))
                for first in range(max(0, end - longest), start + 1):
                    for last in range(end, min(len(word), first + longest) + 1):
                        total = before[first] + 1 + after[last]
                        if total < least and last - first > end - start and word[first:last] in known:
                            least = total
                found[word[start:end]] += count * (least - before[-1])
            end = start
    return found
