"""Statistics against hand computation and brute force."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subwords.api import learn
from subwords.boundaries import GoldWord, boundary_scores, cuts, piece_boundaries, read_gold
from subwords.char import Characters
from subwords.errors import InputError
from subwords.files import read_lines
from subwords.huffman import Huffman
from subwords.statistics import (
    Segmented,
    class_frequency,
    count_pieces,
    describe,
    rank_weighted_frequency,
    renyi_efficiency,
    unknown_rates,
)
from subwords.word import Words
from subwords.wordpiece import WordPiece

#: undo -> un ##do, undoing -> un ##do ##ing, ab -> a ##b
MODEL = ["[UNK]", "un", "##do", "##ing", "a", "##b"]
TEXT = "undo undoing\n\nab a\n"

descending = st.lists(st.integers(1, 1000), max_size=60).map(lambda counts: sorted(counts, reverse=True))


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8", newline="\n")
    return path


def segmented(folder: Path, name: str, text: str) -> Segmented:
    lines = WordPiece(MODEL).encode_lines(text.split("\n")[:-1])
    return Segmented(write(folder, f"{name}.pieces", "".join(f"{line}\n" for line in lines)), write(folder, name, text))


def test_a_text_by_hand(tmp_path: Path) -> None:
    figures = describe(segmented(tmp_path, "train", TEXT), segmenter=WordPiece(MODEL))
    # un ##do / un ##do ##ing / a ##b / a: five pieces with frequencies 2 2 2 1 1
    shares = [2 / 8, 2 / 8, 2 / 8, 1 / 8, 1 / 8]
    assert figures == {
        "sentences": 3,
        "pieces": 8,
        "types": 5,
        "pieces_per_sentence": 8 / 3,
        "f95": 1,
        "nu": (1 * 2 + 2 * 2 + 3 * 2 + 4 * 1 + 5 * 1) / (1 + 2 + 3 + 4 + 5),
        "renyi_efficiency": pytest.approx(math.log(sum(p**2.5 for p in shares)) / (1 - 2.5) / math.log(5)),
        "renyi_alpha": 2.5,
        "types_with_white_space": 0,
        "algorithm": "wordpiece",
        "size_reached": 6,
        "words": 4,
        "word_types": 4,
        "pieces_per_word": 2.0,
        "characters_per_piece": (4 + 7 + 2 + 1) / 8,
        "kept_whole": 1 / 4,
        "pieces_per_word_histogram": {1: 1, 2: 2, 3: 1},
    }


def test_without_text_and_model_the_rest_is_there(tmp_path: Path) -> None:
    figures = describe(Segmented(write(tmp_path, "pieces", "a b\na\n")))
    assert figures["pieces_per_sentence"] == 1.5
    assert not {"words", "kept_whole", "algorithm", "held_out", "boundaries"} & figures.keys()


def test_an_empty_file(tmp_path: Path) -> None:
    figures = describe(Segmented(write(tmp_path, "pieces", "")))
    assert (figures["sentences"], figures["pieces"], figures["types"]) == (0, 0, 0)
    assert [figures[name] for name in ("pieces_per_sentence", "f95", "nu", "renyi_efficiency")] == [None] * 4


def test_lines_end_only_at_line_feeds(tmp_path: Path) -> None:
    sentences, counts = count_pieces(write(tmp_path, "pieces", "a\u2028b c\x85 c\n\nd"))
    assert (sentences, counts) == (3, {"a\u2028b": 1, "c\x85": 1, "c": 1, "d": 1})
    assert describe(Segmented(tmp_path / "pieces"))["types_with_white_space"] == 2


def test_text_and_pieces_must_be_parallel(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has 1 lines, .* has 2"):
        describe(Segmented(write(tmp_path, "pieces", "a\nb\n"), write(tmp_path, "text", "a b\n")))


def test_held_out_unknowns_by_hand(tmp_path: Path) -> None:
    dev = segmented(tmp_path, "dev", "undo zap\na ab\n")  # un ##do z ##a ##p / a a ##b
    figures = describe(segmented(tmp_path, "train", TEXT), {"dev": dev}, segmenter=WordPiece(MODEL))
    assert figures["held_out"]["dev"] == {
        "pieces": 8,
        "unknown_pieces": 3,
        "unknown_piece_rate": 3 / 8,
        "words": 4,
        "words_with_unknown": 1,
        "unknown_word_rate": 1 / 4,
    }


def test_a_mark_for_the_unknown_is_unknown_even_if_training_had_it(tmp_path: Path) -> None:
    model = Words({"a": 3})
    file = Segmented(write(tmp_path, "pieces", "a <unk>\n"), write(tmp_path, "text", "a b\n"))
    rates = unknown_rates(file, {"a", "<unk>"}, model)
    assert (rates["unknown_piece_rate"], rates["unknown_word_rate"]) == (0.5, 0.5)
    assert unknown_rates(file, {"a", "<unk>"})["unknown_pieces"] == 0
    assert describe(file, segmenter=model)["kept_whole"] == 0.5


def test_a_word_is_as_known_as_its_pieces_in_the_line(tmp_path: Path) -> None:
    """byte-bpe writes a space into the piece of the word behind it; alone, that word has another piece."""
    model = learn("byte-bpe", [write(tmp_path, "train", "to be to be to be\n")], 260)
    text = write(tmp_path, "text", "to be x to\nbe to\n")
    pieces = write(tmp_path, "pieces", "".join(f"{line}\n" for line in model.encode_lines(read_lines(text))))
    known = set(model.encode("to be to be to be").split(" "))
    rates = unknown_rates(Segmented(pieces, text), known, model)
    assert (rates["words"], rates["words_with_unknown"]) == (6, 2)  # x; and be at the start of a line


@pytest.mark.parametrize(
    ("train", "text", "words", "hit"),
    [
        ("ab ab ab ж", "ab к ab", 3, 1),  # the first byte of both letters is the same, the last is new
        ("ab ab ab к", "ab ж ab", 3, 1),
        ("ab ab ab", "ab ж ab", 3, 1),  # both bytes are new
        ("ab ab", "ab\N{NO-BREAK SPACE}ab x", 2, 2),  # white space that parts no words
    ],
)
def test_a_character_of_two_bytes_is_in_one_word(train: str, text: str, words: int, hit: int, tmp_path: Path) -> None:
    model = learn("byte-bpe", [write(tmp_path, "train", f"{train}\n")], 256)
    pieces = write(tmp_path, "pieces", f"{model.encode(text)}\n")
    known = set(model.encode(train).split(" "))
    rates = unknown_rates(Segmented(pieces, write(tmp_path, "text", f"{text}\n")), known, model)
    assert (rates["words"], rates["words_with_unknown"]) == (words, hit)


def test_a_mark_of_case_that_training_has_not_is_unknown(tmp_path: Path) -> None:
    model = learn("hft", [write(tmp_path, "train", "the cat sat on the mat\n" * 9)], 17)
    text = "The cat sat on THE mat"
    pieces = write(tmp_path, "pieces", f"{model.encode(text)}\n")
    known = set(model.encode("the cat sat on the mat").split(" "))
    rates = unknown_rates(Segmented(pieces, write(tmp_path, "text", f"{text}\n")), known, model)
    assert (rates["words"], rates["words_with_unknown"]) == (6, 2)


def test_a_text_of_other_lines_is_refused(tmp_path: Path) -> None:
    file = Segmented(write(tmp_path, "pieces", "a\na\n"), write(tmp_path, "text", "a\n"))
    with pytest.raises(InputError, match="1 lines"):
        unknown_rates(file, {"a"}, Words({"a": 3}))


def test_measuring_leaves_no_counts_behind(tmp_path: Path) -> None:
    model = Words({"a": 3})
    describe(Segmented(write(tmp_path, "pieces", "a <unk>\n"), write(tmp_path, "text", "a b\n")), segmenter=model)
    assert model.counts() == {}


@given(descending, st.integers(1, 100))
def test_class_frequency_by_brute_force(frequencies: list[int], percent: int) -> None:
    ranks = [rank for rank in range(1, len(frequencies) + 1) if rank / len(frequencies) >= percent / 100 - 1e-12]
    assert class_frequency(frequencies, percent) == (frequencies[ranks[0] - 1] if ranks else None)


def test_f95_by_hand() -> None:
    assert class_frequency(range(20, 0, -1)) == 2  # type: ignore[arg-type]
    assert class_frequency(range(21, 0, -1)) == 2  # type: ignore[arg-type]
    assert class_frequency([7]) == 7


@pytest.mark.shared
@pytest.mark.parametrize(("size", "published"), [(750, 10), (3000, 13), (8000, 2)])
def test_f95_as_published_for_hft(size: int, published: int, shared: Path) -> None:
    """The authors' frequencies of Irish pieces, and the F95 that they published for them."""
    counts = ast.literal_eval((shared / f"vectors/hft/ga.{size}.published.freq").read_text("utf-8"))
    assert class_frequency(sorted(counts.values(), reverse=True)) == published


