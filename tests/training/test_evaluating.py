"""Translations as text: the model's pieces, decoded as the segmentation says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from subwords.huffman import Huffman
from translation import decoding
from translation.evaluating import Evaluator


class UnknownCode:
    """In place of a model: translates each sentence into a word and a code that no word has."""

    cut, cuda = 0, False

    def __init__(self, *_: Any) -> None:
        pass

    def translate(self, source: list[str], _: int) -> list[str]:
        return ["一 ␠ 七"] * len(source)


@pytest.mark.parametrize(("options", "expected"), [({}, "the"), ({"unknown": "mark"}, "the <unk>")])
def test_hypotheses_are_decoded_with_the_options_of_the_segmentation(
    options: dict[str, str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for language in ("aa", "bb"):
        Huffman({"一": "the", "丁": "house"}).save(tmp_path / f"model.{language}")
        (tmp_path / f"encode.{language}.json").write_text(json.dumps(options))
    (tmp_path / "test.aa").write_text("a house\n")
    monkeypatch.setattr(decoding, "Translator", UnknownCode)
    job = {"folder": "", "model": "", "data": "", "max_tokens": 1, "search": {}, "form": "raw", "direction": "aa-bb"}
    evaluator = Evaluator(job | {"segmented": str(tmp_path), "algorithm": "huffman"})
    hypotheses, _, facts = evaluator.translation({"stem": "test", "source": str(tmp_path / "test.aa")})
    assert hypotheses == [expected]
    assert facts["lost_in_decoding"] == {"unknown codes": 1}
