"""`learn` and `load`: texts from anywhere, models that say what they are, ids, offsets, streams, threads."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest

from subwords import InputError, learn, load, registry, testing
from subwords.bpe import BPE
from subwords.cli import main
from subwords.core.words import WordTable
from subwords.files import whole_file, whole_lines
from subwords.segmenter import Segmenter
from subwords.threads import use
from subwords.vocabulary import Vocabulary

LINES = ["low lower lowest low", "new newer newest", "wide wider widest", ""] * 4
TEXT = "".join(f"{line}\n" for line in LINES).encode()


#: Sizes at which every algorithm knows all of the text.
SIZES = {"char": None, "hft": 20, "muv": 20, "unigram": 20, "volt": 20, "word": 9}


#: Those that need another text or options: the ones of the contract's check.
OTHERS = {"bpe-knockout", "byte-bpe", "greedtok", "morfessor", "oracle", "pathpiece", "picky-bpe", "pretrained"}
OTHERS |= {"unigram-sampling"}
#: Algorithms that know every character: as codes, characters or bytes.
NOTHING_UNKNOWN = {"byte-bpe", "greedtok", "hft", "huffman", "pathpiece"}
RAW = ("byte-bpe", "char", "greedtok", "pathpiece", "spm-bpe", "unigram")


def size_of(name: str) -> int | None:
    return SIZES.get(name, 30)


def learned(name: str, text: Path) -> tuple[Segmenter, list[str]]:
    """Return a model that knows all of its text, and the text's lines."""
    size, options, lines = size_of(name), {}, LINES
    if name in OTHERS:
        lines = testing.LINES
        text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        size, options = registry.find(name).trial_arguments(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return learn(name, text, size, **options), lines


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    path.write_bytes(TEXT)
    return path


def test_texts_may_come_from_anywhere(text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = learn("bpe", text, 9).model_bytes()
    (tmp_path / "text.gz").write_bytes(gzip.compress(TEXT))
    halves = [tmp_path / "first", tmp_path / "second"]
    for path, half in zip(halves, (LINES[:7], LINES[7:]), strict=True):
        path.write_text("\n".join(half), encoding="utf-8")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["cp", text, pipe])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT)))
    with open(text, encoding="utf-8") as stream:
        for given in (str(text), [text], tmp_path / "text.gz", halves, iter(LINES), stream, pipe, ["-"]):
            assert learn("bpe", given, 9).model_bytes() == expected, given
    assert writer.wait() == 0


class Column(Sequence[str]):
    """As a column of a data set is in newer versions of Hugging Face's datasets; older ones give a list."""

    def __getitem__(self, place: int) -> str:  # type: ignore[override]
        return LINES[place]

    def __len__(self) -> int:
        return len(LINES)


def test_a_column_of_a_data_set_gives_lines(text: Path) -> None:
    expected = learn("bpe", text, 9).model_bytes()
    for column in (Column(), iter(LINES)):
        assert learn("bpe", column, 9).model_bytes() == expected


@pytest.mark.parametrize("first", ["low lower", "low " * 99, "", "low\0", "-"])
def test_a_list_of_lines_is_said_to_be_no_list_of_files(first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"read too early")))
    lines = [first, *LINES]
    named = LINES[0] if first == "-" else first[:200] or "."
    with pytest.raises(InputError) as raised:
        learn("bpe", lines, 3)
    assert str(raised.value).startswith(f"no such text: {named}\n")
    assert "next: check the path, or give lines as iter(LINES)" in str(raised.value)
    assert sys.stdin.read() == "read too early"


@pytest.mark.parametrize("name", ["unigram", "wordpiece", "hft", "huffman"])
def test_a_compressed_text_is_read_by_every_kind_of_algorithm(name: str, text: Path, tmp_path: Path) -> None:
    (tmp_path / "text.gz").write_bytes(gzip.compress(TEXT))
    size = size_of(name)
    assert learn(name, tmp_path / "text.gz", size).model_bytes() == learn(name, text, size).model_bytes()


@pytest.mark.parametrize(
    ("name", "size"),
    [("bpe", 3), ("hft", 30), ("char", None), ("unigram", 30), ("unigram", 1), ("spm-bpe", 1), ("wordpiece", 30)],
)
@pytest.mark.parametrize("lines", [[], ["", " "]])
def test_lines_without_a_word_are_named_as_what_they_are(name: str, size: int | None, lines: list[str]) -> None:
    if name == "char" and lines:
        pytest.skip("a space is a character")
    with pytest.raises(InputError, match=r"there is no word in the lines given") as raised:
        learn(name, iter(lines), size)
    assert tempfile.gettempdir() not in str(raised.value)


