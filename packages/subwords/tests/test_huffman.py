"""Huffman coding: the published mappings, optimality against a textbook construction, and what cannot be coded."""

from __future__ import annotations

import heapq
import itertools
import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subwords.errors import InputError
from subwords.huffman import CONSECUTIVE, IDEOGRAPHS, Huffman, expected_length, huffman_codes

COUNTS = st.lists(st.integers(1, 30), min_size=2, max_size=40)


@pytest.fixture
def text(tmp_path: Path):
    """Write lines to a file and return its path."""

    def write(*lines: str, name: str = "text") -> Path:
        path = tmp_path / name
        path.write_bytes("".join(f"{line}\n" for line in lines).encode())
        return path

    return write


def named(counts: list[int]) -> list[tuple[str, int]]:
    """Words w0, w1, ... with counts, in the order the construction wants."""
    return [(f"w{i}", count) for i, count in enumerate(sorted(counts, reverse=True))]


def textbook_cost(counts: list[int], arity: int) -> int:
    """Total symbols of an optimal code: zero-count dummies fill the tree, each merge costs the sum it makes."""
    heap = list(counts)
    while (len(heap) - 1) % (arity - 1):
        heap.append(0)
    heapq.heapify(heap)
    cost = 0
    while len(heap) > 1:
        merged = sum(heapq.heappop(heap) for _ in range(arity))
        cost += merged
        heapq.heappush(heap, merged)
    return cost


def brute_force_cost(counts: list[int], arity: int) -> int:
    """Total symbols of the best prefix code, over all code lengths that satisfy Kraft's inequality."""
    longest = len(counts)
    ordered = sorted(counts, reverse=True)
    return min(
        sum(length * count for length, count in zip(lengths, ordered, strict=True))
        for lengths in itertools.combinations_with_replacement(range(1, longest + 1), len(ordered))
        if sum(arity ** (longest - length) for length in lengths) <= arity**longest
    )


def total(codes: dict[str, str], counts: list[tuple[str, int]]) -> int:
    of_word = dict(counts)
    return sum(len(code) * of_word[word] for code, word in codes.items())


@given(COUNTS, st.integers(2, 9))
def test_padded_codes_are_as_short_as_the_textbook_s(counts: list[int], arity: int):
    words = named(counts)
    assert total(huffman_codes(*zip(*words, strict=True), arity, "optimal"), words) == textbook_cost(counts, arity)


@settings(max_examples=40)
@given(st.lists(st.integers(1, 12), min_size=2, max_size=7), st.integers(2, 4))
def test_padded_codes_are_as_short_as_any(counts: list[int], arity: int):
    words = named(counts)
    assert total(huffman_codes(*zip(*words, strict=True), arity, "optimal"), words) == brute_force_cost(counts, arity)


@given(COUNTS, st.integers(2, 9))
def test_published_codes_leave_the_root_short(counts: list[int], arity: int):
    codes = huffman_codes(*zip(*named(counts), strict=True), arity)
    expected = (len(counts) - 1) % (arity - 1) + 1
    assert len({code[0] for code in codes}) == (arity if expected == 1 else expected)


@given(COUNTS, st.integers(2, 9), st.sampled_from(["none", "optimal"]))
def test_no_code_begins_another(counts: list[int], arity: int, padding: str):
    words = named(counts)
    codes = huffman_codes(*zip(*words, strict=True), arity, padding)
    assert sorted(codes.values()) == sorted(word for word, _ in words)
    ordered = sorted(codes)
    assert not any(longer.startswith(code) for code, longer in itertools.pairwise(ordered))


@given(COUNTS, st.integers(2, 9), st.sampled_from(["none", "optimal"]))
def test_a_more_frequent_word_never_has_a_longer_code(counts: list[int], arity: int, padding: str):
    words = named(counts)
    lengths = {word: len(code) for code, word in huffman_codes(*zip(*words, strict=True), arity, padding).items()}
    ordered = sorted(words, key=lambda item: (-item[1], lengths[item[0]]))
    assert all(lengths[a] <= lengths[b] for (a, fa), (b, fb) in itertools.pairwise(ordered) if fa > fb)


def test_expected_length_is_in_symbols_per_token():
    assert expected_length({"一": "a", "丁一": "b", "丁丁": "c"}, {"a": 6, "b": 1, "c": 1}) == (6 + 2 + 2) / 8


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize(("language", "size"), [("en", 100), ("en", 1000), ("ga", 1000)])
@pytest.mark.parametrize("variant", ["paper", "reference"])
def test_published_mapping(
    shared: Path, language: str, size: int, variant: str, moses: dict[str, Path], tmp_path: Path
):
    model = Huffman.learn([moses[f"train.{language}"]], size, variant=variant)
    assert model.model_bytes() == (shared / "vectors/huffman" / f"{language}.{size}.json").read_bytes()


