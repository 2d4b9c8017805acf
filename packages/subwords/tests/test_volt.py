"""VOLT and MUV-search: the public code's sizes and vocabularies, the paper's quantities by brute force, bounds."""

from __future__ import annotations

import itertools
import json
import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subwords.errors import InputError
from subwords.merges import END, learn_merges, learn_stages, write_codes
from subwords.merges.published import MergeEncoder
from subwords.volt import Muv, Volt
from subwords.volt.paper import Candidates, Transporter
from subwords.volt.published import PublishedTransport, candidate_frequencies, read_tokens
from subwords.volt.utility import Step, best, entropy, with_utility

WORDS = st.dictionaries(st.text("abcd", min_size=1, max_size=9), st.integers(1, 30), min_size=2, max_size=25)
SMALL = {"candidates": 60, "interval": 10, "maximum": 40}
LINES = [
    "the cat sat on the mat and the rat sat on the hat",
    "a rather long sentence about matters that matter to others",
    "other cats and other rats eat oats at the gate",
] * 7


@pytest.fixture
def text(tmp_path: Path):
    """Write lines to a file and return its path."""

    def write(*lines: str, name: str = "text") -> Path:
        path = tmp_path / name
        path.write_bytes("".join(f"{line}\n" for line in lines).encode())
        return path

    return write


def tokens_of(words: dict[str, int], merges: list[tuple[str, str]]) -> dict[str, int]:
    """Token counts by subword-nmt's encoder, one word at a time."""
    counts: Counter[str] = Counter()
    encoder = MergeEncoder(merges)
    for word, count in words.items():
        *inner, last = encoder.segment_words([word])[0].split(" ")
        for token in [piece[:-2] for piece in inner] + [last + END]:
            counts[token] += count
    return dict(counts)


def length(token: str) -> int:
    return len(token.removesuffix(END))


# Learning in stages


@settings(max_examples=15, deadline=None)
@given(WORDS, st.lists(st.integers(1, 12), max_size=4))
def test_token_counts_of_stages_are_those_of_segmented_text(words: dict[str, int], stages: list[int]):
    merges, counts = learn_stages(words, 10, stages)
    assert merges == learn_merges(words, 10)
    assert {*counts} == {stage for stage in stages if stage <= len(merges)} | {len(merges)}
    for stage, tokens in counts.items():
        assert tokens == tokens_of(words, merges[:stage])


# The public code


@pytest.mark.slow
@pytest.mark.shared
def test_published_choice_on_english(shared: Path, loresmt: Path, text):
    model = Volt.learn([loresmt / "train.en"], None, candidates=10_000, variant="reference")
    vectors = shared / "vectors/volt"
    assert model.report()["size"] == int((vectors / "en.10000.size").read_text())
    assert model.model_bytes() == b"#version: 0.2\n" + (vectors / "en.10000.vocab").read_bytes()
    lines = (loresmt / "train.en").read_bytes().decode().split("\n")[:200]
    assert model.encode_batch(lines) == (vectors / "en.10000.enc200").read_text("utf-8").split("\n")[:-1]


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize(("languages", "size", "kept"), [(["ga"], 2000, 2000), (["en", "ga"], 8000, 8000)])
def test_published_choice_elsewhere(loresmt: Path, languages: list[str], size: int, kept: int):
    files = [loresmt / f"train.{language}" for language in languages]
    model = Volt.learn(files, None, candidates=10_000, variant="reference")
    assert (model.report()["size"], model.reached()) == (size, kept)


@settings(max_examples=30, deadline=None)
@given(WORDS)
def test_published_frequencies_count_every_token_that_contains_a_candidate(words: dict[str, int]):
    merges = learn_merges(words, 12)
    pieces = MergeEncoder(merges).segment_words([*words])
    written = [f"{piece} " * count for piece, count in zip(pieces, words.values(), strict=True)]
    items = Counter(item if item.endswith("@@") else item + END for item in " ".join(written).split())
    assert read_tokens(tokens_of(words, merges)) == items
    expected = [1 + sum(count for item, count in items.items() if left + right in item) for left, right in merges]
    assert candidate_frequencies(merges, items) == expected