def test_errors_name_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"low\n\xff\n")))
    with pytest.raises(InputError, match=r"\A/dev/stdin, line 2: not UTF-8(?s:.*) utf-8 /dev/stdin\Z"):
        learn("bpe", "-", 3)


def test_a_copy_of_a_model_has_its_description(text: Path, tmp_path: Path) -> None:
    learn("sbpe", text, 5, variant="reference").save(tmp_path / "model")
    load(tmp_path / "model").save(tmp_path / "copy")
    described = [json.loads((tmp_path / f"{name}.json").read_text()) for name in ("model", "copy")]
    assert described[0] == described[1]
    assert described[1]["options"] == {"variant": "reference"}


@pytest.mark.parametrize("content", ['{"model": {}}', "low lower", "[1]", "\xff", "[" * 200_000], ids=lambda s: s[:9])
def test_a_description_takes_no_other_files_place(content: str, text: Path, tmp_path: Path) -> None:
    """As with --model tokenizer, where tokenizer.json is somebody's."""
    (tmp_path / "model.json").write_text(content, "latin-1")
    with pytest.raises(InputError, match=r"model\.json is there, and describes no model"):
        learn("bpe", text, 3).save(tmp_path / "model")
    assert (tmp_path / "model.json").read_text("latin-1") == content
    assert not (tmp_path / "model").exists()
    (tmp_path / "other").write_text("low")
    (tmp_path / "other.json").mkdir()
    with pytest.raises(InputError, match="describes no model"):
        learn("bpe", text, 3).save(tmp_path / "other")
    assert (tmp_path / "other").read_text() == "low"


def test_a_description_is_replaced_with_its_model(text: Path, tmp_path: Path) -> None:
    learn("bpe", text, 3).save(tmp_path / "model")
    (tmp_path / "model").write_text("another model than is described")
    learn("word", text, 3).save(tmp_path / "model")
    assert load(tmp_path / "model").algorithm == "word"


def test_texts_that_cannot_be() -> None:
    with pytest.raises(InputError, match="no text to learn from: None"):
        learn("bpe", None, 3)  # type: ignore[arg-type]
    for threads in (0, -3, "2"):
        with pytest.raises(InputError, match="threads="):
            learn("bpe", iter(["low"]), 3, threads=threads)  # type: ignore[arg-type]
    for given in ("absent", ["low lower lowest"], [b"bytes"]):
        with pytest.raises((InputError, TypeError)):
            learn("bpe", given, 3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no string"):
        learn("bpe", iter([b"bytes"]), 3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="half a character"):
        learn("bpe", iter(["\ud800"]), 3)


@pytest.mark.parametrize("name", registry.names())
def test_a_model_is_loaded_without_its_name(name: str, text: Path, tmp_path: Path) -> None:
    model, _ = learned(name, text)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert type(again) is type(model)
    assert again.signature() == model.signature()
    assert json.loads((tmp_path / "model.json").read_text())["algorithm"] == name
    (tmp_path / "model.json").unlink()  # as another program writes it
    assert load(tmp_path / "model", name).signature() == model.signature()
    with pytest.raises(InputError, match="does not say"):
        load(tmp_path / "model")


def test_a_model_is_applied_as_it_was_learned(text: Path, tmp_path: Path) -> None:
    learn("hft", text, 20, variant="reference").save(tmp_path / "model")
    hft = registry.find("hft")
    assert hft.load(tmp_path / "model").variant == "reference"  # type: ignore[attr-defined]
    assert hft.load(tmp_path / "model", variant="reference").variant == "reference"  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="variant=reference"):
        hft.load(tmp_path / "model", variant="paper")
    with pytest.raises(InputError, match="model of hft, not of word"):
        registry.find("word").load(tmp_path / "model")
    learn("sbpe", text, 5).save(tmp_path / "codes")
    assert BPE.load(tmp_path / "codes").encode("lower")  # every codes file is applied alike
    (tmp_path / "codes").write_text("#version: 0.2\nl o\n")
    with pytest.raises(InputError, match="describes another model"):
        BPE.load(tmp_path / "codes")


