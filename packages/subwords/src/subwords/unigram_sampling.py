"""Subword regularization: train text is segmented by drawing from the unigram model, afresh each time.

Kudo 2018 ("Subword Regularization: Improving Neural Network Translation Models with Multiple Subword Candidates",
section 3.2). Learning is that of `unigram`. A segmentation x of a line is drawn with probability proportional to
P(x)^alpha, where P is the product of its pieces' probabilities: `alpha=0` draws all segmentations alike, a large alpha
the best one. Dev and test text gets the best segmentation, which is what `encode` does; `sample_lines` (on the command
line `--sample SEED`) draws train text.

`candidates=0` draws from all segmentations of the line (the paper's l = infinity; there with alpha = 0.1 or 0.2), by
forward filtering and backward sampling; a number l from the l best ones (in the paper 64).

SentencePiece does the work, and its options, limits and model file are those of `unigram`. Its generator is seeded for
every 4096 lines from `seed` and their place, so that the draws depend on neither threads nor what was drawn before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import count, islice
from random import Random
from typing import Any, ClassVar

from subwords.errors import InputError
from subwords.segmenter import LINES_PER_BATCH, Parameter, changed_options
from subwords.sentencepieces import Unigram


class UnigramSampling(Unigram):
    """See the module's docstring."""

    algorithm = "unigram-sampling"
    summary = "unigram, with train text drawn from the model (subword regularization, Kudo 2018), by SentencePiece"
    samples = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *Unigram.parameters,
        Parameter("alpha", 0.1, "how peaked the draws are: 0 all alike, above it the probable ones", stage="encode"),
        Parameter("candidates", 0, "draw from so many best segmentations; 0: from all", stage="encode"),
    )

    def __init__(self, model: bytes, alpha: float = 0.1, candidates: int = 0) -> None:
        super().__init__(model)
        if not 0 <= alpha < math.inf:
            raise InputError(f"alpha={alpha} cannot be used", allowed="0 or more")
        if candidates == 1 or not 0 <= candidates <= 512:
            raise InputError(f"candidates={candidates} cannot be used", allowed="0 (all), or 2 to 512")
        self.alpha, self.candidates = alpha, candidates

    def applied_with(self) -> dict[str, Any]:
        return changed_options(type(self), {"alpha": self.alpha, "candidates": self.candidates})

    def sample_lines(self, lines: Iterable[str], seed: int) -> Iterator[str]:
        from sentencepiece import set_random_generator_seed

        lines = iter(lines)
        for number in count():
            batch = list(islice(lines, LINES_PER_BATCH))
            if not batch:
                return
            set_random_generator_seed(Random(f"{seed} {number}").getrandbits(32))
            drawn = self.processor.encode(
                batch, out_type=str, enable_sampling=True, alpha=self.alpha, nbest_size=self.candidates or -1
            )
            yield from self._written(batch, drawn)
