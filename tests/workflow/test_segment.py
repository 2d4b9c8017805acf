"""A segmentation is learned on what it is told to, and segments everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiment.config import Experiment
from experiment.jsonfiles import read_json
from experiment.segmentation.segmenting import load_segmenter, read_counts, segment
from experiment.store.checksums import file_sha256
from subwords.errors import InputError
from subwords.volt import Volt


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """Two languages: every line is a word that no other line has, behind the language's mark, and the mark alone."""
    words = ["".join(chr(97 + int(digit)) for digit in f"{n:03}") for n in range(200)]
    for split, lines in (("train", words), ("dev", words[:3])):
        for language, mark in (("xx", "x"), ("yy", "y")):
            (tmp_path / f"{split}.{language}").write_text("".join(f"{mark}{line} {mark}\n" for line in lines))
    return tmp_path


def run(text: Path, output: str, words: int, learn_pairs: int | None = None, algorithm: str = "word") -> Path:
    """Learn, encode and measure; return the folder."""
    folder = text / output
    folder.mkdir()
    job = {
        "pair": "xx-yy",
        "text": str(text),
        "form": "moses",
        "gold": {},
        "algorithm": algorithm,
        "size": words + 1,
        "joint": False,
        "learn": {},
        "encode": {},
        "learn_pairs": learn_pairs,
        "draws": None,
        "source": None,
    }
    segment(job, folder)
    return folder


def known(folder: Path, language: str) -> set[str]:
    """Return the words that a model knows, without their language's mark."""
    lines = (folder / f"model.{language}").read_text().splitlines()
    return {word[1:] for line in lines if len(word := line.split()[0]) == 4}


def test_learning_on_some_pairs_takes_the_same_lines_of_both_sides(text: Path) -> None:
    folder = run(text, "some", 50, 50)
    assert len(known(folder, "xx")) == 50
    assert known(folder, "xx") == known(folder, "yy")
    assert len((folder / "train.xx").read_text().splitlines()) == 200  # all of it is segmented
    assert read_json(folder / "segmentation.json")["learn_pairs"] == 50
    again = run(text, "again", 50, 50)
    assert known(again, "xx") == known(folder, "xx")
    assert not list(folder.glob(".learn*"))
    in_order = sorted(known(folder, "xx"))
    assert in_order[0] < "abf" < in_order[-1]  # from everywhere, not the first 50


def test_learning_on_more_pairs_than_there_are_is_learning_on_all(text: Path) -> None:
    every, more = run(text, "every", 200), run(text, "more", 200, 200)
    assert (every / "model.xx").read_bytes() == (more / "model.xx").read_bytes()
    assert len(known(every, "xx")) == 200


def test_a_text_that_offers_less_than_the_size_is_an_error(text: Path) -> None:
    with pytest.raises(InputError, match=r"size=202 is more than the text offers: word: 201 words, not 202"):
        run(text, "more", 201)


def test_an_algorithm_may_keep_less_than_its_size_by_its_own_rule(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Volt, "reached", lambda model: len(model.merges) - 1)  # its section 4.3
    assert read_json(run(text, "fewer", 19, algorithm="volt") / "segmentation.json")["size"] == 20


def test_an_algorithm_that_does_not_warn_gives_no_less_than_its_size(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("subwords.word.warn_of_fewer", lambda *_: None)
    with pytest.raises(InputError, match=r"size=202 is more than the text offers: word: 201 words"):
        run(text, "more", 201)


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
    jobs = {s.segmentation.name: s.job() for s in Experiment(settings).plan.segmented.values()}
    assert {name: job["learn_pairs"] for name, job in jobs.items()} == {"some": 7, "all": None}
    assert len({job["folder"].rpartition(".")[2] for job in jobs.values()}) == 2
    settings["segmentations"]["some"]["learn_pairs"] = 0  # type: ignore[index]
    with pytest.raises(InputError, match="learn_pairs"):
        Experiment(settings)


def test_pieces_are_counted_and_the_threshold_finds_its_vocabulary(text: Path) -> None:
    folder = text / "bpe"
    folder.mkdir()
    job = {"pair": "xx-yy", "text": str(text), "form": "moses", "gold": {}, "algorithm": "bpe", "size": 20}
    job |= {"joint": True, "learn": {}, "encode": {"vocabulary_threshold": 3}, "learn_pairs": None}
    job |= {"draws": None, "source": None}
    segment(job, folder)
    for language in ("xx", "yy"):
        pieces = (folder / f"train.{language}").read_text().split()
        assert read_counts(folder / f"pieces.{language}") == {piece: pieces.count(piece) for piece in set(pieces)}
        assert read_json(folder / f"encode.{language}.json")["vocabulary"] == f"vocabulary.{language}"
    moved = folder.rename(text / "moved")  # what lies in it is found wherever it is
    lines = (text / "train.xx").read_text().splitlines()
    assert list(load_segmenter(moved, "xx", "bpe").encode_lines(lines)) == (moved / "train.xx").read_text().splitlines()


def test_what_becomes_of_the_users_files_later_changes_nothing(text: Path) -> None:
    """A vocabulary is copied, because test sets are segmented days later; a file that is not as planned is an error."""
    vocabulary, free, own = (text / name for name in ("vocabulary", "free", "own"))
    vocabulary.write_text("x 9\ny 9\n")  # so that words are split into characters
    job = {"pair": "xx-yy", "text": str(text), "form": "moses", "gold": {}, "algorithm": "bpe", "size": 20}
    job |= {"joint": True, "learn": {}, "encode": {}, "learn_pairs": None, "draws": None, "source": None}
    for folder, options in ((free, {}), (own, {"vocabulary": str(vocabulary)})):
        folder.mkdir()
        planned = {"options": {name: file_sha256(path) for name, path in options.items()}}
        segment(job := job | {"encode": options, "definition": planned}, folder)
    lines, pieces = ((place / "train.xx").read_text().splitlines() for place in (text, own))
    assert pieces != (free / "train.xx").read_text().splitlines()
    (free / "pieces.xx").replace(vocabulary)
    assert list(load_segmenter(own, "xx", "bpe").encode_lines(lines)) == pieces
    with pytest.raises(InputError, match=f"vocabulary: {vocabulary} was changed after the experiment had been planned"):
        segment(job, own)
