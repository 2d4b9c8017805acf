"""bpe and the merge engine: equal to subword-nmt, on any text and with any codes."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subwords import registry, segmenter
from subwords.bpe import BPE
from subwords.counting import count_words
from subwords.errors import InputError
from subwords.files import BLOCK
from subwords.merges import MergeEncoder, learn_merges, published, read_codes, write_codes
from subwords.threads import use

LETTERS = st.sampled_from("ab\u0301éß日😀ש\x00<@")
WORDS = st.text(LETTERS, min_size=1, max_size=12)
COUNTS = st.dictionaries(WORDS, st.integers(1, 40), min_size=1, max_size=25)


@settings(derandomize=True, max_examples=80, deadline=None)
@given(counts=COUNTS, size=st.integers(1, 60), least=st.integers(1, 4))
def test_learns_what_subword_nmt_learns(counts: dict[str, int], size: int, least: int) -> None:
    assert learn_merges(counts, size, least) == published.learn_merges(counts, size, least)


@pytest.mark.parametrize("seed", range(40))
def test_learns_what_subword_nmt_learns_where_its_counts_drift(seed: int) -> None:
    chance = random.Random(seed)
    parts = ["a", "b", "</w>", "</w>"]
    words = ["".join(chance.choices(parts, k=chance.randint(1, 9))) for _ in range(20)]
    counts = {word: chance.randint(1, 40) for word in words}
    assert learn_merges(counts, 40) == published.learn_merges(counts, 40)


@settings(derandomize=True, max_examples=80, deadline=None)
@given(data=st.data())
def test_applies_any_codes_as_apply_bpe_does(data: st.DataObject) -> None:
    """Codes need not have been learned: any order, twice the same, ranks that fall as pieces grow."""
    inner = list("ab<日")
    final = [f"{letter}</w>" for letter in inner]
    codes = []
    for _ in range(data.draw(st.integers(0, 25))):
        left, right = data.draw(st.sampled_from(inner)), data.draw(st.sampled_from(inner + final))
        codes.append((left, right))
        (final if right.endswith("</w>") else inner).append(left + right)
    codes = data.draw(st.permutations(codes))
    words = data.draw(st.lists(st.text("ab<日z\u00a0", min_size=1, max_size=15), max_size=20))
    expected = published.MergeEncoder(codes).segment_words(words)
    assert MergeEncoder(codes).segment_words(words) == expected


@pytest.fixture
def irish(loresmt: Path) -> Path:
    return loresmt / "train.ga"


@pytest.mark.shared
@pytest.mark.slow
def test_files_are_those_of_subword_nmt(irish: Path, tmp_path: Path) -> None:
    from subword_nmt.apply_bpe import BPE as Published
    from subword_nmt.learn_bpe import learn_bpe

    codes = io.StringIO()
    with open(irish, encoding="utf-8", newline="\n") as text:
        learn_bpe(text, codes, 1000)
    model = BPE.learn([irish], 1000)
    model.save(tmp_path / "codes")
    assert (tmp_path / "codes").read_bytes() == codes.getvalue().encode()

    applied = Published(codes)
    lines = irish.read_text(encoding="utf-8").split("\n")[:-1]
    assert [applied.process_line(line).strip(" ") for line in lines] == model.encode_batch(lines)
    other = BPE.read(tmp_path / "codes", implementation="subword-nmt")
    assert other.encode_batch(lines[:50]) == model.encode_batch(lines[:50])


@pytest.mark.parametrize("count", ["", "²", "-1", "9" * 5000])
def test_a_vocabulary_with_a_count_that_is_none(count: str, tmp_path: Path) -> None:
    (tmp_path / "vocabulary").write_text(f"l@@ 3\no@@ {count}\n")
    with pytest.raises(InputError, match="vocabulary, line 2"):
        BPE([("l", "o")], vocabulary=str(tmp_path / "vocabulary"))


@pytest.mark.shared
def test_vocabulary_threshold_is_that_of_apply_bpe(irish: Path, tmp_path: Path) -> None:
    from subword_nmt.apply_bpe import BPE as Published
    from subword_nmt.apply_bpe import read_vocabulary
    from subword_nmt.get_vocab import get_vocab

    lines = irish.read_text(encoding="utf-8").split("\n")[:2000]
    text = tmp_path / "text"
    text.write_text("\n".join(lines) + "\n", encoding="utf-8")
    model = BPE.learn([text], 2000)
    model.save(tmp_path / "codes")
    counted = io.StringIO()
    get_vocab(io.StringIO("\n".join(model.encode_batch(lines[:500]))), counted)
    (tmp_path / "vocabulary").write_text(counted.getvalue(), encoding="utf-8")

    known = read_vocabulary(io.StringIO(counted.getvalue()), 3)
    applied = Published(io.StringIO((tmp_path / "codes").read_text(encoding="utf-8")), vocab=known)
    restricted = BPE.load(tmp_path / "codes", vocabulary=str(tmp_path / "vocabulary"), vocabulary_threshold=3)
    expected = [applied.process_line(line).strip(" ") for line in lines]
    assert restricted.encode_batch(lines) == expected
    assert expected != model.encode_batch(lines)


def test_decode_gives_the_line_back(awkward: str) -> None:
    words = " ".join(awkward.split(" "))
    model = BPE(learn_merges({word: 2 for word in words.split(" ") if word} or {"a": 1}, 50))
    expected = words.replace("@@ @@ a@@ b", "ab")  # the format cannot tell words that end in "@@"
    assert model.decode(model.encode(words)) == expected


@settings(derandomize=True, max_examples=60, deadline=None)
@given(counts=COUNTS, lines=st.lists(st.lists(WORDS, max_size=6).map(" ".join), max_size=8))
def test_round_trip(counts: dict[str, int], lines: list[str]) -> None:
    lines = [line.replace("@", "") for line in lines]
    lines = [" ".join(word for word in line.split(" ") if word) for line in lines]
    model = BPE(learn_merges(counts, 30))
    assert [model.decode(line) for line in model.encode_batch(lines)] == lines


@pytest.mark.parametrize(("line", "back"), [("a@@ b", "ab"), ("b a@@", "b a"), ("@@", ""), ("a@ @b @@c", "a@ @b @@c")])
def test_words_that_end_in_the_separator_are_lost(line: str, back: str) -> None:
    """Once "@@" at a word's end is a piece, it reads like the separator. Elsewhere "@" does no harm."""
    model = BPE([("@", "@</w>"), ("@", "@")])
    assert model.decode(model.encode(line)) == back
    alone = BPE([])
    assert alone.decode(alone.encode(line)) == line


