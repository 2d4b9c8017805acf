"""GreedTok: brute force, and what the authors' program gives (packages/subwords/tests/vectors)."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from subwords.errors import InputError
from subwords.greedtok import GreedTok, choose
from subwords.testing import LINES

VECTORS = json.loads((Path(__file__).parent / "vectors" / "greedtok.json").read_text("utf-8"))


def brute_force(counts: dict[str, int], size: int, longest: int) -> list[tuple[str, int]]:
    """Choose tokens by the definition: words as lists of pieces, all gains counted again in each step."""
    words = {word: list(word) for word in counts}
    candidates = {w[i:j] for w in counts for i in range(len(w)) for j in range(i + 2, min(len(w), i + longest) + 1)}
    chosen: list[tuple[str, int]] = []
    while len(chosen) < size:
        found = []
        for token in candidates - {token for token, _ in chosen}:
            gain = sum(counts[word] * (len(pieces) - len(placed(pieces, token))) for word, pieces in words.items())
            found.append((-gain, len(token), token))
        if not found or min(found)[0] == 0:
            break
        gain, _, token = min(found)
        chosen.append((token, -gain))
        words = {word: placed(pieces, token) for word, pieces in words.items()}
    return chosen


def placed(pieces: list[str], token: str) -> list[str]:
    """Join adjacent pieces that spell the token, from the left."""
    out: list[str] = []
    while pieces:
        for end in range(1, len(pieces) + 1):
            if "".join(pieces[:end]) == token:
                out.append(token)
                pieces = pieces[end:]
                break
        else:
            out.append(pieces[0])
            pieces = pieces[1:]
    return out


@pytest.mark.parametrize("seed", range(60))
def test_tokens_by_brute_force(seed: int) -> None:
    draw = Random(seed)
    letters = ["ab", "abc", "abcdefgh"][seed % 3]
    counts = {"".join(draw.choices(letters, k=draw.randint(1, 9))): draw.randint(1, 9) for _ in range(12)}
    longest = draw.choice([2, 3, 16])
    tokens = choose(counts, 15, longest)
    assert tokens == brute_force(counts, 15, longest)
    model = GreedTok([token for token, _ in tokens])
    for word in [*counts, *("".join(draw.choices(letters, k=12)) for _ in range(20))]:
        pieces = list(word)
        for token, _ in tokens:
            pieces = placed(pieces, token)
        assert model.segment_token(word) == pieces


@pytest.mark.parametrize("case", VECTORS)
def test_gains_and_pieces_of_the_authors_program(case: dict) -> None:
    ours = choose(case["words"], 12, 16)
    assert [token for token, _ in ours] == case["rules"]
    different = [n for n, (token, _) in enumerate(ours) if token != case["tokens"][n]]
    same = different[0] + 1 if different else len(ours)  # where tokens part first, their gains are equal
    assert [gain for _, gain in ours[:same]] == case["scores"][:same]
    model = GreedTok(case["rules"], "reference")
    assert {word: model.segment_token(word) for word in case["encoded"]} == case["encoded"]


def test_the_public_code_forgets_the_border_between_equal_neighbours() -> None:
    tokens = ["ab", "abd", "bac"]
    assert GreedTok(tokens).encode("ababd") == "ab abd"
    assert GreedTok(tokens, "reference").encode("ababd") == "ab ab d"
    assert any(
        GreedTok(case["rules"]).segment_token(word) != pieces
        for case in VECTORS
        for word, pieces in case["encoded"].items()
    )


def test_options_sizes_and_files(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("\n".join(LINES))
    model = GreedTok.learn([tmp_path / "text"], 270, max_length=4)
    assert model.reached() == 270
    assert max(map(len, model.tokens)) <= 4
    for size, options in ((255, {}), (300, {"max_length": 1})):
        with pytest.raises(InputError, match="allowed"):
            GreedTok.learn([tmp_path / "text"], size, **options)
    for content in ("a\n", "ab\nab\n", "a b\n", "東京\n"):
        (tmp_path / "m").write_text(content)
        with pytest.raises(InputError, match="no list of tokens"):
            GreedTok.load(tmp_path / "m")
