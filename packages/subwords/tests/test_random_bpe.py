"""random-bpe: draws follow the stated laws; their limits are bpe and uniform; text lengths are in the known bands."""

from __future__ import annotations

from collections import Counter
from math import exp
from pathlib import Path

import pytest
from scipy.stats import chisquare

from subwords.counting import count_words
from subwords.errors import InputError
from subwords.merges import Merge, MergeEncoder, learn_merges
from subwords.random_bpe import COLD, RandomBPE, draw_merges

#: Counts of pairs: (a, b</w>) 9, (c, d</w>) 7, (e, f) 5, (f, g</w>) 5, (h, h</w>) 2.
COUNTS = {"ab": 9, "cd": 7, "efg": 5, "hh": 2}
PAIRS = {("a", "b</w>"): 9, ("c", "d</w>"): 7, ("e", "f"): 5, ("f", "g</w>"): 5, ("h", "h</w>"): 2}

LAWS = [
    ("softmax", 1.0, lambda c: exp(c)),
    ("softmax", 3.0, lambda c: exp(c / 3)),
    ("uniform", 1.0, lambda c: 1.0),
    ("proportional", 1.0, lambda c: float(c)),
    ("proportional", 0.5, lambda c: c**2.0),
]


@pytest.mark.parametrize(
    ("law", "temperature", "weight"), LAWS, ids=[f"{law}-{temperature}" for law, temperature, _ in LAWS]
)
def test_first_draws_follow_the_law(law: str, temperature: float, weight: object) -> None:
    draws = Counter(draw_merges(COUNTS, 1, law, temperature, seed)[0] for seed in range(3000))
    weights = {pair: weight(count) for pair, count in PAIRS.items()}  # type: ignore[operator]
    total = sum(weights.values())
    likely = {pair: 3000 * w / total for pair, w in weights.items() if 3000 * w / total >= 5}
    rest = 3000 - sum(likely.values())
    observed, expected = [draws[pair] for pair in likely], list(likely.values())
    if rest >= 5:
        observed.append(3000 - sum(observed))
        expected.append(rest)
    scale = sum(observed) / sum(expected)
    assert chisquare(observed, [value * scale for value in expected]).pvalue > 0.001
    assert set(draws) <= set(PAIRS)


def test_second_draws_follow_the_law() -> None:
    """After (e, f), the pairs are those of the merged text: (f, g</w>) is gone, (ef, g</w>) has come with 5."""
    runs = (draw_merges(COUNTS, 2, "proportional", 1.0, seed) for seed in range(4000))
    draws = Counter(second for first, second in runs if first == ("e", "f"))
    pairs = {("a", "b</w>"): 9, ("c", "d</w>"): 7, ("ef", "g</w>"): 5, ("h", "h</w>"): 2}
    assert set(draws) == set(pairs)
    expected = [draws.total() * count / sum(pairs.values()) for count in pairs.values()]
    assert chisquare([draws[pair] for pair in pairs], expected).pvalue > 0.001


def text_length(counts: dict[str, int], merges: list[Merge]) -> int:
    words = list(counts)
    pieces = MergeEncoder(merges).segment_words(words)
    return sum(counts[word] * (1 + split.count(" ")) for word, split in zip(words, pieces, strict=True))


@pytest.fixture(params=["en", "ga"])
def counts(request: pytest.FixtureRequest, loresmt: Path) -> dict[str, int]:
    return count_words([loresmt / f"train.{request.param}"])


@pytest.mark.shared
@pytest.mark.parametrize(("size", "near"), [(2000, 0.001), pytest.param(5000, 0.005, marks=pytest.mark.slow)])
def test_text_lengths_are_in_the_known_bands(counts: dict[str, int], size: int, near: float) -> None:
    standard = text_length(counts, learn_merges(counts, size))
    lengths = {
        law: [text_length(counts, draw_merges(counts, size, law, 1.0, seed)) / standard for seed in (1, 2, 3)]
        for law in ("softmax", "uniform", "proportional")
    }
    assert all(abs(ratio - 1) < near for ratio in lengths["softmax"])
    assert all(2.2 < ratio < 2.6 for ratio in lengths["uniform"])
    assert all(1.1 < ratio < 1.3 for ratio in lengths["proportional"])
    spread = {law: max(ratios) / min(ratios) - 1 for law, ratios in lengths.items()}
    assert spread["softmax"] < 0.005
    assert spread["proportional"] < 0.02


@pytest.mark.shared
@pytest.mark.parametrize("law", ["softmax", "proportional"])
def test_limits_of_the_temperature(counts: dict[str, int], law: str) -> None:
    assert draw_merges(counts, 800, law, 0.0, 5) == learn_merges(counts, 800, 1)
    assert draw_merges(counts, 800, law, 1e-6, 5) == learn_merges(counts, 800, 1)
    for hot in (1e30, float("inf")):
        assert draw_merges(counts, 800, law, hot, 5) == draw_merges(counts, 800, "uniform", 1.0, 5)


def test_counts_of_any_size_do_not_overflow() -> None:
    huge = {"ab": 3_000_000_000, "cd": 2_999_999_990, "ef": 1}
    firsts = Counter(draw_merges(huge, 1, "softmax", 10.0, seed)[0] for seed in range(2000))
    expected = [2000 / (1 + exp(-1)), 2000 * exp(-1) / (1 + exp(-1))]
    assert chisquare([firsts["a", "b</w>"], firsts["c", "d</w>"]], expected).pvalue > 0.001
    assert len(draw_merges(huge, 9, "softmax", 1.0, 1)) == 3


def test_same_seed_same_merges() -> None:
    runs = [draw_merges(COUNTS, 5, "uniform", 1.0, seed) for seed in (1, 1, 2, 3, 4)]
    assert runs[0] == runs[1]
    assert len({tuple(run) for run in runs}) > 1


@pytest.mark.parametrize("options", [{"temperature": -1}, {"temperature": "nan"}, {"seed": -1}, {"sampling": "random"}])
def test_options_that_cannot_be(tmp_path: Path, options: dict[str, object]) -> None:
    (tmp_path / "text").write_text("ab\n", encoding="utf-8")
    with pytest.raises(InputError):
        RandomBPE.learn([tmp_path / "text"], 1, **options)


def test_the_default_is_the_law_of_the_paper_and_zero_is_allowed(tmp_path: Path) -> None:
    """Softmax at temperature 1 (Sälevä and Lignos 2023, Algorithm 1), seed 1."""
    words = ["abc", "abd", "bcd", "cda", "dab", "ace", "bde", "cab", "dac", "bad"]
    counts = {word: 10 - place for place, word in enumerate(words)}
    (tmp_path / "text").write_text(" ".join(word for word in words for _ in range(counts[word])) + "\n")
    default = RandomBPE.learn([tmp_path / "text"], 9).merges
    assert default == draw_merges(counts, 9, "softmax", 1.0, 1) == draw_merges(counts, 9)
    assert default not in (draw_merges(counts, 9, temperature=2.0), draw_merges(counts, 9, seed=2))
    assert RandomBPE.learn([tmp_path / "text"], 9, seed=0).merges == draw_merges(counts, 9, seed=0)
    assert RandomBPE.learn([tmp_path / "text"], 9, temperature=0).merges == learn_merges(counts, 9, min_frequency=1)


def test_below_the_cold_temperature_the_next_count_has_no_weight() -> None:
    assert exp(-1 / COLD) > 0 == exp(-1 / COLD - 1)


def test_ends_when_no_pair_is_left(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("ab c\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="1 merges, not 5"):
        assert RandomBPE.learn([tmp_path / "text"], 5).merges == [("a", "b</w>")]
