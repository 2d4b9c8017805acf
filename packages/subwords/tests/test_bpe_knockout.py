"""BPE-knockout: what the authors' package gives (packages/subwords/tests/vectors), and blame by brute force."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from subwords.bpe import BPE
from subwords.bpe_knockout import BPEKnockout, Merger, knock_out
from subwords.errors import InputError
from subwords.testing import LINES, MORPHS, write_gold

VECTORS = json.loads((Path(__file__).parent / "vectors" / "bpe-knockout.json").read_text("utf-8"))


@pytest.mark.parametrize("case", VECTORS)
def test_merges_and_pieces_of_the_authors_package(case: dict) -> None:
    merges = [tuple(parts) for parts in case["merges"]]
    for _ in range(2):
        merges = knock_out(merges, case["gold"], case["blame"], as_program=True)
    assert merges == [tuple(parts) for parts in case["kept"]]
    merger = Merger(merges, as_program=True)
    assert {word: merger.apply(word)[0] for word in case["encoded"]} == case["encoded"]


def test_the_package_passes_over_a_place_that_begins_where_the_one_before_ends() -> None:
    merges = [("a", "a")]
    assert BPEKnockout(merges, 1).encode("aaaaab") == "aa@@ aa@@ a@@ b"
    assert BPEKnockout(merges, 1, "reference").encode("aaaaab") == "aa@@ a@@ aa@@ b"


def test_without_knockout_it_is_bpe(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("\n".join(LINES))
    plain = BPE.learn([tmp_path / "text"], 60)
    ours = BPEKnockout(plain.merges, 60)
    assert list(plain.encode_lines(LINES)) == list(ours.encode_lines(LINES))
    assert list(plain.vocab) == list(ours.vocab)


def test_blame_by_counting_borders(tmp_path: Path) -> None:
    """Each knocked-out piece, and no other, closes gold borders in half of its applications or more."""
    (tmp_path / "text").write_text("\n".join(LINES))
    merges = BPE.learn([tmp_path / "text"], 60).merges
    good, bad = dict.fromkeys(merges, 0), dict.fromkeys(merges, 0)
    for word, morphs in MORPHS.items():
        borders = {sum(map(len, morphs[:n])) for n in range(1, len(morphs))}
        units = [*word[:-1], word[-1] + "</w>"]
        for merge in merges:  # BPE's merges apply in the order of the list
            place = 0
            while place + 1 < len(units):
                if (units[place], units[place + 1]) == merge:
                    closed = sum(map(len, units[: place + 1]))
                    (bad if closed in borders else good)[merge] += 1
                    units[place : place + 2] = ["".join(merge)]
                place += 1
    gone = {"".join(m) for m in merges if bad[m] and Fraction(bad[m], bad[m] + good[m]) >= Fraction(1, 2)}
    assert gone
    kept = knock_out(merges, MORPHS, 0.5)
    assert {"".join(parts) for parts in kept} == {"".join(merge) for merge in merges} - gone
    assert not gone & {part for parts in kept for part in parts}


def test_better_borders_than_bpe(tmp_path: Path) -> None:
    from subwords.boundaries import boundary_scores, read_gold

    (tmp_path / "text").write_text("\n".join(LINES))
    gold = write_gold(tmp_path / "text")
    plain = BPE.learn([tmp_path / "text"], 90)
    ours = BPEKnockout.learn([tmp_path / "text"], 90, gold=str(gold), iterations=3)
    scores = [boundary_scores(model, read_gold(gold))["micro"]["f1"] for model in (plain, ours)]
    assert scores[0] < scores[1]
    assert ours.reached() == 90 > len(ours.merges)


def test_options_and_files(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("\n".join(LINES))
    gold = str(write_gold(tmp_path / "text"))
    for options in ({"blame": 0}, {"blame": 1.5}, {"iterations": 0}, {"min_frequency": 0}):
        with pytest.raises(InputError, match=next(iter(options))):
            BPEKnockout.learn([tmp_path / "text"], 60, gold=gold, **options)
    (tmp_path / "canonical").write_text("patronesses\tpatron ess s\n")
    with pytest.raises(InputError, match="no word whose morphs join"):
        BPEKnockout.learn([tmp_path / "text"], 60, gold=str(tmp_path / "canonical"))
    header = "#bpe-knockout, merges before it:"
    for content in ("", "#version: 0.2\na b\n", f"{header} 3\na\n", f"{header} ²\na b\n", "3\na b\n"):
        (tmp_path / "m").write_text(content)
        with pytest.raises(InputError, match="no model of bpe-knockout"):
            BPEKnockout.load(tmp_path / "m")
