"""Text of any length whose words follow Zipf's law and whose types grow as in real text.

The word of rank r is drawn with a probability proportional to (r + b)^-a (Zipf-Mandelbrot), without a last rank, so
that new words never end: N words hold about Gamma(1 - 1/a) (N / zeta(a, b + 1))^(1/a) - b types (Heaps' law; Karlin
1967). With a = 1.4 and b = 10 the first word is 3.4% of the text, and there are 60 thousand types in a million words,
320 thousand in ten, 1.7 million in a hundred million, as in the texts that translation systems learn from.

python -m benchmarks.speed.zipf WORDS > TEXT       (the same text every time; memory does not grow with it)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product

EXPONENT, SHIFT = 1.4, 10  # a, b
WORDS_PER_LINE = 20
DRAWS_PER_BLOCK = 1_000_000
SYLLABLES = ["".join(pair) for pair in product("tnsrlkdmpvbgzfhčšjcž", "eaoiuáéíóú")]


def spell(rank: int) -> str:
    """Return the word of a rank: the rank in bijective base-200 numerals whose digits are syllables, the last first.

    Ranks have words of their own, and frequent words are short.

    >>> spell(1), spell(200), spell(201)
    ('te', 'žú', 'tete')
    """
    syllables = []
    while rank:
        rank, digit = divmod(rank - 1, len(SYLLABLES))
        syllables.append(SYLLABLES[digit])
    return "".join(syllables)


def lines(words: int, seed: int = 1) -> Iterator[str]:
    """Yield the lines of a text of so many words; a longer text begins with a shorter one."""
    import numpy as np

    generator = np.random.Generator(np.random.PCG64(seed))
    while words > 0:
        draws = generator.zipf(EXPONENT, DRAWS_PER_BLOCK)
        ranks = draws[draws > SHIFT] - SHIFT
        distinct, which = np.unique(ranks, return_inverse=True)
        spelled = [spell(rank) for rank in distinct.tolist()]
        block = [spelled[number] for number in which.tolist()]
        whole = min(words, len(block) - len(block) % WORDS_PER_LINE)
        for start in range(0, whole, WORDS_PER_LINE):
            yield " ".join(block[start : min(start + WORDS_PER_LINE, whole)])
        words -= whole


def main() -> None:
    """Write a text of the number of words given to standard output."""
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    for line in lines(int(sys.argv[1])):
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
