"""The hierarchical model of the random-bpe paper: its density, its posterior, and whether it lands on Table 2."""

from __future__ import annotations

import itertools
import math
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from collapsed_sampler import Score, sample
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.paper import FOLDER, module, read
from subwords.errors import InputError

random_bpe = module(FOLDER / "random-bpe")
hierarchical = import_module("papers.random-bpe.hierarchical")
summary, diagnostics = hierarchical.summary, hierarchical.diagnostics
intercept_scale = hierarchical.intercept_scale

VARIANTS = ["bpe", "random-bpe-softmax", "random-bpe-uniform"]
LANGUAGES = ["he2020-en-et en-et", "he2020-en-fi en-fi", "he2020-en-de en-de", "til-en-uz en-uz"]
SIZES = ["2000", "5000", "32000"]


@pytest.fixture(scope="module")
def table1() -> pd.DataFrame:
    """Ten scores for every cell of Table 1, with exactly its means and standard errors."""
    return random_bpe.explained(random_bpe.replicated(read("random-bpe").printed["table1"], 10), "bleu")


def coded(scores: pd.DataFrame) -> list[Score]:
    """Return scores as the collapsed sampler takes them."""
    codes = [pd.factorize(scores[name])[0] for name in hierarchical.FACTORS]
    return [(int(a), int(b), int(c), float(d)) for a, b, c, d in zip(*codes, scores["score"], strict=True)]


def invented(seed: int = 3) -> pd.DataFrame:
    """Scores with known effects: three languages, two variants, sizes and seeds; a cell missing, one with one seed."""
    random = np.random.default_rng(seed)
    rows = []
    for (a, language), (b, variant), (c, merges) in itertools.product(
        enumerate(["x", "y's (z)", "ž"]), enumerate(["plain", "mad"]), enumerate(["1 000", "2000"])
    ):
        for number in range(2):
            if (a, b, c) == (2, 1, 1) or ((a, b, c) == (0, 0, 0) and number):
                continue
            score = [10, 30, 21][a] - 2.0 * b * (a == 1) + 1.0 * c * (a == 0) + random.normal(0, 0.3)
            rows.append({"language": language, "variant": variant, "merges": merges, "score": score})
    return pd.DataFrame(rows)


# ---- scores that a mean and an error could have come from


@settings(max_examples=200, derandomize=True)
@given(st.floats(-100, 100), st.floats(0, 30), st.integers(2, 40))
def test_replicates_have_the_mean_and_the_error(mean: float, error: float, number: int) -> None:
    found = np.array(random_bpe.scores_with(mean, error, number))
    assert len(found) == number
    assert found.mean() == pytest.approx(mean, abs=1e-9)
    assert found.std(ddof=1) / math.sqrt(number) == pytest.approx(error, abs=1e-9)


def test_the_replicates_of_table_1_are_the_papers(table1: pd.DataFrame) -> None:
    assert len(table1) == 4 * 3 * 3 * 10
    cells = table1.groupby(["corpus", "variant", "merges"])["score"]
    for value in read("random-bpe").printed["table1"].itertuples():
        if value.metric == "bleu":
            variant = value.segmentation.rpartition("-")[0]
            scores = cells.get_group((value.corpus, variant, str(value.size)))
            assert f"{scores.mean():.2f}" == value.printed
            assert f"{scores.sem():.2f}" == value.printed_error


def test_the_default_scale_of_intercepts_is_the_papers(table1: pd.DataFrame) -> None:
    """ "s_α ≈ 68" (section 4), and bambi's own default for an indicator of a language."""
    import bambi

    assert round(intercept_scale(table1)) == 68
    data = pd.DataFrame({"score": table1["score"], "estonian": (table1["direction"] == "en-et").astype(float)})
    model = bambi.Model("score ~ 0 + estonian", data)
    model.build()
    assert intercept_scale(table1) == pytest.approx(float(model.components["mu"].terms["estonian"].prior.args["sigma"]))


# ---- the density, against one written by hand


def normal(x: float, mean: float, deviation: float) -> float:
    return -(((x - mean) / deviation) ** 2) / 2 - math.log(deviation)