@pytest.mark.parametrize("name", registry.names())
def test_a_model_that_was_used_can_be_pickled(name: str, text: Path) -> None:
    model, lines = learned(name, text)
    expected = model.encode_batch(lines)
    again = pickle.loads(pickle.dumps(model))
    assert again.encode_batch(lines) == expected
    assert again.signature() == model.signature()


def test_a_model_with_a_vocabulary_is_saved_with_it(text: Path, tmp_path: Path) -> None:
    (tmp_path / "known").write_text("l@@ 60\no@@ 60\nw 60\n")
    options = {"vocabulary": str(tmp_path / "known"), "vocabulary_threshold": 50}
    model = learn("bpe", text, 5, **options)
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").encode("low") == model.encode("low") == "l@@ o@@ w"


def test_the_vocabulary_of_a_model_is_found_from_everywhere_and_compared(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    (here / "models").mkdir(parents=True)
    monkeypatch.chdir(here)
    Path("known").write_text("l@@ 60\no@@ 60\nw 60\n")
    model = learn("bpe", text, 5, vocabulary="known")
    model.save("models/model")
    monkeypatch.chdir(tmp_path)
    loaded = load("here/models/model")
    assert loaded.encode("low") == model.encode("low") == "l@@ o@@ w"
    loaded.save("copy")
    assert load("copy").signature() == loaded.signature()
    here.rename(tmp_path / "moved")  # the model and its vocabulary
    assert load("moved/models/model").encode("low") == "l@@ o@@ w"
    Path("moved/known").write_text("lo@@ 60\nw 60\n")
    for model_path in ("moved/models/model", "copy"):
        with pytest.raises(InputError, match=r"known, which is gone or was changed\s+next: name vocabulary once more"):
            load(model_path)
    assert load("moved/models/model", vocabulary="moved/known").encode("low") == "lo@@ w"


@pytest.mark.parametrize(
    "damage",
    [{"options": None}, {"letters": None}, {"options": ["variant"]}, {"files": None}, {"files": ["vocabulary"]}],
)
def test_a_damaged_description_is_an_error(damage: dict[str, object], text: Path, tmp_path: Path) -> None:
    learn("bpe", text, 5).save(tmp_path / "model")
    described = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps(described | damage))
    with pytest.raises(InputError, match=r"model\.json is damaged(?s:.*)learn the model again"):
        load(tmp_path / "model")


@pytest.mark.parametrize(
    ("learned_as", "applied_as"), [("spm-bpe", "unigram"), ("bpe", "volt"), ("unigram", "spm-bpe")]
)
def test_a_model_is_not_applied_as_another_algorithm(
    learned_as: str, applied_as: str, text: Path, tmp_path: Path
) -> None:
    learn(learned_as, text, size_of(learned_as)).save(tmp_path / "model")
    with pytest.raises(InputError, match=f"model of {learned_as}, not of {applied_as}"):
        load(tmp_path / "model", applied_as)
    if learned_as != "bpe":  # what a codes file was learned by cannot be seen in it
        (tmp_path / "model.json").unlink()
        with pytest.raises(InputError, match=f"model of {learned_as}, not of {applied_as}"):
            load(tmp_path / "model", applied_as)


def test_a_model_of_a_class_of_ones_own_is_loaded_without_its_name(text: Path, tmp_path: Path) -> None:
    source = Path(registry.__file__).with_name("template.py").read_text()
    (tmp_path / "mine.py").write_text(source)
    model = learn(f"{tmp_path}/mine.py:Template", text, 3)
    (tmp_path / "models").mkdir()
    model.save(tmp_path / "models" / "model")
    assert load(tmp_path / "models" / "model").encode("lowest") == model.encode("lowest")
    signature = model.signature()
    (tmp_path / "mine.py").write_text(f"{source}# changed\n")
    assert load(tmp_path / "models" / "model").signature() != signature


def test_signatures_name_the_library_that_segments(text: Path) -> None:
    model, _ = learned("byte-bpe", text)
    model.write(text.with_name("tokenizer"))
    assert "|tokenizers:" in learn("pretrained", text, model=str(text.with_name("tokenizer"))).signature()


def test_the_number_of_threads_is_in_no_signature(text: Path) -> None:
    assert learn("spm-bpe", text, 30).signature() == learn("spm-bpe", text, 30, threads=2).signature()


