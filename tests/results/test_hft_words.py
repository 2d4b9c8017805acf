"""The page of HFT's words: what is committed of findings follows from the scores and dev curves that are committed."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any

import pytest
from sacrebleu.metrics import BLEU
from scipy.stats import ttest_ind

from subwords.errors import InputError
from subwords.files import write_lines


@pytest.mark.parametrize(
    "form",
    [
        ".",
        "paper-model",
        "paper-model/seeds",
        "cpu",
        "cpu-ga-en",
        "cpu-en-mr",
        "cpu-mr-en",
        "further-seeds",
        "sentencepiece",
    ],
)
def test_the_findings_follow_from_the_scores(root: Path, load_program: Callable[[Path], ModuleType], form: str) -> None:
    """But for those that need the corpus."""
    page = root / "docs/experiments/hft-words"
    found = "\n\n".join(load_program(page / "analysis.py").findings(page / form))
    assert (page / form / "findings.md").read_text(encoding="utf-8").startswith(found)


def test_means_of_printed_differences_are_those_of_the_scores(
    root: Path, load_program: Callable[[Path], ModuleType]
) -> None:
    """What is read back from the tables of the directions has been rounded, so the last digit can be another one."""
    page = root / "docs/experiments/hft-words"
    analysis = load_program(page / "analysis.py")
    (line,) = [line for line in analysis.means_over_directions(page).splitlines() if line.startswith("| all |")]
    numbers = [float(number) for number in re.findall(r"[-+][0-9.]+", line.replace("−", "-"))]
    expected = analysis.differences(analysis.first_seeds(page), "bleu")
    for place, name in enumerate(("bpe-raw", "bpe-moses", "hft")):
        mean = analysis.mean(expected[name].values())
        assert numbers[3 * place : 3 * place + 3] == pytest.approx([mean.value, mean.low, mean.high], abs=0.0151)


def rows_of(effects: dict[str, tuple[float, float]], size: int | None, seeds: int) -> list[dict[str, Any]]:
    """Return rows of hft: direction -> its difference from bpe-hft-words, and the half-width of its interval."""
    return [
        {
            "metric": "bleu",
            "segmentation": f"hft-{size}" if size else "hft",
            "size": size or 2000,
            "direction": direction,
            "seed": seed,
            "effect": effect,
            "effect_low": effect - half,
            "effect_high": effect + half,
            "copied_source": 1.0,
            "verdict": "open",
        }
        for direction, (effect, half) in effects.items()
        for seed in range(seeds)
    ]


@pytest.mark.parametrize(
    ("effect", "half", "verdict", "said_of_row"),
    [
        (0.4, 0.6, "confirmed", "better"),
        (0.1, 0.6, "open", "open"),
        (-0.4, 0.6, "refuted", "worse"),
        (0.4, 0.6, "not testable", "learned nothing"),
    ],
)
def test_s_of_further_seeds_is_judged_by_its_rule(
    root: Path, load_program: Callable[[Path], ModuleType], effect: float, half: float, verdict: str, said_of_row: str
) -> None:
    """Four directions with one half-width h have a mean of h / 2: √(4 h²) / 4."""
    analysis = load_program(root / "docs/experiments/hft-words/analysis.py")
    directions = dict.fromkeys(("en-ga", "ga-en", "en-mr", "mr-en"), (effect, half))
    rows, first = rows_of(directions, 3000, 10), rows_of(directions, None, 5)
    rows[-1]["verdict"] = said_of_row
    said, together = analysis.of_further_seeds(rows, first)
    low, high = (f"{effect + sign * half / 2:+.2f}".replace("-", "−") for sign in (-1, 1))
    assert f"the 10 new seeds: {effect:+.2f} [{low}, {high}], {verdict}.".replace("-", "−") in said
    pooled = (100 + 25) ** 0.5 / 15 * half / 2  # two independent means, weighted 10 to 5
    assert f"[{effect - pooled:+.2f}, {effect + pooled:+.2f}].".replace("-", "−") in together
    assert "no verdict" in next(analysis.of_further_seeds(rows_of(directions, 3000, 9), first))
    with pytest.raises(InputError, match="lack a direction"):
        [*analysis.of_further_seeds([row for row in rows if row["direction"] != "en-ga"], first)]


def test_the_page_has_the_further_seeds_as_their_findings(root: Path) -> None:
    page = root / "docs/experiments/hft-words"
    findings = (page / "further-seeds/findings.md").read_text(encoding="utf-8")
    found = [line.partition(" | ")[2] for line in findings.splitlines() if line.startswith("| hft less")][:3]
    text = (page / "README.md").read_text(encoding="utf-8").partition("### Ten further seeds\n")[2]
    shown = [line.partition(" | ")[2] for line in text.splitlines() if line.startswith(("| BLEU |", "| chrF"))]
    assert shown[:3] == found


def test_the_page_has_what_sentencepiece_found(root: Path) -> None:
    page = root / "docs/experiments/hft-words"
    findings = (page / "sentencepiece/findings.md").read_text(encoding="utf-8")
    text = (page / "README.md").read_text(encoding="utf-8").partition("### BPE on raw text by SentencePiece\n")[2]
    cells = [line.partition(" | ")[2] for line in findings.splitlines() if line.startswith(("| BLEU |", "| chrF"))]
    crossed = findings.partition("| BLEU, over seeds and sentences")[2].splitlines()
    cells += [line.partition(" | ")[2] for line in crossed if line.startswith("| spm less") and "cut at" not in line]
    shown = [line.partition(" | ")[2] for line in text.partition("## The paper's model")[0].splitlines()]
    found = {line for line in cells if "[" in line}
    assert len(found) == 6
    assert found <= {*shown}
    of_first_seeds = findings.partition("| BLEU, less earlier seeds")[2].partition("| chrF, less")[0].splitlines()
    for name in ("bpe-hft-words", "bpe-moses", "hft"):
        (line,) = (line for line in of_first_seeds if line.startswith(f"| spm less {name} |"))
        mean = line.rstrip(" |").rpartition("| ")[2]
        assert f"{mean} over {name}" in " ".join(text.split())
    said = re.search(r"BLEU: \+([\d.]+) \[\+([\d.]+), \+([\d.]+)\], confirmed", findings)
    assert said
    value, low, high = (f"{float(number):.1f}" for number in said.groups())
    assert f"is {value} [{low}, {high}] BLEU above subword-nmt's: P is confirmed" in " ".join(text.split())


def test_differences_with_all_seeds_are_welchs(root: Path, load_program: Callable[[Path], ModuleType]) -> None:
    analysis = load_program(root / "docs/experiments/hft-words/analysis.py")
    first = {"bpe-hft-words": [4.0, 4.4], "hft": [4.5, 4.9], "bpe-raw": [3.0, 3.5], "bpe-moses": [4.8, 5.1]}
    new = {"bpe-hft-words": [4.6, 5.0, 5.3], "hft": [4.4, 5.2, 4.6]}

    def rows(scores: dict[str, list[float]]) -> list[dict[str, Any]]:
        return [
            {"metric": "bleu", "segmentation": name, "size": None, "direction": direction, "score": score + shift}
            for direction, shift in (("en-ga", 0), ("ga-en", 7))
            for name, seeds in scores.items()
            for score in seeds
        ]

    lines = analysis.over_all_seeds(rows(new), rows(first), "bleu").splitlines()
    cells = {line.split(" | ")[0]: line.strip(" |").split(" | ")[1:] for line in lines[2:]}
    words = first["bpe-hft-words"] + new["bpe-hft-words"]
    asked = {
        "bpe-hft-words, new seeds less the first": (new["bpe-hft-words"], first["bpe-hft-words"]),
        "bpe-raw less bpe-hft-words, all seeds": (first["bpe-raw"], words),
        "hft less bpe-moses, all seeds": (first["hft"] + new["hft"], first["bpe-moses"]),
    }
    for said, (one, other) in asked.items():
        low, high = ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
        expected = f"{fmean(one) - fmean(other):+.2f} [{low:+.2f}, {high:+.2f}]".replace("-", "−")
        assert cells[f"| {said}"][:2] == [expected, expected]
        assert cells[f"| {said}"][2].split(" ")[0] == expected.split(" ")[0]


def test_the_page_says_what_all_seeds_give(root: Path) -> None:
    page = root / "docs/experiments/hft-words"
    findings = (page / "further-seeds/findings.md").read_text(encoding="utf-8").partition("All seeds")[2]
    means: dict[str, list[str]] = {}  # of BLEU and of chrF
    for line in findings.splitlines():
        means.setdefault(line.split(" | ")[0].strip("| "), []).append(line.strip(" |").split(" | ")[-1])
    raw, moses = (means[f"{name} less bpe-hft-words, all seeds"] for name in ("bpe-raw", "bpe-moses"))
    text = " ".join((page / "README.md").read_text(encoding="utf-8").split())
    assert f"W's mean is {raw[0]} BLEU and {raw[1]} chrF, M's {moses[0]} and {moses[1]}." in text
    bleu, chrf = (mean.replace("+", "") for mean in means["bpe-hft-words, new seeds less the first"])
    assert f"Its ten new ones are {chrf} chrF and {bleu} BLEU above them" in text


@pytest.mark.parametrize(
    ("effect", "half", "failed", "verdict"),
    [
        (0.6, 1.0, 0, "confirmed"),  # the mean of four has half of this half-width
        (0.4, 1.0, 0, "open"),
        (-0.6, 1.0, 0, "refuted"),
        (0.1, 0.6, 0, "refuted"),  # within 0.5 of 0
        (0.2, 0.2, 0, "confirmed"),  # above 0, though within 0.5 of it
        (0.1, 0.9, 0, "open"),  # not within 0.5 of 0
        (0.4, 0.6, 1, "confirmed"),  # 0.6 / √3 with three directions
        (0.4, 0.6, 2, "not testable"),
    ],
)
def test_p_is_judged_by_its_rule(
    root: Path, load_program: Callable[[Path], ModuleType], effect: float, half: float, failed: int, verdict: str
) -> None:
    analysis = load_program(root / "docs/experiments/hft-words/analysis.py")
    directions = ("en-ga", "ga-en", "en-mr", "mr-en")
    rows, first = [], []
    for direction in directions:
        spm = rows_of({direction: (effect, half)}, None, 3)
        name = "spm-irish" if "ga" in direction else "spm-marathi"
        rows += [{**row, "segmentation": name, "score": 5.0 + 2 * row["seed"]} for row in spm]
        raw = [{**row, "segmentation": "bpe-raw-2000", "size": 2000, "effect": None, "verdict": ""} for row in spm]
        rows += [{**row, "score": 4.0 + row["seed"]} for row in raw]
        names = ("bpe-raw", "bpe-hft-words", "bpe-moses", "hft")
        first += [{**row, "segmentation": name, "score": 3.5 + row["seed"]} for name in names for row in spm]
    for row in rows:
        loser = "bpe-raw-2000" if row["direction"] == "ga-en" else "spm-irish"
        if row["segmentation"] == loser and row["direction"] in directions[:failed]:
            row["verdict"] = "learned nothing"
    further = [{**row, "score": row["score"] + 1, "metric": "bleu"} for row in first]
    chrf = [[{**row, "metric": "chrf"} for row in each] for each in (rows, first, further)]
    both = [[*each, *more] for each, more in zip((rows, first, further), chrf, strict=True)]
    said, table, before, _ = analysis.of_sentencepiece(*both)
    if verdict == "not testable":
        assert said == "P: not testable, learned nothing: en-ga, ga-en."
    else:
        interval = half / (4 - failed) ** 0.5
        shown = f"{effect:+.2f} [{effect - interval:+.2f}, {effect + interval:+.2f}], {verdict}.".replace("-", "−")
        assert said == f"P, the mean of {4 - failed} directions, spm less bpe-raw, BLEU: {shown}"
    assert table.splitlines()[2].count("learned nothing") == min(failed, 1)  # bpe-raw is not in the table
    low, high = ttest_ind([4, 5, 6], [3.5, 4.5, 5.5], equal_var=False).confidence_interval(0.95)
    lines = {line.split(" | ")[0]: line.strip(" |").split(" | ")[1:] for line in before.splitlines()}
    assert (
        lines["| bpe-raw less bpe-raw, its first five seeds"][:4]
        == [f"+0.50 [{low:+.2f}, {high:+.2f}]".replace("-", "−")] * 4
    )
    low, high = ttest_ind([5, 7, 9], [3.5, 4.5, 5.5], equal_var=False).confidence_interval(0.95)
    assert lines["| spm less hft"][:4] == [f"+2.50 [{low:+.2f}, {high:+.2f}]".replace("-", "−")] * 4
    low, high = ttest_ind([5, 7, 9], [3.5, 4.5, 5.5, 4.5, 5.5, 6.5], equal_var=False).confidence_interval(0.95)
    assert lines["| spm less hft, fifteen seeds"][:4] == [f"+2.00 [{low:+.2f}, {high:+.2f}]".replace("-", "−")] * 4
    assert next(analysis.of_sentencepiece(rows[1:], first, [])) == "P: no verdict, 23 trainings are finished."


def test_translations_of_sentencepiece_are_compared_with_those_of_all_earlier_seeds(
    root: Path, load_program: Callable[[Path], ModuleType], tmp_path: Path
) -> None:
    """Later seeds of HFT, here without their first words, count; earlier ones of bpe-raw, here perfect, do not.

    SentencePiece's translations are longer than those of bpe-raw, and equal where they are cut.
    """
    analysis = load_program(root / "docs/experiments/hft-words/analysis.py")
    english = [f"the {number} cats sat on a mat and slept there" for number in range(30)]
    for language in ("en", "ga"):
        write_lines(tmp_path / f"corpora/en-ga/references/test_ga2en.{language}", english)
    longer = [" ".join(f"{line} {line}".split()[:15]) for line in english]  # one and a half times the reference's words
    spm = [f"{line} and more" for line in longer]
    written = {
        "sentencepiece": {"spm-irish": spm, "bpe-raw-2000": longer},
        "cpu-ga-en": {"bpe-raw": english, "hft": spm, "bpe-moses": english, "bpe-hft-words": spm},
        "further-seeds": {"hft-2000": [line[8:] for line in spm], "bpe-hft-words-2000": spm},
    }
    for folder in ("sentencepiece", *analysis.DIRECTIONS, "further-seeds"):
        (tmp_path / folder).mkdir()
        with tarfile.open(tmp_path / folder / "translations.tar.xz", "w:xz") as archive:
            for name, translated in written.get(folder, {}).items():
                for seed in (16, 17):
                    first = seed + 10 * (folder == "further-seeds")
                    data = "".join(f"{line}\n" for line in translated).encode()
                    member = tarfile.TarInfo(f"{name}/seed{first}.test_ga2en.hyp")
                    member.size = len(data)
                    archive.addfile(member, io.BytesIO(data))
    head, _, *found = analysis.of_spm_translations(tmp_path, [tmp_path / "corpora/en-ga"]).splitlines()
    assert head == "| BLEU, over seeds and sentences | ga-en | mean |"
    effects = {line.split(" | ")[0].strip("| "): line.split(" | ")[1].replace("−", "-") for line in found}
    assert effects["spm less bpe-raw, cut at 1.5 times the reference's words"].startswith("+0.00 [")
    assert effects["spm less bpe-hft-words"].startswith("+0.00 [")
    of_spm, of_later = (
        BLEU().corpus_score(each, [english]).score for each in (spm, written["further-seeds"]["hft-2000"])
    )
    for other, expected in (("hft", (of_spm - of_later) / 2), ("bpe-moses", of_spm - 100)):
        effect = effects[f"spm less {other}"].partition(" ")[0]
        assert float(effect) == pytest.approx(expected, abs=0.006)


def test_the_figure_has_the_differences_of_the_findings(root: Path, load_program: Callable[[Path], ModuleType]) -> None:
    page = root / "docs/experiments/hft-words"
    found = [
        line.split(" | ")[1:]
        for path in (page / "findings.md", page / "further-seeds/findings.md")
        for line in path.read_text(encoding="utf-8").replace("−", "-").partition("| chrF")[0].splitlines()
        if " less bpe-hft-words" in line
    ]
    drawn = [
        [f"{value:+.2f}" for value in series.lines[0].get_xdata()]
        for axes in load_program(page / "analysis.py").figure(page).axes
        for series in axes.containers
    ]
    assert drawn == [[cell.split(" ")[0] for cell in cells] for cells in found]
