"""NumPy's random numbers (PCG64, XSL-RR) without NumPy: its import takes longer than segmenting a short text.

O'Neill 2014 ("PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number
Generation"), and NumPy's `SeedSequence`, after O'Neill's `seed_seq_fe`.

>>> [round(number, 6) for number in uniform(1, 3)]
[0.511822, 0.950464, 0.14416]
"""

from __future__ import annotations

from collections.abc import Callable

_32, _64, _128 = (1 << 32) - 1, (1 << 64) - 1, (1 << 128) - 1
_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
_POOL = 4


def uniform(seed: int, count: int) -> list[float]:
    """Return the numbers in [0, 1) of `numpy.random.Generator(numpy.random.PCG64(seed)).random(count)`."""
    words = _seed_words(seed)
    high, low, stream_high, stream_low = (words[i] | words[i + 1] << 32 for i in range(0, 8, 2))
    increment = (stream_high << 64 | stream_low) << 1 | 1
    state = ((increment + (high << 64 | low)) * _MULTIPLIER + increment) & _128
    numbers = []
    for _ in range(count):
        state = (state * _MULTIPLIER + increment) & _128
        folded, turn = (state >> 64 ^ state) & _64, state >> 122
        turned = (folded >> turn | folded << (64 - turn)) & _64
        numbers.append((turned >> 11) * 2.0**-53)
    return numbers


def _seed_words(seed: int) -> list[int]:
    """Return the eight words of 32 bits that `SeedSequence(seed)` gives."""
    entropy = [seed >> shift & _32 for shift in range(0, max(seed.bit_length(), 32 * _POOL), 32)]
    mixed = _hasher(0x43B0D7E5, 0x931E8875)
    pool = [mixed(word) for word in entropy[:_POOL]]
    for source in range(_POOL):
        for target in range(_POOL):
            if source != target:
                pool[target] = _joined(pool[target], mixed(pool[source]))
    for word in entropy[_POOL:]:
        pool = [_joined(target, mixed(word)) for target in pool]
    written = _hasher(0x8B51F9DD, 0x58F38DED)
    return [written(pool[i % _POOL]) for i in range(8)]


def _hasher(constant: int, multiplier: int) -> Callable[[int], int]:
    """Return a function that hashes words, each in another way."""

    def hashed(word: int) -> int:
        nonlocal constant
        word ^= constant
        constant = constant * multiplier & _32
        word = word * constant & _32
        return word ^ word >> 16

    return hashed


def _joined(x: int, y: int) -> int:
    mixed = (0xCA01F9DD * x - 0x4973F715 * y) & _32
    return mixed ^ mixed >> 16