IDLE = {
    "vocabulary_threshold=2": ("bpe", 5, {"vocabulary_threshold": 2}),
    "temperature=3.0": ("random-bpe", 5, {"sampling": "uniform", "temperature": 3}),
    "seed=4": ("random-bpe", 5, {"temperature": 0, "seed": 4}),
    "k=0.1, window=3": ("sbpe", 5, {"k": 0.1, "window": 3}),
    "interval=3, utility=muv": ("volt", 5, {"interval": 3, "utility": "muv"}),
    "epsilon=0.5": ("volt", 5, {"variant": "reference", "epsilon": 0.5}),
    "maximum=9": ("muv", 5, {"maximum": 9}),
    "corpusweight=2.0": ("morfessor", None, {"morphs": 9, "corpusweight": 2}),
}


@pytest.mark.parametrize("said", IDLE)
def test_options_that_other_options_take_the_effect_from_are_errors(said: str, text: Path) -> None:
    name, size, options = IDLE[said]
    with pytest.raises(InputError, match=f"{said} does nothing"):
        learn(name, text, size, **options)


def test_options_that_do_nothing_are_errors(text: Path, tmp_path: Path) -> None:
    learn("bpe", text, 5).save(tmp_path / "codes")
    learn("unigram", text, 20).save(tmp_path / "unigram")
    with pytest.raises(InputError, match="min_frequency is an option of learning"):
        BPE.load(tmp_path / "codes", min_frequency=99)
    with pytest.raises(InputError, match="normalization is an option of learning"):
        load(tmp_path / "unigram", normalization="nfkc")


def test_signatures_tell_segmentations_apart(text: Path, tmp_path: Path) -> None:
    hft = registry.find("hft")
    learn("hft", text, 20).write(tmp_path / "hft")
    signatures = {hft.load(tmp_path / "hft", variant=name).signature() for name in ("paper", "reference")}
    assert len(signatures) == 2
    learn("bpe", text, 5).write(tmp_path / "codes")
    (tmp_path / "known").write_text("lo@@ 3\nw 1\n")
    (tmp_path / "other").write_text("lo@@ 3\n")
    given = [{}, {"vocabulary": str(tmp_path / "known")}, {"vocabulary": str(tmp_path / "other")}]
    given.append({"vocabulary": str(tmp_path / "known"), "vocabulary_threshold": 2})
    assert len({BPE.load(tmp_path / "codes", **options).signature() for options in given}) == 4
    assert "sentencepiece:" in learn("unigram", text, 20).signature()


@pytest.mark.parametrize("name", ["wordpiece", "bpe-knockout", "template"])
@pytest.mark.parametrize("line", ["a\rb c\r ab ab", "ab\r c\r ba\r x"])
def test_a_carriage_return_inside_a_line_survives_in_a_model(name: str, line: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(f"{line}\n".encode() * 3)
    (tmp_path / "gold").write_text("lower\tlow er\n")
    if name == "template":
        name = f"{Path(registry.__file__).with_name('template.py')}:Template"
    options = {"gold": str(tmp_path / "gold")} if name == "bpe-knockout" else {}
    model = learn(name, tmp_path / "text", {"wordpiece": 11, "bpe-knockout": 4}.get(name, 3), **options)
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").encode(line) == model.encode(line)


@pytest.mark.parametrize("name", ["bpe-knockout", "wordpiece"])
def test_a_model_of_pieces_may_be_compressed_or_come_from_a_pipe_or_with_other_line_ends(
    name: str, tmp_path: Path, piped: Callable[[bytes], str]
) -> None:
    (tmp_path / "gold").write_text("lower\tlow er\n")
    options = {"gold": str(tmp_path / "gold")} if name == "bpe-knockout" else {}
    model = learn(name, iter(["low lower straße"] * 3), {"wordpiece": 24}.get(name, 4), **options)
    content = model.model_bytes()
    for given in (gzip.compress(content), content.replace(b"\n", b"\r\n"), content.removesuffix(b"\n")):
        (tmp_path / "model").write_bytes(given)
        assert registry.find(name).load(tmp_path / "model").model_bytes() == content
    (tmp_path / "broken").write_bytes(content + b"ok\n\xff\n")
    with pytest.raises(InputError, match=f"broken, line {len(content.splitlines()) + 2}: not UTF-8"):
        registry.find(name).load(tmp_path / "broken")
    assert registry.find(name).load(piped(content)).model_bytes() == content


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "scratch" / "file")
    for content in ("old", "new"):
        with whole_file(tmp_path / "link") as stream:
            stream.write(content)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "scratch" / "file").read_text() == content


