"""char, word, SentencePiece and WordPiece: exact outputs, the libraries as oracles, limits, what is lost."""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import sentencepiece
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import models

from subwords import char
from subwords.char import Characters
from subwords.errors import InputError
from subwords.segmenter import Segmenter
from subwords.sentencepieces import SentencePieceBPE, Unigram
from subwords.word import Words
from subwords.wordpiece import WordPiece

SYLLABLES = ["ba", "ko", "ri", "nu", "se", "mi", "ta", "lo"]


def sample(lines: int, seed: int = 1) -> list[str]:
    """Return lines of words of one to four syllables, the same for the same seed."""
    draw = random.Random(seed)
    words = ["".join(draw.choices(SYLLABLES, k=draw.randint(1, 4))) for _ in range(150)]
    return [" ".join(draw.choices(words, k=draw.randint(1, 12))) for _ in range(lines)]


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return path


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return write(tmp_path / "text", sample(300))


# char


def test_char_writes_every_white_space_as_a_mark() -> None:
    every = "".join(map(chr, range(0x110000)))
    assert set(char.WHITE) == {character for character in every if character.isspace()} - {" "}


@settings(derandomize=True)
@given(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"])))
def test_char_brings_any_text_back_with_one_piece_per_character(line: str) -> None:
    model = Characters({"a": 1})
    pieces = model.encode(line)
    assert model.decode(pieces) == line
    assert len(pieces.split(" ")) == max(1, len(line))
    assert pieces.split() == [piece for piece in pieces.split(" ") if piece]


def test_char_model_file(tmp_path: Path) -> None:
    model = Characters.learn([write(tmp_path / "text", ["ba a", "", "c▁\u00a0"])])
    model.save(tmp_path / "model")
    assert (tmp_path / "model").read_text("utf-8") == "a\t2\nb\t1\nc\t1\n▁\t1\n▁00A0\t1\n▁2581\t1\n"


def test_char_counts_what_learning_never_saw() -> None:
    model = Characters({"a": 1, "▁": 1})
    assert model.encode("abba ab") == "a b b a ▁ a b"
    assert list(model.counts().values()) == [3]


def test_char_takes_no_size(text: Path) -> None:
    with pytest.raises(InputError, match="takes no size"):
        Characters.learn([text], 100)


# word


def test_word_vocabulary_by_brute_force(text: Path) -> None:
    counts = Counter(word for line in sample(300) for word in line.split())
    model = Words.learn([text], 40)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    assert list(model.vocabulary.items()) == [(word, counts[word]) for word in ranked[:40]]
    encoded = list(model.encode_lines(sample(300)))
    assert encoded == [" ".join(w if w in ranked[:40] else "<unk>" for w in line.split()) for line in sample(300)]
    assert model.counts() == {"unknown words": sum(counts[word] for word in ranked[40:])}


def test_word_ties_go_to_the_smaller_word(tmp_path: Path) -> None:
    assert list(Words.learn([write(tmp_path / "text", ["b a d c"])], 3).vocabulary) == ["a", "b", "c"]


def test_word_never_learns_the_mark(tmp_path: Path) -> None:
    model = Words.learn([write(tmp_path / "text", ["<unk> <unk> a"])], 1)
    assert list(model.vocabulary) == ["a"]
    assert model.decode(model.encode("a <unk>")) == "a <unk>"
    assert model.counts() == {}, "it comes back, so nothing is lost"
    model.encode("a <unk> b <unk>c")
    assert model.counts() == {"unknown words": 2}


def test_word_size_limits(text: Path) -> None:
    types = len({word for line in sample(300) for word in line.split()})
    assert Words.learn([text], types).reached() == types
    with pytest.warns(UserWarning, match=f"{types} words, not {types + 1}"):
        assert Words.learn([text], types + 1).reached() == types


def test_a_frequency_file_that_is_not_one(tmp_path: Path) -> None:
    for line in ("cat", "cat\t²", f"cat\t{'9' * 5000}"):
        with pytest.raises(InputError, match="line 2"):
            Words.load(write(tmp_path / "model", ["the\t3", line]))


# SentencePiece

sentence_pieces = pytest.mark.parametrize("algorithm", [SentencePieceBPE, Unigram])


@sentence_pieces
def test_sentencepiece_loads_ours_and_we_load_its(algorithm: type[Segmenter], text: Path, tmp_path: Path) -> None:
    ours = algorithm.learn([text], 60)
    ours.save(tmp_path / "ours.model")
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "ours.model"))
    lines = [*sample(50, seed=2), "naïve 👋 ¿?", "  two  spaces "]
    assert list(ours.encode_lines(lines)) == [" ".join(pieces) for pieces in theirs.encode(lines, out_type=str)]

    model = io.BytesIO()
    kind = "bpe" if algorithm is SentencePieceBPE else "unigram"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sample(300)), model_writer=model, model_type=kind, vocab_size=60, minloglevel=3
    )
    (tmp_path / "theirs.model").write_bytes(model.getvalue())
    loaded = algorithm.load(tmp_path / "theirs.model")
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    assert list(loaded.encode_lines(lines)) == [" ".join(pieces) for pieces in processor.encode(lines, out_type=str)]
    assert loaded.model_bytes() == model.getvalue()
    loaded.save(tmp_path / "copy.model")
    described = json.loads((tmp_path / "copy.model.json").read_text())["options"]
    assert described == {"normalization": "nmt_nfkc", "character_coverage": 0.9995}  # SentencePiece's defaults


