"""BPE-dropout: train text is segmented by BPE with some of its merges left out at random, afresh each time.

Provilkov, Emelianenko and Voita 2020 ("BPE-Dropout: Simple and Effective Subword Regularization", Algorithm 1).
Learning is that of `bpe`. To segment a word at random, each step looks at all pairs of adjacent symbols, drops each of
them with probability `dropout`, and applies the first merge of the list among those that are left; the word is done
when none is left. Dev and test text is segmented without dropout, which is what `encode` does; `sample_lines` (on the
command line `--sample SEED`) draws train text.

>>> model = BPEDropout([("l", "o"), ("lo", "w</w>")], dropout=0.5)
>>> model.encode("low low low")
'low low low'
>>> list(model.sample_lines(["low low low"], seed=1))
['l@@ o@@ w lo@@ w l@@ o@@ w']

The draws are those of subword-nmt 0.3.8 (`apply-bpe --dropout`), one for one, from the same generator (Python's
`random`). Where a merge is left at several places of a word, all of these are merged in one step, as there; the paper
does not say.

Cost: a word is segmented each time that it occurs, not once for each type, so that sampling takes many times as long as
encoding (docs/algorithms/sampling.md has figures). `dropout=0` gives `encode`, `dropout=1` characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, ClassVar

from subwords.bpe import BPE
from subwords.marks import SEPARATOR
from subwords.merges.codes import END, Merge
from subwords.segmenter import Parameter, checked, read_options, seeded


class BPEDropout(BPE):
    """See the module's docstring."""

    algorithm = "bpe-dropout"
    summary = "bpe, whose merges are dropped at random in train text (Provilkov et al. 2020)"
    samples = True
    kept_options = (*BPE.kept_options, "dropout")
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "dropout",
            0.1,
            "probability that a merge is left out of a step, 0 to 1",
            allows=lambda dropout: 0 <= dropout <= 1,
            stage="encode",
            draws=True,
        ),
        *BPE.parameters,
    )

    def __init__(self, merges: Sequence[Merge], **options: Any) -> None:
        super().__init__(merges, **options)
        self.dropout: float = read_options(type(self), options)["dropout"]
        ranked = list(enumerate(self.merges))
        self._ranks = {merge: rank for rank, merge in reversed(ranked)}  # of equal merges, the first one's

    def sample_lines(self, lines: Iterable[str], seed: int) -> Iterator[str]:
        draw = seeded(seed)
        for line in lines:
            words = [self._sample(word, draw) for word in checked([line])[0].strip(" \r").split(" ") if word]
            yield " ".join(words if self._filter is None else map(self._filter.restrict, words))

    def _sample(self, word: str, draw: Any) -> str:
        """Return the pieces of one word by Algorithm 1. `draw` gives numbers in [0, 1)."""
        units, ranks, dropout = [*word[:-1], word[-1] + END], self._ranks, self.dropout
        while len(units) > 1:
            # A draw for every pair, also for one that is no merge: so the draws are those of subword-nmt.
            left = [
                (ranks[pair], place)
                for place, pair in enumerate(pairwise(units))
                if (not dropout or draw() > dropout) and pair in ranks
            ]
            if not left:
                break
            first, end, places = min(left)[0], 0, []
            for rank, place in left:
                if rank == first and place >= end:  # in "aaa" the second place overlaps with the first
                    places.append(place)
                    end = place + 2
            for place in reversed(places):
                units[place : place + 2] = [units[place] + units[place + 1]]
        return f"{SEPARATOR} ".join(units).removesuffix(END)