def test_a_word_of_100_000_characters() -> None:
    chance = random.Random(1)
    mixed = "".join(chance.choices("abc", k=100_000))
    for word in (mixed, "a" * 100_001):
        merges = learn_merges({word: 1}, 200)
        pieces = MergeEncoder(merges).segment_words([word])[0]
        assert pieces.replace("@@ ", "") == word
        assert len(pieces.split(" ")) < 100_000 / 2
    doubled = [("a" * 2**n, "a" * 2**n) for n in range(16)]
    assert learn_merges({"a" * 2**17 + "b": 2}, 16) == doubled


def test_one_type_a_million_times_and_one_word(tmp_path: Path) -> None:
    (tmp_path / "many").write_bytes(b"banana " * 1_000_000)
    (tmp_path / "one").write_bytes(b"banana\n")
    assert count_words([tmp_path / "many"]) == {"banana": 1_000_000}
    assert BPE.learn([tmp_path / "many"], 5).merges == published.learn_merges({"banana": 1_000_000}, 5)
    assert BPE.learn([tmp_path / "one"], 5).reached() == len(published.learn_merges({"banana": 1}, 5))


@pytest.mark.parametrize("body", [b"", b"  \n \n", b"\r\n"])
def test_text_without_words(tmp_path: Path, body: bytes) -> None:
    (tmp_path / "text").write_bytes(body)
    with pytest.raises(InputError, match="no word"):
        BPE.learn([tmp_path / "text"], 10)


