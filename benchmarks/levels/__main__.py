"""How well the significance tests hold their level: the tables of docs/significance.md.

python -m benchmarks.levels [--trials N] > benchmarks/levels/measured.txt

Rejections in percent, of systems that are equally good. 1,000 trials take a quarter of an hour of one core.

A sentence has a difficulty, normal over the test set. A system translates each unit of it correctly with a probability
that the difficulty gives, on the logit scale, and that training and the system's own bent shift.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from experiment.programs import command_line, program
from experiment.scoring.comparison import Comparison, compare
from experiment.scoring.sentence_statistics import Array, SentenceStatistics, bleu, chrf, mean_statistics
from experiment.scoring.significance import ALPHA, TESTS, paired_p_value, resampled_scores

#: Makes the output of a system from a generator and the difficulty of each sentence.
Output = Callable[[np.random.Generator, Array], SentenceStatistics]
SENTENCES = 250
#: Standard deviation over sentences of what one system finds easier than the others do.
OWN = 0.3


def _chain(rng: np.random.Generator, quality: Array, length: Any, orders: int) -> tuple[list[Any], list[Any]]:
    """Return matches and totals of 1..n-grams of a sentence each: a match of n+1 needs one of n."""
    totals = [np.maximum(length - order, 0) for order in range(orders)]
    matches = [rng.binomial(length, quality)]
    for total in totals[1:]:
        matches.append(rng.binomial(np.minimum(matches[-1], total), quality))
    return matches, totals


def bleu_output(rng: np.random.Generator, difficulty: Array) -> SentenceStatistics:
    """Return a system's sentences as BLEU counts them; longer and shorter than references of 8 to 24 words."""
    reference = 8 + np.arange(len(difficulty)) % 17
    length = np.maximum(1, reference + rng.integers(-2, 3, len(difficulty)))
    matches, totals = _chain(rng, 1 / (1 + np.exp(-difficulty)), length, 4)
    counts = np.stack([length, reference, *matches, *totals], axis=1).astype(np.float64)
    return SentenceStatistics(counts, bleu)


def chrf_output(rng: np.random.Generator, difficulty: Array) -> SentenceStatistics:
    """Return a system's sentences as chrF counts them, of references of 40 to 100 characters."""
    reference = 40 + np.arange(len(difficulty)) % 61
    length = np.maximum(1, reference + rng.integers(-8, 9, len(difficulty)))
    matches, totals = _chain(rng, 1 / (1 + np.exp(-difficulty)), length, 6)
    columns = []
    for order, (match, total) in enumerate(zip(matches, totals, strict=True)):
        columns += [total, reference - order, np.minimum(match, reference - order)]
    return SentenceStatistics(np.stack(columns, axis=1).astype(np.float64), partial(chrf, beta=2))


def comet_output(rng: np.random.Generator, difficulty: Array) -> SentenceStatistics:
    """Return segment scores: a sentence's difficulty and a system's own luck with it."""
    return mean_statistics(list(0.8 + 0.05 * difficulty + rng.normal(0, 0.05, len(difficulty))))


OUTPUTS: dict[str, Output] = {"bleu": bleu_output, "chrf": chrf_output, "comet": comet_output}


def draw_difficulty(rng: np.random.Generator) -> Array:
    return rng.normal(0.5, 0.8, SENTENCES)


def one_seed(output: Output, test: str, trials: int, seed: int, samples: int = 1000) -> float:
    """Return the share of trials in which two equally good outputs of the same test set differ with p < 0.05."""
    rng, count = np.random.default_rng(seed), 0
    for _ in range(trials):
        difficulty = draw_difficulty(rng)
        one, other = output(rng, difficulty), output(rng, difficulty)
        resampled = resampled_scores([one, other], samples)
        count += paired_p_value(one, other, resampled[1] - resampled[0], test) < ALPHA
    return count / trials


