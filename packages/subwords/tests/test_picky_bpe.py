"""Picky BPE: what the authors' program gives (packages/subwords/tests/vectors), and brute force for exact counts."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from subwords.errors import InputError, Shortfall
from subwords.picky.learning import Event, PickyText, covering, replaced
from subwords.picky.model import PickyBPE

VECTORS = json.loads((Path(__file__).parent / "vectors" / "picky-bpe.json").read_text("utf-8"))


def learned(case: dict, as_program: bool) -> PickyText:
    text = PickyText({f"▁{word}": count for word, count in case["words"].items()}, 1.0, as_program)
    text.learn(case["size"], case["threshold"])
    return text


@pytest.mark.parametrize("case", VECTORS)
def test_events_and_pieces_of_the_authors_program(case: dict) -> None:
    text = learned(case, as_program=True)
    assert text.events == [Event(piece, tuple(parts), merged) for piece, parts, merged in case["events"]]
    model = PickyBPE(text.characters, text.events, unknown="mark")
    assert {word: model.encode(word).split(" ") for word in case["encoded"]} == case["encoded"]
    exact = learned(case, as_program=False).events
    length = min(len(exact), len(text.events))
    assert (exact[:length] != text.events[:length]) == case["drift"]


def brute_force(counts: dict[str, int], size: int, threshold: float) -> list[Event]:
    """Learn with everything counted again in each step."""
    words = {word: list(word) for word in counts}
    present, made, events = set("".join(counts)), {}, []

    def parts_of(piece: str) -> tuple[str, ...]:
        return (piece,) if piece in present else parts_of(made[piece][0]) + parts_of(made[piece][1])

    def frequency(piece: str) -> int:
        return sum(counts[word] * units.count(piece) for word, units in words.items())

    while 4 + len(present) < size:
        pairs: Counter[tuple[str, str]] = Counter()
        for word, units in words.items():
            for pair in pairwise(units):
                pairs[pair] += counts[word]
        if not pairs:
            break
        pair = min(pairs, key=lambda pair: (-pairs[pair], pair))
        new = "".join(pair)
        merged = -frequency(new)
        words = {word: replaced(units, pair, (new,)) for word, units in words.items()}
        merged += frequency(new)
        made.setdefault(new, pair)
        present.add(new)
        events.append(Event(new, pair, True))
        for piece in dict.fromkeys(pair):
            if len(piece) > 1 and merged / (frequency(piece) + merged) > threshold:
                present.discard(piece)
                events.append(Event(piece, parts_of(piece), False))
                words = {word: replaced(units, (piece,), parts_of(piece)) for word, units in words.items()}
    return events


@pytest.mark.parametrize("seed", range(60))
def test_exact_counts_by_brute_force(seed: int) -> None:
    draw = Random(seed)
    letters = ["ab", "abc", "abcdef"][seed % 3]
    counts = {"▁" + "".join(draw.choices(letters, k=draw.randint(1, 9))): draw.randint(1, 20) for _ in range(15)}
    threshold, size = draw.choice([0.3, 0.5, 0.7, 0.9, 1.0]), 5 + len(letters) + draw.randint(5, 30)
    text = PickyText(counts, 1.0)
    text.learn(size, threshold)
    assert text.events == brute_force(counts, size, threshold)
    assert text.size == 4 + len(text.present)


def test_with_threshold_1_nothing_is_removed() -> None:
    text = PickyText({"▁abcd": 64, "▁abc": 32, "▁xab": 5, "▁cdx": 3}, 1.0)
    text.learn(100, 1.0)
    assert all(event.merged for event in text.events)


def test_coverage() -> None:
    counts = {"aaaa": 10, "bbb": 10, "cd": 1}
    assert covering(counts, 1.0) == ["a", "b", "c", "d"]
    assert covering(counts, 70 / 72) == ["a", "b", "c"], "the rarest, seen last, while less than the spare is gone"
    assert covering(counts, 0.999) == ["a", "b", "c", "d"], "even the rarest is too frequent to go"
    model = PickyBPE("▁ab", [], unknown="mark")
    assert model.encode("abc") == "▁ a b <UNK>"
    assert model.counts() == {"characters outside the vocabulary": 1}
    assert PickyBPE("▁ab", []).decode(PickyBPE("▁ab", []).encode("abc a")) == "abc a"


def test_a_word_of_many_characters_is_no_recursion_too_deep(tmp_path: Path) -> None:
    """Each merge makes the piece longer by one character, and the one before it goes."""
    word = "".join(map(chr, range(0x4E00, 0x4E00 + 1100)))
    (tmp_path / "text").write_text(f"{word}\n")
    with pytest.warns(Shortfall):
        model = PickyBPE.learn([tmp_path / "text"], 4000)
    assert model.encode(word) == f"▁{word}"


def test_options_sizes_and_files(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("low low low lowest newest newest widest\n" * 4)
    model = PickyBPE.learn([tmp_path / "text"], 17, threshold=0.5)
    assert model.reached() == 17
    assert any(not event.merged for event in model.events)
    for size, options in ((5, {}), (17, {"threshold": 0}), (17, {"coverage": 1.1})):
        with pytest.raises(InputError, match="allowed"):
            PickyBPE.learn([tmp_path / "text"], size, **options)
    mixed = json.loads(model.model_bytes())
    mixed["merges"][0]["id"] = "0"  # in no order with numbers
    tokens = '{"tokens": [{}], "merges": [], "splits": []}'
    for content in ("{}", "[]", tokens, "text", "[" * 200_000, json.dumps(mixed)):
        (tmp_path / "m").write_text(content)
        with pytest.raises(InputError, match="no model of Picky BPE"):
            PickyBPE.load(tmp_path / "m")


@pytest.mark.parametrize(
    ("of", "junk"),
    [
        ("merges", {"new_token": {"str": {}}}),
        ("merges", {"new_token": {"str": 5}}),
        ("merges", {"pair": []}),
        ("splits", {"split": []}),
        ("splits", {"split": [{"str": "lo"}]}),
        ("splits", {"split": [{"str": "lo"}, {"str": ""}]}),
        ("splits", {"split": [{"str": "lo"}, {"str": "x"}]}),
    ],
)
def test_events_that_cannot_be(of: str, junk: dict, tmp_path: Path) -> None:
    """A removal that leaves its piece, or a longer one, would be applied for ever."""
    events = [Event("lo", ("l", "o"), True), Event("lo", ("l", "o"), False)]
    damaged = json.loads(PickyBPE("▁lo", events).model_bytes())
    damaged[of][0] |= junk
    (tmp_path / "m").write_text(json.dumps(damaged))
    with pytest.raises(InputError, match="no model of Picky BPE"):
        PickyBPE.load(tmp_path / "m")
