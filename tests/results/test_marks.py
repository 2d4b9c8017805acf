"""The page on marks: its algorithms against BPE itself, its verdicts by hand, and what its experiments train."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from snakemake.utils import update_config

from experiment.config import Experiment, load
from subwords.bpe import BPE
from subwords.errors import InputError
from subwords.segmenter import Segmenter
from subwords.testing import CHECKS, check_contract

PAGE = "docs/experiments/marks"
TEXT = "abcab bcab abcab\nxyzx abab ##ab ab##ab\ncbab babab abcab"


@pytest.fixture(scope="module")
def marked(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / PAGE / "marked_bpe.py")


@pytest.fixture(scope="module")
def analysis(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / PAGE / "analysis.py")


def learned(cls: type[Segmenter], text: str, folder: Path) -> Segmenter:
    path = folder / "text"
    path.write_text(text, encoding="utf-8")
    return cls.learn([path], 5)


@pytest.mark.parametrize("name", ["BPEInFront", "MirroredBPE", "MirroredBehind"])
def test_the_algorithms_hold_the_contract(marked: ModuleType, name: str) -> None:
    quick = [check for check in CHECKS if check != "another_process_learns_the_same"]
    assert check_contract(getattr(marked, name), quick) == []


def test_marks_in_front_leave_the_cuts_of_bpe(marked: ModuleType, tmp_path: Path) -> None:
    plain, front = (learned(cls, TEXT, tmp_path) for cls in (BPE, marked.BPEInFront))
    for line in TEXT.replace("##", "").splitlines():
        words = [[piece.removesuffix("@@") for piece in plain.encode(word).split(" ")] for word in line.split(" ")]
        assert front.encode(line) == " ".join(" ##".join(pieces) for pieces in words)


def test_mirrored_bpe_is_bpe_of_reversed_words(marked: ModuleType, tmp_path: Path) -> None:
    text = TEXT.replace("##", "")
    mirrored, behind = (learned(cls, text, tmp_path) for cls in (marked.MirroredBPE, marked.MirroredBehind))
    backwards = learned(BPE, "\n".join(line[::-1] for line in text.splitlines()), tmp_path)
    for line in text.splitlines():
        pieces = backwards.encode(line[::-1])[::-1]  # "ab @@cd" is the word abcd
        assert mirrored.encode(line) == pieces.replace("@@", "##")
        assert behind.encode(line) == pieces.replace(" @@", "@@ ")


def test_each_written_piece_is_known(marked: ModuleType, tmp_path: Path) -> None:
    for cls in (marked.BPEInFront, marked.MirroredBPE, marked.MirroredBehind):
        model = learned(cls, f"{TEXT} @@ @@ a@@ a@@", tmp_path)
        assert {piece for line in TEXT.splitlines() for piece in model.encode(line).split(" ")} <= {
            *model.known_pieces()
        }
        assert all(piece.removeprefix("##") for piece in model.known_pieces())


def test_they_are_kept_to_no_vocabulary(marked: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "vocabulary").write_text("ab 3\n")
    with pytest.raises(InputError, match="bpe-mirrored keeps pieces to no vocabulary"):
        marked.MirroredBPE([("a", "b")], vocabulary=str(tmp_path / "vocabulary"))


def rows_of(
    system: str, baseline: str, testset: str, found: tuple[float, float, float], verdict: str
) -> list[dict[str, Any]]:
    """Return rows of both systems, five seeds each: effect, half of its interval, p."""
    effect, half, p_value = found
    row = {"testset": testset, "metric": "chrf", "baseline": None, "effect": None}
    compared = {
        "baseline": baseline,
        "effect": effect,
        "effect_low": effect - half,
        "effect_high": effect + half,
        "effect_p": p_value,
        "over_seeds": True,
        "verdict": verdict,
    }
    seeds = range(6, 11)
    return [
        *(row | {"segmentation": baseline, "seed": seed} for seed in seeds),
        *(row | {"segmentation": system, "seed": seed} | compared for seed in seeds),
    ]


def test_verdicts_are_corrected_over_all_six(analysis: ModuleType) -> None:
    """The smallest of six p-values is multiplied by 6, the next by 5, 4, ..., and none is below the one before."""
    found = [(2.0, 1.5, 0.008), (0.1, 0.3, 0.7), (-2.0, 1.6, 0.009), (1.0, 1.3, 0.1), (1.0, 1.3, 0.04), (0.2, 0.9, 0.6)]
    pairs: dict[str, list[dict[str, Any]]] = {"demo": [], "en-de": []}
    keys = [(pair, testset, names) for pair, (_, testset) in analysis.PAIRS.items() for names in analysis.COMPARED]
    for (pair, testset, names), values in zip(keys, found, strict=True):
        pairs[pair] += rows_of(*names, testset, values, "learned nothing" if values[-1] == 0.6 else "better")
        pairs[pair] += rows_of(*names, "another", (9.0, 0.1, 1e-9), "better")
    said = [(evidence.rpartition("p = ")[2], verdict) for _, evidence, verdict in analysis.judged(pairs)]
    p_values = ["0.048", "1", "0.048", "0.3", "0.16", "1"]
    assert said[:6] == list(zip(p_values, ["better", "same", "worse", "open", "open", "learned nothing"], strict=True))
    assert [verdict for _, verdict in said[6:]] == ["in front is better", "open"]


def test_what_is_unfinished_has_no_verdict_and_counts(analysis: ModuleType) -> None:
    (_, testset), names = analysis.PAIRS["demo"], analysis.COMPARED[0]
    rows = rows_of(*names, testset, (2.0, 1.5, 0.008), "better")
    said = list(analysis.judged({"demo": rows}))
    assert said[0][1:] == ("+2.00 [+0.50, +3.50], p = 0.048", "better")
    assert [verdict for *_, verdict in said[1:]] == ["unfinished", "unfinished"]
    assert [verdict for *_, verdict in analysis.judged({"demo": rows[:-1]})] == ["unfinished", "unfinished"]


@pytest.mark.parametrize(
    ("front", "behind", "said"),
    [
        ("better", "worse", "in front is better"),
        ("worse", "better", "behind is better"),
        ("better", "better", "open"),
        ("better", "open", "open"),
        ("learned nothing", "worse", "open"),
        ("unfinished", "worse", "unfinished"),
    ],
)
def test_the_place_needs_both_kinds_of_cuts(analysis: ModuleType, front: str, behind: str, said: str) -> None:
    assert analysis.place(front, behind) == said


@pytest.mark.parametrize(
    ("mine", "files", "model"),
    [
        (
            "demo",
            ["config/experiments/demo-all.yaml", "docs/experiments/demo/shorter/experiment.yaml"],
            "transformer-tiny-2520",
        ),
        ("en-de", ["docs/experiments/size-sweep/unread/en-de/experiment.yaml"], "transformer-sweep-2400"),
    ],
)
def test_training_is_that_of_the_other_experiment(
    root: Path, analysis: ModuleType, mine: str, files: list[str], model: str
) -> None:
    settings: dict[str, Any] = {}
    for file in files:
        update_config(settings, yaml.safe_load((root / file).read_text()))
    own, given = load(root / PAGE / mine / "experiment.yaml"), Experiment(settings, str(root / files[0]))
    assert set(own.settings["seeds"]) == analysis.SEEDS
    assert own.recipes[model] == given.recipes[model]
    for key in ("select", "decode", "corpora", "directions"):
        assert own.settings[key] == given.settings[key]
    assert {each.cls.__name__ for each in own.segmentations.values()} == {
        "BPE",
        "BPEInFront",
        "MirroredBPE",
        "MirroredBehind",
    }


def test_the_findings_follow_from_the_scores(root: Path, analysis: ModuleType) -> None:
    found = "\n\n".join(analysis.findings(root / PAGE)) + "\n"
    assert (root / PAGE / "findings.md").read_text(encoding="utf-8") == found


def test_the_table_of_the_page_has_the_findings(root: Path, analysis: ModuleType) -> None:
    cells: dict[str, list[str]] = {}
    for line in (root / PAGE / "findings.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| bpe-") and " less " in line:
            label, evidence, verdict = line.strip("| ").split(" | ")
            system, _, baseline = label.partition(",")[0].partition(" less ")
            value = evidence.partition(", p")[0]
            cells.setdefault(f"`{system}` − `{baseline}`", []).append(f"{value} {verdict}")
    page = (root / PAGE / "README.md").read_text(encoding="utf-8").replace("**", "")
    rows = [line.strip("| ").split(" | ")[1:] for line in page.splitlines() if "` − `" in line and line[0] == "|"]
    assert {name: found for name, *found in rows} == cells
    assert len(rows) == len(analysis.COMPARED)