def test_published_plan_is_the_scaling_of_its_distances():
    """A case without overflow, against the definition written out: D, a, b and 500 rounds of plain scaling."""
    words = {"aab": 5, "ab": 7, "ba": 4}
    merges = [("a", "b" + END), ("a", "ab" + END)]
    tokens = tokens_of(words, merges)
    value, plan = PublishedTransport(merges, words, tokens, 2).plan(2)
    a = np.array([21 / 37, 16 / 37])  # the characters a: 10 + 7 + 4, b: 16
    frequency = np.array([1 + 5 + 7, 1 + 5])  # ab</w> lies in aab</w>, too
    b = np.array([7, 8]) * frequency / 19 + 1e-4  # lengths of the keys "a b</w>" and "a ab</w>"
    kernel = np.exp(-np.array([[0.0, 0.001], [0.0, 0.001]]))
    u, v = np.full(2, 0.5), np.full(2, 0.5)
    for _ in range(11):  # masses differ: it cannot converge, but the shape of the plan does at once
        v = b / (kernel.T @ u)
        u = 1 / ((kernel / (a + 1e-4)[:, None]) @ v)
    np.testing.assert_allclose(plan, u[:, None] * kernel * v, rtol=1e-6)
    assert value == pytest.approx(float((plan * np.log(1 + plan)).sum()))


# The paper


@settings(max_examples=40, deadline=None)
@given(WORDS, st.integers(0, 12))
def test_candidates_out_of_the_vocabulary_split_into_their_parts(words: dict[str, int], size: int):
    merges, counts = learn_stages(words, 12, ())
    candidates = Candidates(merges, counts[len(merges)])
    kept = [candidates.tokens[i] for i in candidates.ranked()[:size]]
    made = {left + right: (left, right) for left, right in reversed(merges)}

    assert {*kept} >= {part for token in kept for part in made[token] if part in made}

    def split(token: str) -> list[str]:
        if token in kept or token not in made:
            return [token]
        return [part for half in made[token] for part in split(half)]

    expected: Counter[str] = Counter()
    for token, count in counts[len(merges)].items():
        for part in split(token):
            expected[part] += count
    found = dict(zip(candidates.tokens, candidates.counts_with(candidates.ranked()[:size]).tolist(), strict=True))
    assert {token: count for token, count in found.items() if count} == dict(expected)


@settings(max_examples=30, deadline=None)
@given(WORDS)
def test_candidates_are_ranked_by_frequency(words: dict[str, int]):
    """A token's rank is by the largest count among itself and the tokens built from it."""
    merges, counts = learn_stages(words, 12, ())
    tokens = [left + right for left, right in merges]
    final = counts[len(merges)]

    def needed(token: str) -> int:
        users = [left + right for left, right in merges if token in (left, right)]
        return max([final.get(token, 0), *(needed(user) for user in users)])

    candidates = Candidates(merges, final)
    ranked = [candidates.tokens[i] for i in candidates.ranked()]
    assert ranked == sorted(tokens, key=lambda token: (-needed(token), tokens.index(token)))
    assert candidates.merges_of(candidates.ranked()) == merges


def test_transport_problem_is_the_paper_s():
    """Masses, distances and entropy, against a dense solution of section 4.2 by a general solver."""
    from scipy.optimize import minimize

    words = {"ab": 6, "abc": 3, "c": 8, "ca": 2}
    merges = [("a", "b" + END), ("a", "b")]
    counts = tokens_of(words, merges)
    assert counts == {"ab" + END: 6, "ab": 3, "c" + END: 11, "c": 2, "a" + END: 2}
    epsilon = 0.1
    candidates = Candidates(merges, counts)
    kept, found = Transporter(candidates, epsilon).vocabulary(2)

    tokens = candidates.tokens
    characters = {"a": 11, "b": 9, "c": 13}
    row_mass = np.array([*characters.values()]) / 33
    column_mass = np.array([counts.get(token, 0) / 24 for token in tokens])
    edges = [(i, j) for i, c in enumerate(characters) for j, t in enumerate(tokens) if c in t.removesuffix(END)]
    distance = np.array([math.log(length(tokens[j])) for _, j in edges])
    sends = np.array([[i == k for i, _ in edges] for k in range(3)], float)
    receives = np.array([[j == k for _, j in edges] for k in range(len(tokens))], float)
    solution = minimize(
        lambda p: float(p @ distance + (p * np.log(p)).sum()),
        np.full(len(edges), 1 / len(edges)),
        method="SLSQP",
        bounds=[(1e-12, 1)] * len(edges),
        constraints=[
            {"type": "eq", "fun": lambda p: sends @ p - row_mass},
            {"type": "ineq", "fun": lambda p: column_mass + epsilon - receives @ p},
            {"type": "ineq", "fun": lambda p: receives @ p - column_mass + epsilon},
        ],
        options={"ftol": 1e-15, "maxiter": 2000},
    )
    assert solution.success
    share = receives @ solution.x
    mean = sum(map(length, tokens)) / len(tokens)
    assert found.entropy == pytest.approx(-(share * np.log(share)).sum() / mean, abs=1e-5)
    assert found.length == pytest.approx(mean)
    assert len(kept) == found.vocabulary == 2
    assert found.miss < 1e-9


