"""From scores to the rows of Table 2: which runs are explained, and which row of the paper each effect belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from papers import paper, published
from papers.analyses.effects import effects_in, explained
from papers.analyses.effects_of_published import replicated
from papers.claims.judging import judge
from papers.claims.verdicts import CONFIRMED, NOT_CONFIRMED, NOT_TESTABLE
from papers.measurements import frame, published_frame
from papers.measures import hierarchical
from papers.measures.hierarchical import Effect, Posterior, Sampling
from papers.rendering.table_building import build_table
from papers.selection import of_value
from subwords.errors import InputError

FILE = paper.FOLDER / "random-bpe.yaml"
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def random_bpe() -> paper.Paper:
    return paper.read(FILE, "full")


@pytest.fixture
def instead_of_sampling(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Give every effect draws of one's choice, in place of the posterior's."""

    def replace(draws: Any) -> None:
        def fit(scores: Any, sampling: Sampling) -> Posterior:
            effects = [
                Effect(factor, level, language, draws(factor, level, language))
                for factor in ("variant", "merges")
                for level in dict.fromkeys(scores[factor])
                for language in (None, *dict.fromkeys(scores["language"]))
            ]
            return Posterior(effects, 0)

        monkeypatch.setattr(hierarchical, "fit", fit)

    return replace


def options_of(random_bpe: paper.Paper, name: str = "effects") -> dict[str, Any]:
    return {key: value for key, value in random_bpe.analyses[name].items() if key != "kind"}


def test_every_row_of_table_2_has_one_measurement(random_bpe: paper.Paper, instead_of_sampling: Any) -> None:
    """An effect's draws are spread about a number of its own: where the paper has it, so must we."""
    values = published.tables("random-bpe")["table2"]
    means = {value.row: float(value.value) for value in values if value.metric == "effect_mean"}
    variants = random_bpe.analyses["effects"]["variants"]
    languages = random_bpe.analyses["effects"]["languages"]

    def draws(factor: str, level: str, language: str | None) -> np.ndarray:
        symbol = ("β" if factor == "variant" else "γ") + ("" if language else "̄")
        name = variants.get(level, level)
        row = f"{symbol} {name}, {languages[language.split(' ')[0]]}" if language else f"{symbol} {name}"
        return means[row] + np.random.default_rng(1).normal(0, 0.1, (4, 500))

    instead_of_sampling(draws)
    table1 = published.tables("random-bpe")["table1"]
    measured = frame(effects_in(replicated(table1, 10), options_of(random_bpe, "effects-of-table1")))
    for value in values:
        assert len(of_value(value, measured)) >= 1
    table = build_table("random-bpe", "full", "table2", values, random_bpe.tables["table2"], measured)
    compared = [cell for cell in table.cells.values() if cell.printed]
    assert len(compared) == 30 * 4
    for cell in compared:
        assert cell.ours.known
        if cell.value.metric == "effect_mean":
            assert cell.difference == pytest.approx(0, abs=0.02)
    quality = [cell for cell in table.cells.values() if not cell.printed]
    assert len(quality) == 30 * 2  # effective samples and r̂ of every row
    assert all(cell.ours.known for cell in quality)


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
    found = explained(frame(rows), {"metric": "bleu"})
    assert found[[*hierarchical.FACTORS, "score"]].to_dict("records") == [
        {"language": "he2020-en-et en-et", "variant": "bpe", "merges": "2000", "score": 10.0},
        {"language": "he2020-en-et en-et", "variant": "random-bpe-uniform", "merges": "32000", "score": 8.5},
    ]
    with pytest.raises(InputError, match="no scores in comet"):
        explained(frame(rows), {"metric": "comet"})


def test_nothing_is_measured_where_all_scores_are_equal() -> None:
    row = {"metric": "bleu", "corpus": "c", "direction": "en-et", "algorithm": "bpe", "size": 10, "value": 0.0}
    rows: Rows = [row | {"segmentation": "bpe-10", "seed": 1}, row | {"segmentation": "bpe-10", "seed": 2}]
    assert list(effects_in(frame(rows), {})) == []


def test_an_unknown_option_of_sampling_is_named() -> None:
    table1 = published.tables("random-bpe")["table1"]
    with pytest.raises(InputError, match="drawings"):
        list(effects_in(replicated(table1, 10), {"sampling": {"drawings": 3}}))


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
    table1 = published.tables("random-bpe")["table1"]
    measured = frame(effects_in(replicated(table1, 10), options_of(random_bpe)))
    differences = measured[measured["metric"] == "effect_difference_mean"]
    assert sorted(differences["row"]) == sorted(
        ["β̄ Random − β̄ Standard"]
        + [f"β Random, {name} − β Standard, {name}" for name in ("Estonian", "Finnish", "German", "Uzbek")]
    )
    found = judge("random-softmax", random_bpe.claims["random-softmax"], frame([]), measured)
    assert found.ours.state == verdict


def test_published_values_of_the_claims_are_as_the_page_says(random_bpe: paper.Paper, root: Any) -> None:
    """The verdicts on the paper's own numbers are those of docs/papers.md."""
    theirs = published_frame(value for table in published.tables("random-bpe").values() for value in table)
    page = (root / "docs" / "papers.md").read_bytes().decode("utf-8")
    lines = {
        line.split("`")[1]: line.split("|")[-2].strip() for line in page.split("\n") if line.startswith("| `random-")
    }
    assert set(lines) == set(random_bpe.claims)
    for name, claim in random_bpe.claims.items():
        state = judge(name, claim, theirs, frame([])).published.state
        said = lines[name]
        expected = {"holds": CONFIRMED, "not borne out": NOT_CONFIRMED}
        assert state == next((v for begin, v in expected.items() if said.startswith(begin)), NOT_TESTABLE), (name, said)