@given(descending.filter(bool))
def test_nu_by_brute_force(frequencies: list[int]) -> None:
    top = sum(i * f for i, f in zip(range(1, len(frequencies) + 1), frequencies, strict=True))
    assert rank_weighted_frequency(frequencies) == pytest.approx(top / sum(range(1, len(frequencies) + 1)))


def test_renyi_by_hand() -> None:
    assert renyi_efficiency([2, 1, 1], alpha=2) == pytest.approx(-math.log(1 / 4 + 1 / 16 + 1 / 16) / math.log(3))
    assert renyi_efficiency([2, 1, 1], alpha=1) == pytest.approx(1.5 * math.log(2) / math.log(3))
    assert renyi_efficiency([2, 1, 1], alpha=0) == pytest.approx(1)
    assert renyi_efficiency([5]) is None
    for alpha in (-0.1, math.nan, math.inf):
        with pytest.raises(InputError, match="alpha"):
            renyi_efficiency([2, 1], alpha)


@pytest.mark.parametrize("alpha", [300, 1000, 1e6, 1e300])
def test_renyi_of_an_order_at_which_powers_are_too_small_for_numbers(alpha: float) -> None:
    """Only the greatest shares count: two of 8 in 100."""
    expected = (alpha * math.log(0.08) + math.log(2)) / (1 - alpha) / math.log(14)
    assert renyi_efficiency([8] * 2 + [7] * 12, alpha) == pytest.approx(expected, rel=1e-12)


