"""Morfessor: its own programs as oracles."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from subwords.errors import InputError
from subwords.morfessor import Morfessor
from subwords.testing import LINES, WORDS

pytest.importorskip("morfessor")
TEXT = [*LINES, "walk walks walked walking talk talks talked talking-walking re-walk + a+b"]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    path.write_text("\n".join(TEXT) + "\n")
    return path


def morfessor(*arguments: str) -> None:
    command = [sys.executable, "-c", "from morfessor.cmd import *; main(get_default_argparser().parse_args())"]
    subprocess.run([*command, *arguments], check=True, capture_output=True)


@pytest.mark.slow
@pytest.mark.parametrize("dampening", ["ones", "none", "log"])
@pytest.mark.parametrize("seed", ["1", "2"])
def test_learning_is_that_of_morfessor_train(dampening: str, seed: str, text: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    morfessor("-t", str(text), "-S", str(theirs), "-d", dampening, "-r", seed)
    Morfessor.learn([text], None, dampening=dampening, seed=seed).save(tmp_path / "ours")
    lines = theirs.read_text("utf-8").splitlines()[1:]
    assert (tmp_path / "ours").read_text("utf-8").splitlines()[1:] == lines


@pytest.mark.slow
@pytest.mark.parametrize("smoothing", ["0", "1"])
def test_segmenting_is_that_of_morfessor_segment(smoothing: str, text: Path, tmp_path: Path) -> None:
    """With the binary model that it learned itself, on words known and new."""
    words = [*WORDS, "walker", "retalked", "quixotic", "x", "barobarobaro", "a+b"]
    (tmp_path / "words").write_text("\n".join(words) + "\n")
    binary, out = str(tmp_path / "binary"), tmp_path / "out"
    morfessor("-t", str(text), "-s", binary, "-r", "1")
    given = ["-T", str(tmp_path / "words"), "-o", str(out), "--viterbi-smoothing", smoothing]
    morfessor("-l", binary, *given, "--output-format", "{analysis}\\n", "--output-format-separator", " ##")
    Morfessor.learn([text], None).save(tmp_path / "ours")
    model = Morfessor.load(tmp_path / "ours", smoothing=smoothing)
    assert [model.encode(word) for word in words] == out.read_text("utf-8").splitlines()


def test_their_program_reads_our_model(text: Path, tmp_path: Path) -> None:
    from morfessor import MorfessorIO

    model = Morfessor.learn([text], None)
    model.save(tmp_path / "m")
    read = list(MorfessorIO().read_segmentation_file(str(tmp_path / "m")))
    assert [(count, tuple(morphs)) for count, _, morphs in read] == [
        (count, tuple(morphs)) for count, _, morphs in model.model.get_segmentations()
    ]


def test_a_larger_weight_gives_more_morphs(text: Path) -> None:
    few, many = (Morfessor.learn([text], None, corpusweight=weight).reached() for weight in (0.1, 10))
    assert few < many


@pytest.mark.slow
def test_a_number_of_morphs_as_morfessor_train_reaches_it(text: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    morfessor("-t", str(text), "-S", str(theirs), "-r", "1", "--num-morph-types", "60", "--max-epochs", "50")
    model = Morfessor.learn([text], None, morphs=60)
    model.save(tmp_path / "ours")
    assert (tmp_path / "ours").read_text("utf-8").splitlines()[1:] == theirs.read_text("utf-8").splitlines()[1:]
    assert model.model.get_corpus_coding_weight() != 1


def test_options_out_of_range(text: Path) -> None:
    for options in ({"corpusweight": 0}, {"morphs": 0}, {"smoothing": -1}):
        with pytest.raises(InputError, match=next(iter(options))):
            Morfessor.learn([text], None, **options)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        *((weight, "1 a + b\n") for weight in ("", "x", "nan", "0")),
        *(("1", words) for words in ("", "x y\n", "-5 a + b\n", "² a + b\n", f"{'9' * 5000} a + b\n")),
    ],
)
def test_files_that_are_no_model(weight: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "m").write_text(f"# Morfessor Baseline, corpusweight={weight}\n{words}")
    with pytest.raises(InputError, match="no list of segmentations"):
        Morfessor.load(tmp_path / "m")


def test_the_generator_is_left_as_it_was(text: Path) -> None:
    import random

    random.seed(5)
    expected = random.random()
    random.seed(5)
    Morfessor.learn([text], None)
    assert random.random() == expected
