"""sbpe: the exact maximum of the likelihood gain at every merge, by brute force; the public code by its outputs."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from math import log
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subwords.errors import InputError
from subwords.sbpe import SBPE, Gain, likelihood_merges, stop_by_batches, stopping_point

COUNTS = st.dictionaries(
    st.text("abc\u00a0\u2003日</w>", min_size=1, max_size=10), st.integers(1, 3000), min_size=1, max_size=25
)


def merged(units: list[str], pair: tuple[str, str]) -> list[str]:
    result: list[str] = []
    while units:
        used = 2 if tuple(units[:2]) == pair else 1
        result.append("".join(units[:used]))
        units = units[used:]
    return result


def brute_force(counts: dict[str, int], size: int) -> list[Gain]:
    """Score every pair from scratch at every step (Eq. 7, Laplace smoothing); its count is what merging would use."""
    texts = [([*word[:-1], word[-1] + "</w>"], count) for word, count in counts.items()]
    seen = {unit for units, _ in texts for unit in units}
    gains: list[Gain] = []
    for _ in range(size):
        f: Counter[str] = Counter()
        c: Counter[tuple[str, str]] = Counter()
        for units, count in texts:
            for unit in units:
                f[unit] += count
            for pair in set(pairwise(units)):
                c[pair] += count * (len(units) - len(merged(units, pair)))
        if not c:
            break
        n, k = f.total(), len(seen)
        scores = {
            (x, y): m * (log(m + 1) - log(f[x] - m + 1) - log(f[y] - m + 1) + log(n - m + k + 1))
            for (x, y), m in c.items()
        }
        best = max(scores, key=lambda pair: (scores[pair], pair))
        gains.append((best, scores[best]))
        seen.add("".join(best))
        texts = [(merged(units, best), count) for units, count in texts]
    return gains


@settings(derandomize=True, max_examples=60, deadline=None)
@given(counts=COUNTS, size=st.integers(1, 60))
def test_each_merge_is_the_maximum(counts: dict[str, int], size: int) -> None:
    assert likelihood_merges(counts, size) == brute_force(counts, size)


@pytest.fixture
def english(loresmt: Path) -> Path:
    return loresmt / "train.en"


@pytest.mark.slow
@pytest.mark.shared
def test_each_merge_is_the_maximum_on_real_text(english: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"\n".join(english.read_bytes().split(b"\n")[:150]) + b"\n")
    words = Counter((tmp_path / "text").read_text(encoding="utf-8").replace("\n", " ").split(" "))
    del words[""]
    model = SBPE.learn([tmp_path / "text"], 60)
    assert list(zip(model.merges, model.gains, strict=True)) == brute_force(words, 60)


@pytest.mark.shared
@pytest.mark.parametrize("size", [1000, 4000])
@pytest.mark.slow
def test_reference_gives_the_published_codes(shared: Path, english: Path, tmp_path: Path, size: int) -> None:
    model = SBPE.learn([english], size, variant="reference")
    model.save(tmp_path / "codes")
    assert (tmp_path / "codes").read_bytes() == (shared / f"vectors/sbpe/en.{size}.p.codes").read_bytes()


@pytest.mark.shared
@pytest.mark.slow
def test_reference_stops_where_the_public_code_does(shared: Path, english: Path, tmp_path: Path) -> None:
    SBPE.learn([english], "auto", variant="reference").save(tmp_path / "codes")
    assert (tmp_path / "codes").read_bytes() == (shared / "vectors/sbpe/en.fs002.codes").read_bytes()


@pytest.mark.shared
def test_published_codes_are_applied_as_published(shared: Path, english: Path) -> None:
    lines = english.read_text(encoding="utf-8").split("\n")[:200]
    expected = (shared / "vectors/sbpe/en.1000.p.enc200").read_text(encoding="utf-8").split("\n")[:200]
    encoded = SBPE.load(shared / "vectors/sbpe/en.1000.p.codes").encode_batch(lines)
    assert encoded == [line.rstrip(" ") for line in expected]


def test_reference_starts_with_the_maximum_and_takes_each_pair_once() -> None:
    counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3, "a\u00a0b": 4, "\u2003": 1}
    from subwords.merges.stale import stale_merges

    merges = list(stale_merges(counts))
    assert merges[0] == brute_force(counts, 1)[0]
    whole = {f"{word}</w>" for word in counts if len(word) > 1}
    assert whole <= {x + y for (x, y), _ in merges}


def test_stopping_rule_by_hand() -> None:
    gains = [100.0, 40, 30, 10, 4, 4, 4, 1]
    assert stopping_point(gains, 0.1, 1) == 4  # 10 is the first that is at most 10
    assert stopping_point(gains, 0.1, 3) == 6  # (10 + 4 + 4) / 3 = 6; before it (30 + 10 + 4) / 3 = 14.7
    assert stopping_point(gains, 0.001, 1) is None


def test_batches_of_the_public_code_by_hand() -> None:
    merges = [((str(n), "x"), gain) for n, gain in enumerate([100.0, 40, 30, 50, 4, 4, 1, 1])]
    kept = list(stop_by_batches(iter(merges), 0.1, 2))  # the first batch has the mean 70; that of 4 and 4 is below 7
    assert kept == merges[:5]


def test_auto_size_stops_by_the_rule(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("low lower lowest newer wider new wide " * 3 + "\n", encoding="utf-8")
    everything = SBPE.learn([tmp_path / "text"], 1000)
    stop = stopping_point(everything.gains, 0.3, 2)
    assert stop is not None
    assert 1 < stop < everything.reached()
    assert SBPE.learn([tmp_path / "text"], "auto", k=0.3, window=2).merges == everything.merges[:stop]


def test_report_has_a_line_for_each_merge(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("ab ab ab cb\n", encoding="utf-8")
    SBPE.learn([tmp_path / "text"], 2, report=str(tmp_path / "report"))
    lines = [json.loads(line) for line in (tmp_path / "report").read_text(encoding="utf-8").split("\n")[:-1]]
    assert lines == [
        {"merge": 1, "left": "a", "right": "b</w>", "gain": pytest.approx(3 * (log(4) - log(2) + log(9)))},
        {"merge": 2, "left": "c", "right": "b</w>", "gain": pytest.approx(log(2) + log(9))},
    ]


@pytest.mark.parametrize("options", [{"k": 0.0}, {"k": 1.5}, {"window": 0}, {"variant": "papers"}])
def test_options_that_cannot_be(tmp_path: Path, options: dict[str, object]) -> None:
    (tmp_path / "text").write_text("ab\n", encoding="utf-8")
    with pytest.raises(InputError):
        SBPE.learn([tmp_path / "text"], "auto", **options)


def test_one_type_and_long_runs() -> None:
    assert [merge for merge, _ in likelihood_merges({"ab": 1_000_000}, 5)] == [("a", "b</w>")]
    assert likelihood_merges({"a": 3}, 5) == []
    runs = {"a" * 300: 2, "ba" * 30 + "a" * 41: 5}
    assert likelihood_merges(runs, 12) == brute_force(runs, 12)


SPELLED_TWICE = st.dictionaries(
    st.lists(st.sampled_from(["a", "b", "</w>", "<", "/w>"]), min_size=1, max_size=6).map("".join),
    st.integers(1, 50),
    min_size=1,
    max_size=12,
)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(counts=SPELLED_TWICE)
def test_a_symbol_that_arises_from_two_pairs_is_one(counts: dict[str, int]) -> None:
    """A literal "</w>" in a word makes strings that end words: the same symbol comes from two pairs."""
    assert likelihood_merges(counts, 80) == brute_force(counts, 80)
