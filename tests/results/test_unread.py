"""The page on other test sets: its hypotheses by hand, and its findings from the scores that are committed."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from scipy.stats import t as student_t

from experiment.scoring.comparison import BETTER, LEARNED_NOTHING, OPEN, SAME, WORSE
from experiment.scoring.scorebook import read_scores

PAGE = "docs/experiments/size-sweep/unread"


@pytest.fixture(scope="module")
def analysis(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / PAGE / "analysis.py")


def rows_of(testset: str, gain: float, verdict: str) -> list[dict[str, Any]]:
    """Return rows of bpe at two sizes, with a standard deviation of 0.1 over seeds, and of word, which is compared."""
    systems = [("bpe", 500, 50.0, None), ("bpe", 4000, 50.0 + gain, None), ("word", 4000, 47.0, -3.0)]
    return [
        {
            "testset": testset,
            "metric": "chrf",
            "segmentation": f"{algorithm}-{size}",
            "algorithm": algorithm,
            "size": size,
            "seed": seed,
            "score": score + change,
            "effect": effect,
            "effect_low": -4.0,
            "effect_high": -2.0,
            "effect_p_holm": 0.03,
            "verdict": None if effect is None else verdict,
        }
        for algorithm, size, score, effect in systems
        for seed, change in enumerate((-0.1, 0.0, 0.1), 6)
    ]


@pytest.mark.parametrize(
    ("gain", "said"), [(7.0, "confirmed"), (-7.0, "refuted"), (0.1, "refuted"), (0.4, "confirmed")]
)
def test_the_gain_over_sizes_is_welchs_of_the_deciding_test_set(analysis: ModuleType, gain: float, said: str) -> None:
    rows = [*rows_of("mscoco2017", 99.0, OPEN), *rows_of("test2017", gain, OPEN)]
    half = student_t.ppf(0.975, 4) * 0.1 * sqrt(2 / 3)
    shown = f"{gain:+.2f} [{gain - half:+.2f}, {gain + half:+.2f}]".replace("-", "−")
    name, evidence, verdict = next(analysis.hypotheses(rows, "test2017"))
    assert (name, verdict, evidence.startswith(shown)) == ("U1, bpe", said, True)


@pytest.mark.parametrize(
    ("verdict", "said"),
    [(WORSE, "confirmed"), (BETTER, "refuted"), (SAME, "refuted"), (OPEN, "open"), (LEARNED_NOTHING, "open")],
)
def test_a_difference_is_judged_by_the_pipelines_verdict(analysis: ModuleType, verdict: str, said: str) -> None:
    rows = [*rows_of("mscoco2017", 7.0, BETTER), *rows_of("test2017", 7.0, verdict)]
    _, judged = analysis.hypotheses(rows, "test2017")
    assert judged == ("U2, word-4000", "−3.00 [−4.00, −2.00], p = 0.03", said)


@pytest.mark.parametrize(
    ("pair", "language", "systems"), [("en-de", "German", 7), ("en-fr", "French", 6), ("en-cs", "Czech", 9)]
)
def test_the_pages_table_is_that_of_the_scores(
    analysis: ModuleType, root: Path, pair: str, language: str, systems: int
) -> None:
    page = (root / PAGE / "README.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {language}\n")[1].split("\n## ")[0].splitlines()
    now = read_scores(root / PAGE / pair / "scores.csv")
    first = read_scores(root / PAGE / f"../{pair}-2400/scores.csv")
    decides = analysis.DECIDES[pair]
    beside = [name for name in dict.fromkeys(row["testset"] for row in now) if name != decides]  # none in Czech
    shown = [(now, decides), (first, "test2016"), *((now, name) for name in beside)]
    tables = [analysis.compared(rows, name) for rows, name in shown]
    said = {name.split(", ")[1]: verdict for name, _, verdict in analysis.hypotheses(now, decides)}
    assert len(tables[0]) == systems
    for name, row in tables[0].items():
        label = f"`{row['algorithm']}`" + (f" at {row['size']:,}" if name != "word" else "")
        (line,) = [each for each in section if each.startswith(f"| {label}") or each.startswith(f"| U2: {label}")]
        cells = [cell.strip() for cell in line.split("|")[2:-1]]
        for cell, table in zip((cells[0], *cells[2:]), tables, strict=True):
            values = (table[name][column] for column in ("effect", "effect_low", "effect_high"))
            assert cell.startswith("{:+.1f} [{:+.1f}, {:+.1f}]".format(*values).replace("-", "−")), (name, cell)
        assert cells[1] == said[name]
        assert tables[1][name]["verdict"] == WORSE
        sizes = [each["vocabulary"] for each in now if each["segmentation"] in (name, row["baseline"])]
        worse = "worse" if max(sizes) <= 1.25 * min(sizes) else "(worse)"
        for cell, table in zip(cells[3:], tables[2:], strict=True):
            assert cell.endswith(f"] {worse}") == (table[name]["verdict"] == WORSE)


@pytest.mark.parametrize("pair", ["en-de", "en-fr", "en-cs"])
def test_the_findings_follow_from_the_scores(analysis: ModuleType, root: Path, pair: str) -> None:
    found = "\n\n".join(analysis.findings(pair)) + "\n"
    assert found == (root / PAGE / pair / "findings.md").read_text(encoding="utf-8")