@pytest.mark.parametrize("size", [0, -1, "many", 1.5, None, True])
def test_sizes_that_cannot_be(tmp_path: Path, size: object) -> None:
    (tmp_path / "text").write_bytes(b"a b\n")
    for name in ("bpe", "random-bpe") if size is None else ("bpe", "sbpe", "random-bpe"):  # sbpe may choose its size
        with pytest.raises(InputError, match="size"):
            registry.find(name).learn([tmp_path / "text"], size)  # type: ignore[arg-type]


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"good\nbad \xe9 here\n")
    with pytest.raises(InputError, match="line 2"):
        count_words([tmp_path / "text"])
    model = BPE([("a", "b</w>")])
    for filling in (b"", b"fill\n" * (BLOCK // 5 + 10)):
        line = 2 + filling.count(b"\n")
        with pytest.raises(InputError, match=f"line {line}"):
            model.encode_stream(io.BytesIO(filling + b"good\nbad \xe9 here\n"), io.BytesIO())


def test_fewer_merges_than_asked_is_said(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"ab ab\n")
    with pytest.warns(UserWarning, match="1 merges, not 9"):
        assert BPE.learn([tmp_path / "text"], 9).reached() == 1


@pytest.mark.parametrize("body", ["", "a b\n", "#version: 0.2\na\n", "#version: 0.2\na b c\n", "#version: 0.2\n a\n"])
def test_codes_that_cannot_be_read(tmp_path: Path, body: str) -> None:
    (tmp_path / "codes").write_text(body, encoding="utf-8")
    with pytest.raises(InputError):
        read_codes(tmp_path / "codes")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_codes_are_read_as_written(tmp_path: Path, end: str) -> None:
    merges = [("a", "b</w>"), ("\u2028", "\x85"), ("@", "</w>")] + ([("x", "y\r")] if end == "\n" else [])
    write_codes(tmp_path / "codes", merges)
    (tmp_path / "codes").write_bytes((tmp_path / "codes").read_bytes().replace(b"\n", end.encode()))
    assert read_codes(tmp_path / "codes") == merges


def test_words_are_split_at_spaces_and_line_feeds_alone(tmp_path: Path) -> None:
    body = "a  b\u00a0c \r\n\r d\u2028e\x85 \x0bf\n\n g\rh a".encode()
    (tmp_path / "text").write_bytes(body)
    expected = {"a": 2, "b\u00a0c": 1, "d\u2028e\x85": 1, "\x0bf": 1, "g\rh": 1}
    assert list(count_words([tmp_path / "text"]).items()) == list(expected.items())


@pytest.mark.parametrize("number", [1, 2, 3])
def test_counting_is_that_of_python(tmp_path: Path, number: int) -> None:
    """Whatever the number of threads: counts, and the order in which words are first seen."""
    chance = random.Random(5)
    text = " ".join("".join(chance.choices("abcdeé日", k=chance.randint(1, 9))) for _ in range(60_000))
    text = text.replace("a ", "a\n") + "\n"
    (tmp_path / "text").write_text(text, encoding="utf-8")
    with use(number):
        counted = count_words([tmp_path / "text"] * 10)
    expected = Counter(text.split())
    assert list(counted.items()) == [(word, 10 * count) for word, count in expected.items()]


def test_stream_equals_batch(tmp_path: Path) -> None:
    chance = random.Random(6)
    words = ["".join(chance.choices("abcdeé日\x00\u2028", k=chance.randint(1, 9))) for _ in range(3000)]
    lines = [" ".join(chance.choices(words, k=chance.randint(0, 30))) for _ in range(20_000)]
    merges = learn_merges(dict.fromkeys(words, 3), 100)
    text = "\n".join(lines).encode()
    assert len(text) > BLOCK
    expected = "\n".join(BPE(merges).encode_batch(lines)) + "\n"
    for spaced in (text, text + b"\n", text.replace(b"\n", b" \r\n "), text.replace(b" ", b"   ")):
        sink = io.BytesIO()
        BPE(merges).encode_stream(io.BytesIO(spaced), sink)
        assert sink.getvalue() == expected.encode()


def test_an_encoder_starts_afresh_when_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["abab b a", "c abab ddddd", "", "ab", "abab b a ab c abab e"] * 3
    expected = BPE([("a", "b")]).encode_batch(lines)
    monkeypatch.setattr(segmenter, "CACHED_BYTES", 5)
    bounded = BPE([("a", "b")])
    assert [bounded.encode(line) for line in lines] == expected


@pytest.mark.parametrize("number", [2, 3])
def test_pieces_do_not_depend_on_threads(tmp_path: Path, number: int) -> None:
    chance = random.Random(8)
    words = ["".join(chance.choices("abcdeé", k=chance.randint(1, 9))) for _ in range(3000)]
    text = "\n".join(" ".join(chance.choices(words, k=20)) for _ in range(20_000)).encode()
    model = BPE(learn_merges(dict.fromkeys(words, 3), 100))
    sinks = io.BytesIO(), io.BytesIO()
    model.encode_stream(io.BytesIO(text), sinks[0])
    with use(number):
        model.encode_stream(io.BytesIO(text), sinks[1])
    assert sinks[0].getvalue() == sinks[1].getvalue()


@pytest.mark.slow
def test_models_do_not_depend_on_hash_seeds_or_processes(tmp_path: Path) -> None:
    chance = random.Random(7)
    words = ["".join(chance.choices("abcde", k=chance.randint(1, 9))) for _ in range(400)]
    (tmp_path / "text").write_text(" ".join(words) + "\n", encoding="utf-8")
    runs = {}
    for name, options in (("bpe", []), ("sbpe", []), ("random-bpe", ["--set", "seed=3"])):
        for seed in ("0", "1"):
            model = tmp_path / f"{name}.{seed}"
            command = [sys.executable, "-m", "subwords", "learn", name, "--size", "80", *options, "--model", model]
            environment = os.environ | {"PYTHONHASHSEED": seed}
            subprocess.run([*command, tmp_path / "text"], check=True, env=environment)
            runs.setdefault(name, set()).add(model.read_bytes())
    assert {name: len(models) for name, models in runs.items()} == {"bpe": 1, "sbpe": 1, "random-bpe": 1}


def test_many_symbols_make_many_pairs() -> None:
    letters = [chr(0x4E00 + i) for i in range(400)]
    counts = {a + b: 1 for a in letters for b in letters[:200]}
    merges = learn_merges(counts, 100_000, 1)
    assert len(set(merges)) == len(merges) == 80_000


@pytest.mark.parametrize("line", ["ab  cab", "\rab ab", " ab  ab ", "ab\r", " \r ab   x\r ", "a\rb ab", "ab \r ab"])
def test_encoding_is_that_of_apply_bpe_up_to_the_ends_of_a_line(line: str) -> None:
    from subword_nmt.apply_bpe import BPE as ApplyBPE

    expected = ApplyBPE(io.StringIO("#version: 0.2\na b</w>\n")).process_line(line)
    assert BPE([("a", "b</w>")]).encode(line) == expected.strip(" \r")


def test_a_word_of_the_mark_alone_vanishes_where_it_was_merged() -> None:
    model = BPE([("@", "@</w>")])
    assert model.decode(model.encode("a @@ b")) == "a b"
    assert BPE([]).decode(BPE([]).encode("a @@ b")) == "a @@ b"
