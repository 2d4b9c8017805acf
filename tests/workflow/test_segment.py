"""scripts/segment.py learns on what it is told to, and segments everything."""

from __future__ import annotations

from pathlib import Path

import pytest

import segment
from experiment.config import Experiment
from experiment.graph import Graph
from experiment.jsonfiles import read_json
from subwords.errors import InputError


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """Two languages: every line is a word that no other line has, behind the language's mark, and the mark alone."""
    words = ["".join(chr(97 + int(digit)) for digit in f"{n:03}") for n in range(200)]
    for split, lines in (("train", words), ("dev", words[:3])):
        for language, mark in (("xx", "x"), ("yy", "y")):
            (tmp_path / f"{split}.{language}").write_text("".join(f"{mark}{line} {mark}\n" for line in lines))
    return tmp_path


def run(text: Path, output: str, words: int, *more: str) -> Path:
    folder = text / output
    command = [
        "--pair",
        "xx-yy",
        "--algorithm",
        "word",
        "--size",
        str(words + 1),
        "--text",
        "moses",
        "--train",
        f"{text}/train",
    ]
    assert segment.main([*command, "--dev", f"{text}/dev", "--output", str(folder), *more]) == 0
    return folder


def known(folder: Path, language: str) -> set[str]:
    """Return the words that a model knows, without their language's mark."""
    lines = (folder / f"model.{language}").read_text().splitlines()
    return {word[1:] for line in lines if len(word := line.split()[0]) == 4}


def test_learning_on_some_pairs_takes_the_same_lines_of_both_sides(text: Path) -> None:
    folder = run(text, "some", 50, "--learn-pairs", "50")
    assert len(known(folder, "xx")) == 50
    assert known(folder, "xx") == known(folder, "yy")
    assert len((folder / "train.xx").read_text().splitlines()) == 200  # all of it is segmented
    assert read_json(folder / "segmentation.json")["learn_pairs"] == 50
    again = run(text, "again", 50, "--learn-pairs", "50")
    assert known(again, "xx") == known(folder, "xx")
    assert not list(folder.glob(".learn*"))
    in_order = sorted(known(folder, "xx"))
    assert in_order[0] < "abf" < in_order[-1]  # from everywhere, not the first 50


def test_learning_on_more_pairs_than_there_are_is_learning_on_all(text: Path) -> None:
    every, more = run(text, "every", 200), run(text, "more", 200, "--learn-pairs", "200")
    assert (every / "model.xx").read_bytes() == (more / "model.xx").read_bytes()
    assert len(known(every, "xx")) == 200


def test_the_experiment_says_on_how_many(root: Path) -> None:
    settings = {
        "experiment": "small",
        "corpora": ["demo"],
        "directions": ["en-qmo"],
        "segmentations": {
            "some": {"algorithm": "bpe", "size": 10, "joint": True, "learn_pairs": 7},
            "all": {"algorithm": "bpe", "size": 10, "joint": True},
        },
        "baseline": "all",
        "models": ["transformer-tiny"],
        "seeds": [1],
    }
    graph = Graph(Experiment(settings))

    def place(name: str) -> object:
        return type("W", (), {"segmentation": name})()

    assert graph.learning_flags(place("some")) == "--joint --learn-pairs 7"
    assert graph.learning_flags(place("all")) == "--joint"
    settings["segmentations"]["some"]["learn_pairs"] = 0  # type: ignore[index]
    with pytest.raises(InputError, match="learn_pairs"):
        Experiment(settings)
