"""What S-BPE's public code changes: merges of the variants and of BPE in common, and the sizes at which rules stop.

20 seconds of one core.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from experiment.programs import program
from subwords.counting import count_words
from subwords.merges import Merge, MergeEncoder, learn_merges
from subwords.sbpe import SBPE, stop_by_batches, stopping_point

SIZES = (1000, 4000, 8000)
#: Merges that are learned: more than any of the stopping rules asks for.
LONGEST = 16_000


def training_texts(description: str | None, argv: Sequence[str] | None) -> dict[str, list[Path]]:
    """Read the command line (`--mirror DIR`); return files of LoResMT 2021 en-ga: "en", "ga", and "joint" for both."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", type=Path, metavar="DIR", required=True, help="folder with LoResMT 2021")
    mirror = parser.parse_args(argv).mirror
    found = {name: sorted(mirror.glob(f"**/loresmt-2021/*/data/en_ga/train.{name}"))[:1] for name in ("en", "ga")}
    if not all(found.values()):
        parser.error(f"no folder below --mirror {mirror} has loresmt-2021/*/data/en_ga/train.en and train.ga")
    return found | {"joint": found["en"] + found["ga"]}


def first_difference(one: Sequence[Merge], other: Sequence[Merge]) -> int:
    """Return the number of the first merge that differs, from 1."""
    return next(number for number, (a, b) in enumerate(zip(one, other, strict=True), 1) if a != b)


def pieces_per_word(merges: Sequence[Merge], counts: Mapping[str, int]) -> float:
    """Return how many pieces a running word has."""
    words = list(counts)
    pieces = (segmented.count(" ") + 1 for segmented in MergeEncoder(merges).segment_words(words))
    return sum(n * counts[word] for n, word in zip(pieces, words, strict=True)) / sum(counts.values())


def stops(model: SBPE, k: float, window: int) -> tuple[int | None, int]:
    """Return how many merges the paper's rule and the public code's rule keep of a model's merges."""
    gains = zip(model.merges, model.gains, strict=True)
    return stopping_point(model.gains, k, window), sum(1 for _ in stop_by_batches(gains, k, window))


@program
def main(argv: list[str] | None = None) -> None:
    """Print two tables."""
    found = training_texts(__doc__, argv)
    rules = [
        "| text | k | M | paper's merges and rule | paper's, code's rule | code's, paper's rule | code's and rule |"
    ]
    rules.append("|---|---|---|---|---|---|---|")
    print("| text | merges | paper and code | at the same place | first difference", end=" ")
    print("| paper and bpe | code and bpe | pieces per word: bpe | paper | code |\n|" + "---|" * 10)
    for name, texts in found.items():
        counts = count_words(texts)
        paper, code = (SBPE.learn(texts, LONGEST, variant=variant) for variant in ("paper", "reference"))
        standard = learn_merges(counts, max(SIZES))
        for size in SIZES:
            exact, stale, frequent = paper.merges[:size], code.merges[:size], standard[:size]
            shared = [len({*exact} & {*stale}), sum(map(tuple.__eq__, exact, stale)), first_difference(exact, stale)]
            shared += [len({*exact} & {*frequent}), len({*stale} & {*frequent})]
            lengths = [f"{pieces_per_word(merges, counts):.3f}" for merges in (frequent, exact, stale)]
            print(f"| {name} | {size} | " + " | ".join(map(str, [*shared, *lengths])) + " |", flush=True)
        for k, window in ((0.002, 5), (0.002, 1), (0.001, 5), (0.004, 5)):
            sizes = [*stops(paper, k, window), *stops(code, k, window)]
            rules.append(f"| {name} | {k} | {window} | " + " | ".join(map(str, sizes)) + " |")
    print("\n" + "\n".join(rules))


if __name__ == "__main__":
    raise SystemExit(main())
