"""From scores to the rows of Table 2: which runs are explained, and which row of the paper each effect belongs to."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from replication import paper, report
from replication.claims import CONFIRMED, NOT_CONFIRMED, UNDECIDED, Runs
from replication.measurements import frame, together
from replication.paper import FOLDER, module, read
from replication.tables import of_value
from subwords.errors import InputError

effects = module(FOLDER / "random-bpe")
hierarchical = import_module("papers.random-bpe.hierarchical")
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def random_bpe() -> paper.Paper:
    return paper.read("random-bpe", "full")


@pytest.fixture
def instead_of_sampling(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Give every effect draws of one's choice, in place of the posterior's."""

    def replace(draws: Any) -> None:
        @wraps(effects.fit)
        def fit(scores: Any, **sampling: Any) -> Any:
            effects = {
                (factor, level, language): draws(factor, level, language)
                for factor in ("variant", "merges")
                for level in dict.fromkeys(scores[factor])
                for language in (None, *dict.fromkeys(scores["language"]))
            }
            return effects, 0

        monkeypatch.setattr(effects, "fit", fit)

    return replace


def of_table1(random_bpe: paper.Paper) -> Any:
    """Return the measurements of the effects in Table 1, with whatever stands in place of the sampler."""
    options = random_bpe.options["effects-of-table1"]
    return frame(effects.effects_of_table1.measure(SimpleNamespace(paper=random_bpe, threads=1), **options))


@pytest.mark.slow
def test_every_row_of_table_2_has_one_measurement(random_bpe: paper.Paper, instead_of_sampling: Any) -> None:
    """An effect's draws are spread about a number of its own: where the paper has it, so must we."""
    values = read("random-bpe").printed["table2"].to_dict("records")
    means = {value["row"]: value["value"] for value in values if value["metric"] == "effect_mean"}
    called = effects.LABELS

    def draws(factor: str, level: str, language: str | None) -> np.ndarray:
        symbol = ("β" if factor == "variant" else "γ") + ("" if language else "̄")
        name = called.get(level, level)
        row = f"{symbol} {name}, {called[language.split(' ')[0]]}" if language else f"{symbol} {name}"
        return means[row] + np.random.default_rng(1).normal(0, 0.1, (4, 500))

    instead_of_sampling(draws)
    measured = of_table1(random_bpe)
    for value in values:
        assert len(of_value(value, measured)) >= 1
    cells = random_bpe.tables["table2"](random_bpe.printed, measured)
    compared = cells[cells["state"] == "compared"]
    assert len(compared) == 30 * 4
    differences = compared[compared["metric"] == "effect_mean"]["difference"]
    assert list(differences) == pytest.approx([0] * 30, abs=0.02)
    quality = cells[cells["state"] == "ours alone"]
    assert len(quality) == 30 * 2  # effective samples and r̂ of every row
    assert quality["ours"].notna().all()


def test_runs_become_scores_by_language_law_and_merges(random_bpe: paper.Paper) -> None:
    keys = {"corpus": "he2020-en-et", "direction": "en-et", "model": "m", "selection": "dev"}
    bpe = keys | {"segmentation": "bpe-2k", "algorithm": "bpe", "size": 2000, "seed": 1}
    uniform = keys | {"segmentation": "random-bpe-uniform-32k", "algorithm": "random-bpe", "size": 32000, "seed": 2}
    rows: Rows = [
        bpe | {"metric": "bleu", "value": 10.0},
        bpe | {"metric": "chrf", "value": 50.0},
        uniform | {"metric": "bleu", "value": 8.0, "testset": "one"},
        uniform | {"metric": "bleu", "value": 9.0, "testset": "two"},
        keys | {"metric": "bleu", "segmentation": "char", "algorithm": "char", "seed": 1, "value": 7.0},
    ]
    found = effects.explained(frame(rows), "bleu")
    assert found[[*hierarchical.FACTORS, "score"]].to_dict("records") == [
        {"language": "he2020-en-et en-et", "variant": "bpe", "merges": "2000", "score": 10.0},
        {"language": "he2020-en-et en-et", "variant": "random-bpe-uniform", "merges": "32000", "score": 8.5},
    ]
    with pytest.raises(InputError, match="no scores in comet"):
        effects.explained(frame(rows), "comet")


def test_nothing_is_measured_where_all_scores_are_equal() -> None:
    row = {"metric": "bleu", "corpus": "c", "direction": "en-et", "algorithm": "bpe", "size": 10, "value": 0.0}
    rows: Rows = [row | {"segmentation": "bpe-10", "seed": 1}, row | {"segmentation": "bpe-10", "seed": 2}]
    assert list(effects.effects_in(frame(rows), "Table 2", {})) == []
    with pytest.raises(InputError, match="unknown option of `sampling` 'drws': did you mean 'draws'"):
        list(effects.effects_in(frame(rows), "Table 2", {"drws": 100}))