def test_a_sentencepiece_model_of_one_word_is_of_the_type_that_it_says(tmp_path: Path) -> None:
    """Its scores are whole numbers, as those of BPE are."""
    model = Unigram.learn([write(tmp_path / "text", ["a"])], 5)
    model.save(tmp_path / "model")
    assert Unigram.load(tmp_path / "model").encode("a a") == model.encode("a a")


@sentence_pieces
@pytest.mark.parametrize("content", [b"", b"#version: 0.2\nl o\n"])
def test_a_file_that_is_no_sentencepiece_model_is_named(
    algorithm: type[Segmenter], content: bytes, tmp_path: Path
) -> None:
    (tmp_path / "codes").write_bytes(content)
    with pytest.raises(InputError, match=r"codes is no SentencePiece model"):
        algorithm.load(tmp_path / "codes")


@sentence_pieces
@pytest.mark.parametrize("kind", ["word", "char"])
def test_a_sentencepiece_model_of_words_or_characters_is_not_taken_for_another(
    algorithm: type[Segmenter], kind: str, tmp_path: Path
) -> None:
    (tmp_path / "model").write_bytes(trained(kind, 20))
    with pytest.raises(InputError, match=rf"a SentencePiece model of type {kind}(?s:.*)learn pretrained --set model="):
        algorithm.load(tmp_path / "model")


