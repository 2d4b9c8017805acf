"""Byte-level BPE: transformers and a brute-force learner as oracles; the byte alphabet is tokenizers' own."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers.pre_tokenizers import ByteLevel

from subwords import bytelevel
from subwords.byte_bpe import ByteBPE
from subwords.errors import InputError
from subwords.testing import AWKWARD, LINES


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    path.write_text("\n".join([*LINES, "naïve café 東京 東京 東"]) + "\n", encoding="utf-8")
    return path


def test_the_alphabet_is_that_of_tokenizers() -> None:
    assert sorted(bytelevel.ALPHABET) == sorted(ByteLevel.alphabet())
    assert [bytelevel.ALPHABET[byte] for byte in b" \n!~"] == ["Ġ", "Ċ", "!", "~"]


@settings(derandomize=True)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_bytes_come_back_and_joined_pretokens_are_the_line(line: str) -> None:
    assert bytelevel.read(bytelevel.write(line)) == line
    assert "".join(bytelevel.split(line)) == bytelevel.write(line)


@pytest.mark.slow
def test_transformers_loads_the_model(text: Path, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    model = ByteBPE.learn([text], 320)
    model.save(tmp_path / "tokenizer.json")
    theirs = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"))
    for line in [*AWKWARD, *LINES[:20], "  two  spaces ", "tab\tand\t\ttabs"]:
        assert model.encode(line).split() == theirs.tokenize(line)
        assert model.decode(model.encode(line)) == line == theirs.decode(theirs(line)["input_ids"])


def test_each_merge_is_a_most_frequent_pair(text: Path) -> None:
    """By counting all pairs of the text again before each merge. Ties are tokenizers' own."""
    model = ByteBPE.learn([text], 300, min_frequency=1)
    merges = json_merges(model)
    words = {tuple(token): count for token, count in bytelevel.count_tokens([text]).items()}
    assert len(merges) == 300 - 256
    for merge in merges:
        pairs: Counter[tuple[str, str]] = Counter()
        for word, count in words.items():
            for pair in pairwise(word):
                pairs[pair] += count
        assert pairs[merge] == max(pairs.values())
        words = {merged(word, merge): count for word, count in words.items()}


def json_merges(model: ByteBPE) -> list[tuple[str, str]]:
    import json

    return [(left, right) for left, right in json.loads(model.tokenizer.to_str())["model"]["merges"]]


def merged(word: tuple[str, ...], merge: tuple[str, str]) -> tuple[str, ...]:
    units = list(word)
    place = 0
    while place + 1 < len(units):
        if (units[place], units[place + 1]) == merge:
            units[place : place + 2] = ["".join(merge)]
        place += 1
    return tuple(units)


def test_surfaces_of_characters_of_several_bytes(text: Path) -> None:
    model = ByteBPE.learn([text], 256)
    pieces = model.encode("é東a").split(" ")
    assert len(pieces) == 6
    assert model.surfaces(pieces) == ["", "é", "", "", "東", "a"]


def test_bytes_that_are_no_text_decode_all_the_same(text: Path) -> None:
    model = ByteBPE.learn([text], 256)
    assert model.decode("a Ã b") == "a\ufffdb"
    assert model.decode("a <unk> b") == "a<unk>b"


def test_sizes(text: Path) -> None:
    with pytest.raises(InputError, match="at least 256"):
        ByteBPE.learn([text], 255)
    for frequency in (-1, 0):
        with pytest.raises(InputError, match=f"min_frequency={frequency} is too small"):
            ByteBPE.learn([text], 300, min_frequency=frequency)
    with pytest.warns(UserWarning, match="not 100000"):
        ByteBPE.learn([text], 100_000)
    with pytest.raises(InputError, match="half a character"):
        ByteBPE.learn([text], 256).encode("a\ud800")
