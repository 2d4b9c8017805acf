"""Near duplicates of test sentences: similarities by brute force, chrF by sacrebleu, the page by its tables."""

from __future__ import annotations

import csv
import gzip
import io
import random
import tarfile
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from types import ModuleType

import pytest
from sacrebleu.metrics import BLEU, CHRF

from experiment.reporting.findings import read_translations
from experiment.scoring.scorebook import read_scores

SWEEP = "docs/experiments/size-sweep"
RUNS = ["en-de-2400", "en-fr-2400", "en-cs-2400", "en-ga"]
#: Test sentences of the mirror, in its folder.
TESTS = {f"en-{each}-2400": f"multi30k/*/*/data/task1/raw/test_2016_flickr.{each}.gz" for each in ("de", "fr", "cs")}
TESTS["en-ga"] = "loresmt/*/*/data/en_ga/test.en2ga.ga"


@pytest.fixture(scope="module")
def near_duplicates(root: Path, load_program: Callable[[Path], ModuleType]) -> ModuleType:
    return load_program(root / SWEEP / "near_duplicates.py")


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def by_brute_force(test: list[str], train: list[str]) -> list[float]:
    tokenize = BLEU().tokenizer
    sets = [{*tokenize(line).lower().split()} for line in test], [{*tokenize(line).lower().split()} for line in train]
    return [max(len(one & other) / len(one | other) if one | other else 0 for other in sets[1]) for one in sets[0]]


def test_similarities_are_those_of_brute_force(near_duplicates: ModuleType) -> None:
    """Case and repeated words do not count, punctuation marks do; one may have no words, or no word of train."""
    test = ["A man, a dog.", "the DOG sat", "", "nothing alike", "dog dog dog"]
    train = ["a man and a dog.", "The dog sat sat", "", "a dog", "never seen"]
    draw = random.Random(1)
    for lines, count in ((test, 60), (train, 300)):
        lines += [" ".join(draw.choices([*"abcdefghijk.,"], k=draw.randint(0, 9))) for _ in range(count)]
    found = [*near_duplicates.similarities(test, train, BLEU().tokenizer)]
    assert found == pytest.approx(by_brute_force(test, train))
    assert found[:5] == pytest.approx([4 / 6, 1, 0, 0, 1 / 2])


def made_run(folder: Path) -> tuple[Path, Path, dict[str, list[str]]]:
    """Write a run of two systems and its corpus; return both folders and the test set."""
    train = {"en": ["one two three four five"] * 2, "de": ["eins zwei drei vier", "acht neun zehn"]}
    test = {
        "en": ["one two three four", "One two three nine", "a b c", "d e f"],  # 0.8, 0.5, 0, 0
        "de": ["x y z", "zwei drei", "acht neun, zehn", "sieben acht"],  # 0, 0.5, 0.75, 0.25
    }
    corpus, run = folder / "en-de", folder / "run"
    for language in ("en", "de"):
        for name, texts in (("train", train), ("test", test), ("references/test", test)):
            path = corpus / f"{name}.{language}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{line}\n" for line in texts[language]), encoding="utf-8")
    run.mkdir()
    with tarfile.open(run / "translations.tar.xz", "w:xz") as archive:
        for name, lines in (("good", test["de"]), ("poor", ["x y", "drei vier", "zehn", "acht und sieben"])):
            data = "".join(f"{line}\n" for line in lines).encode()
            member = tarfile.TarInfo(f"{name}/seed2.test.hyp")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return run, corpus, test


def test_the_tables_have_similarities_and_chrf_without_near_duplicates(
    near_duplicates: ModuleType, tmp_path: Path
) -> None:
    """A sentence is left out by either side alone: here the first, by its source, and the third, by its target."""
    run, corpus, test = made_run(tmp_path)
    assert near_duplicates.main([str(run), "--corpus", str(corpus)]) == 0
    found = read_rows(run / "near_duplicates.csv")
    assert [row["sentence"] for row in found] == ["1", "2", "3", "4"]
    assert [row["source"] for row in found] == ["0.800", "0.500", "0.000", "0.000"]
    assert [row["target"] for row in found] == ["0.000", "0.500", "0.750", "0.250"]
    good, poor = read_rows(run / "near_duplicates_chrf.csv")
    every = CHRF().corpus_score(["x y", "drei vier", "zehn", "acht und sieben"], [test["de"]]).score
    rest = CHRF().corpus_score(["drei vier", "acht und sieben"], [[test["de"][1], test["de"][3]]]).score
    assert good == {"segmentation": "good", "seed": "2", "chrf": "100.0000", "chrf_without": "100.0000"}
    assert poor == {"segmentation": "poor", "seed": "2", "chrf": f"{every:.4f}", "chrf_without": f"{rest:.4f}"}


def test_a_run_needs_its_corpus(
    near_duplicates: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert near_duplicates.main([str(tmp_path)]) == 2
    assert "next: give both" in capsys.readouterr().err


def test_the_page_follows_from_the_tables(near_duplicates: ModuleType, root: Path) -> None:
    assert near_duplicates.page(root / SWEEP) == (root / SWEEP / "near-duplicates.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("run", RUNS)
def test_chrf_of_all_sentences_is_that_of_the_run(root: Path, run: str) -> None:
    rows = [row for row in read_scores(root / SWEEP / run / "scores.csv") if row["metric"] == "chrf"]
    expected = {(row["segmentation"], row["seed"]): row["score"] for row in rows}
    found = read_rows(root / SWEEP / run / "near_duplicates_chrf.csv")
    scores = {(row["segmentation"], int(row["seed"])): float(row["chrf"]) for row in found}
    assert scores == pytest.approx(expected, abs=0.00006)


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("run", RUNS)
def test_the_gain_on_the_page_is_that_of_sacrebleu_on_the_committed_translations(
    root: Path, shared: Path, run: str
) -> None:
    """Of bpe from 500 to 4,000, without the sentences that near_duplicates.csv has at 0.6 or more."""
    (path,) = (shared / "mirror/raw.githubusercontent.com").glob(TESTS[run])
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    references = data.decode("utf-8").split("\n")[:-1]
    rows = read_rows(root / SWEEP / run / "near_duplicates.csv")
    kept = [n for n, row in enumerate(rows) if float(row["source"]) < 0.6 and float(row["target"]) < 0.6]
    assert len(rows) == len(references) > len(kept)
    scores: dict[str, list[float]] = {"bpe-500": [], "bpe-4000": []}
    for system, _, _, lines in read_translations(root / SWEEP / run / "translations.tar.xz"):
        if system in scores:
            texts = ([text[n].rstrip() for n in kept] for text in (lines, references))
            scores[system].append(CHRF().corpus_score(next(texts), [next(texts)]).score)
    assert [len(each) for each in scores.values()] == [3, 3]
    gain = f"{fmean(scores['bpe-4000']) - fmean(scores['bpe-500']):+.2f}"
    lines = (root / SWEEP / "near-duplicates.md").read_text(encoding="utf-8").splitlines()
    number = RUNS.index(run)
    assert [line for line in lines if "`bpe-4000` less `bpe-500`" in line][number].split(" | ")[3] == gain