def trained(kind: str, size: int) -> bytes:
    """Return a model of SentencePiece's own training, which keeps text as it is."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sample(300)),
        model_writer=model,
        model_type=kind,
        vocab_size=size,
        character_coverage=1.0,
        normalization_rule_name="identity",
        num_threads=1,
        minloglevel=3,
    )
    return model.getvalue()


@sentence_pieces
def test_a_sentencepiece_model_says_all_its_options(algorithm: type[Segmenter], text: Path, tmp_path: Path) -> None:
    options = {
        "normalization": "nfkc_cf",
        "character_coverage": 0.98,
        "byte_fallback": True,
        "split_digits": True,
        "split_by_unicode_script": False,
    }
    ours = algorithm.learn([text], 330, **options)
    assert ours.learned_with() == options
    assert algorithm.learn([text], 60).learned_with() == {}


@sentence_pieces
def test_sentencepiece_pieces_equal_its_own_training_on_plain_text(algorithm: type[Segmenter], text: Path) -> None:
    """Keeping spaces and cutting long lines must not change what is learned from ordinary lines."""
    model = trained("bpe" if algorithm is SentencePieceBPE else "unigram", 60)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    ours = algorithm.learn([text], 60)
    assert list(ours.encode_lines(sample(300))) == [" ".join(p) for p in processor.encode(sample(300), out_type=str)]


@sentence_pieces
def test_sentencepiece_names_sizes_that_can_be_had(algorithm: type[Segmenter], text: Path) -> None:
    alphabet = len({character for line in sample(300) for character in line})
    with pytest.raises(InputError, match=f"at least {alphabet + 3}"):
        algorithm.learn([text], 1)
    with pytest.warns(UserWarning, match="not 100000"):
        most = algorithm.learn([text], 100_000).reached()
    assert most == algorithm.learn([text], most).reached()
    assert algorithm.learn([text], alphabet + 3).reached() == alphabet + 3


def knows(model: Segmenter, letters: str) -> bool:
    """Are all letters in the alphabet? SentencePiece makes one piece of a run of letters that are not."""
    return not any(letter * 2 in model.encode(letter * 2).split(" ") for letter in letters)


@sentence_pieces
@pytest.mark.parametrize("mark", ["\0", "\u2585", "\t", "\u2028"])
def test_sentencepiece_drops_no_line_for_a_character(algorithm: type[Segmenter], mark: str, tmp_path: Path) -> None:
    lines = [f"{line}{mark} zyv{mark}zy" for line in sample(300)]
    model = algorithm.learn([write(tmp_path / "text", [*sample(300, seed=2), *lines])], 60)
    assert knows(model, "zyv"), "the letters that stand only in these lines are learned"
    assert model.decode(model.encode(lines[0])) == lines[0]


@sentence_pieces
def test_sentencepiece_drops_no_long_line(algorithm: type[Segmenter], tmp_path: Path) -> None:
    long_line = " ".join(["zyzzyva", *sample(1)[0].split()] * 2000)
    model = algorithm.learn([write(tmp_path / "text", [*sample(300), long_line])], 60)
    assert knows(model, "zyv")


@sentence_pieces
def test_sentencepiece_stops_at_bytes_that_are_no_text(algorithm: type[Segmenter], tmp_path: Path) -> None:
    lines = "".join(f"{line}\n" for line in sample(300)).encode()
    (tmp_path / "text").write_bytes(lines + b"caf\xe9\n" + lines)
    with pytest.raises(InputError, match="line 301: not UTF-8"):
        algorithm.learn([tmp_path / "text"], 60)


@sentence_pieces
@pytest.mark.parametrize("line", ["<unk>", "</s>", "ba<s>ko <unk>", "<unk><s>", "x<unk>"])
def test_sentencepiece_reads_what_looks_like_its_own_entries(algorithm: type[Segmenter], line: str, text: Path) -> None:
    model = algorithm.learn([text], 60)
    assert model.decode(model.encode(line)) == line
    assert not {"<unk>", "<s>", "</s>"} & set(model.encode(line).split(" "))


@sentence_pieces
@settings(derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n") | st.sampled_from("ba ▁<unk>/s\0\u2585"))
)
def test_sentencepiece_brings_any_line_back(algorithm: type[Segmenter], text: Path, line: str) -> None:
    model = learned(algorithm, text)
    assert model.decode(model.encode(line)) == line.replace("▁", " ")


@cache
def learned(algorithm: type[Segmenter], text: Path) -> Segmenter:
    return algorithm.learn([text], 60)


@sentence_pieces
def test_sentencepiece_counts_its_own_mark(algorithm: type[Segmenter], text: Path) -> None:
    model = algorithm.learn([text], 60)
    assert model.decode(model.encode("ba▁ko ▁")) == "ba ko  "
    assert list(model.counts().values()) == [2]


@sentence_pieces
def test_sentencepiece_normalization_is_a_choice(algorithm: type[Segmenter], text: Path) -> None:
    assert algorithm.learn([text], 60).decode(algorithm.learn([text], 60).encode("ﬁ  x")) == "ﬁ  x"
    normalizing = algorithm.learn([text], 60, normalization="nmt_nfkc")
    assert normalizing.decode(normalizing.encode("ﬁ  x")) == "fi x"


@sentence_pieces
def test_sentencepiece_byte_fallback_comes_back(algorithm: type[Segmenter], text: Path) -> None:
    model = algorithm.learn([text], 320, byte_fallback=True)
    assert "<0xC3>" in model.encode("é")
    assert model.decode(model.encode("é <0x41> 👋")) == "é <0x41> 👋"


@sentence_pieces
def test_sentencepiece_coverage_limits(algorithm: type[Segmenter], text: Path) -> None:
    for coverage in (0, 0.97, 1.5, "most"):
        with pytest.raises(InputError, match=r"character_coverage(?s:.*)0\.98 to 1"):
            algorithm.learn([text], 60, character_coverage=coverage)


@sentence_pieces
@pytest.mark.parametrize(
    ("line", "normalization"), [(" ", "identity"), ("\0", "identity"), (" ", "nmt_nfkc"), ("\t", "nmt_nfkc")]
)
def test_sentencepiece_learns_nothing_from_spaces(
    algorithm: type[Segmenter], line: str, normalization: str, tmp_path: Path
) -> None:
    text = write(tmp_path / "text", [line, line * 2])
    for size in (1, 60):
        with pytest.raises(InputError, match=f"there is no word in {text}"):
            algorithm.learn([text], size, normalization=normalization)


# WordPiece


def test_wordpiece_is_the_same_every_time(text: Path) -> None:
    """tokenizers itself numbers continuing characters anew in each training, and breaks ties by these numbers."""
    assert len({WordPiece.learn([text], 100).model_bytes() for _ in range(8)}) == 1


def test_wordpiece_vocabulary_begins_with_the_alphabet(text: Path) -> None:
    model = WordPiece.learn([text], 100)
    characters = {character for line in sample(300) for character in line} - {" "}
    continuing = {f"##{character}" for line in sample(300) for word in line.split() for character in word[1:]}
    assert model.vocabulary[0] == "[UNK]"
    assert set(model.vocabulary[1 : 1 + len(characters) + len(continuing)]) == characters | continuing
    assert len(set(model.vocabulary)) == 100


def test_wordpiece_size_limits(text: Path) -> None:
    with pytest.raises(InputError, match=r"at least \d+") as too_small:
        WordPiece.learn([text], 1)
    with pytest.warns(UserWarning, match="not 100000"):
        most = WordPiece.learn([text], 100_000).reached()
    least = int(str(too_small.value).split()[-1])
    for size in (least, most):
        assert WordPiece.learn([text], size).reached() == size
    with pytest.raises(InputError, match="size"):
        WordPiece.learn([text], least - 1)


def test_wordpiece_learns_no_carriage_return_that_encoding_strips(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"ab ab\r\r\nab\r\r\n\r a\rb\n")
    model = WordPiece.learn([tmp_path / "text"], 9)
    (tmp_path / "plain").write_bytes(b"ab ab\nab\na\rb\n")
    assert model.vocabulary == WordPiece.learn([tmp_path / "plain"], 9).vocabulary


@settings(derandomize=True, max_examples=300)
@given(
    st.sets(st.text("abc", min_size=1, max_size=4).flatmap(lambda s: st.sampled_from([s, f"##{s}"])), max_size=25),
    st.lists(st.text("abcd", min_size=1, max_size=12), min_size=1, max_size=5),
)
@pytest.mark.slow
def test_wordpiece_encodes_as_tokenizers_does(pieces: set[str], words: list[str]) -> None:
    vocabulary = ["[UNK]", *sorted(pieces)]
    oracle = models.WordPiece({piece: n for n, piece in enumerate(vocabulary)}, unk_token="[UNK]")
    expected = [token.value for word in words for token in oracle.tokenize(word)]
    model = WordPiece(vocabulary, unknown="word")
    assert model.encode(" ".join(words)).split(" ") == expected
    assert model.counts().get("unknown words", 0) == expected.count("[UNK]")


@settings(derandomize=True)
@given(
    st.lists(st.text("#ab[UNK]", min_size=1, max_size=8), max_size=5), st.sets(st.text("#ab", min_size=1, max_size=5))
)
def test_wordpiece_brings_hashes_back(words: list[str], pieces: set[str]) -> None:
    model = WordPiece(["[UNK]", *sorted(pieces)])
    assert model.decode(model.encode(" ".join(words))) == " ".join(words)


def test_wordpiece_hash_by_hand() -> None:
    model = WordPiece(["[UNK]", "#", "##x", "x", "###", "[UNK", "##]"])
    assert model.encode("##x x##x") == "# ### ##x x ### ### ##x"
    assert model.encode("[UNK]") == "[UNK ##]"


def test_wordpiece_counts_running_text_and_streams_alike() -> None:
    model = WordPiece(["[UNK]", "a", "##b"])
    lines = ["ab xb axb", "", "xb"]
    assert list(model.encode_lines(lines)) == ["a ##b x ##b a ##x ##b", "", "x ##b"]
    assert model.counts() == {"characters outside the vocabulary": 3}
    sink = io.BytesIO()
    model.encode_stream(io.BytesIO("\n".join(lines).encode()), sink)
    assert sink.getvalue().decode() == "a ##b x ##b a ##x ##b\n\nx ##b\n"
    assert model.counts() == {"characters outside the vocabulary": 3}


@pytest.mark.parametrize(("unknown", "missed"), [("character", 4), ("word", 2)])
def test_wordpiece_counts_in_large_texts_as_in_small_ones(unknown: str, missed: int) -> None:
    lines = 250_000  # of 11 bytes: several blocks
    model = WordPiece(["[UNK]", "b", "##a", "ba"], unknown=unknown)
    model.encode_stream(io.BytesIO(b"ba zbx bax\n" * lines), io.BytesIO())
    assert list(model.counts().values()) == [missed * lines]
    assert model.counts() == {}


def test_wordpiece_files_that_are_none(tmp_path: Path) -> None:
    for lines in ([], ["[UNK]", "a", ""], ["[UNK]", "a", "a"], ["[UNK]", "a b"], ["a", "##b"]):
        with pytest.raises(InputError, match="not a WordPiece vocabulary"):
            WordPiece.load(write(tmp_path / "model", lines))


# extremes


@pytest.mark.parametrize(
    ("algorithm", "size"), [(Characters, None), (SentencePieceBPE, 30), (Unigram, 20), (WordPiece, 50)]
)
def test_words_of_100_000_characters(algorithm: type[Segmenter], size: int | None, tmp_path: Path) -> None:
    lines = [*sample(5), "bac" * 5_000]
    model = algorithm.learn([write(tmp_path / "text", lines)], size)
    line = f"{'bac' * 33_334} {lines[0]}"
    assert model.decode(model.encode(line)) == line


@pytest.mark.parametrize("algorithm", [SentencePieceBPE, Unigram, WordPiece])
def test_one_word_repeated(algorithm: type[Segmenter], tmp_path: Path) -> None:
    text = write(tmp_path / "text", ["hello " * 100_000])
    with pytest.warns(UserWarning, match="not 1000"):
        model = algorithm.learn([text], 1000)
    assert model.encode("hello hello") in ("▁hello ▁hello", "hello hello")