@dataclass(frozen=True)
class Situation:
    """Systems with their numbers of seeds and spreads over seeds; the first one is the baseline."""

    seeds: Sequence[int]  # of each system
    spread: Sequence[float]  # standard deviation of each system's quality over seeds

    def drawn(
        self, output: Output, rng: np.random.Generator, better: float = 0.0
    ) -> dict[str, list[SentenceStatistics]]:
        """Return the outputs of each system's trainings; to all qualities but the baseline's `better` is added."""
        difficulty, systems = draw_difficulty(rng), {}
        for number, (many, deviation) in enumerate(zip(self.seeds, self.spread, strict=True)):
            own = difficulty + rng.normal(0, OWN, SENTENCES) + better * (number > 0)
            systems[str(number)] = [output(rng, own + rng.normal(0, deviation)) for _ in range(many)]
        return systems

    def compared(self, output: Output, rng: np.random.Generator, better: float = 0.0) -> list[Comparison]:
        """Return the comparison of each further system with the baseline, on a test set of its own."""
        systems = self.drawn(output, rng, better)
        return [*compare(systems, dict.fromkeys([*systems][1:], "0"), margin=0, samples=200).values()]


SITUATIONS = {
    "3 seeds, large spread": Situation((3, 3), (0.2, 0.2)),
    "3 seeds, small spread": Situation((3, 3), (0.05, 0.05)),
    "3 seeds, none": Situation((3, 3), (0.0, 0.0)),
    "3 seeds, spread 1 to 4": Situation((3, 3), (0.05, 0.2)),
    "3 seeds, spread 1 to 10": Situation((3, 3), (0.02, 0.2)),
    "5 seeds, large spread": Situation((5, 5), (0.2, 0.2)),
    "5 seeds, small spread": Situation((5, 5), (0.05, 0.05)),
    "5 against 3 seeds, spread 1 to 4": Situation((5, 3), (0.05, 0.2)),
}
#: Many systems against one baseline: the corrected p-values.
MANY = {
    "6 systems, 3 seeds": Situation([3] * 7, [0.1] * 7),
    "28 systems, 3 seeds": Situation([3] * 29, [0.1] * 29),
    "28 systems, 5 seeds": Situation([5] * 29, [0.1] * 29),
    "28 systems, 3 seeds, each with a spread of its own": Situation([3] * 29, [0.05, 0.1, 0.2, 0.1] * 7 + [0.05]),
}


def any_marked(output: Output, situation: Situation, trials: int, seed: int) -> float:
    """Return the share of trials in which any system differs from the baseline after Holm's correction."""
    rng = np.random.default_rng(seed)
    drawn = (situation.compared(output, rng) for _ in range(trials))
    return sum(any(each.p_holm is not None and each.p_holm < ALPHA for each in found) for found in drawn) / trials


def drawing_seeds(trials: int, seed: int, samples: int = 300) -> float:
    """Return the share of trials that a plain hierarchical bootstrap rejects: three seeds drawn with replacement.

    Of a mean over sentences, with the large spread.
    """
    rng, count = np.random.default_rng(seed), 0
    for _ in range(trials):
        difficulty = draw_difficulty(rng)
        scores = [
            np.array([comet_output(rng, difficulty + rng.normal(0, 0.2)).counts[:, 0] for _ in range(3)])
            for _ in range(2)
        ]
        differences = []
        for _ in range(samples):
            sentences = rng.integers(SENTENCES, size=SENTENCES)
            means = [runs[rng.integers(3, size=3)][:, sentences].mean() for runs in scores]
            differences.append(means[1] - means[0])
        low, high = np.quantile(differences, [ALPHA / 2, 1 - ALPHA / 2])
        count += not low < 0 < high
    return count / trials


def show(title: str, rows: Sequence[str], cell: Callable[[str, Output], float]) -> None:
    """Print a table: a row for each test or situation, a column for each metric."""
    print(f"\n| {title} | {' | '.join(OUTPUTS)} |\n|---|{'--:|' * len(OUTPUTS)}")
    for row in rows:
        print(f"| {row} | {' | '.join(f'{100 * cell(row, output):.1f}' for output in OUTPUTS.values())} |", flush=True)


@program
def main(argv: list[str] | None = None) -> None:
    command = command_line(__doc__, "python -m benchmarks.levels")
    command.add_argument("--trials", type=int, default=1000, help="of each cell (1000)")
    trials = command.parse_args(argv).trials
    show("one seed", TESTS, lambda test, output: one_seed(output, test, trials, seed=1))
    show("several seeds", [*SITUATIONS], lambda name, output: any_marked(output, SITUATIONS[name], trials, seed=2))
    show("any of many", [*MANY], lambda name, output: any_marked(output, MANY[name], trials, seed=3))
    print(f"\nseeds drawn with replacement: {100 * drawing_seeds(trials, seed=4):.1f}")


if __name__ == "__main__":
    raise SystemExit(main())