def density(point: dict[str, np.ndarray], scores: pd.DataFrame, scale: float, hierarchical_intercept: bool) -> float:
    """Return the log density of section 4's model, but for a constant, from the paper's formulas alone."""
    codes = coded(scores)
    sigma = float(point["sigma"])
    spread = float(scores["score"].std(ddof=0))
    total = -2.5 * math.log1p((sigma / spread) ** 2 / 4)  # half Student t with 4 degrees of freedom: bambi's default
    names = {"variant": scores["variant"].nunique(), "merges": scores["merges"].nunique()}
    effect: dict[tuple[str, int, int], float] = {}
    for factor, levels in names.items():
        for level in range(levels):
            name = f"{factor}{level}"
            deviation = float(point[f"{name}|language_sigma"])
            total += normal(float(point[name]), 0, 1) + normal(deviation, 0, 1)
            for language, offset in enumerate(point[f"{name}|language_offset"].ravel()):
                effect[factor, level, language] = float(point[name]) + deviation * float(offset)
                total += normal(float(offset), 0, 1)
    languages = scores["language"].nunique()
    if hierarchical_intercept:
        deviation = float(point["1|language_sigma"])
        intercepts = [deviation * float(offset) for offset in point["1|language_offset"].ravel()]
        total += normal(deviation, 0, scale) + sum(
            normal(float(offset), 0, 1) for offset in point["1|language_offset"].ravel()
        )
    else:
        intercepts = [float(point[f"language{language}"]) for language in range(languages)]
        total += sum(normal(intercept, 0, scale) for intercept in intercepts)
    for language, variant, merges, score in codes:
        mean = intercepts[language] + effect["variant", variant, language] + effect["merges", merges, language]
        total += normal(score, mean, sigma)
    return total


@pytest.mark.slow
@pytest.mark.parametrize("intercept", hierarchical.INTERCEPTS)
def test_the_model_has_the_papers_priors_and_likelihood(intercept: str) -> None:
    scores = invented()
    levels = {factor: list(dict.fromkeys(scores[factor])) for factor in hierarchical.FACTORS}
    with hierarchical._quiet():
        model = hierarchical._model(scores, levels, intercept).backend.model
        log_density = model.compile_logp(jacobian=False, mode="FAST_COMPILE")
    random = np.random.default_rng(1)
    start = model.initial_point()
    differences = []
    for _ in range(5):
        inner = {name: random.normal(0, 0.7, np.shape(value)) for name, value in start.items()}
        outer = {name.removesuffix("_log__"): np.exp(v) if name.endswith("_log__") else v for name, v in inner.items()}
        expected = density(outer, scores, intercept_scale(scores), intercept == "hierarchical")
        differences.append(float(log_density(inner)) - expected)
    assert np.ptp(differences) < 1e-6 * max(1, abs(expected))


# ---- the posterior


def published_effects() -> dict[tuple[str, int, int | None], dict[str, float]]:
    """Return mean, lower and upper end of every effect of Table 2, by (factor, level, language)."""
    found: dict[tuple[str, int, int | None], dict[str, float]] = {}
    for value in read("random-bpe").printed["table2"].itertuples():
        if value.metric == "effect_includes_zero":
            continue
        language = LANGUAGES.index(f"{value.corpus} {value.direction}") if value.corpus else None
        level = (
            ("variant", VARIANTS.index(value.segmentation))
            if value.segmentation
            else ("merges", SIZES.index(str(value.size)))
        )
        found.setdefault((*level, language), {})[value.metric.removeprefix("effect_")] = value.value
    return found


def tolerances(draws: np.ndarray) -> tuple[float, float]:
    """Return how far the means of two runs of a sampler may be apart, and the ends of their intervals.

    Three standard errors of a difference when either run has 400 effective draws, the fewest that are called enough: a
    mean is then off by sd/20; a 3 % quantile of a normal distribution, by 2.51 times as much. Rounding comes on top:
    half a hundredth in Table 2, and as much in the means of Table 1.
    """
    error = 3 * math.sqrt(2 / 400) * float(draws.std())
    return error + 0.01, 2.51 * error + 0.01


@pytest.mark.slow
@pytest.mark.parametrize("intercept", hierarchical.INTERCEPTS)
def test_table_2_follows_from_table_1(table1: pd.DataFrame, intercept: str) -> None:
    draws = sample(coded(table1), intercept_scale(table1), hierarchical=intercept == "hierarchical", steps=15000)
    printed = published_effects()
    assert len(printed) == len(draws.effects) == 30
    for key, values in printed.items():
        of_mean, of_ends = tolerances(draws.effects[key])
        lower, upper = (summary(draws.effects[key][None])[f"hdi_{end}"] for end in ("lower", "upper"))
        assert draws.effects[key].mean() == pytest.approx(values["mean"], abs=of_mean), key
        assert lower == pytest.approx(values["hdi_lower"], abs=of_ends), key
        assert upper == pytest.approx(values["hdi_upper"], abs=of_ends), key


