"""PathPiece: all segmentations by brute force, and what the authors' function gives (tests/vectors)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from subwords.errors import InputError
from subwords.pathpiece import PathPiece, increases, most_frequent, reduce
from subwords.testing import LINES

VECTORS = json.loads((Path(__file__).parent / "vectors" / "pathpiece.json").read_text("utf-8"))


def segmentations(text: str, known: set[str]) -> Iterator[list[str]]:
    """Yield every way to write a text in single characters and known tokens."""
    if not text:
        yield []
    for end in range(1, len(text) + 1):
        if end == 1 or text[:end] in known:
            for rest in segmentations(text[end:], known):
                yield [text[:end], *rest]


def drawn(seed: int) -> tuple[Random, str, set[str]]:
    draw = Random(seed)
    letters = ["ab", "abc", "abcdef"][seed % 3]
    return draw, letters, {"".join(draw.choices(letters, k=draw.randint(2, 5))) for _ in range(draw.randint(1, 12))}


@pytest.mark.parametrize("seed", range(60))
def test_the_fewest_pieces_the_last_ones_longest(seed: int) -> None:
    draw, letters, known = drawn(seed)
    model = PathPiece(sorted(known))
    for _ in range(10):
        word = "".join(draw.choices(letters, k=draw.randint(1, 11)))
        best = min(segmentations(word, known), key=lambda found: (len(found), [-len(p) for p in reversed(found)]))
        assert model.segment_token(word) == best


@pytest.mark.parametrize("case", VECTORS)
def test_pieces_of_the_authors_function(case: dict) -> None:
    model = PathPiece(case["tokens"])
    assert {word: model.segment_token(word) for word in case["encoded"]} == case["encoded"]


@pytest.mark.parametrize("seed", range(60))
def test_increases_by_brute_force(seed: int) -> None:
    """For each piece: the fewest pieces of all segmentations with a border inside it, or a longer piece over it."""
    draw, letters, known = drawn(seed)
    words = {"".join(draw.choices(letters, k=draw.randint(1, 9))): draw.randint(1, 9) for _ in range(8)}
    model, expected = PathPiece(sorted(known)), Counter[str]()
    for word, count in words.items():
        pieces, start = model.segment_token(word), 0
        for piece in pieces:
            end = start + len(piece)
            if len(piece) > 1:
                fewest = min(len(s) for s in segmentations(word, known) if changes(s, start, end))
                expected[piece] += count * (fewest - len(pieces))
            start = end
    assert increases(words, known) == expected


def test_an_increase_is_what_a_word_grows_by_without_the_token() -> None:
    """Section 3.2's meaning, without its equations: a token at one place only is taken out of the vocabulary."""
    seen = 0
    for draw, letters, known in map(drawn, range(1200)):
        model, word = PathPiece(sorted(known)), "".join(draw.choices(letters, k=draw.randint(2, 10)))
        pieces = model.segment_token(word)
        for piece in {piece for piece in pieces if len(piece) > 1}:
            if sum(word.startswith(piece, start) for start in range(len(word))) == 1:
                grown = min(map(len, segmentations(word, known - {piece}))) - len(pieces)
                assert increases({word: 1}, known)[piece] == grown
                seen += 1
    assert seen > 500


def changes(segmentation: list[str], start: int, end: int) -> bool:
    """Return whether a segmentation has a border inside start to end, or a longer piece over it."""
    at, spans = 0, []
    for piece in segmentation:
        spans.append((at, at + len(piece)))
        at += len(piece)
    return any(start < first < end for first, _ in spans) or any(
        first <= start and end <= last and (first, last) != (start, end) for first, last in spans
    )


def test_a_round_takes_away_what_costs_least() -> None:
    words = {"abab": 10, "cdcd": 1, "abcd": 5}
    ngrams = most_frequent(words, 4, 1000)
    for size in range(1, len(ngrams)):
        kept = reduce(words, ngrams, size, 0.01)  # one token a round
        assert len(kept) == size
        if size > 1:
            costs = increases(words, set(kept))
            gone = (set(kept) - set(reduce(words, ngrams, size - 1, 0.01))).pop()
            assert costs[gone] == min(costs[token] for token in kept)


def test_ngrams_by_brute_force() -> None:
    words = {"banana": 2, "an": 3}
    expected = Counter({"an": 7, "ana": 4, "na": 4, "ba": 2, "ban": 2, "nan": 2})
    assert most_frequent(words, 3, 100) == expected
    assert list(most_frequent(words, 3, 3)) == ["an", "na", "ana"]


def test_options_sizes_and_files(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("\n".join(LINES))
    model = PathPiece.learn([tmp_path / "text"], 300, max_length=4)
    assert model.reached() == 300
    assert max(map(len, model.tokens)) <= 4
    model.save(tmp_path / "m")
    assert len(set((tmp_path / "m").read_text().split())) == 300
    for size, options in (
        (255, {}),
        (300, {"max_length": 1}),
        (300, {"initial": -7}),
        (300, {"removed": 1}),
    ):
        with pytest.raises(InputError, match="allowed"):
            PathPiece.learn([tmp_path / "text"], size, **options)
    with pytest.warns(UserWarning, match="265 entries of the vocabulary, not 300"):
        assert PathPiece.learn([tmp_path / "text"], 300, initial=9).reached() == 256 + 9
    for content in ("61\n", "zz\n", (tmp_path / "m").read_text() + "61\n"):
        (tmp_path / "n").write_text(content)
        with pytest.raises(InputError, match="no vocabulary"):
            PathPiece.load(tmp_path / "n")
