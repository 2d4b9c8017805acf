"""Subword regularization: the draws of subword-nmt one for one, and the law of the unigram model by enumeration."""

from __future__ import annotations

import io
import math
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from subword_nmt.apply_bpe import BPE as Published

from subwords import registry
from subwords.bpe import BPE
from subwords.bpe_dropout import BPEDropout
from subwords.cli import main
from subwords.errors import InputError
from subwords.sentencepieces import Unigram
from subwords.testing import AWKWARD, LINES
from subwords.unigram_sampling import UnigramSampling


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    path.write_text("\n".join([*LINES, "aaaa aaaaa aaaaaaa banana"]) + "\n")
    return path


# BPE-dropout


@pytest.mark.parametrize("dropout", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("restricted", [False, True])
def test_the_draws_are_those_of_subword_nmt(dropout: float, restricted: bool, text: Path, tmp_path: Path) -> None:
    codes, vocabulary = tmp_path / "codes", tmp_path / "vocabulary"
    BPE.learn([text], 60).save(codes)
    options = {}
    if restricted:
        vocabulary.write_text("".join(f"{piece} 1\n" for piece in ("ba@@", "ko", "ri", "tuna", "no@@", "na")))
        options = {"vocabulary": str(vocabulary)}
    ours = BPEDropout.load(codes, dropout=dropout, **options)
    known = {"ba@@", "ko", "ri", "tuna", "no@@", "na"} if restricted else None
    theirs = Published(io.StringIO(codes.read_text("utf-8")), vocab=known)
    lines = [*LINES, "aaaa aaaaa aaaaaaa banana", *AWKWARD[1:12], "  two  spaces "]
    lines = [" ".join(filter(None, line.split(" "))) for line in lines]
    lines = [line for line in lines if line.split() == line.split(" ")]  # it splits at other white space, too
    random.seed(7)
    expected = [theirs.process_line(line, dropout) for line in lines]
    assert list(ours.sample_lines(lines, seed=7)) == expected


def test_nothing_dropped_is_bpe_and_everything_dropped_is_characters(text: Path, tmp_path: Path) -> None:
    BPE.learn([text], 60).save(tmp_path / "codes")
    plain = list(BPE.load(tmp_path / "codes").encode_lines(LINES))
    assert list(BPEDropout.load(tmp_path / "codes", dropout=0).sample_lines(LINES, 1)) == plain
    assert list(BPEDropout.load(tmp_path / "codes").encode_lines(LINES)) == plain
    characters = [" ".join("@@ ".join(word) for word in line.split(" ")) for line in LINES]
    assert list(BPEDropout.load(tmp_path / "codes", dropout=1).sample_lines(LINES, 1)) == characters


def test_no_probability_is_found_before_a_text_is_read(tmp_path: Path) -> None:
    for name, option in (("bpe-dropout", {"dropout": 2}), ("unigram-sampling", {"alpha": -1})):
        with pytest.raises(InputError, match=rf"{next(iter(option))}=.* cannot be used"):
            registry.find(name).learn([tmp_path / "absent"], 9, **option)


def test_overlapping_places_are_merged_from_the_left() -> None:
    model = BPEDropout([("a", "a"), ("aa", "aa")], dropout=0)
    assert list(model.sample_lines(["aaaaaa"], 1)) == ["aaaa@@ a@@ a"]


@pytest.mark.parametrize("dropout", [-0.1, 1.1, math.nan])
def test_no_probability(dropout: float) -> None:
    with pytest.raises(InputError, match=r"dropout=(?s:.*)0 to 1"):
        BPEDropout([("a", "b")], dropout=dropout)


# unigram


def segmentations(text: str, pieces: set[str]) -> Iterator[list[str]]:
    """Yield every way to write a text in pieces."""
    if not text:
        yield []
    for end in range(1, len(text) + 1):
        if text[:end] in pieces:
            for rest in segmentations(text[end:], pieces):
                yield [text[:end], *rest]


@pytest.mark.parametrize(("alpha", "candidates"), [(0.0, 0), (0.1, 0), (0.5, 0), (2.0, 0), (0.2, 3), (1.0, 8)])
def test_draws_follow_the_law_of_the_paper(alpha: float, candidates: int, text: Path, tmp_path: Path) -> None:
    """P(x)^alpha over all segmentations, or over the best ones, by enumeration; 5 standard deviations at most."""
    Unigram.learn([text], 60).save(tmp_path / "model")
    model = UnigramSampling.load(tmp_path / "model", alpha=alpha, candidates=candidates)
    scores = {model.processor.id_to_piece(n): model.processor.get_score(n) for n in range(3, 60)}
    word, draws = "keliri", 4000
    weights = {
        " ".join(pieces): math.exp(alpha * sum(map(scores.__getitem__, pieces)))
        for pieces in segmentations(f"▁{word}", set(scores))
    }
    logs = {x: sum(map(scores.__getitem__, x.split(" "))) for x in weights}
    best = sorted(weights, key=lambda x: -logs[x])[: candidates or None]
    assert len(best) == min(candidates or 999, len(weights)) > 2
    total = sum(weights[x] for x in best)
    found = Counter(model.sample_lines([word] * draws, seed=3))
    assert set(found) <= set(best)
    for x in best:
        expected = weights[x] / total
        assert abs(found[x] / draws - expected) <= 5 * math.sqrt(expected * (1 - expected) / draws) + 1e-9, x


@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.slow
def test_the_most_probable_draw_is_the_best_segmentation(byte_fallback: bool, tmp_path: Path) -> None:
    """As alpha grows, the draws become what SentencePiece gives, unknown characters and runs of spaces included."""
    text = tmp_path / "text"
    text.write_text("\n".join(LINES) + "\n")
    model = Unigram.learn([text], 290 if byte_fallback else 60, byte_fallback=byte_fallback)
    peaked = UnigramSampling(model.model, alpha=1e4)
    lines = [*LINES, *AWKWARD, "日本語 kelir 日 本", "  two  spaces ", ""]
    for line, drawn in zip(lines, peaked.sample_lines(lines, 1), strict=True):
        best = model.encode(line)
        assert drawn == best, line


def test_a_seed_means_the_same_in_every_process(text: Path, tmp_path: Path) -> None:
    Unigram.learn([text], 60).save(tmp_path / "model")
    command = [sys.executable, "-m", "subwords", "encode", "unigram-sampling", "--sample", "7"]
    command += ["--model", str(tmp_path / "model"), "-i", str(text)]
    drawn = [subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2)]
    assert drawn[0] == drawn[1]
    model = UnigramSampling.load(tmp_path / "model")
    assert drawn[0].decode().splitlines() == list(model.sample_lines(text.read_text().splitlines(), 7))