def test_standard_output_by_name_is_appended_to(text: Path, tmp_path: Path) -> None:
    (tmp_path / "codes").write_text("#version: 0.2\nl o\n")
    script = "echo before >> out; {python} -m subwords encode bpe --model codes -i text -o /dev/stdout >> out"
    subprocess.run(["bash", "-c", script.format(python=sys.executable)], cwd=tmp_path, check=True)
    assert (tmp_path / "out").read_text().split("\n")[:2] == [
        "before",
        "lo@@ w lo@@ w@@ e@@ r lo@@ w@@ e@@ s@@ t lo@@ w",
    ]


@pytest.mark.parametrize("do", ["encode", "decode", "encode with two threads"])
def test_each_line_is_answered_at_once(do: str, tmp_path: Path) -> None:
    (tmp_path / "codes").write_text("#version: 0.2\nl o\n")
    do, *threads = do.split(" with ")
    command = [sys.executable, "-m", "subwords", do, "bpe", "--model", str(tmp_path / "codes")]
    command += ["--threads", "2"] if threads else []
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert program.stdin is not None
    assert program.stdout is not None
    for line, answer in ((b"low\n", b"lo@@ w\n"), (b"lo lo\n", b"l@@ o l@@ o\n"), (b"\n", b"\n")):
        program.stdin.write(line if do == "encode" else answer)
        program.stdin.flush()
        assert program.stdout.readline() == (answer if do == "encode" else line)
    program.stdin.close()
    assert program.wait() == 0
    program.stdout.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can widen a pipe")
def test_a_pipe_gives_blocks_that_are_worth_sharing_out() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    text = b"low new\n" * 40_000  # five times what a pipe holds if nobody asks for more
    with open(reading, "rb") as source:
        blocks = whole_lines(source)
        os.write(writing, b"a\n")
        assert next(blocks) == b"a\n"
        assert os.write(writing, text) == len(text)
        assert next(blocks) == text
    os.close(writing)


@pytest.mark.parametrize("name", ["word", "huffman", "bpe", "wordpiece"])
def test_words_before_several_carriage_returns_are_known(name: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"low new\r\r\nlow low\r\n" * 3)
    model = learn(name, tmp_path / "text", {"bpe": 3, "wordpiece": 11}.get(name, 2))
    sink = io.BytesIO()
    model.encode_stream(io.BytesIO(b"low new\r\r\n"), sink)
    assert model.decode(sink.getvalue().decode().rstrip("\n")) == "low new"
    assert model.counts() == {}


@pytest.mark.parametrize("name", registry.names())
def test_lines_that_are_none_are_one_error_in_all_algorithms(name: str, text: Path) -> None:
    model, _ = learned(name, text)
    for line, what in (("a\nb", "line feed"), ("low \ud800", r"half a character, U\+D800")):
        with pytest.raises(InputError, match=what):
            model.encode(line)
        with pytest.raises(InputError, match=what):
            list(model.encode_lines(["low", line]))
        with pytest.raises(InputError, match=what):
            model.encode_batch(["low", line])
        if model.samples:
            with pytest.raises(InputError, match=what):
                list(model.sample_lines([line], 1))
    if model.samples:
        with pytest.raises(InputError, match="seed"):
            list(model.sample_lines(["low"], None))  # type: ignore[arg-type]
    with suppress(InputError):  # and no other error
        model.decode("low \ud800")