@pytest.mark.shared
@pytest.mark.parametrize(("lines", "model"), [("en.tok200", "en.1000"), ("ga.tok200", "ga.1000")])
def test_published_encoding(shared: Path, lines: str, model: str):
    vectors = shared / "vectors/huffman"
    huffman = Huffman.load(vectors / f"{model}.json")
    words = [line.replace(" ␠ ", " ") for line in (vectors / lines).read_text("utf-8").split("\n")[:-1]]
    pieces = huffman.encode_batch(words)
    codes = [line.replace(" ", "") for line in pieces]
    assert codes == (vectors / f"{model}.enc200").read_text("utf-8").split("\n")[:-1]
    if model == "en.1000":
        assert pieces == (vectors / "en.1000.char200").read_text("utf-8").split("\n")[:-1]
    assert [huffman.decode(line) for line in pieces] == words
    assert huffman.counts() == {}


@pytest.mark.shared
def test_published_encoding_with_unknown_words(shared: Path):
    vectors = shared / "vectors/huffman"
    huffman = Huffman.load(vectors / "en.1000.json")
    words = [line.replace(" ␠ ", " ") for line in (vectors / "dev.en.tok200").read_text("utf-8").split("\n")[:-1]]
    expected = (vectors / "dev.en.1000.enc200").read_text("utf-8")
    assert [line.replace(" ", "") for line in huffman.encode_batch(words)] == expected.split("\n")[:-1]
    assert huffman.counts() == {"unknown words": expected.count("␀")}


def test_equal_counts_follow_cpython_s_heap(text):
    """The tree of an object heap that compares counts alone, as the public code has it, for many ties."""

    class Entry:
        def __init__(self, count: int, content: object) -> None:
            self.count, self.content = count, content

        def __lt__(self, other: Entry) -> bool:
            return self.count < other.count

    words = [f"w{i}" for i in range(997)]
    counts = {word: 1 + (i * 7919) % 5 for i, word in enumerate(words)}
    heap: list[Entry] = []
    for word in sorted(words, key=lambda word: -counts[word]):
        heapq.heappush(heap, Entry(counts[word], word))
    while len(heap) > 1:
        children = [heapq.heappop(heap) for _ in range(min(7, len(heap)))]
        heapq.heappush(heap, Entry(sum(child.count for child in children), children))

    def leaves(entry: Entry, code: str):
        if isinstance(entry.content, str):
            yield code, entry.content
            return
        assert isinstance(entry.content, list)
        for i, child in enumerate(entry.content):
            yield from leaves(child, code + chr(0x4E00 + i))

    path = text(*(" ".join(word for word in words if counts[word] > level) for level in range(5)))
    model = Huffman.learn([path], 7, variant="reference")
    assert list(model.codes.items()) == list(leaves(heap[0], ""))


def test_awkward_lines_come_back(awkward: str, text):
    path = text("some other words first", awkward)
    model = Huffman.learn([path], 3)
    pieces = model.encode(awkward)
    assert model.decode(pieces) == awkward
    assert model.counts() == {}
    assert "\n" not in pieces
    if awkward:
        symbols = set(pieces) - {" ", "␠"}
        assert symbols <= set("一丁丂")


def test_model_file_gives_the_same_model(text, tmp_path: Path, awkward: str):
    model = Huffman.learn([text("a b a c", awkward)], 2)
    model.save(tmp_path / "model.json")
    again = Huffman.load(tmp_path / "model.json")
    assert again.codes == model.codes
    assert again.signature() == model.signature()
    assert json.loads((tmp_path / "model.json").read_text("utf-8")) == model.codes


def test_empty_lines_stay(text):
    model = Huffman.learn([text("a b", "", "a")], 2)
    assert model.encode_batch(["", "a", ""])[0::2] == ["", ""]
    assert model.decode("") == ""


def test_unknown_words_are_marked_and_counted(text):
    model = Huffman.learn([text("a b a")], 2)
    assert model.encode("a x x b").split(" ␠ ")[1:3] == ["␀", "␀"]
    assert model.counts() == {"unknown words": 2}
    assert model.counts() == {}


@pytest.mark.parametrize(("options", "decoded"), [({}, "a b"), ({"unknown": "mark"}, "a <unk> <unk> b")])
def test_unknown_codes(text, tmp_path: Path, options: dict[str, str], decoded: str):
    Huffman.learn([text("a b a b b c")], 3).save(tmp_path / "model.json")
    model = Huffman.load(tmp_path / "model.json", **options)
    a, b = model.encode("a").replace(" ", ""), model.encode("b")
    assert model.decode(f"{a} ␠ 丂 丂 丂 ␠ ␀ ␠ {b}") == decoded
    assert model.counts() == {"unknown codes": 2}


