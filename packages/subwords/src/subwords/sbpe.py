"""Statistical byte-pair encoding: the pair whose merge raises the likelihood of the text most, again and again.

Vilar and Federico 2021 ("A Statistical Extension of Byte-Pair Encoding"). As `bpe`, but each step merges the pair
(x, y) that maximizes Eq. 7, a lower bound of the gain in log-likelihood (Eq. 6):

    delta(x, y) = c [ln p(xy) - ln p(x) - ln p(y)]

where c is how often merging (x, y) would replace it, and p are unigram probabilities after the merge. With the paper's
Laplace smoothing (section 4), N running tokens, K distinct symbols seen so far and f the counts of symbols now:

    delta(x, y) = c [ln(c + 1) - ln(f(x) - c + 1) - ln(f(y) - c + 1) + ln(N - c + K + 1)]

A pair of one symbol with itself is counted as merging uses it ("aaa" once), and f(x) - c stands for both its parts, as
in the appendix (Eq. 7 there). Ties go to the larger pair. With "ab" 3 times and "cb" once, N = 8, K = 3, and (a, b</w>)
has 3 [ln 4 - ln 1 - ln 2 + ln 9]. When it is merged, N = 5, K = 4, and (c, b</w>) has ln 2 - ln 1 - ln 1 + ln 9:

>>> from subwords.sbpe import likelihood_merges
>>> [(merge, round(gain, 4)) for merge, gain in likelihood_merges({"ab": 3, "cb": 1}, 2)]
[(('a', 'b</w>'), 8.6711), (('c', 'b</w>'), 2.8904)]

With `size=auto` learning stops by section 4.1: at the first merge N where the mean of delta over the last `window`
merges (M in the paper, 5) is at most `k` times delta of the first merge (0.002 there); merge N is the last one.

Variants: `paper` (default) takes the exact maximum at each step. `reference` repeats the authors' public code, which
keeps pairs in a heap of outdated scores, so that most of its choices are not the maximum, and which stops by batches:
the mean of each full batch of `window` merges is compared with that of the first, and the merge that completes the last
batch is not written. It is plain Python and takes about as long as subword-nmt. On words with other Unicode spaces
inside, where the public code lets counts drift and fails, this one does neither.

The model is a codes file as of `bpe`, encoding is that of `bpe`, and limits are those of `bpe`. `report=FILE` writes
the gain of each merge, in nats, as JSON lines.

Complexity: as `bpe`, plus the pairs whose score has to be looked at again. A step does not scan all pairs: each has an
upper bound, and only those with a bound above the best score are scored.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Self

from subwords.counting import word_table
from subwords.errors import InputError
from subwords.files import write_lines
from subwords.merges.codes import Merge
from subwords.merges.learning import Counts, advance, running_text
from subwords.merges.segmenter import MergeSegmenter
from subwords.segmenter import Parameter, at_least, check_idle, chosen_size, read_options, warn_of_fewer

#: The most merges that `size=auto` learns, whatever the stopping rule says.
MOST = 200_000

Gain = tuple[Merge, float]


class SBPE(MergeSegmenter):
    """See the module's docstring. `gains` has the score of each merge, when the model was learned here."""

    algorithm = "sbpe"
    summary = "BPE by likelihood gain, with a stopping rule (Vilar and Federico 2021)"
    chooses_size = True
    parameters = (
        Parameter("variant", "paper", "the exact maximum, or the public code's heap", choices=("paper", "reference")),
        Parameter("k", 0.002, "size=auto stops when the gain falls to this share of the first, above 0 and below 1"),
        Parameter("window", 5, "size=auto averages the gain over this many merges"),
        Parameter("report", None, "file for the gain of each merge, as JSON lines", kind=str, is_output=True),
        *MergeSegmenter.parameters,
    )

    def __init__(self, merges: Sequence[Merge], gains: Sequence[float] = (), **options: Any) -> None:
        super().__init__(merges, **options)
        self.gains = list(gains)

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn `size` merges (fewer, with a warning, when no pair is left); None, "auto": by the rule.

        Raises InputError for a size or an option that cannot be used, and for texts without words.
        """
        given = read_options(cls, options)
        fixed = chosen_size(cls, size)
        auto = fixed is None
        wanted = fixed or MOST
        window = at_least(given, "window")
        if not 0 < given["k"] < 1:
            raise InputError(f"k={given['k']} cannot be used", allowed="a share above 0 and below 1")
        if not auto:
            check_idle(cls, given, ["k", "window"], "--size auto, which they stop")
        counts = word_table(texts)
        if given["variant"] == "reference":
            from subwords.merges.stale import stale_merges

            stream = stale_merges(dict(zip(counts.words(), counts.counts(), strict=True)))
            stream = stop_by_batches(stream, given["k"], window) if auto else stream
            learned = list(islice(stream, wanted))
        else:
            stop = (lambda gains: stopping_point(gains, given["k"], window)) if auto else None
            learned = likelihood_merges(counts, wanted, stop)
        model = cls([merge for merge, _ in learned], [gain for _, gain in learned], **options)
        model.learned_letters = counts.letters()
        if not auto:
            warn_of_fewer(cls, len(model.merges), wanted, "no pair is left")
        if given["report"]:
            entries = (
                {"merge": number, "left": left, "right": right, "gain": gain}  # numbers from 1, gains in nats
                for number, ((left, right), gain) in enumerate(learned, 1)
            )
            write_lines(given["report"], (json.dumps(entry, ensure_ascii=False) for entry in entries))
        return model


def likelihood_merges(
    counts: Counts, size: int, stop: Callable[[Sequence[float]], int | None] | None = None
) -> list[Gain]:
    """Return up to `size` merges of words with counts, each with its gain: the exact maximum at every step.

    `stop` is asked now and then with the gains so far, and returns after how many merges learning ends, or None.
    """
    from subwords.core.choosing import MostLikely

    text = running_text(counts, size, overlap=False)
    learner = MostLikely(text)
    end: int | None = None

    def stopped(done: int) -> bool:
        nonlocal end
        end = stop(learner.found()) if stop else None
        return end is not None

    done = advance(learner.advance, text, stopped)
    if end is None and stop:
        stopped(done)
    return list(zip(text.merges(), learner.found(), strict=True))[:end]


def stopping_point(gains: Sequence[float], k: float, window: int) -> int | None:
    """Return after how many merges the rule of section 4.1 stops, or None when it does not yet."""
    for number in range(1, len(gains) + 1):
        recent = gains[max(0, number - window) : number]
        if math.fsum(recent) / len(recent) <= k * gains[0]:
            return number
    return None


def stop_by_batches(merges: Iterable[Gain], k: float, window: int) -> Iterator[Gain]:
    """Yield merges up to where the public code stops, without the merge that completes the batch that is too low."""
    total, first = 0.0, 0.0
    for number, (merge, gain) in enumerate(merges, 1):
        total += gain
        if number % window == 0:
            mean, total = total / window, 0.0
            first = mean if number == window else first
            if number > window and mean < k * first:
                return
        yield merge, gain