@settings(derandomize=True)
@given(descending.filter(lambda counts: len(counts) > 1), st.floats(0, 8))
def test_renyi_is_between_0_and_1_falls_with_its_order_and_is_continuous(frequencies: list[int], alpha: float) -> None:
    value, above = renyi_efficiency(frequencies, alpha), renyi_efficiency(frequencies, alpha + 0.5)
    assert value is not None
    assert above is not None
    assert -1e-9 <= above <= value + 1e-9 <= 1 + 2e-9
    near_one = [renyi_efficiency(frequencies, order) for order in (1 - 1e-6, 1, 1 + 1e-6)]
    assert near_one == pytest.approx([near_one[1]] * 3, abs=1e-4)


def test_boundaries_by_hand() -> None:
    gold = [GoldWord("undoing", ["un", "do", "ing"]), GoldWord("undo", ["undo"]), GoldWord("ab", ["a", "b"])]
    # found {2, 4}, {2}, {1}; gold {2, 4}, {}, {1}
    scores = boundary_scores(WordPiece(MODEL), gold)
    assert scores["words"] == 3
    assert scores["macro"] == pytest.approx({"precision": 2 / 3, "recall": 1.0, "f1": 0.8})
    assert scores["micro"] == pytest.approx({"precision": 3 / 4, "recall": 1.0, "f1": 6 / 7})


def test_words_left_out_are_counted() -> None:
    gold = [GoldWord("patronesses", ["patron", "ess", "s"]), GoldWord("ab", ["a", "b"]), GoldWord("cd", ["c", "d"])]
    scores = boundary_scores(Words({"ab": 1}), gold)  # "cd" is <unk>: no stretch of the word
    assert (scores["words"], scores["without_surface_gold"], scores["without_surface_pieces"]) == (1, 1, 1)
    assert scores["macro"] == {"precision": None, "recall": 0.0, "f1": 0.0}