def test_the_public_code_writes_unk(text):
    model = Huffman.learn([text("a b a")], 2, variant="reference")
    assert model.decode("龥") == "<unk>"


def test_control_symbols_as_words(text):
    path = text("␠ ␀ a ␠ a a")
    paper = Huffman.learn([path], 2)
    assert paper.decode(paper.encode("␠ ␀ a")) == "␠ ␀ a"
    reference = Huffman.learn([path], 2, variant="reference")
    assert list(reference.codes.values()) == ["a"]


@pytest.mark.parametrize("variant", ["paper", "reference"])
def test_one_type_a_million_times(text, variant: str):
    model = Huffman.learn([text("w " * 999_999 + "w")], 1000, variant=variant)
    assert model.codes == {"一": "w"}
    assert model.decode(model.encode("w w")) == "w w"


def test_long_words_nul_and_separators(text):
    words = ["x" * 100_000, "a\u2028b", "nul\x00", "\u00a0", "𐀀\u0301"]
    model = Huffman.learn([text(" ".join(words))], 2)
    assert model.decode(model.encode(" ".join(words))) == " ".join(words)


@pytest.mark.parametrize("size", [0, 1, -3, None, "x", 1.5])
def test_sizes_that_cannot_be(text, size: object):
    with pytest.raises(InputError):
        Huffman.learn([text("a b")], size)  # type: ignore[arg-type]


@pytest.mark.parametrize("lines", [[], [""], ["", "  ", ""]])
def test_no_words(text, lines: list[str]):
    with pytest.raises(InputError, match="no word"):
        Huffman.learn([text(*lines)], 10)


#: JSON can spell what UTF-8 cannot.
HALVES = ['{"": "a"}', r'{"\ud800": "a"}', r'{"一\udfff": "a"}', r'{"一": "\udc00"}']


#: What cannot be told apart in a line of codes, or of words.
BROKEN = ["{}", "[" * 100_000, '{"一": "a b"}', '{"一": "a\\nb"}', '{"一": ""}', '{"一 丁": "a"}']


@pytest.mark.parametrize(
    "content",
    ["", "{", "[1]", '{"一": 1}', '{"一": "a", "丁": "a"}', "\udcff", *HALVES, *BROKEN],
    ids=lambda content: content[:30],
)
def test_model_files_that_are_none(tmp_path: Path, content: str):
    path = tmp_path / "model.json"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError):
        Huffman.load(path)


def test_many_symbols_are_all_safe(text):
    count = 40_000
    words = [f"w{i}" for i in range(count)]
    model = Huffman.learn([text(" ".join(words))], count)
    assert len(model.codes) == count
    assert model.reached() == count
    for symbol in model.codes:
        assert unicodedata.category(symbol) == "Lo"
        assert unicodedata.normalize("NFKD", symbol) == symbol
        assert symbol.encode("utf-8").decode("utf-8").split() == [symbol]
    assert model.decode(model.encode("w39999 w0")) == "w39999 w0"
    with pytest.raises(InputError, match="35328"):
        Huffman.learn([text(" ".join(words))], count, variant="reference")


def test_symbols_are_different_and_agree_with_the_published_ones():
    points = list(itertools.chain.from_iterable(IDEOGRAPHS))
    assert len(points) == len(set(points))
    assert points[:20_992] == list(CONSECUTIVE[0])[:20_992]


@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="the alphabet is that of Unicode 14, Python 3.11's")
def test_the_alphabet_is_every_ideograph_and_the_private_planes() -> None:
    names = {point: unicodedata.name(chr(point), "") for point in range(0x3400, 0x40000)}
    ideographs = {point for point, name in names.items() if name.startswith("CJK UNIFIED IDEOGRAPH")}
    private = {point for point in range(0xF0000, 0x110000) if unicodedata.category(chr(point)) == "Co"}
    assert set(itertools.chain.from_iterable(IDEOGRAPHS)) == ideographs | private


def test_same_model_under_any_hash_seed(text):
    path = text("b a c d e f g h a b c a", "i j k l m n o p q")
    learn = f"Huffman.learn([Path({str(path)!r})], 3)"
    program = f"from pathlib import Path; from subwords.huffman import Huffman; print({learn}.model_bytes().hex())"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "012"
    }
    assert len(outputs) == 1
    assert bytes.fromhex(outputs.pop().decode()) == Huffman.learn([path], 3).model_bytes()