def test_shortfalls_are_warnings_and_lines_on_standard_error(
    text: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("unigram", "word", "wordpiece", "hft", "picky-bpe", "byte-bpe", "greedtok", "pathpiece"):
        with pytest.warns(UserWarning, match="not 999") as warned:
            assert (learn(name, text, 999).reached() or 0) < 999
        assert warned[0].filename == __file__
    with pytest.warns(UserWarning, match="symbols, not 999"):
        learn("huffman", text, 999)
    for name in ("bpe", "sbpe", "random-bpe", "volt", "muv"):
        with pytest.warns(UserWarning, match="merges, not 999"):
            learn(name, text, 999)
        assert main(["learn", name, "--size", "999", "--model", str(tmp_path / "model"), str(text)]) == 0
        assert "merges, not 999" in capfd.readouterr().err


@pytest.mark.parametrize("name", registry.names())
def test_ids_come_back(name: str, text: Path) -> None:
    model, lines = learned(name, text)
    for line in lines:
        ids = model.encode_ids(line)
        assert model.decode_ids(ids) == line
        assert [list(model.vocab)[number] for number in ids] == model.encode(line).split()
    assert len(set(model.vocab)) == len(model.vocab)
    assert model.vocab.unknown in model.encode_ids("Ж") or name in NOTHING_UNKNOWN
    with pytest.raises(InputError, match="no number of a piece"):
        model.decode_ids([len(model.vocab)])
    with pytest.raises(InputError, match="no number"):
        model.decode_ids(["a"])  # type: ignore[list-item]


class Scalar:
    """A number as an element of a tensor is: equal numbers have different hashes."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


def test_numbers_may_be_those_of_a_tensor(text: Path) -> None:
    model = learn("bpe", text, 9)
    ids = model.encode_ids("low lower")
    assert model.decode_ids([Scalar(number) for number in [1, *ids, 2]]) == "low lower"
    with pytest.raises(InputError, match="no number of a piece"):
        model.decode_ids([Scalar(len(model.vocab))])


@pytest.mark.parametrize("name", sorted({*registry.names()} - {"huffman", "word"}))
def test_offsets_are_stretches_of_the_line(name: str, text: Path) -> None:
    model, lines = learned(name, text)
    awkward = ["low  new", " low ", "lower: #new", "low\r", "\r new", "new \u2028 low\tnew", "\U0001f469 Жук", ""]
    for line in [*lines[:20], *awkward]:
        found = model.offsets(line)
        assert " ".join(piece for piece, _, _ in found) == model.encode(line)
        assert all(end <= start for (_, _, end), (_, start, _) in pairwise(found))
        covered = "".join(line[start:end] for _, start, end in found)
        if name in RAW:
            assert covered == line
        else:
            assert covered.replace(" ", "").strip("\r") == line.replace(" ", "").strip("\r")


def test_offsets_by_hand(text: Path) -> None:
    model = BPE([("l", "o"), ("lo", "w</w>")])
    expected = [("low", 0, 3), ("lo@@", 5, 7), ("w@@", 7, 8), ("e@@", 8, 9), ("r", 9, 10)]
    assert model.offsets("low  lower") == expected
    with pytest.raises(InputError, match="no stretches"):
        learn("huffman", text, 5).offsets("low")
    with pytest.raises(InputError, match="no stretches"):
        learn("word", text, 5).offsets("unseen")


@pytest.mark.parametrize("name", ["bpe", "hft", "huffman", "wordpiece", "unigram", "char"])
@pytest.mark.slow
def test_threads_change_nothing(name: str, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_bytes(b"".join(f"low lower w{n % 977} x{n % 13}é\n".encode() for n in range(150_000)))
    size = {"char": None, "unigram": 40}.get(name, 60)
    if name == "unigram":
        text.write_bytes(text.read_bytes()[:100_000])
    models = [learn(name, text, size, threads=number) for number in (1, 2)]
    if name != "unigram":  # SentencePiece adds up by thread
        assert models[0].model_bytes() == models[1].model_bytes()
    encoded = []
    for number in (1, 2, 3):
        sink = io.BytesIO()
        with use(number):
            models[0].encode_stream(io.BytesIO(text.read_bytes()), sink)
        encoded.append((sink.getvalue(), models[0].counts()))
    assert encoded[0] == encoded[1] == encoded[2]


@pytest.mark.parametrize("name", ["bpe", "hft", "word"])
def test_several_threads_may_use_one_model(name: str, tmp_path: Path) -> None:
    lines = [" ".join(f"w{i * j % 50021}" for j in range(1, 40)) for i in range(2000)]
    model = learn(name, iter(lines), 200)
    batches = [lines[start : start + 20] for start in range(0, len(lines), 20)]
    model.save(tmp_path / "model")
    expected, lost = [model.encode_batch(batch) for batch in batches], model.counts()
    model = load(tmp_path / "model")
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(model.encode_batch, batches)) == expected
    assert model.counts() == lost


def test_the_vocabulary_is_that_of_get_vocab(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    get_vocab = pytest.importorskip("subword_nmt.get_vocab").get_vocab
    pieces = "lo@@ w lo@@ w@@ er\n\nw w lo@@\u00a0x b a\n"
    (tmp_path / "pieces").write_text(pieces, encoding="utf-8")
    expected = io.StringIO()
    get_vocab(io.StringIO(pieces), expected)
    assert main(["vocabulary", "-i", str(tmp_path / "pieces")]) == 0
    assert capfdbinary.readouterr().out.decode() == expected.getvalue()


def test_importing_is_fast() -> None:
    program = "import time; start = time.process_time(); import subwords; print(time.process_time() - start)"
    times = [
        float(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout) for _ in "123"
    ]
    assert min(times) < 0.05


def test_text_that_looks_like_a_special_token_is_not_one() -> None:
    vocabulary = Vocabulary(["low", "<pad>"], special=("<unk>", "<s>", "<pad>"))
    unknown, pad = vocabulary["<unk>"], vocabulary["<pad>"]
    assert vocabulary.ids(["<s>", "low", "<pad>"]) == [unknown, vocabulary["low"], pad]
    assert vocabulary["<s>"] not in (unknown, pad)


@pytest.mark.parametrize("name", ["bpe", "bpe-knockout", "morfessor", "word", "pretrained"])
def test_a_learned_piece_that_is_spelled_like_a_special_token_is_unknown(name: str, tmp_path: Path) -> None:
    """Its id would end a sentence, or be left out when it is decoded."""
    lines = ["low </s> <pad> lower"] * 3
    (tmp_path / "gold").write_text("lower\tlow er\n")
    learn("bpe", iter(lines), 40).write(tmp_path / "codes")
    options = {"bpe-knockout": {"gold": str(tmp_path / "gold")}, "pretrained": {"model": str(tmp_path / "codes")}}
    size = {"morfessor": None, "pretrained": None, "word": 4}.get(name, 40)
    model = learn(name, iter(lines), size, **options.get(name, {}))
    assert model.encode("low </s> <pad>") == "low </s> <pad>"
    assert model.encode_ids("low </s> <pad>") == [model.vocab["low"], model.vocab.unknown, model.vocab.unknown]
    assert list(model.vocab)[:4] == ["<unk>", "<s>", "</s>", "<pad>"]


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no /dev/shm")
def test_a_file_in_shared_memory_is_no_device(text: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        model = Path(folder, "model")
        assert main(["learn", "char", "--model", str(model), str(text)]) == 0
        assert load(model).decode(load(model).encode("low")) == "low"


@pytest.mark.parametrize("name", ["bpe", "bpe-dropout", "bpe-knockout", "muv", "random-bpe", "sbpe", "volt"])
def test_characters_that_no_merge_uses_are_in_the_vocabulary(name: str, tmp_path: Path) -> None:
    text, gold = tmp_path / "text", tmp_path / "gold"
    text.write_text("low lower lowest straße über\n" * 3 + "\U0001f600\n", "utf-8")
    gold.write_text("lower\tlow er\n", "utf-8")
    model = learn(name, text, 4, **({"gold": str(gold)} if name == "bpe-knockout" else {}))
    model.save(tmp_path / "model")
    for each in (model, load(tmp_path / "model")):
        assert each.decode_ids(each.encode_ids("straße über \U0001f600")) == "straße über \U0001f600"
        assert each.vocab.unknown in each.encode_ids("Ж")


@pytest.mark.parametrize("name", ["bpe", "bpe-knockout"])
def test_the_ids_of_merges_are_the_same_without_the_description(name: str, tmp_path: Path) -> None:
    """A codes file is often copied alone. What it names has its numbers; only the other characters become unknown."""
    (tmp_path / "gold").write_text("lower\tlow er\n")
    options = {"gold": str(tmp_path / "gold")} if name == "bpe-knockout" else {}
    model = learn(name, iter(["low lower lowest Ä"] * 3 + ["a Q"]), 4, **options)
    model.save(tmp_path / "model")
    (tmp_path / "model.json").unlink()
    alone = load(tmp_path / "model", name)
    assert list(model.vocab)[: len(alone.vocab)] == list(alone.vocab)
    assert {*"aQÄ"} <= {*model.vocab}
    assert not {*"aQÄ"} & {*alone.vocab}


def test_the_letters_of_words_are_their_distinct_characters() -> None:
    draw = random.Random(1)
    characters = [chr(draw.randrange(33, 0x110000)) for _ in range(3000)]
    words = ["".join(draw.sample(characters, 5)) for _ in range(500)]
    table = WordTable.of(dict.fromkeys([word for word in words if word.isprintable()], 1))
    assert table.letters() == "".join(sorted(set("".join(table.words()))))
