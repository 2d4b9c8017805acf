"""Numbers beside the findings of HFT's words: tiny texts by hand, what is committed, and the page."""

from __future__ import annotations

import csv
import io
import json
import re
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from subwords import learn
from subwords.errors import InputError
from subwords.files import write_lines

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/experiments/hft-words"
TEXT = (PAGE / "words-and-case.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def counted(load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(PAGE / "words_and_case.py")


def cells(text: str, name: str) -> list[str]:
    """Return the cells of the table's line with this name."""
    (line,) = (line for line in text.splitlines() if line.startswith(f"| {name} |"))
    return line.strip("| ").split(" | ")[1:]


@given(st.lists(st.lists(st.sampled_from("ab"), max_size=6), max_size=4))
def test_a_pair_is_repeated_if_it_was_there_before(counted: ModuleType, lines: list[list[str]]) -> None:
    lines.append(["x", "y", "x", "y"])  # x y, y x, x y
    seen = [
        words[at : at + 2] in [words[i : i + 2] for i in range(at)] for words in lines for at in range(len(words) - 1)
    ]
    assert counted.repeated(lines) == pytest.approx(100 * fmean(seen))
    assert counted.repeated(lines[-1:]) == pytest.approx(100 / 3)


def test_words_with_a_mark_are_counted_as_they_run(counted: ModuleType) -> None:
    pieces = {
        "cat": "cat",
        "cat.": "cat.",  # 3: nothing in common
        "a": "a",
        "a,": "a@@ ,",  # 1: a piece in common but for its mark
        "dog": "d@@ og",
        "dog?": "d@@ og?",  # 2: a piece in common
        "tree": "tr@@ ee",
        "tree.": "tre@@ e.",  # 4: nothing in common, though the bare word has two pieces
    }
    # a mark alone, an unknown word with its mark, a mark in front, a known word with two marks, and one with a number
    others = {".": 2, "new.": 7, "(a": 1, "cat..": 1, "cat2": 8}
    words = dict(zip(pieces, (5, 3, 4, 1, 1, 2, 1, 4), strict=True)) | others
    # "cat.." is a known word with a mark, because "cat." occurs
    found = counted.of_marks(words, lambda word: (pieces | {"cat..": "cat.@@ ."})[word])
    assert found == ["11", "27.5", "81.8", "55.6", "22.2"]  # 11 of 40, 9 of 11, 5 of 9, 2 of 9


def test_what_needs_committed_files_alone_is_as_the_program_writes_it(counted: ModuleType) -> None:
    assert TEXT.startswith("\n\n".join(counted.parts(PAGE)) + "\n\n")


def pack(archive: Path, files: Mapping[str, list[str]]) -> None:
    """Write files with these lines to an archive."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:xz") as packed:
        for name, lines in files.items():
            data = "".join(f"{line}\n" for line in lines).encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            packed.addfile(member, io.BytesIO(data))


def test_seeds_of_both_archives_are_compared(counted: ModuleType, tmp_path: Path) -> None:
    """Those of bpe-raw are shorter by a word or two, and one of them has other capitals."""
    references = [f"the {number} cats sat on a mat and slept there" for number in range(30)]
    ends = [line.rpartition(" ")[0] for line in references]
    upper, shortest = [line.upper() for line in ends], [line.rpartition(" ")[0] for line in ends]
    written = {("bpe-raw", 1): ends, ("bpe-hft-words", 1): references, ("bpe-hft-words", 2): references}
    written |= {("hft", 1): ends, ("hft", 2): references}
    pack(
        tmp_path / "translations.tar.xz",
        {f"{name}/seed{seed}.test_en2ga.hyp": lines for (name, seed), lines in written.items()},
    )
    log = [{"split": "dev", "nll_loss": loss} for loss in (9.0, 7.5, 8.0)] + [{"split": "train", "nll_loss": 1.0}]
    files = {}
    for seed, lines in ((3, shortest), (2, upper)):
        folder = f"results/runs/corpus/en-ga/bpe-raw/model.key/seed{seed}"
        files[f"{folder}/best-1/beam-5.key/test_en2ga.key.hyp"] = lines
        files[f"{folder}/log.jsonl"] = [json.dumps(point) for point in log]
    pack(tmp_path / "runs.tar.xz", files)
    _, found = counted.of_seeds(tmp_path, [line.replace("cats", "dogs") for line in references], references)
    assert "| bpe-raw, seeds 1, 2, 3 | bpe-hft-words, seeds 1, 2 |" in found
    lower = [
        BLEU().corpus_score([line.lower() for line in text], [references]).score for text in (ends, upper, shortest)
    ]
    assert cells(found, "BLEU, case-insensitive")[0] == ", ".join(f"{score:.2f}" for score in lower)
    cased = [BLEU().corpus_score(text, [references]).score for text in (ends, upper, shortest)]
    scores, others, by_copy, effect, *_ = cells(found, "BLEU")
    assert scores == ", ".join(f"{score:.2f}" for score in cased)
    assert others == "100.00, 100.00"
    copy = BLEU().corpus_score([line.replace("cats", "dogs") for line in references], [references]).score
    assert float(by_copy) == pytest.approx(fmean(cased) / copy, abs=0.0051)
    assert float(effect.partition(" ")[0].replace("−", "-")) == pytest.approx(fmean(cased) - 100, abs=0.0051)
    assert cells(found, "length by the references'")[0] == "0.90, 0.90, 0.80"
    assert cells(found, "lowest loss on dev, last 2 seeds, bits a piece")[0] == "7.50, 7.50"


def test_texts_go_through_their_models(counted: ModuleType, tmp_path: Path) -> None:
    """Moses's text has lost a name's capital, so the round trip is whole without case alone."""
    train = ["the cat sat .", "the cat. a mat the mat, a mat, the cats sat there now"] * 9
    for language in ("en", "ga"):
        write_lines(tmp_path / f"train.{language}", train)
        (tmp_path / "bpe-raw.key").mkdir(exist_ok=True)
        learn("bpe", tmp_path / f"train.{language}", size=12).save(tmp_path / f"bpe-raw.key/model.{language}")
    (tmp_path / "bpe-moses.key").mkdir()
    learn("bpe", tmp_path / "train.ga", size=12).save(tmp_path / "bpe-moses.key/model.ga")
    (tmp_path / "moses").mkdir()
    write_lines(tmp_path / "moses/test_en2ga.key.ga", ["the cat sat there , the cats sat ."])
    references = ["The Cat sat there, the cats sat."]
    _, marks, trip = counted.of_texts(tmp_path, tmp_path, references)
    assert cells(marks, "Irish")[:2] == ["27", "17.6"]  # "cat." and twice "mat,", of seventeen words
    score = BLEU().corpus_score(["The cat sat there, the cats sat."], [references]).score
    assert trip == f"Round trip of bpe-moses, BLEU: {score:.1f}, case-insensitive 100.0."
    write_lines(tmp_path / "moses/test_en2ga.other.ga", references)
    with pytest.raises(InputError, match="2 files"):
        list(counted.of_texts(tmp_path, tmp_path, references))


def test_they_agree_with_what_the_pipeline_recorded() -> None:
    recorded: dict[str, dict[int, float]] = {}
    lengths: dict[int, Any] = {}
    with tarfile.open(PAGE / "paper-model/seeds/runs.tar.xz") as files:
        for member in files:
            if (
                "/bpe-raw/" in member.name
                and member.name.endswith(".scores.json")
                and (data := files.extractfile(member))
            ):
                seed = int(re.findall(r"/seed(\d+)/", member.name)[0])
                metrics = json.loads(data.read())["metrics"]
                for metric, label in (("bleu", "BLEU"), ("chrf", "chrF"), ("chrf++", "chrF++")):
                    recorded.setdefault(label, {})[seed] = metrics[metric]["score"]
                lengths[seed] = metrics["bleu"]["hypothesis_length"] / metrics["bleu"]["reference_length"]
    assert [*sorted(lengths)] == [2, 3, 4]
    for label, scores in (recorded | {"length by the references'": lengths}).items():
        assert cells(TEXT, label)[0].split(", ")[1:] == [f"{score:.2f}" for _, score in sorted(scores.items())]
    with (PAGE / "cpu/scores.csv").open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if (row["segmentation"], row["metric"]) == ("bpe-moses", "bleu")]
    assert f"BLEU: {float(rows[0]['round_trip']):.1f}, case" in TEXT


def test_the_page_has_these_numbers() -> None:
    page = " ".join((PAGE / "README.md").read_text(encoding="utf-8").split())
    cased, lower = (cells(TEXT, name) for name in ("BLEU", "BLEU, case-insensitive"))
    for found, said in ((cased, "bpe-raw is {} below the three"), (lower, "case-insensitive {}")):
        value, low, high = (float(number.replace("−", "-")) for number in re.findall(r"[−+][\d.]+", found[3]))
        assert said.format(f"{-value:.2f} [{-high:.2f}, {-low:.2f}]") in page
        assert f"p = {float(found[4]):.2f}" in page
    assert f"bpe-raw has {cased[2]} times the copied source's BLEU" in page
    trip = re.findall(r"case-insensitive ([\d.]+)\.", TEXT)[0]
    assert f"case-insensitive it is {trip} (" in page
    raw, *others = (float(cells(TEXT, name)[0].split()[0]) for name in ("bpe-raw", "bpe-moses", "bpe-hft-words", "hft"))
    assert f"({raw:.0f}% of their pairs of words" in page
    assert f"of the others' {min(others):.0f} to {max(others):.0f}%" in page
    english, irish = (cells(TEXT, name) for name in ("English", "Irish"))
    assert f"{english[0]} words of train in English and {irish[0]} in Irish ({english[1]}% and {irish[1]}%)" in page
    assert f"{english[2]}% and {irish[2]}% of them share no piece with the bare word" in page
    assert f"the bare word is one piece in {english[3]}% and {irish[3]}% of these" in page
