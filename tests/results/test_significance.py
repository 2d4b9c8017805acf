"""Paired tests against sacrebleu's command line, brute force, and hand-made numbers."""

from __future__ import annotations

import itertools
import json
import math
import random
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.metrics.base import Metric, Score
from sacrebleu.significance import PairedTest
from small_experiment import _noisy, write_lines

from experiment.manifest import Manifest
from experiment.runs import Run, TestSet
from experiment.scoring.blocks import compare_block
from experiment.scoring.comparison import LEARNED_NOTHING, NO_BASELINE
from experiment.scoring.metrics import METRICS, score_corpus
from experiment.scoring.sentence_statistics import bleu, chrf, mean_statistics
from experiment.scoring.significance import (
    check_test,
    count_sentences,
    mean_and_interval,
    outcomes,
    resampled_scores,
    welch_p_value,
)
from subwords.errors import InputError


@pytest.fixture
def systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """ref, and hypotheses of `base`, `close`, `worse`, `same` for two seeds, in the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    chance = random.Random(3)
    lines = ["the child reads a small old house by the river today" for _ in range(30)]
    write_lines(tmp_path / "ref", lines)
    for seed in (1, 2):
        for name, rate in (("base", 0.15), ("close", 0.17), ("worse", 0.6)):
            write_lines(tmp_path / f"{name}.{seed}", [_noisy(line, rate, chance) for line in lines])
        (tmp_path / f"same.{seed}").write_bytes((tmp_path / f"base.{seed}").read_bytes())
    return tmp_path


def paired_segment_tests(scores: dict[str, list[float]], test: str = "bootstrap", samples: int = 1000):
    return outcomes({name: mean_statistics(values) for name, values in scores.items()}, test=test, samples=samples)


NAMES = ("close", "base", "worse", "same")


def compare(
    *metrics: str,
    names: Sequence[str] = NAMES,
    seeds: Sequence[int] = (1, 2),
    reference: str = "ref",
    comet: bool = False,
    baseline: str = "base",
    against: dict[str, str] | None = None,
    **significance: Any,
) -> dict[tuple[str, int, str], dict[str, Any]]:
    """Return what is found of the systems in the working directory, by name, seed and metric."""
    runs = []
    for name, seed in itertools.product(names, seeds):
        files = TestSet("", hypothesis=f"{name}.{seed}", reference=reference, comet=f"{name}.json" if comet else None)
        runs.append(Run("c", "a-b", name, "bpe", "m", seed, "", {"t": files}))
    manifest = Manifest("e", baseline, list(metrics), runs, against, parameters={"significance": significance})
    return compare_block(manifest, runs, "t")


@pytest.mark.parametrize(("test", "flag"), [("sacrebleu-bootstrap", "bs"), ("randomization", "ar")])
@pytest.mark.slow
def test_outcomes_are_those_of_sacrebleu(systems, test, flag):
    found = compare("bleu", "chrf", test=test, samples=300)
    labels = {"bleu": "BLEU", "chrf": "chrF2"}
    for seed in (1, 2):
        files = [f"base.{seed}", f"close.{seed}", f"worse.{seed}"]
        command = [
            sys.executable,
            "-m",
            "sacrebleu",
            "ref",
            "-i",
            *files,
            f"--paired-{flag}",
            f"--paired-{flag}-n",
            "300",
        ]
        shown = subprocess.run([*command, "-m", "bleu", "chrf", "-f", "json"], check=True, capture_output=True)
        expected = {entry["system"].removeprefix("Baseline: "): entry for entry in json.loads(shown.stdout)}
        for (name, its_seed, metric), outcome in found.items():
            if its_seed == seed and name != "same":
                entry = expected[f"{name}.{seed}"][labels[metric]]
                assert outcome["score"] == pytest.approx(entry["score"])
                assert outcome["p_value"] == entry["p_value"]
                if flag == "bs":
                    assert outcome["ci95"] == pytest.approx(entry["ci"], abs=1e-4)  # sacrebleu's is in single precision
                assert outcome["test"].endswith(f"|test:{test}|samples:300|seed:12345")


def test_equal_outputs_are_not_different_and_very_different_ones_are(systems):
    found = compare("bleu", "chrf", samples=200)
    for seed, metric in itertools.product((1, 2), ("bleu", "chrf")):
        assert found["same", seed, metric]["p_value"] == 1
        assert found["base", seed, metric]["p_value"] is None
        assert found["worse", seed, metric]["p_value"] < 0.05


def test_systems_of_a_sweep_are_compared_with_the_baseline_of_their_size(systems):
    found = compare("chrf", samples=100, against={"close": "base", "worse": "same"})
    entries = {name: found[name, 1, "chrf"] for name in NAMES}
    assert {name: entry["baseline"] for name, entry in entries.items()} == {
        "base": "base",
        "close": "base",
        "same": "same",
        "worse": "same",
    }
    for seed in (1, 2):
        assert found["base", seed, "chrf"]["p_value"] is found["same", seed, "chrf"]["p_value"] is None
        alone = compare("chrf", samples=100, names=("same", "worse"), seeds=(seed,), baseline="same")
        assert found["worse", seed, "chrf"]["p_value"] == alone["worse", seed, "chrf"]["p_value"]
    # Corrected for both comparisons, whatever their baselines are
    p_values = sorted(entries[name]["effect_p"] for name in ("close", "worse"))
    assert sorted(entries[name]["effect_p_holm"] for name in ("close", "worse")) == [
        pytest.approx(min(1, 2 * p_values[0])),
        pytest.approx(max(p_values[1], min(1, 2 * p_values[0]))),
    ]


def test_nothing_is_compared_where_a_baseline_is_missing(systems):
    assert compare("chrf", against={}) == {}
    for names in (("close", "worse"), ("base",)):
        for columns in compare("chrf", names=names).values():
            assert columns["ci95"] > 0  # an interval of its own
            assert columns["baseline"] is columns["p_value"] is None
            assert columns["effect"] is columns["verdict"] is None


def test_the_seed_of_the_environment_counts_and_is_written(systems, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    found = compare("chrf", samples=100)
    assert found["base", 1, "chrf"]["test"].endswith("samples:100|seed:7")


@pytest.mark.parametrize("seed", ["none", "0", "x", "-1"])
def test_a_seed_that_makes_results_differ_is_refused(systems, monkeypatch, seed):
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    with pytest.raises(InputError, match=f"SACREBLEU_SEED={seed}"):
        compare("chrf")


class MeanOfSegments(Metric):
    """A sacrebleu metric whose score is the mean of numbers given as text."""

    def _preprocess_segment(self, sent):
        return sent

    def _extract_reference_info(self, refs):
        return {}

    def _compute_segment_statistics(self, hypothesis, ref_kwargs):
        return [float(hypothesis), 1.0]

    def _compute_score_from_stats(self, stats):
        return Score("mean", float(stats[0]) / float(stats[1]))

    def _aggregate_and_compute(self, stats):
        return self._compute_score_from_stats([sum(column) for column in zip(*stats, strict=True)])


def test_sacrebleus_bootstrap_of_segments_is_sacrebleus_of_a_metric_that_is_a_mean(monkeypatch):
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    chance = random.Random(5)
    # Multiples of 1/64 and a power of two of segments: exact in the single precision that sacrebleu resamples in.
    first = [chance.randrange(64) / 64 for _ in range(32)]
    scores = {
        "base": first,
        "near": [x + chance.randrange(-9, 10) / 64 for x in first],
        "far": [x + 0.5 for x in first],
    }
    texts = [(name, [str(value) for value in values]) for name, values in scores.items()]
    metric = MeanOfSegments()
    metric._ref_cache, metric.num_refs = [{}] * 32, 1
    _, expected = PairedTest(texts, {"mean": metric}, None, "bs", 400)()
    found = paired_segment_tests(scores, test="sacrebleu-bootstrap", samples=400)
    for outcome, result in zip(found.values(), expected["mean"], strict=True):
        assert outcome.score == pytest.approx(result.score)
        assert outcome.p_value == result.p_value
        assert outcome.ci95 == pytest.approx(result.ci)


def test_randomization_comes_near_the_exact_permutation_test():
    base, other = [0.1, 0.4, 0.3, 0.9, 0.5, 0.2, 0.7, 0.6], [0.3, 0.5, 0.2, 1.0, 0.9, 0.3, 0.8, 0.6]
    gains = [b - a for a, b in zip(base, other, strict=True)]
    observed = abs(statistics.fmean(gains))
    flips = [
        abs(math.fsum(s * g for s, g in zip(signs, gains, strict=True)) / 8)
        for signs in itertools.product((1, -1), repeat=8)
    ]
    exact = sum(flip >= observed - 1e-12 for flip in flips) / len(flips)
    found = paired_segment_tests({"base": base, "other": other}, test="randomization", samples=20_000)["other"].p_value
    assert found == pytest.approx(exact, abs=0.01)


def test_bootstrap_equals_a_loop_over_resamples(monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "99")
    base, other = [0.5, 0.25, 0.75, 1.0, 0.0], [0.5, 0.5, 1.0, 1.0, 0.25]
    rng = np.random.default_rng(99)
    picks = rng.choice(5, size=(150, 5), replace=True).tolist()
    means = [(statistics.fmean(base[i] for i in p), statistics.fmean(other[i] for i in p)) for p in picks]
    gaps = [b - a for a, b in means]
    center, observed = statistics.fmean(gaps), abs(statistics.fmean(other) - statistics.fmean(base))
    expected = (sum(abs(gap - center) >= observed - 1e-12 for gap in gaps) + 1) / 151
    ordered = sorted(b for _, b in means)
    found = paired_segment_tests({"base": base, "other": other}, samples=150)["other"]
    assert found.p_value == pytest.approx(expected)
    assert found.ci95 == pytest.approx((ordered[150 - 150 // 40 - 1] - ordered[150 // 40]) / 2)


def test_resamples_do_not_depend_on_how_many_fit_into_memory(monkeypatch):
    runs = [mean_statistics([0.1, 0.5, 0.9, 0.3]), mean_statistics([0.2, 0.2, 0.8, 0.4])]
    whole = resampled_scores(runs, 50)
    monkeypatch.setattr("experiment.scoring.significance._CHUNK", 12)
    assert resampled_scores(runs, 50) == pytest.approx(whole)


STATISTICS = st.lists(st.lists(st.integers(0, 30), min_size=10, max_size=10), min_size=1, max_size=4)


@given(STATISTICS)
def test_bleu_of_sums_is_sacrebleus(rows):
    counts = np.array(rows, dtype=float)
    counts[:, 6:] = -np.sort(-counts[:, 6:], axis=1)
    counts[:, 2:6] = np.minimum(counts[:, 2:6], counts[:, 6:])
    counts[:, 0] = counts[:, 6]  # a hypothesis is as long as it has words
    for row, found in zip(counts, bleu(counts), strict=True):
        assert found == pytest.approx(BLEU()._compute_score_from_stats(row.tolist()).score, abs=1e-9)


@given(st.lists(st.lists(st.integers(0, 30), min_size=24, max_size=24), min_size=1, max_size=4))
def test_chrf_of_sums_is_sacrebleus(rows):
    counts = np.array(rows, dtype=float)
    counts[:, 2::3] = np.minimum(counts[:, 2::3], np.minimum(counts[:, ::3], counts[:, 1::3]))
    for order, metric in ((18, CHRF()), (24, CHRF(word_order=2))):
        for row, found in zip(counts[:, :order], chrf(counts[:, :order], beta=2), strict=True):
            assert found == pytest.approx(metric._compute_score_from_stats(row.tolist()).score, abs=1e-9)


@pytest.mark.parametrize("metric", [name for name in METRICS if name != "comet"])
def test_statistics_of_sentences_give_the_corpus_score(systems, metric):
    lines = {name: Path(f"{name}.1").read_text().split("\n")[:-1] for name in ("base", "worse")}
    references = Path("ref").read_text().split("\n")[:-1]
    signature, counted = count_sentences(metric, lines, references)
    for name, found in counted.items():
        expected = score_corpus(lines[name], references, [metric])["metrics"][metric]
        assert (signature, found.score) == (expected["signature"], pytest.approx(expected["score"]))


def test_comet_segments_are_compared_and_models_must_agree(systems):
    for name in ("base", "worse"):
        scores = {"segments": [0.8 if name == "base" else 0.3] * 30, "signature": "Python3|Comet2|fp32|m"}
        Path(f"{name}.json").write_text(json.dumps(scores))
    both: dict[str, Any] = {"names": ("base", "worse"), "seeds": (1,)}
    found = compare("comet", samples=100, comet=True, **both)
    assert found["base", 1, "comet"]["test"] == "Python3|Comet2|fp32|m|test:bootstrap|samples:100|seed:12345"
    assert found["base", 1, "comet"]["p_value"] is None
    assert found["worse", 1, "comet"]["effect"] == pytest.approx(-0.5)
    Path("worse.json").write_text(json.dumps({"segments": [0.3] * 30, "signature": "another"}))
    with pytest.raises(InputError, match="different models"):
        compare("comet", comet=True, **both)
    with pytest.raises(InputError, match="without COMET files"):
        compare("comet", **both)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "test": ({"test": "bootstraps"}, "did you mean 'bootstrap'"),
    "samples": ({"samples": 0}, "samples=0"),
    "lines": ({"reference": "short"}, "unequal line counts"),
    "against in a chain": ({"against": {"worse": "base", "base": "worse"}}, "cannot have a baseline"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(systems, name):
    options, message = BAD[name]
    write_lines(systems / "short", ["one line"])
    with pytest.raises(InputError, match=message):
        compare("chrf", names=("base", "worse"), **options)


def test_a_baseline_without_a_seed_of_the_others_is_named(systems):
    runs = [
        Run("c", "a-b", name, "bpe", "m", seed, "", {"t": TestSet("", hypothesis="ref", reference="ref")})
        for name, seed in (("base", 1), ("worse", 1), ("worse", 3))
    ]
    with pytest.raises(InputError, match="base has no output for seed 3"):
        compare_block(Manifest("e", "base", ["chrf"], runs), runs, "t")


def test_a_baseline_that_learned_nothing_makes_nobody_better(tmp_path):
    words = [[f"w{(7 * line + 3 * place) % 50}" for place in range(8)] for line in range(60)]
    write_lines(tmp_path / "reference", [" ".join(line) for line in words])
    write_lines(tmp_path / "source", [" ".join(["x", *line[:4], *"yzab"]) for line in words])
    files = {name: str(tmp_path / name) for name in ("reference", "source")}
    runs = [
        Run("c", "a-b", name, "bpe", "m", seed, "", {"t": TestSet("", hypothesis=files[hypothesis], **files)})
        for name, hypothesis in (("base", "source"), ("good", "reference"))
        for seed in (1, 2, 3)
    ]
    found = compare_block(Manifest("e", "base", ["bleu"], runs), runs, "t")
    assert found["base", 1, "bleu"]["verdict"] == LEARNED_NOTHING
    assert found["good", 1, "bleu"]["verdict"] == NO_BASELINE
    assert found["good", 1, "bleu"]["effect"] > 20


def test_the_interval_over_seeds_is_students():
    mean, width = mean_and_interval([30.0, 30.4, 31.4])
    low, high = scipy.stats.t.interval(0.95, 2, loc=mean, scale=scipy.stats.sem([30.0, 30.4, 31.4]))
    assert (mean - width, mean + width) == (pytest.approx(low), pytest.approx(high))
    assert mean_and_interval([4.0]) == (4.0, None)


def test_welch_by_its_formula():
    first, second = [34.1, 34.9, 34.4, 35.0], [33.0, 33.9, 33.1]
    from scipy.stats import t as student

    a, b = statistics.variance(first) / 4, statistics.variance(second) / 3
    t = (statistics.fmean(first) - statistics.fmean(second)) / math.sqrt(a + b)
    freedom = (a + b) ** 2 / (a**2 / 3 + b**2 / 2)  # Welch-Satterthwaite
    assert welch_p_value(first, second) == pytest.approx(2 * student.sf(abs(t), freedom))


def test_welch_needs_three_seeds_a_side_and_copes_without_variance():
    assert welch_p_value([1.0, 2.0], [1.0, 2.0, 3.0]) is None
    assert welch_p_value([1.0] * 3, [1.0] * 3) is None
    assert welch_p_value([1.0] * 3, [2.0] * 3) is None
    assert welch_p_value([1.0] * 3, [2.0, 2.2, 2.1]) is not None


def test_systems_of_different_lengths_are_refused():
    with pytest.raises(InputError, match="different numbers"):
        paired_segment_tests({"a": [1.0, 2.0], "b": [1.0]})


def test_one_resample_is_the_least() -> None:
    check_test("bootstrap", 1)
    with pytest.raises(InputError, match="samples=0"):
        check_test("bootstrap", 0)
