"""subword-nmt behind the engine's interface: the oracle of the tests, selectable as `implementation=subword-nmt`."""

from __future__ import annotations

import io
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from subwords.errors import extra
from subwords.merges.codes import END, HEADER, Merge


def learn_merges(counts: Mapping[str, int], size: int, min_frequency: int = 2) -> list[Merge]:
    """Return what `subword-nmt learn-bpe` learns from words with counts (its progress goes to standard error)."""
    with extra("subword-nmt"):
        from subword_nmt.learn_bpe import learn_bpe

    if all(len(word) == 1 for word in counts):
        return []  # subword-nmt takes the maximum of nothing here
    words, codes = io.StringIO(), io.StringIO()
    words.writelines(f"{word} {count}\n" for word, count in counts.items())
    words = io.StringIO(words.getvalue(), newline="\n")
    learn_bpe(words, codes, size, min_frequency=min_frequency, is_dict=True)
    return [(left, right) for left, right in (line.split(" ") for line in codes.getvalue().split("\n")[1:-1])]


def token_counts(counts: Mapping[str, int], merges: Sequence[Merge]) -> dict[str, int]:
    """Return how often each token occurs in words with counts, once segmented; a word's last token carries `</w>`."""
    tokens: Counter[str] = Counter()
    words = list(counts)
    for word, pieces in zip(words, MergeEncoder(merges, separator="").segment_words(words), strict=True):
        *inner, last = pieces.split(" ")
        for token in (*inner, last + END):
            tokens[token] += counts[word]
    return dict(tokens)


class MergeEncoder:
    """`subword-nmt apply-bpe` with the interface of our own encoder."""

    def __init__(self, merges: Iterable[Merge], separator: str = "@@") -> None:
        with extra("subword-nmt"):
            from subword_nmt.apply_bpe import BPE

        codes = "".join(f"{left} {right}\n" for left, right in merges)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._bpe = BPE(io.StringIO(f"{HEADER}\n{codes or 'a b'}", newline="\n"), separator=separator)
        if not codes:
            self._bpe.bpe_codes = {}  # it cannot read a file without merges

    def segment_words(self, words: Sequence[str]) -> list[str]:
        """Return the pieces of each word, joined by single spaces."""
        return [" ".join(self._bpe.segment_tokens([word])) for word in words]
