"""What language, variant of BPE and number of merges do to a score: the hierarchical Bayesian model of random-bpe.

Options:

    metric: bleu                      the score that is explained
    variants: {bpe: Standard}         what a segmentation, without the size at its end, is called in the paper's rows
    languages: {he2020-en-et: Estonian}    what a corpus is called there
    contrast: [random-bpe-softmax, bpe]    two variants whose difference is measured too, as `effect_difference_…`
    row: Table 2                      what the row of the sampler's diagnostics is called
    sampling: {draws: 200}            changes to `papers.measures.hierarchical.Sampling`

Metrics: `effect_mean`, `effect_hdi_lower`, `effect_hdi_upper`, `effect_includes_zero`, `effect_r_hat`,
`effect_samples` (effective ones) of every effect; `sampler_…` of the whole posterior.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from papers.measurements import without_size
from papers.selection import comparable
from subwords.errors import InputError, unknown

if TYPE_CHECKING:
    from pandas import DataFrame

    from papers.inputs import Inputs
    from papers.measures.hierarchical import Effect, Posterior

#: What distinguishes runs, beside the seed.
KEYS = ["corpus", "direction", "model", "segmentation", "algorithm", "size"]
#: How the effects of a factor are called in the table: on average, and in a language.
_SYMBOLS = {"variant": ("β̄", "β"), "merges": ("γ̄", "γ")}


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the effects in the paper's runs, and how well they were sampled. Nothing where all scores are equal."""
    yield from effects_in(inputs.scores(), options, inputs.threads)


def effects_in(measured: DataFrame, options: Mapping[str, Any], cores: int = 1) -> Iterator[dict[str, Any]]:
    """Yield the effects in measurements of a score. Raises InputError when there are none."""
    from papers.measures.hierarchical import Sampling, fit

    scores = explained(measured, options)
    if scores["score"].nunique() < 2:
        return
    changes = options.get("sampling") or {}
    for name in changes:
        if name not in Sampling.__dataclass_fields__:
            raise unknown("option of sampling", name, Sampling.__dataclass_fields__)
    posterior = fit(scores, Sampling(**{"cores": cores, **changes}))
    for effect in posterior.effects:
        yield from of_effect(effect, keys_of(effect, scores, options), "effect")
    yield from of_contrast(posterior, scores, options)
    yield from of_sampling(posterior, options.get("row", "posterior"))


def explained(measured: DataFrame, options: Mapping[str, Any]) -> DataFrame:
    """Return the scores as the model takes them, one per run (the mean, where there are several test sets).

    A language is a corpus in a direction, a variant is a segmentation without the size at its end, and the merges are
    the size that the paper asked for; the columns that these come from are kept. Raises InputError when there are none.
    """
    metric = options.get("metric", "bleu")
    wanted = comparable(measured[measured["metric"] == metric])
    wanted = wanted[wanted["value"].notna() & wanted["size"].notna()]
    if wanted.empty:
        raise InputError(f"there are no scores in {metric}", allowed="scores of segmentations with a size")
    runs = wanted.groupby([*KEYS, "seed"], dropna=False, sort=False)["value"].mean().reset_index(name="score")
    runs["segmentation"] = without_size(runs["segmentation"])
    language = runs["corpus"] + " " + runs["direction"]
    return runs.assign(language=language, variant=runs["segmentation"], merges=runs["size"].astype(str))


def keys_of(effect: Effect, scores: DataFrame, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that say which effect this is, and the label of its row in the paper."""
    average, own = _SYMBOLS[effect.factor]
    first = scores[scores[effect.factor] == effect.level].iloc[0]
    names, level = ["size"], effect.level
    if effect.factor == "variant":
        names, level = ["segmentation", "algorithm"], (options.get("variants") or {}).get(effect.level, effect.level)
    keys = {name: first[name] for name in names}
    if effect.language is None:
        return {**keys, "row": f"{average} {level}"}
    first = scores[scores["language"] == effect.language].iloc[0]
    language = (options.get("languages") or {}).get(first["corpus"], effect.language)
    return {**keys, "corpus": first["corpus"], "direction": first["direction"], "row": f"{own} {level}, {language}"}


def of_effect(effect: Effect, keys: Mapping[str, Any], name: str) -> Iterator[dict[str, Any]]:
    """Yield mean, interval and quality of an effect, as metrics that begin with this name."""
    lower, upper = effect.interval
    values = {
        "mean": effect.mean,
        "hdi_lower": lower,
        "hdi_upper": upper,
        "includes_zero": int(effect.includes_zero),
        "r_hat": effect.r_hat,
        "samples": effect.effective_samples,
    }
    for metric, value in values.items():
        yield {**keys, "metric": f"{name}_{metric}", "value": value}


def of_contrast(posterior: Posterior, scores: DataFrame, options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the difference of two variants, on average and in every language, if one is asked for and both were run."""
    variants = options.get("contrast") or []
    if not variants or not set(variants) <= set(scores["variant"]):
        return
    of, against = variants
    for effect in posterior.effects:
        if (effect.factor, effect.level) == ("variant", of):
            keys = keys_of(effect, scores, options)
            other = posterior.effect("variant", against, effect.language)
            label = f"{keys['row']} − {keys_of(other, scores, options)['row']}"
            yield from of_effect(effect.minus(other), {**keys, "row": label}, "effect_difference")


def of_sampling(posterior: Posterior, row: str) -> Iterator[dict[str, Any]]:
    """Yield how far the sampler is to be trusted, with a warning where it is not."""
    values = {
        "divergences": posterior.divergences,
        "largest_r_hat": posterior.r_hat,
        "fewest_samples": posterior.effective_samples,
    }
    for metric, value in values.items():
        yield {"row": row, "metric": f"sampler_{metric}", "value": value}
    yield {"row": row, "metric": "sampler_warning", "text": posterior.warning or "none"}