def test_options_that_cannot_be_used(text: Path, tmp_path: Path) -> None:
    Unigram.learn([text], 60).save(tmp_path / "model")
    for options in ({"alpha": -1}, {"alpha": math.inf}, {"candidates": 1}, {"candidates": 513}, {"candidates": -1}):
        with pytest.raises(InputError, match=next(iter(options))):
            UnigramSampling.load(tmp_path / "model", **options)
    assert list(UnigramSampling.load(tmp_path / "model").encode_lines(LINES)) == list(
        Unigram.load(tmp_path / "model").encode_lines(LINES)
    )


@pytest.mark.parametrize("candidates", [0, 5])
def test_a_mark_of_spaces_in_the_text_is_counted_once_a_draw(candidates: int, text: Path) -> None:
    model = UnigramSampling.learn([text], 60, candidates=candidates)
    lines = ["ba▁ko ▁", "ba"]
    for drawn in (model.encode_lines(lines), model.sample_lines(lines, 1), model.sample_lines(lines * 2, 2)):
        times = len(list(drawn)) // len(lines)
        assert list(model.counts().values()) == [2 * times]


# the command


def test_the_train_text_is_drawn_several_times(text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(tmp_path / "model")
    assert main(["learn", "bpe-dropout", "--size", "60", "--model", model, str(text)]) == 0
    for seed in (1, 2):
        given = ["--model", model, "--set", "dropout=0.3", "-i", str(text), "-o", str(tmp_path / f"train.{seed}")]
        assert main(["encode", "bpe-dropout", *given, "--sample", str(seed)]) == 0
    first, second = ((tmp_path / f"train.{seed}").read_text() for seed in (1, 2))
    assert first != second
    assert first.replace("@@ ", "") == second.replace("@@ ", "") == text.read_text()
    assert main(["encode", "bpe", "--model", model, "-i", str(text), "--sample", "1"]) == 2
    assert "bpe-dropout" in capsys.readouterr().err