def test_codes_have_no_boundaries(tmp_path: Path) -> None:
    write(tmp_path, "text", "ab cd ef gh ab cd\n" * 9)
    model = Huffman.learn([tmp_path / "text"], 2)
    assert len(model.encode("ab").split(" ")) > 1
    scores = boundary_scores(model, [GoldWord("ab", ["a", "b"])])
    assert scores["words"] == 0
    assert scores["micro"] == scores["macro"] == {"precision": None, "recall": None, "f1": None}


class Ruler(Characters):
    """Cuts words where it is told to."""

    def __init__(self, segmentations: dict[str, list[str]]) -> None:
        super().__init__({"a": 1})
        self.segmentations = segmentations

    def encode_batch(self, lines: Sequence[str]) -> list[str]:
        return [" ".join(self.segmentations[line]) for line in lines]


def compositions(word: str) -> st.SearchStrategy[list[str]]:
    inner = st.sets(st.integers(1, len(word) - 1)) if len(word) > 1 else st.just(set[int]())
    return inner.map(lambda cut: [word[a:b] for a, b in zip([0, *sorted(cut)], [*sorted(cut), len(word)], strict=True)])


words = st.lists(st.text("abc", min_size=1, max_size=7), min_size=1, max_size=8, unique=True)


@given(words.flatmap(lambda ws: st.tuples(*[st.tuples(st.just(w), compositions(w), compositions(w)) for w in ws])))
def test_boundaries_by_brute_force(case: tuple[tuple[str, list[str], list[str]], ...]) -> None:
    hits = found = true = 0
    precisions, recalls = [], []
    for word, pieces, morphs in case:
        ends = [
            {n for n in range(1, len(word)) if any(len("".join(s[:k])) == n for k in range(len(s)))}
            for s in (pieces, morphs)
        ]
        both = sum(n in ends[0] and n in ends[1] for n in range(len(word)))
        hits, found, true = hits + both, found + len(ends[0]), true + len(ends[1])
        precisions += [both / len(ends[0])] if ends[0] else []
        recalls += [both / len(ends[1])] if ends[1] else []
    scores = boundary_scores(
        Ruler({word: pieces for word, pieces, _ in case}), [GoldWord(word, morphs) for word, _, morphs in case]
    )
    assert scores["micro"]["precision"] == (pytest.approx(hits / found) if found else None)
    assert scores["micro"]["recall"] == (pytest.approx(hits / true) if true else None)
    assert scores["macro"]["precision"] == (pytest.approx(sum(precisions) / len(precisions)) if precisions else None)
    assert scores["macro"]["recall"] == (pytest.approx(sum(recalls) / len(recalls)) if recalls else None)


def test_pieces_without_text_cut_nothing() -> None:
    assert cuts(["", "ab", "", "c", ""]) == {2}
    assert cuts([]) == frozenset()
    assert piece_boundaries(Characters({"a": 1}), ["abc", "a"]) == [{1, 2}, frozenset()]


def test_gold_formats(tmp_path: Path) -> None:
    path = write(tmp_path, "gold", "strides\tstride @@s\t100\nab\ta b\nmouth harpist\tmouth harp @@ist\t010\n")
    assert read_gold(path) == [
        ("strides", ["stride", "s"]),
        ("ab", ["a", "b"]),
        ("mouth harpist", ["mouth", "harp", "ist"]),
    ]
    with pytest.raises(InputError, match="line 2"):
        read_gold(write(tmp_path, "gold", "ab\ta b\nno tab\n"))


@pytest.mark.shared
def test_czech_gold_segmentations_are_on_the_surface(shared: Path) -> None:
    (path,) = (shared / "mirror").glob("raw.githubusercontent.com/sigmorphon/*/*/data/ces.word.dev.tsv")
    gold = read_gold(path)
    alphabet = Characters({"a": 1})
    scores = boundary_scores(alphabet, gold)
    assert scores["micro"]["recall"] == 1.0
    assert scores["words"] > 0.9 * len(gold)
