"""The sweep at equal numbers of entries: hypotheses by hand, and findings from the scores that are committed."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from pathlib import Path
from statistics import fmean, variance
from types import ModuleType
from typing import Any

import pytest
from scipy.stats import t as student_t

from experiment.scoring.contrasts import Interval, contrast
from experiment.scoring.scorebook import read_scores

PAGE = "docs/experiments/size-sweep/equal-entries"


@pytest.fixture(scope="module")
def analysis(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / PAGE / "analysis.py")


def row(algorithm: str, seed: int, score: float, entries: int, size: int = 500, **more: Any) -> dict[str, Any]:
    name = f"{algorithm}-of-{entries}"
    systems = {"segmentation": name, "algorithm": algorithm, "size": size, "vocabulary": entries}
    compared = {"effect": None, "effect_low": -2.0, "effect_high": -1.0, "effect_p_holm": 0.01, "verdict": ""}
    return {"testset": "test2017", "metric": "chrf", "seed": seed, "score": score, **systems, **compared, **more}


def sweep(algorithm: str, scores: dict[int, list[float]], sizes: list[int]) -> list[dict[str, Any]]:
    return [
        row(algorithm, seed, score, entries, size)
        for size, (entries, seeds) in zip(sizes, scores.items(), strict=True)
        for seed, score in enumerate(seeds)
    ]


def test_interpolation_by_hand(analysis: ModuleType) -> None:
    """Half way between 400 and 1,600 entries, in logarithms, are 800."""
    bpe = {800: [50.0, 50.2]}
    hft = {400: [48.0, 48.4], 1600: [53.0, 53.6]}
    signed = analysis.interpolated([*sweep("bpe", bpe, [500]), *sweep("hft", hft, [400, 1600])], "hft", 500)
    assert [weight for weight, _ in signed] == pytest.approx([0.5, 0.5, -1])
    assert sum(weight * fmean(seeds) for weight, seeds in signed) == pytest.approx((48.2 + 53.3) / 2 - 50.1)
    uneven = analysis.interpolated([*sweep("bpe", {600: [50.0]}, [500]), *sweep("hft", hft, [400, 1600])], "hft", 500)
    assert uneven[1][0] == pytest.approx(log(600 / 400) / log(4))


def test_e1_is_welchs_interval_of_the_mean_of_both_numbers_of_entries(analysis: ModuleType) -> None:
    groups = {
        ("hft", 500): [51.0, 51.4, 51.3],
        ("bpe", 500): [50.0, 50.1, 50.5],
        ("hft", 1000): [54.0, 53.2, 53.9],
        ("bpe", 1000): [51.5, 51.1, 51.7],
    }
    rows = [row(name, seed, each, n) for (name, n), of in groups.items() for seed, each in enumerate(of)]
    value = (fmean(groups["hft", 500] + groups["hft", 1000])) - fmean(groups["bpe", 500] + groups["bpe", 1000])
    parts = [variance(of) / 3 / 4 for of in groups.values()]  # of a mean of three, in a mean of two
    half = student_t.ppf(0.975, sum(parts) ** 2 / sum(part**2 / 2 for part in parts)) * sum(parts) ** 0.5
    (_, evidence, verdict) = next(analysis.hypotheses({"en-de": rows}))
    assert evidence.startswith(f"{value:+.2f} [{value - half:+.2f}, {value + half:+.2f}]")
    assert verdict == "confirmed"
    swapped = [each | {"algorithm": {"hft": "bpe", "bpe": "hft"}[each["algorithm"]]} for each in rows]
    assert next(analysis.hypotheses({"en-de": swapped}))[2] == "refuted"


@pytest.mark.parametrize(
    ("verdict", "said"),
    [("worse", "confirmed"), ("better", "refuted"), ("same", "refuted"), ("open", "open"), ("learned nothing", "open")],
)
def test_e2_follows_the_pipelines_verdict(analysis: ModuleType, verdict: str, said: str) -> None:
    rows = [row(name, s, 50 + s / 10, n) for n in (500, 1000) for name in ("hft", "bpe") for s in range(3)]
    rows += [row("unigram", s, 48.0, 500, effect=-1.5, verdict=verdict) for s in range(3)]
    found = [each for each in analysis.hypotheses({"en-de": rows}) if each[0].startswith("E2")]
    assert found == [("E2, unigram, English to German", "−1.50 [−2.00, −1.00], p = 0.01", said)]


def test_the_findings_follow_from_the_scores(analysis: ModuleType, root: Path) -> None:
    found = "\n\n".join(analysis.findings(root / PAGE)) + "\n"
    assert (root / PAGE / "findings.md").read_text(encoding="utf-8") == found


def test_the_pages_table_is_that_of_the_scores(analysis: ModuleType, root: Path) -> None:
    """A line a hypothesis: what decides, its verdict, and the same on test 2016."""
    page = (root / PAGE / "README.md").read_text(encoding="utf-8").splitlines()
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page if line.startswith("|")][2:]
    pairs = {pair: read_scores(root / PAGE / pair / "scores.csv") for pair in analysis.PAIRS}

    def shown(pair: str, name: str, testset: str) -> str:
        if name == "hft":
            effect = contrast(analysis.hft_less_bpe(pairs[pair], testset))[0]
        else:
            keys = (name, testset, "chrf")
            found = next(r for r in pairs[pair] if (r["algorithm"], r["testset"], r["metric"]) == keys)
            effect = Interval(found["effect"], found["effect_low"], found["effect_high"])
        return effect.text(1)

    asked = [("hft", pair) for pair in pairs] + [(name, pair) for pair in pairs for name in ("unigram", "wordpiece")]
    verdicts = [verdict for *_, verdict in analysis.hypotheses(pairs)]
    assert len(lines) == len(asked) == len(verdicts)
    for (label, decides, said, beside), (name, pair), verdict in zip(lines, asked, verdicts, strict=True):
        title, testset = analysis.PAIRS[pair]
        assert title.split()[-1] in label
        assert f"`{name}`" in label or name == "hft"
        assert decides.partition("], ")[0].rstrip("]") + "]" == shown(pair, name, testset)
        assert said in (verdict, verdict.removeprefix("not asked (").removesuffix(")"))
        assert beside == shown(pair, name, "test2016")
