"""Byte-pair encoding with merges drawn at random.

Sälevä and Lignos 2023 ("What changes when you randomly choose BPE merge operations? Not much.", Algorithm 1 and section
2.2). As `bpe`, but each step draws the pair to merge, from all pairs that occur in the words as they are then, with the
probability of a pair that occurs c times proportional to

- `sampling=softmax`: exp(c / T), the paper's "random" variant at temperature T = 1;
- `sampling=uniform`: 1, the paper's second variant (T plays no part);
- `sampling=proportional`: c ** (1 / T); the authors' scripts have it at T = 1, the paper does not.

All observed pairs are candidates, however rare: the paper says so, and the authors' modified subword-nmt, which might
prune some, is not public. Counts are those of `bpe` ("aaa" has (a, a) twice). As T falls to 0, both laws with a
temperature become the maximum: below T = 1/745, where the next count already has the weight 0 in double precision, and
pairs tied at the maximum would be all that is left to chance, ties go to the larger pair and the merges are those of
`bpe` (`min_frequency=1`). As T grows, both become uniform, with the same merges for the same seed.

At T = 1 softmax is nearly the maximum: of two pairs that occur 9 and 7 times, the second has exp(-2) of the weight of
the first, and is drawn with probability 0.119. With (a, b</w>) 9 times and (c, d</w>) 7 times:

>>> from subwords.random_bpe import draw_merges
>>> draws = [draw_merges({"ab": 9, "cd": 7}, 1, seed=seed)[0] for seed in range(1000)]
>>> 90 < draws.count(("c", "d</w>")) < 150
True

A run is a function of text, size, options and `seed` alone: numbers come from NumPy's PCG64 generator, one per merge.
The weights are taken relative to the highest count, so that raw counts of any size do not overflow.

The model is a codes file as of `bpe`, and encoding is that of `bpe`: it draws nothing. Limits are those of `bpe`.

Complexity: as `bpe`, with a sum tree over the pairs in place of the heap: a logarithmic share for each changed pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from subwords.counting import word_table
from subwords.errors import InputError
from subwords.merges import Merge, learn_merges
from subwords.merges.learning import Counts, advance, running_text
from subwords.merges.segmenter import MergeSegmenter
from subwords.pcg64 import uniform
from subwords.segmenter import Parameter, check_idle, check_size, read_options, warn_of_fewer

LAWS = ("softmax", "uniform", "proportional")
#: exp(-1 / T) is 0 in double precision below this temperature.
COLD = 1 / 745


class RandomBPE(MergeSegmenter):
    """See the module's docstring."""

    algorithm = "random-bpe"
    summary = "BPE with merges drawn at random (Sälevä and Lignos 2023)"
    parameters = (
        Parameter("sampling", "softmax", "the law that merges are drawn by", choices=LAWS),
        Parameter("temperature", 1.0, "above 1 flatter, below 1 sharper; 0 is bpe"),
        Parameter("seed", 1, "seed of the draws, at least 0"),
        *MergeSegmenter.parameters,
    )

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Draw `size` merges, or fewer (with a warning) when no pair is left.

        Raises InputError for a size or an option that cannot be used, and for texts without words.
        """
        given = read_options(cls, options)
        wanted = check_size(cls, size)
        if math.isnan(given["temperature"]) or given["temperature"] < 0:
            raise InputError(f"temperature={given['temperature']} cannot be used", allowed="0 or more")
        if given["seed"] < 0:
            raise InputError(f"seed={given['seed']} cannot be used", allowed="a whole number, at least 0")
        if given["sampling"] == "uniform":
            check_idle(cls, given, ["temperature"], "--set sampling=softmax, or proportional")
        elif given["temperature"] < COLD:
            check_idle(cls, given, ["seed"], "a temperature above 0: at 0 nothing is drawn")
        counts = word_table(texts)
        merges = draw_merges(counts, wanted, given["sampling"], given["temperature"], given["seed"])
        model = cls(merges, **options)
        model.learned_letters = counts.letters()
        warn_of_fewer(cls, len(model.merges), wanted, "no pair is left")
        return model


def draw_merges(
    counts: Counts, size: int, sampling: str = "softmax", temperature: float = 1.0, seed: int = 1
) -> list[Merge]:
    """Return `size` merges of words with counts, drawn by the law `sampling`; fewer when no pair is left."""
    from subwords.core.choosing import Drawn

    if sampling != "uniform" and temperature < COLD:
        return learn_merges(counts, size, min_frequency=1)
    text = running_text(counts, size)
    advance(Drawn(text, LAWS.index(sampling), temperature, uniform(seed, text.most)).advance, text)
    return text.merges()