def test_a_token_that_gets_no_characters_is_removed():
    """A third of the characters is z, but half of the tokens is; "zz" is rare enough to do without any."""
    words = {"z": 50, "aa": 50, "zz": 1}
    merges = [("a", "a" + END), ("z", "z" + END)]
    candidates = Candidates(merges, tokens_of(words, merges))
    kept, step = Transporter(candidates, 0.02).vocabulary(2)
    assert [candidates.tokens[i] for i in kept] == ["aa" + END]
    assert step.miss == pytest.approx(50 / 101 - 0.02 - 52 / 152)  # what z lacks of the least it should get


@settings(deadline=None)
@given(st.lists(st.integers(1, 100), min_size=1, max_size=20), st.floats(0.5, 9))
def test_entropy_is_that_of_the_text(counts: list[int], mean: float):
    """Against scipy, in nats, divided by the mean length."""
    from scipy.stats import entropy as oracle

    assert entropy(counts, mean) == pytest.approx(oracle(counts) / mean, abs=1e-12)


def test_utility_is_the_difference_per_token():
    steps = with_utility([Step(10, 3.0, 15), Step(20, 2.0, 24), Step(30, 1.5, 33), Step(40, 1.4, 43)], [10, 20, 30, 40])
    assert [step.muv for step in steps] == [None, *map(pytest.approx, [0.1, 0.05, 0.01])]
    assert [step.gain for step in steps[1:]] == [-step.muv for step in steps[1:] if step.muv is not None]
    assert best(steps, "muv").size == 20
    assert best(steps, "gain").size == 40


@pytest.mark.parametrize("utility", ["gain", "muv"])
def test_the_report_explains_the_choice(text, tmp_path: Path, utility: str):
    path = tmp_path / "report.json"
    model = Volt.learn([text(*LINES)], None, **SMALL, utility=utility, report=path)
    report = json.loads(path.read_text("utf-8"))
    assert report == model.report()
    steps = report["steps"]
    assert [step["size"] for step in steps] == [10, 20, 30, 40]
    for before, step in itertools.pairwise(steps):
        assert step["gain"] == pytest.approx((step["entropy"] - before["entropy"]) / 10)
        assert step["muv"] == -step["gain"]
    assert report["size"] == max(steps[1:], key=lambda step: step[utility])["size"]
    assert model.reached() <= report["size"]


@pytest.mark.parametrize("variant", ["paper", "reference"])
@pytest.mark.parametrize("size", [1, 7, 30, 5000])
def test_a_given_size_is_kept(text, variant: str, size: int):
    model = Volt.learn([text(*LINES)], size, variant=variant, candidates=max(60, size))
    assert 0 < model.reached() <= size
    assert model.report()["size"] == size
    assert len(model.report()["steps"]) == 1
    made = {left + right for left, right in model.merges}
    parts = {part for merge in model.merges for part in merge}
    assert all(part in made or length(part) == 1 for part in parts)


# MUV-search


@pytest.mark.parametrize("variant", ["paper", "reference"])
def test_muv_search_by_brute_force(text, variant: str):
    path = text(*LINES)
    words = Counter(" ".join(LINES).split(" "))
    model = Muv.learn([path], None, interval=10, maximum=40, variant=variant)
    merges = learn_merges(words, 40)
    measured = []
    for size in range(10, 41, 10):
        counts = tokens_of(words, merges[:size])
        p = np.array([*counts.values()]) / sum(counts.values())
        if variant == "paper":
            mean = np.mean([length(token) for token in counts])
        else:
            written = [len(token) + 2 if not token.endswith(END) else length(token) for token in counts]
            mean = (p * written).sum()
        measured.append((size, len(counts), -(p * np.log(p)).sum() / mean))
    steps = model.report()["steps"]
    assert [(step["size"], step["vocabulary"]) for step in steps] == [(size, types) for size, types, _ in measured]
    np.testing.assert_allclose([step["entropy"] for step in steps], [h for _, _, h in measured])
    utilities = [-(h - g) / (n - m) for (_, m, g), (_, n, h) in itertools.pairwise(measured)]
    np.testing.assert_allclose([step["muv"] for step in steps[1:]], utilities)
    assert model.report()["size"] == measured[1 + int(np.argmax(utilities))][0]
    assert model.merges == merges[: model.report()["size"]]


def test_muv_with_a_size_is_bpe(text):
    model = Muv.learn([text(*LINES)], 25)
    assert model.merges == learn_merges(Counter(" ".join(LINES).split(" ")), 25)


# Both, on texts that are hard to bear


@pytest.mark.parametrize("algorithm", [Volt, Muv])
@pytest.mark.parametrize("variant", ["paper", "reference"])
def test_awkward_lines_come_back(algorithm: type[Volt | Muv], variant: str, awkward: str, text):
    options = {"candidates": 40} if algorithm is Volt else {}
    model = algorithm.learn([text(*LINES, awkward, awkward)], 40, variant=variant, **options)
    assert model.decode(model.encode(awkward)) == awkward


