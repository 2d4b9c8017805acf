"""The round trip of a reference through text form and segmentation."""

from __future__ import annotations

from pathlib import Path

from experiment.text.postprocessing import ToText, round_trip
from subwords import registry

LINES = ["the cat sat on the mat", "", "a quick brown fox"]


def back(folder: Path, train: list[str], lines: list[str], algorithm: str, size: int, form: str) -> list[str]:
    (folder / "train").write_text("".join(f"{line}\n" for line in train))
    segmenter = registry.find(algorithm).learn([folder / "train"], size=size)
    segmenter.save(folder / "model")
    return round_trip(lines, segmenter, ToText(segmenter, form, "en"))


def test_a_reference_comes_back_but_for_what_the_segmentation_does_not_know(tmp_path: Path):
    for algorithm, size in (("bpe", 3), ("word", 4)):
        found = back(tmp_path, LINES, [*LINES, "the zebra sat"], algorithm, size, "raw")
        assert len(found) == 4
        assert found[1] == ""
        assert (found[:3] == LINES) == (algorithm == "bpe")
        assert ("zebra" in found[3]) == (algorithm == "bpe")


def test_moses_text_comes_back_as_plain_text(tmp_path: Path):
    tokens = ["the cat 's mat , and a fox ."]
    assert back(tmp_path, tokens, tokens, "bpe", 1, "moses") == ["The cat's mat, and a fox."]
