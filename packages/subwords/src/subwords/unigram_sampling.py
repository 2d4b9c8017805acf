"""Subword regularization: train text is segmented by drawing from the unigram model, afresh each time.

Kudo 2018 ("Subword Regularization: Improving Neural Network Translation Models with Multiple Subword Candidates",
section 3.2). Learning is that of `unigram`. A segmentation x of a line is drawn with probability proportional to
P(x)^alpha, where P is the product of its pieces' probabilities: `alpha=0` draws all segmentations alike, a large alpha
the best one. Dev and test text gets the best segmentation, which is what `encode` does; `sample_lines` (on the command
line `--sample SEED`) draws train text.

`candidates=0` draws from all segmentations of the line (the paper's l = infinity; there with alpha = 0.1 or 0.2), by
forward filtering and backward sampling; a number l from the l best ones (in the paper 64).

Learning, encoding and the l best segmentations are SentencePiece's, and so are options, limits and model file. The
draws are our own, because SentencePiece's differ from process to process, whatever its seed. An unknown character is a
piece with a probability of exp(-10) of the least one, as there.
"""

from __future__ import annotations

import math
import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path
from typing import ClassVar

from subwords.segmenter import Parameter, checked, seeded
from subwords.sentencepieces import SPACE, Unigram

#: What an unknown character's log-probability is below that of the least probable piece.
UNKNOWN = 10.0
#: Stretches of text whose segmentations are remembered.
REMEMBERED = 100_000

#: For each end of a piece: starts of the pieces that end there, and their cumulative probabilities.
Lattice = list[tuple[list[int], list[float]]]


class UnigramSampling(Unigram):
    """See the module's docstring."""

    algorithm = "unigram-sampling"
    summary = "unigram, with train text drawn from the model (subword regularization, Kudo 2018)"
    samples = True
    kept_options = ("alpha", "candidates")
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *Unigram.parameters,
        Parameter(
            "alpha",
            0.1,
            "how peaked the draws are: 0 all alike, above it the probable ones",
            allows=lambda alpha: 0 <= alpha < math.inf,
            stage="encode",
            draws=True,
        ),
        Parameter(
            "candidates",
            0,
            "draw from so many best segmentations, 2 to 512; 0: from all",
            allows=lambda candidates: candidates != 1 and 0 <= candidates <= 512,
            stage="encode",
            draws=True,
        ),
    )

    def __init__(self, model: bytes, alpha: float = 0.1, candidates: int = 0, name: str | Path = "this") -> None:
        super().__init__(model, name)
        self.alpha, self.candidates = alpha, candidates
        self._lattices: dict[str, Lattice] = {}

    def sample_lines(self, lines: Iterable[str], seed: int) -> Iterator[str]:
        draw = seeded(seed)
        sample = self._among_best if self.candidates else self._among_all
        for line in lines:
            yield from self._written(checked([line]), [sample(line, draw)])

    @cached_property
    def _scores(self) -> dict[str, float]:
        """The log-probability of each piece that text is made of."""
        model = self.processor
        return {model.id_to_piece(n): model.get_score(n) for n in self.learned_pieces()}

    @cached_property
    def _unknown(self) -> float:
        return min(self._scores.values(), default=0.0) - UNKNOWN

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._scores), default=1)

    @cached_property
    def _stretches(self) -> re.Pattern[str]:
        """What finds the stretches of a line that no piece crosses: words, where spaces only begin pieces."""
        crosses = any(SPACE in piece[1:] for piece in self._scores)
        return re.compile(".+" if crosses else f"{SPACE}?[^{SPACE}]+|{SPACE}", re.DOTALL)

    def _among_all(self, line: str, draw: Callable[[], float]) -> list[str]:
        """Return the pieces of a line, drawn from all its segmentations."""
        pieces: list[str] = []
        for stretch in self._stretches.findall(self.processor.normalize(line)):
            lattice = self._lattices.get(stretch)
            if lattice is None:
                if len(self._lattices) >= REMEMBERED:
                    self._lattices.clear()
                lattice = self._lattices[stretch] = self._lattice(stretch)
            pieces += self._drawn(stretch, lattice, draw)
        return list(self._in_runs(pieces))

    def _lattice(self, text: str) -> Lattice:
        """Return the pieces that end at each place of a text (forward filtering)."""
        found, sums = Lattice(), [0.0]  # log of the summed weights of all segmentations up to each place
        for end in range(1, len(text) + 1):
            starts = [s for s in range(max(0, end - self._longest), end) if text[s:end] in self._scores]
            weights = [sums[start] + self.alpha * self._scores[text[start:end]] for start in starts]
            if text[end - 1 : end] not in self._scores:
                starts.append(end - 1)
                weights.append(sums[end - 1] + self.alpha * self._unknown)
            highest = max(weights)
            cumulative = list(accumulate(math.exp(weight - highest) for weight in weights))
            sums.append(highest + math.log(cumulative[-1]))
            found.append((starts, [part / cumulative[-1] for part in cumulative[:-1]]))
        return found

    @staticmethod
    def _drawn(text: str, lattice: Lattice, draw: Callable[[], float]) -> list[str]:
        """Return the pieces of a text, drawn from its last place to the first (backward sampling)."""
        pieces, end = [], len(text)
        while end:
            starts, cumulative = lattice[end - 1]
            start = starts[bisect(cumulative, draw()) if cumulative else 0]
            pieces.append(text[start:end])
            end = start
        return pieces[::-1]

    def _among_best(self, line: str, draw: Callable[[], float]) -> list[str]:
        """Return the pieces of a line, drawn from its best segmentations."""
        best: list[list[str]] = self.processor.nbest_encode(line, nbest_size=self.candidates, out_type=str)
        if len(best) < 2:
            return best[0] if best else []
        logs = [self.alpha * sum(self._scores.get(piece, self._unknown * len(piece)) for piece in x) for x in best]
        cumulative = list(accumulate(math.exp(log - max(logs)) for log in logs))
        return best[bisect(cumulative, draw() * cumulative[-1], hi=len(best) - 1)]

    @cached_property
    def _writes_bytes(self) -> bool:
        return any(map(self.processor.is_byte, range(self.processor.get_piece_size())))

    def _in_runs(self, pieces: list[str]) -> Iterator[str]:
        """Yield pieces as SentencePiece writes them: unknown characters beside each other are one piece, or bytes."""
        for known, run in groupby(pieces, self._scores.__contains__):
            if known:
                yield from run
            elif self._writes_bytes:
                yield from (f"<0x{byte:02X}>" for byte in "".join(run).encode("utf-8"))
            else:
                yield "".join(run)