@pytest.mark.parametrize("algorithm", [Volt, Muv])
def test_several_files_are_one_text(algorithm: type[Volt | Muv], text):
    both = algorithm.learn([text(*LINES)], 20)
    halves = algorithm.learn([text(*LINES[:9], name="first"), text(*LINES[9:], name="second")], 20)
    assert halves.merges == both.merges


@pytest.mark.parametrize("algorithm", [Volt, Muv])
@pytest.mark.parametrize("line", ["ab", "ab " * 999_999 + "ab", "x" * 100_000, "nul\x00 a\u2028b nul\x00 a\u2028b"])
def test_little_to_choose_from(algorithm: type[Volt | Muv], line: str, text):
    path = text(line)
    with pytest.raises(InputError, match="no choice of sizes"):
        algorithm.learn([path], None)
    model = algorithm.learn([path], 3)
    assert model.reached() <= 3
    assert model.decode(model.encode(line)) == line


@pytest.mark.parametrize("algorithm", [Volt, Muv])
def test_models_load_and_exchange_with_subword_nmt(algorithm: type[Volt | Muv], text, tmp_path: Path):
    model = algorithm.learn([text(*LINES)], 30)
    model.save(tmp_path / "codes")
    again = algorithm.load(tmp_path / "codes")
    assert again.signature() == model.signature()
    assert again.report() == {}
    words = sorted(set(" ".join(LINES).split(" ")))
    assert again.segment_words(words) == MergeEncoder(model.merges).segment_words(words)
    write_codes(tmp_path / "mine", model.merges)
    assert (tmp_path / "mine").read_bytes() == model.model_bytes()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"interval": 0}, "interval=0"),
        ({"interval": -5}, "interval=-5"),
        ({"maximum": -5}, "maximum=-5"),
        ({"candidates": 0}, "candidates=0"),
        ({"candidates": -5}, "candidates=-5"),
        ({"epsilon": -0.1}, "epsilon"),
        ({"interval": 1000, "maximum": 1999}, "no choice of sizes"),
        ({"variant": "published"}, "variant"),
        ({"sizes": 3}, "option"),
    ],
)
def test_options_that_cannot_be(text, options: dict[str, object], problem: str):
    with pytest.raises(InputError, match=problem):
        Volt.learn([text(*LINES)], None, **options)


def test_fewer_candidates_than_the_size_are_no_choice(text):
    with pytest.raises(InputError, match=r"candidates=60 is below size=61(?s:.*)at least 61"):
        Volt.learn([text(*LINES)], 61, candidates=60)


@pytest.mark.parametrize("options", [{"interval": 0}, {"interval": -5}, {"maximum": 0}, {"maximum": -5}])
def test_options_that_cannot_be_in_muv(text, options: dict[str, int]):
    with pytest.raises(InputError, match="{}={}".format(*next(iter(options.items())))):
        Muv.learn([text(*LINES)], None, **options)


@pytest.mark.parametrize("variant", ["paper", "reference"])
@pytest.mark.parametrize("algorithm", [Volt, Muv])
def test_numbers_beyond_the_text_change_nothing(algorithm: type[Volt | Muv], variant: str, text):
    def learned(**numbers: int) -> list[tuple[str, str]]:
        return algorithm.learn([text(*LINES)], None, variant=variant, interval=20, **numbers).merges

    beyond = {"maximum": 10**11} | ({"candidates": 10**11} if algorithm is Volt else {})
    enough = {"maximum": 2000} | ({"candidates": 2000} if algorithm is Volt else {})
    assert learned(**beyond) == learned(**enough)


@pytest.mark.parametrize("algorithm", ["Volt", "Muv"])
@pytest.mark.slow
def test_same_model_under_any_hash_seed(text, algorithm: str):
    path = text(*LINES)
    learn = f"{algorithm}.learn([Path({str(path)!r})], None, interval=10, maximum=40)"
    program = f"from pathlib import Path; from subwords.volt import {algorithm}; print({learn}.model_bytes().hex())"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "012"
    }
    assert len(outputs) == 1


def test_stages_do_not_end_learning_early() -> None:
    """Learning goes on in steps; stages that end inside one of them must not be taken for the end of the merges."""
    from random import Random

    from subwords.merges.learning import STEPS

    chance = Random(1)
    counts = {"".join(chance.choices("abcdefgh", k=8)): chance.randint(2, 50) for _ in range(400)}
    size = STEPS + STEPS // 2
    whole = learn_merges(counts, size)
    assert len(whole) == size
    for stages in ([STEPS // 2], [STEPS - 1, STEPS], [STEPS + 1], range(1, size, 7)):
        merges, tokens = learn_stages(counts, size, stages)
        assert merges == whole
        assert set(tokens) == {*stages, size}
