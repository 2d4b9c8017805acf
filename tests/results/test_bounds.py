"""The round trip of a reference, and the overlap of two vocabularies."""

from __future__ import annotations

from pathlib import Path

from small_experiment import write_lines

import round_trip
from subwords import registry

LINES = ["the cat sat on the mat", "", "a quick brown fox"]


def test_a_reference_comes_back_but_for_what_the_segmentation_does_not_know(tmp_path: Path):
    write_lines(tmp_path / "train", LINES)
    write_lines(tmp_path / "text", [*LINES, "the zebra sat"])
    for algorithm, size, lost in (("bpe", 20, "the zebra sat"), ("word", 4, None)):
        model = tmp_path / f"{algorithm}.model"
        registry.find(algorithm).learn([tmp_path / "train"], size=size).save(model)
        words = ["--text", f"{tmp_path}/text", "--form", "raw", "--language", "en", "--algorithm", algorithm]
        assert round_trip.main([*words, "--segmenter", str(model), "--output", f"{tmp_path}/back"]) == 0
        back = (tmp_path / "back").read_text().split("\n")[:-1]
        assert len(back) == 4
        assert back[1] == ""
        assert (back[:3] == LINES) == (algorithm == "bpe")
        assert back[3] == lost or "zebra" not in back[3]


def test_moses_text_comes_back_as_plain_text(tmp_path: Path):
    write_lines(tmp_path / "text", ["the cat 's mat , and a fox ."])
    model = tmp_path / "model"
    registry.find("bpe").learn([tmp_path / "text"], size=10).save(model)
    words = ["--text", f"{tmp_path}/text", "--form", "moses", "--language", "en", "--algorithm", "bpe"]
    assert round_trip.main([*words, "--segmenter", str(model), "--output", f"{tmp_path}/back"]) == 0
    assert (tmp_path / "back").read_text() == "The cat's mat, and a fox.\n"