@pytest.mark.slow
@pytest.mark.parametrize(("apart", "verdict"), [(0.1, CONFIRMED), (1.0, NOT_CONFIRMED)])
def test_the_contrast_decides_about_random(
    random_bpe: paper.Paper, instead_of_sampling: Any, apart: float, verdict: str
) -> None:
    """Random differs from Standard in one language by so much, with a standard deviation of 0.1."""

    def draws(factor: str, level: str, language: str | None) -> np.ndarray:
        other = level == "random-bpe-softmax"
        shift = apart if other and language == "til-en-uz en-uz" else 0.0
        return shift + np.random.default_rng(7 + other).normal(0, 0.07, (4, 500))

    instead_of_sampling(draws)
    measured = of_table1(random_bpe)
    differences = measured[measured["metric"] == "effect_difference_mean"]
    assert sorted(differences["row"]) == sorted(
        ["β̄ Random − β̄ Standard"]
        + [f"β Random, {name} − β Standard, {name}" for name in ("Estonian", "Finnish", "German", "Uzbek")]
    )
    everything = {name: frame([]) for name in ("scores", *random_bpe.measures)} | {"effects": measured}
    found = report.judged(random_bpe, everything)
    assert found["random-bpe-softmax"].ours.state == verdict


LANGUAGES = ("he2020-en-et", "he2020-en-fi", "he2020-en-de", "til-en-uz")
VARIANTS = {"bpe": "bpe", "random-bpe-softmax": "random-bpe", "random-bpe-uniform": "random-bpe"}


@pytest.mark.slow
def test_three_seeds_of_equal_noise_do_not_show_where_it_is_larger(random_bpe: paper.Paper) -> None:
    """Every system has the same noise: nearly no draw of three seeds may decide what has more."""
    chance = np.random.default_rng(2)
    states: dict[str, list[str]] = {"random-bpe-noise": [], "random-bpe-noise-grows": []}
    for _ in range(20):
        measured = frame(
            {"metric": "bleu", "corpus": corpus, "direction": f"en-{corpus[-2:]}", "model": "m", "algorithm": algorithm}
            | {"segmentation": f"{variant}-{label}", "size": size, "seed": seed, "value": chance.normal(20)}
            for corpus in LANGUAGES
            for variant, algorithm in VARIANTS.items()
            for label, size in (("2k", 2000), ("5k", 5000), ("32k", 32000))
            for seed in (1, 2, 3)
        )
        for name, found in states.items():
            found.append(random_bpe.claims[name](Runs(measured)).state)
    for found in states.values():
        assert found.count(UNDECIDED) >= 18


@pytest.mark.parametrize(
    ("corpus", "variant", "state"),
    [
        ("", "bpe", CONFIRMED),
        ("", "random-bpe-uniform", CONFIRMED),
        ("he2020-en-de", "bpe", NOT_CONFIRMED),
        ("he2020-en-fi", "random-bpe-uniform", NOT_CONFIRMED),
    ],
)
def test_intervals_are_judged_in_languages_and_not_on_average(
    random_bpe: paper.Paper, corpus: str, variant: str, state: str
) -> None:
    """What includes 0 in the paper excludes it, in one language or in the average over them."""
    printed = together(random_bpe.printed.values())
    changed = (printed["metric"] == "effect_includes_zero") & (printed["segmentation"] == variant)
    printed.loc[changed & (printed["corpus"] == corpus), "value"] = 0.0
    assert random_bpe.claims["random-bpe-intervals"](Runs(printed)).state == state


def test_the_page_says_what_was_measured_of_table_1() -> None:
    folder = FOLDER.parent / "docs/reproductions/random-bpe-effects"
    measured = pd.read_csv(folder / "effects.csv").set_index(["metric", "row"])["value"]
    printed = read("random-bpe").printed["table2"].set_index(["metric", "row"])["value"]
    differs = (measured.loc[printed.index] - printed).groupby("metric").agg(list)
    assert len(differs["effect_mean"]) == 30
    off = np.array(differs["effect_mean"])
    ends = np.array([*differs["effect_hdi_lower"], *differs["effect_hdi_upper"]])
    lines = (folder / "README.md").read_text(encoding="utf-8").replace("−", "-")
    assert f"seed 1 | {np.sqrt(np.mean(off**2)):.3f} | {abs(off).max():.3f} |" in lines
    text = " ".join(lines.split())
    assert f"differ by {np.sqrt(np.mean(ends**2)):.2f} (root mean square), at most {abs(ends).max():.2f}" in text
    assert f"and {np.sum(np.array(differs['effect_includes_zero']) == 0)} of 30 check marks are the same" in text
    assert f"ends at {measured['effect_hdi_upper', 'γ 32000, Estonian']:.3f}." in text
    assert f"r̂ is at most {measured['effect_r_hat'].max():.3f}" in text
    assert f"at least {int(measured['effect_samples'].min())} effective samples" in text
    assert f"warns of {measured['sampler_divergences'].item():.0f} divergences" in text
    for language in ("average", "Estonian", "Finnish", "German", "Uzbek"):
        pair = [f"β {name}, {language}" if language != "average" else f"β̄ {name}" for name in ("Random", "Standard")]
        mean, lower, upper = (
            measured[f"effect_difference_{part}", " − ".join(pair)] for part in ("mean", "hdi_lower", "hdi_upper")
        )
        assert f"| {language} | {mean:.2f} | {lower:.2f} to {upper:.2f} |" in lines