@pytest.mark.slow
def test_the_sampler_agrees_with_the_collapsed_one() -> None:
    """On other data than the paper's, with few draws: within four standard errors, by its own effective samples.

    That the models of both intercepts have the paper's density is tested above; this is what is read from the draws.
    """
    scores = invented()
    posterior, _ = hierarchical.fit(scores, chains=2, tune=150, draws=150)
    other = sample(coded(scores), intercept_scale(scores), steps=15000)
    names = {factor: list(dict.fromkeys(scores[factor])) for factor in hierarchical.FACTORS}
    assert len(posterior) == len(other.effects) == 4 + 4 * 3
    for (factor, level, language), draws in other.effects.items():
        place = None if language is None else names["language"][language]
        effect = posterior[factor, names[factor][level], place]
        error = draws.std() * math.sqrt(1 / summary(effect)["samples"] + 1 / 200)
        assert effect.mean() == pytest.approx(draws.mean(), abs=4 * error), (factor, level, language)
        assert effect.std() == pytest.approx(draws.std(), rel=0.35)
    # What was put in: 'mad' costs the second language two points, and the second size gives the first one point.
    cost = posterior["variant", "mad", "y's (z)"] - posterior["variant", "plain", "y's (z)"]
    gain = posterior["merges", "2000", "x"] - posterior["merges", "1 000", "x"]
    assert cost.mean() == pytest.approx(-2, abs=0.7)
    assert not summary(cost)["includes_zero"]
    assert gain.mean() == pytest.approx(1, abs=0.7)


@pytest.mark.slow
def test_equal_seeds_give_equal_draws_however_many_cores() -> None:
    (effects, divergences), (other, _) = (
        hierarchical.fit(invented(), chains=2, tune=5, draws=5, cores=cores) for cores in (1, 2)
    )
    assert all(np.array_equal(draws, other[key]) for key, draws in effects.items())
    assert diagnostics(effects, divergences)["warning"] != "none"


@pytest.mark.slow
def test_a_single_language_variant_and_seed_will_do() -> None:
    rows = [
        {"language": "x", "variant": "plain", "merges": size, "score": score}
        for size, score in (("1", 8.0), ("2", 9.5))
    ]
    posterior, _ = hierarchical.fit(pd.DataFrame(rows), chains=1, tune=5, draws=5)
    assert [key[1:] for key in posterior] == [
        ("1", None), ("1", "x"), ("2", None), ("2", "x"),
    ]  # fmt: skip
    assert all(np.isfinite(draws).all() for draws in posterior.values())


# ---- what is said of draws


def test_the_highest_density_interval_is_the_shortest() -> None:
    draws = np.random.default_rng(2).exponential(size=20000)
    found = summary(draws.reshape(4, -1))
    lower, upper = found["hdi_lower"], found["hdi_upper"]
    assert lower == pytest.approx(0, abs=0.01)  # a density that falls from the start
    assert upper == pytest.approx(-math.log(0.06), abs=0.1)
    assert np.mean((draws >= lower) & (draws <= upper)) == pytest.approx(0.94, abs=0.001)


def test_effects_say_whether_zero_is_likely() -> None:
    draws = np.random.default_rng(4).normal(0, 1, (4, 500))
    found = summary(draws + 5)
    assert not found["includes_zero"]
    assert summary(draws)["includes_zero"]
    assert found["samples"] == pytest.approx(2000, rel=0.25)
    assert found["r_hat"] == pytest.approx(1, abs=0.01)


def test_bad_sampling_is_said() -> None:
    def warning(divergences: int, *draws: np.ndarray) -> str:
        effects = {("variant", f"{n}", None): each for n, each in enumerate(draws)}
        return str(diagnostics(effects, divergences)["warning"])

    good = np.random.default_rng(5).normal(0, 1, (4, 500))
    assert warning(0, good) == "none"
    assert "3 divergences" in warning(3, good)
    assert "r̂" in warning(0, good, good + np.arange(4)[:, None])
    assert "effective samples" in warning(0, good[:, :20])
    assert "r̂" in warning(0, good[:1])  # one chain cannot agree with another


def test_scores_that_cannot_be_explained() -> None:
    with pytest.raises(InputError, match="one variant and one number of merges"):
        hierarchical.fit(invented().assign(variant="a", merges="1"))
    with pytest.raises(InputError, match="unknown intercept 'hierarchal': did you mean 'hierarchical'"):
        hierarchical.fit(invented(), intercept="hierarchal", chains=1, tune=1, draws=1)
