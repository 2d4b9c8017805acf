"""What drawing BPE's merges at random changes: pieces per word, how often the maximum is passed over, and temperatures.

50 seconds of one core.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from sbpe_merges import pieces_per_word, training_texts

from experiment.programs import program
from subwords.counting import count_words
from subwords.merges import Merge, learn_merges
from subwords.picky.learning import replaced
from subwords.random_bpe import LAWS, draw_merges

SIZES = (2000, 5000)
SEEDS = (13371, 13372, 13373)
TEMPERATURES = (0, 0.1, 1, 10, 100, 1000, 10_000, 1e6)


def shortfalls(counts: Mapping[str, int], merges: Sequence[Merge]) -> list[int]:
    """Return, for each merge, how much rarer its pair was than the most frequent pair of that moment.

    The merges are repeated in plain Python: `pairs` has the count of each pair, `levels` how many pairs have a count.
    """
    words = [[*word[:-1], word[-1] + "</w>"] for word in counts]
    weights = list(counts.values())
    pairs: Counter[Merge] = Counter()
    places: defaultdict[Merge, set[int]] = defaultdict(set)
    for number, units in enumerate(words):
        for pair in pairwise(units):
            pairs[pair] += weights[number]
            places[pair].add(number)
    levels = Counter(pairs.values())
    missed = []
    for merge in merges:
        missed.append(max(levels) - pairs[merge])
        for number in places.pop(merge):
            before = words[number]
            words[number] = after = replaced(before, merge, ("".join(merge),))
            change = Counter(pairwise(after))
            change.subtract(pairwise(before))
            for pair, difference in change.items():
                levels[pairs[pair]] -= 1
                if not levels[pairs[pair]]:
                    del levels[pairs[pair]]
                pairs[pair] += difference * weights[number]
                levels[pairs[pair]] += 1
            for pair in pairwise(after):
                places[pair].add(number)
    return missed


@program
def main(argv: list[str] | None = None) -> None:
    """Print a table of the three laws, and one of temperatures."""
    texts = training_texts(__doc__, argv)
    counted = {name: count_words(texts[name]) for name in ("en", "ga")}
    seeds = " | ".join(f"seed {seed}" for seed in SEEDS)
    print(f"| text | merges | law | {seeds} | by bpe's | below the maximum | by, median and largest | merges of bpe |")
    print("|" + "---|" * (7 + len(SEEDS)))
    for name, counts in counted.items():
        standard = learn_merges(counts, max(SIZES))
        drawn = {law: [draw_merges(counts, max(SIZES), law, seed=seed) for seed in SEEDS] for law in LAWS}
        missed = {law: [shortfalls(counts, merges) for merges in drawn[law]] for law in LAWS}
        for size in SIZES:
            shortest = pieces_per_word(standard[:size], counts)
            print(f"| {name} | {size} | bpe | {shortest:.3f} |" + " |" * (5 + len(SEEDS) - 1))
            for law in LAWS:
                lengths = [pieces_per_word(merges[:size], counts) for merges in drawn[law]]
                below = [sorted(miss for miss in steps[:size] if miss) for steps in missed[law]]
                cells = [f"{length:.3f}" for length in lengths]
                cells.append(f"{sum(lengths) / len(SEEDS) / shortest:.4f}")
                cells.append(", ".join(str(len(steps)) for steps in below))
                cells.append(", ".join(f"{steps[len(steps) // 2]} and {steps[-1]}" for steps in below))
                cells.append(", ".join(str(len({*merges[:size]} & {*standard[:size]})) for merges in drawn[law]))
                print(f"| {name} | {size} | {law} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n| text | merges | law | {' | '.join(f'T = {each:g}' for each in TEMPERATURES)} | uniform |")
    print("|" + "---|" * (4 + len(TEMPERATURES)))
    size, seed = SIZES[0], SEEDS[0]
    for name, counts in counted.items():
        for law in ("softmax", "proportional"):
            runs = [draw_merges(counts, size, law, temperature, seed) for temperature in TEMPERATURES]
            runs.append(draw_merges(counts, size, "uniform", seed=seed))
            row = " | ".join(f"{pieces_per_word(merges, counts):.3f}" for merges in runs)
            print(f"| {name} | {size} | {law} | {row} |", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
