"""Learning merges from word types."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeAlias

from subwords.core.choosing import MostFrequent
from subwords.core.merging import RunningText
from subwords.core.words import WordTable
from subwords.errors import InputError
from subwords.merges.codes import END, Merge
from subwords.progress import progress

#: Words with how often each occurs.
Counts: TypeAlias = "Mapping[str, int] | WordTable"
#: Merges between two looks at the clock.
STEPS = 200
LARGEST = (1 << 63) - 1


def learn_merges(counts: Counts, size: int, min_frequency: int = 2) -> list[Merge]:
    """Return the merges of byte-pair encoding (Sennrich et al., 2016), most frequent pair first.

    `counts` are words with how often they occur, `size` is the number of merges. A pair that occurs fewer than
    `min_frequency` times ends the learning: then there are fewer merges than asked. Ties go to the larger pair
    (left piece first, by code points). Equal, merge for merge, to subword-nmt's learn-bpe.

    Time grows with the total length of the word types, hardly with `size`; memory with the same length (about
    30 bytes a character). A progress line appears on standard error when it takes long.
    """
    return _learn(counts, size, min_frequency, ())[0]


def learn_stages(
    counts: Counts, size: int, stages: Collection[int], min_frequency: int = 2
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


def running_text(counts: Counts, size: int, *, overlap: bool = True) -> RunningText:
    """Return words as a text that merges change; see `subwords.core.merging`."""
    table = counts if isinstance(counts, WordTable) else WordTable.of(counts)
    return RunningText(table, min(size, LARGEST), overlap)


def advance(merge: Callable[[int], int], text: RunningText, stop: Callable[[int], bool] = lambda done: False) -> int:
    """Merge pairs of a text by a learner's `advance`, up to `text.most`; return how many. `stop` may end it earlier."""
    done, going = 0, True
    with progress("merges", text.most) as show:
        while going and done < text.most:
            limit = min(text.most, done + STEPS)
            done = merge(limit)
            show(done)
            going = done >= limit and not stop(done)  # more than the limit where stages went before
    return done


def _learn(
    counts: Counts, size: int, min_frequency: int, stages: Collection[int]
) -> tuple[list[Merge], dict[int, dict[str, int]]]:
    text = running_text(counts, size)
    learner = MostFrequent(text, max(1, min_frequency))
    tokens: dict[int, dict[str, int]] = {}
    done = 0
    for stage in sorted(stage for stage in stages if 0 < stage < text.most):
        done = learner.advance(stage)
        tokens[done] = text.token_counts()
    if done < text.most:
        done = advance(learner.advance, text)
    if text.ambiguous:
        return _as_published(counts, size, min_frequency, stages)
    if stages:
        tokens.setdefault(done, text.token_counts())
    return text.merges(), tokens


def _as_published(
    counts: Counts, size: int, min_frequency: int, stages: Collection[int]
) -> tuple[list[Merge], dict[int, dict[str, int]]]:
    """Learn with subword-nmt where two pairs spell one symbol, which only a literal "</w>" inside a word makes happen.

    subword-nmt then counts some pairs twice (it takes every such symbol in a changed word for a new one); its own code
    repeats that best.
    """
    from subwords.merges import published

    words = dict(zip(counts.words(), counts.counts(), strict=True)) if isinstance(counts, WordTable) else counts
    try:
        merges = published.learn_merges(words, size, min_frequency)
    except ImportError:
        raise InputError(
            f"the text has words with {END!r} in them, which marks the ends of words in a codes file",
            allowed=f"a text without {END!r}, or subword-nmt, which gives such words a meaning of its own",
            next_step="pip install 'subwords[subword-nmt]'",
        ) from None
    reached = {stage for stage in stages if stage < len(merges)} | ({len(merges)} if stages else set())
    return merges, {stage: published.token_counts(words, merges[:stage]) for stage in reached}
