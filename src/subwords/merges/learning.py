"""Learning merges from word types."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from subwords.merges import published
from subwords.merges.codes import Merge


def learn_merges(counts: Mapping[str, int], size: int, min_frequency: int = 2) -> list[Merge]:
    """Return the merges of byte-pair encoding (Sennrich et al., 2016), most frequent pair first.

    `counts` maps words to how often they occur, `size` is the number of merges. A pair that occurs fewer than
    `min_frequency` times ends the learning: then there are fewer merges than asked. Ties go to the larger pair
    (left piece first, by code points). Equal, merge for merge, to subword-nmt's learn-bpe.

    Time grows with the total length of the word types, hardly with `size`; memory with the same length (about
    30 bytes a character). A progress line appears on standard error when it takes long.
    """
    return _learn(counts, size, min_frequency, ())[0]


def learn_stages(
    counts: Mapping[str, int], size: int, stages: Collection[int], min_frequency: int = 2
) -> tuple[list[Merge], dict[int, dict[str, int]]]:
    """Return the merges of `learn_merges`, and how often each token occurs after some numbers of merges.

    The second answer maps each number in `stages` that is reached, and the number of all merges, to token counts; a
    word's last token carries `</w>`. Costs next to nothing beyond learning.
    """
    return _learn(counts, size, min_frequency, {*stages, size})


def most_merges(words: Iterable[str]) -> int:
    """Return how many merges words can take: each joins two units at least, and every word ends as one.

    >>> most_merges(["low", "a"])
    2
    """
    return sum(len(word) - 1 for word in words if word)


def _learn(
    counts: Mapping[str, int], size: int, min_frequency: int, stages: Collection[int]
) -> tuple[list[Merge], dict[int, dict[str, int]]]:
    import numpy as np

    from subwords.merges.arrays import AMBIGUOUS, SYMBOLS
    from subwords.merges.priority import Heap, fitting, greedy_merges
    from subwords.merges.running import RunningText

    text = RunningText(counts, size)
    chosen = np.zeros(text.most, np.int32)
    heap: Heap | None = None
    tokens: dict[int, dict[str, int]] = {}

    def advance(done: int, limit: int) -> int:
        nonlocal heap
        heap = fitting(heap, len(text.pairs.left), int(text.sizes[SYMBOLS]))
        limit = min([limit, *(stage for stage in stages if stage > done)])
        merged: int = greedy_merges(*text.arrays, heap, chosen, done, limit, max(1, min_frequency))
        if merged in stages and merged > done:
            tokens[merged] = text.tokens()
        return merged

    done = text.learn(advance)
    if text.sizes[AMBIGUOUS]:
        # Two derivations of one symbol: only a literal "</w>" inside a word does that. Then subword-nmt counts some
        # pairs twice (it takes every such symbol in a changed word for a new one); its own code repeats that best.
        merges = published.learn_merges(counts, size, min_frequency)
        reached = {stage for stage in stages if stage < len(merges)} | ({len(merges)} if stages else set())
        return merges, {stage: published.token_counts(counts, merges[:stage]) for stage in reached}
    if stages:
        tokens.setdefault(done, text.tokens())
    return text.merges(chosen[:done]), tokens
