"""How much of a score is language, variant of BPE, number of merges: a hierarchical Bayesian linear model.

Sälevä and Lignos 2023, section 4: with l a language, b a variant of BPE, m a number of merges,

    score = α[l] + β[b, l] + γ[m, l] + ε
    β[b, l] ~ N(β̄[b], σ_β[b]²)    γ[m, l] ~ N(γ̄[m], σ_γ[m]²)    β̄, γ̄ ~ N(0, 1)    σ_β, σ_γ ~ N⁺(1)

It is fitted by bambi, as they did. bambi adds a common effect and a group-specific one for every indicator, so that
β[b, l] is their sum; an average and its four languages are all given as effects. How the intercept's prior is read,
and how near Table 2 each reading comes, is in papers/random-bpe/README.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy
import pandas
from numpy import ndarray
from pandas import DataFrame

from subwords.errors import InputError, check_known

#: Columns of the scores that are explained, one row per training run.
FACTORS = ("language", "variant", "merges")
#: α[l] ~ N(0, s²), or α[l] ~ N(0, σ_α²) with σ_α ~ N⁺(s). s is `intercept_scale`.
INTERCEPTS = ("independent", "hierarchical")
MASS = 0.94  # of the highest density interval
#: Beyond these a fit is not to be trusted (Vehtari et al. 2021, Rank-normalization, folding, and localization).
LARGEST_R_HAT = 1.01
LEAST_EFFECTIVE_SAMPLES = 400


#: (variant or merges, level, language or None for the average one) -> draws, shape (chains, draws), in points
Effects = dict[tuple[str, str, str | None], "ndarray"]


def summary(draws: ndarray) -> dict[str, float]:
    """Return what Table 2 says of an effect, r̂ (nan with a single chain), and how many independent draws would give
    mean and interval as surely: the lesser of bulk and tail."""
    with _quiet():
        import arviz

    lower, upper = map(float, arviz.hdi(draws.ravel(), hdi_prob=MASS))
    return {
        "mean": float(draws.mean()),
        "hdi_lower": lower,
        "hdi_upper": upper,
        "includes_zero": int(lower <= 0 <= upper),
        "r_hat": float(arviz.rhat(draws)) if len(draws) > 1 else float("nan"),
        "samples": float(min(arviz.ess(draws, method=method) for method in ("bulk", "tail"))),
    }


def diagnostics(effects: Effects, divergences: int) -> dict[str, Any]:
    """Return divergences, the largest r̂ and the fewest effective samples of all effects, and in `warning` what is wrong
    with the sampling, in a sentence (none)."""
    found = [summary(draws) for draws in effects.values()]
    r_hat, fewest = float(numpy.max([each["r_hat"] for each in found])), min(each["samples"] for each in found)
    problems = [f"{divergences} divergences"] if divergences else []
    if not r_hat <= LARGEST_R_HAT:
        problems.append(f"r̂ up to {r_hat:.3f} (at most {LARGEST_R_HAT} is wanted)")
    if fewest < LEAST_EFFECTIVE_SAMPLES:
        problems.append(f"as few as {fewest:.0f} effective samples ({LEAST_EFFECTIVE_SAMPLES} are wanted)")
    warning = f"The sampler has not converged well: {', '.join(problems)}." if problems else "none"
    return {"divergences": divergences, "largest_r_hat": r_hat, "fewest_samples": fewest, "warning": warning}


def intercept_scale(scores: DataFrame) -> float:
    """Return s, the scale of the intercepts' prior: bambi's default for indicators of languages.

    That is 2.5 · sd(score) / sd(indicator), 68.4 for Table 1's scores: the paper's 68. The prior's mean is 0, so where
    languages score much alike that default would be too small to reach their level; it is never below twice the scores'
    root mean square (56 for Table 1, where it makes no difference).
    """
    share = 1 / scores["language"].nunique()
    indicator = (share * (1 - share)) ** 0.5
    spread = 2.5 * float(scores["score"].std(ddof=0)) / indicator if indicator else 0.0
    return max(spread, 2 * float((scores["score"] ** 2).mean()) ** 0.5)


def fit(
    scores: DataFrame,
    chains: int = 4,
    tune: int = 1000,
    draws: int = 1000,
    target_accept: float = 0.9,
    seed: int = 1,
    cores: int = 1,
    intercept: str = "independent",
) -> tuple[Effects, int]:
    """Return the effects, and the sampler's divergences.

    `scores` has a row per training run: text in the columns `FACTORS`, and the `score` in points. Any number of
    languages, variants, merges and seeds will do, with cells missing; what the scores cannot tell the priors say. A
    factor of a single level has no effects. The posterior is sampled by NUTS: `chains` of `tune` + `draws` iterations,
    `cores` chains at a time, on which the draws do not depend. `intercept` is one of `INTERCEPTS`. Raises InputError
    for another, and where neither variants nor merges differ.
    """
    check_known("intercept", [intercept], INTERCEPTS)
    levels = {factor: list(dict.fromkeys(scores[factor])) for factor in FACTORS}
    if not _explaining(levels):
        raise InputError("all scores are of one variant and one number of merges", allowed="two of either, or more")
    with _quiet():
        inference = _model(scores, levels, intercept).fit(
            draws=draws,
            tune=tune,
            chains=chains,
            cores=min(cores, chains),
            target_accept=target_accept,
            random_seed=seed,
            # Only contrasts are well determined: intercepts and effects of a language can be traded for each other.
            # A mass matrix that knows their correlation makes for shorter paths.
            init="jitter+adapt_full",
            progressbar=False,
        )
    return dict(_effects(inference.posterior, levels)), int(inference.sample_stats["diverging"].sum())


def _model(scores: DataFrame, levels: Mapping[str, list[str]], intercept: str) -> Any:
    """Return the model in bambi. Levels become numbered indicators, so that their names may hold anything."""
    import bambi

    table = pandas.DataFrame({"score": scores["score"], "language": scores["language"].map(_numbered(levels))})
    average = bambi.Prior("Normal", mu=0, sigma=1)
    spread = bambi.Prior("Normal", mu=0, sigma=bambi.Prior("HalfNormal", sigma=1))
    scale = intercept_scale(scores)
    terms = ["0"]
    priors: dict[str, Any] = {}
    if len(levels["language"]) == 1:  # bambi refuses an indicator that is always 1
        terms = ["1"]
        priors["Intercept"] = bambi.Prior("Normal", mu=0, sigma=scale)
    elif intercept == "hierarchical":
        terms.append("(1|language)")
        priors["1|language"] = bambi.Prior("Normal", mu=0, sigma=bambi.Prior("HalfNormal", sigma=scale))
    else:
        for number, language in enumerate(levels["language"]):
            name = f"language{number}"
            table[name] = (scores["language"] == language).astype(float)
            terms.append(name)
            priors[name] = bambi.Prior("Normal", mu=0, sigma=scale)
    for factor in _explaining(levels):
        for number, level in enumerate(levels[factor]):
            name = f"{factor}{number}"
            table[name] = (scores[factor] == level).astype(float)
            terms += [name, f"(0 + {name}|language)"]
            priors |= {name: average, f"{name}|language": spread}
    model = bambi.Model(f"score ~ {' + '.join(terms)}", table, priors=priors, center_predictors=False)
    model.build()
    return model


def _explaining(levels: Mapping[str, list[str]]) -> list[str]:
    """Return the factors that scores differ in: the effect of a single level is part of the intercept."""
    return [factor for factor in ("variant", "merges") if len(levels[factor]) > 1]


def _numbered(levels: Mapping[str, list[str]]) -> dict[str, str]:
    """Return the names that languages have in the model: they sort as they come."""
    return {language: f"l{number:04}" for number, language in enumerate(levels["language"])}


def _effects(draws: Any, levels: Mapping[str, list[str]]) -> Iterator[tuple[tuple[str, str, str | None], ndarray]]:
    for factor in _explaining(levels):
        for number, level in enumerate(levels[factor]):
            average, own = draws[f"{factor}{number}"], draws[f"{factor}{number}|language"]
            yield (factor, level, None), average.to_numpy()
            for language, label in _numbered(levels).items():
                yield (factor, level, language), (average + own.sel(language__factor_dim=label)).to_numpy()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep two notices out of the log that no user can act on."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*ArviZ is undergoing a major refactor", category=FutureWarning)
        warnings.filterwarnings("ignore", message=".*PyTensor could not link to a BLAS", category=UserWarning)
        yield
