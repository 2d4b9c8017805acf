"""The command line: what goes in and out, byte for byte, and what bad input gets."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from subwords import bytelevel, registry
from subwords.cli import main, read_assignments
from subwords.errors import InputError
from subwords.files import decode_lines

TEXT = "the cat sat\n\non the mat\u2028 \x85▁\n".encode()


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    path.write_bytes(TEXT)
    return path


@pytest.fixture
def model(tmp_path: Path, text: Path) -> Path:
    path = tmp_path / "char.model"
    assert main(["learn", "char", "--model", str(path), str(text)]) == 0
    return path


def through_pipes(monkeypatch: pytest.MonkeyPatch, arguments: list[str], content: bytes) -> int:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    return main(arguments)


def test_bytes_through_pipes(
    model: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert through_pipes(monkeypatch, ["encode", "char", "--model", str(model)], TEXT) == 0
    pieces = capfdbinary.readouterr().out
    assert pieces == "t h e ▁ c a t ▁ s a t\n\no n ▁ t h e ▁ m a t ▁2028 ▁ ▁0085 ▁2581\n".encode()
    assert through_pipes(monkeypatch, ["decode", "char", "--model", str(model)], pieces) == 0
    assert capfdbinary.readouterr() == (TEXT, b"")


def test_bytes_through_files(model: Path, text: Path, tmp_path: Path) -> None:
    pieces, back = tmp_path / "pieces", tmp_path / "back"
    assert main(["encode", "char", "--model", str(model), "-i", str(text), "-o", str(pieces)]) == 0
    assert main(["decode", "char", "--model", str(model), "--input", str(pieces), "--output", str(back)]) == 0
    assert back.read_bytes() == TEXT


@pytest.mark.parametrize(
    ("content", "lines"),
    [(b"", 0), (b"\n", 1), (b"a", 1), (b"a\r\nb\r\n", 2), (b"a\x0bb\x0cc\xc2\x85d\n", 1), (b"\n\na\n\n", 4)],
)
def test_as_many_lines_out_as_in(
    content: bytes,
    lines: int,
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    through_pipes(monkeypatch, ["encode", "char", "--model", str(model)], content)
    out = capfdbinary.readouterr().out
    assert out.count(b"\n") == lines
    assert b"\r" not in out


@pytest.mark.parametrize(
    ("learned", "pieces", "back", "feeds"),
    [
        ("char", "a ▁000A b\na", "a b\na\n", 1),
        ("byte-bpe --size 256", "a Ċ b Ċ\na", "a b \na\n", 2),
        ("unigram --size 300 --set byte_fallback=true", "a <0x0A> b\na", "a b\na\n", 1),
    ],
)
def test_pieces_that_stand_for_a_line_feed_leave_files_parallel(
    learned: str, pieces: str, back: str, feeds: int, tmp_path: Path, text: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pieces").write_text(pieces)
    model = ["--model", str(tmp_path / "model")]
    assert main(["learn", *learned.split(), *model, str(text)]) == 0
    capfd.readouterr()
    assert main(["decode", learned.split()[0], *model, "-i", str(tmp_path / "pieces")]) == 0
    out, err = capfd.readouterr()
    assert out == back
    assert err.endswith(f"line feeds inside a line, written as spaces: {feeds}\n")


def test_what_is_lost_is_counted_on_standard_error(
    text: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "model")
    assert main(["learn", "word", "--size", "1", "--model", path, str(text)]) == 0
    assert capfd.readouterr().err.startswith("subwords: word|subwords:")
    assert main(["encode", "word", "--model", path, "-i", str(text)]) == 0
    out, err = capfd.readouterr()
    assert out == "the <unk> <unk>\n\n<unk> the <unk> <unk>\n"
    assert err == "subwords: word: unknown words: 5\n"


BAD = {
    "algorithm": (["learn", "chra", "--model", "m", "text"], "did you mean 'char'"),
    "size missing": (["learn", "word", "--model", "m", "text"], "size"),
    "size no number": (["learn", "word", "--size", "4k", "--model", "m", "text"], "'4k'"),
    "size too small": (["learn", "byte-bpe", "--size", "99", "--model", "m", "text"], "at least 256"),
    "size not wanted": (["learn", "char", "--size", "9", "--model", "m", "text"], "takes no size"),
    "no text": (["learn", "char", "--model", "m", "absent"], "no such text: absent"),
    "one text of two": (["learn", "char", "--model", "m", "text", "absent"], "no such text: absent"),
    "folder": (["learn", "char", "--model", "m", "."], "no such text: ."),
    "option": (
        ["learn", "unigram", "--size", "9", "--set", "coverage=1", "--model", "m", "text"],
        "character_coverage",
    ),
    "option of none": (
        ["learn", "word", "--size", "3", "--set", "nope=1", "--model", "m", "text"],
        "word takes no options, but got nope",
    ),
    "option without value": (["learn", "char", "--set", "x", "--model", "m", "text"], "KEY=VALUE"),
    "no model": (["encode", "char", "--model", "m", "-i", "text"], "cannot read m: no such file"),
    "not UTF-8": (["learn", "char", "--model", "m", "latin1"], "latin1, line 2: not UTF-8 (byte 0xe9 at position 3)"),
    "pieces": (["stats", "absent"], "no such text: absent"),
    "model without algorithm": (["stats", "text", "--model", "text"], "belong together"),
    "gold without model": (["stats", "text", "--gold", "text"], "--algorithm NAME --model FILE"),
    "alpha": (["stats", "text", "--alpha", "-1"], "alpha"),
    "compare size": (["compare", "text", "--size", "many"], "'many'"),
    "compare long size": (["compare", "text", "--size", "9" * 5000], "allowed: a whole number"),
    "compare algorithm": (["compare", "text", "--size", "9", "--algorithms", "wrod"], "did you mean 'word'"),
    "compare text": (["compare", "absent", "--size", "9"], "no such text: absent"),
    "list": (["list", "chra"], "did you mean 'char'"),
    "compressed text": (["learn", "char", "--model", "m", "cut.gz"], "cut.gz is no whole gzip file"),
    "compressed input": (["vocabulary", "-i", "wrong.gz"], "wrong.gz is no whole gzip file"),
    "model over text": (["learn", "char", "--model", "text", "text"], "text is a file to learn from"),
    "model over gold": (
        ["learn", "oracle", "--set", "gold=codes", "--model", "codes", "text"],
        "codes is a file to learn from",
    ),
    "report over text": (
        ["learn", "sbpe", "--size", "3", "--set", "report=link", "--model", "m", "text"],
        "report=link is a file to learn from",
    ),
    "report over vocabulary": (
        ["learn", "volt", "--size", "3", "--set", "report=codes", "--set", "vocabulary=codes", "--model", "m", "text"],
        "report=codes is a file to learn from",
    ),
    "report over model": (
        ["learn", "muv", "--size", "3", "--set", "report=./m", "--model", "m", "text"],
        "report=./m is the model or its description",
    ),
    "report over description": (
        ["learn", "sbpe", "--size", "3", "--set", "report=m.json", "--model", "m", "text"],
        "report=m.json is the model or its description",
    ),
    "model below a file": (["learn", "char", "--model", "text/a/m", "latin1"], "text is no folder that can be written"),
    "model to standard output": (["learn", "char", "--model", "-", "text"], "a model cannot be written to -"),
    "pieces over text": (["encode", "bpe", "--model", "codes", "-i", "text", "-o", "text"], "text is the input, too"),
    "text over pieces": (["decode", "bpe", "--model", "codes", "-i", "text", "-o", "link"], "link is the input, too"),
    "counts over pieces": (["vocabulary", "-i", "text", "-o", "./text"], "./text is the input, too"),
    "model to a device": (["learn", "char", "--model", "/dev/null", "text"], "cannot be written to /dev/null"),
    "no thread": (["learn", "char", "--threads", "0", "--model", "m", "text"], "threads=0"),
    "options of no model": (["stats", "text", "--set", "variant=paper"], "--algorithm NAME --model FILE"),
    "dropout of decoding": (
        ["decode", "bpe-dropout", "--set", "dropout=0.3", "--model", "codes", "-i", "text"],
        "dropout does nothing here",
    ),
    "dropout": (["encode", "bpe-dropout", "--set", "dropout=0.3", "--model", "codes", "-i", "text"], "--sample SEED"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_named_without_a_traceback_and_leaves_nothing(
    arguments: list[str],
    message: str,
    text: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (text.parent / "latin1").write_bytes(b"fine\ncaf\xe9\n")
    (text.parent / "codes").write_text("#version: 0.2\nl o\n")
    (text.parent / "cut.gz").write_bytes(gzip.compress(TEXT * 99)[:-9])
    (text.parent / "wrong.gz").write_bytes(b"\x1f\x8bwrong wrong wrong wrong")
    (text.parent / "link").symlink_to(text)
    before = {path: path.read_bytes() for path in text.parent.iterdir()}
    monkeypatch.chdir(text.parent)
    assert main(arguments) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert {path: path.read_bytes() for path in text.parent.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "missing", "extra"),
    [
        (["learn", "wordpiece", "--size", "60"], "tokenizers", "huggingface"),
        (["learn", "byte-bpe", "--size", "260"], "tokenizers", "huggingface"),
        (["learn", "greedtok", "--size", "260"], "tokenizers.pre_tokenizers", "huggingface"),
        (
            ["learn", "bpe", "--size", "3", "--set", "implementation=subword-nmt"],
            "subword_nmt.learn_bpe",
            "subword-nmt",
        ),
        (["learn", "morfessor"], "morfessor", "morfessor"),
        (["compare", "--size", "3", "--moses", "en"], "sacremoses", "moses"),
    ],
)
def test_a_package_that_is_not_installed_is_named(
    arguments: list[str],
    missing: str,
    extra: str,
    text: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    bytelevel._splitter.cache_clear()
    model = ["--model", str(text.with_name("m"))] if arguments[0] == "learn" else []
    assert main([*arguments, *model, str(text)]) == 2
    assert f"pip install 'subwords[{extra}]'" in capfd.readouterr().err


def test_compressed_text_on_standard_input(model: Path) -> None:
    command = python("-m", "subwords", "encode", "char", "--model", str(model))
    done = subprocess.run(command, env=ENVIRONMENT, input=gzip.compress(b"cat\n"), capture_output=True, check=True)
    assert done.stdout == b"c a t\n"


def test_bytes_that_are_no_text_leave_no_half_output(
    model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "latin1").write_bytes(b"fine\n" * 10_000 + b"caf\xe9\n")
    output = tmp_path / "pieces"
    arguments = ["encode", "char", "--model", str(model), "-i", str(tmp_path / "latin1"), "-o", str(output)]
    assert main(arguments) == 2
    assert "line 10001" in capfd.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["char.model", "char.model.json", "latin1", "text"]


def test_the_advice_for_bytes_that_are_no_text_names_files_only(tmp_path: Path) -> None:
    def advice(name: str) -> str:
        with pytest.raises(InputError) as caught:
            list(decode_lines([b"caf\xe9\n"], name))
        return str(caught.value).split("\n")[-1]

    assert advice("text.fr").endswith("iconv -f latin1 -t utf-8 text.fr")
    assert advice("standard input").endswith("iconv -f latin1 -t utf-8")


def test_a_device_stays_a_device(model: Path, text: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
    assert main(["encode", "char", "--model", str(model), "-i", str(text), "-o", str(pipe)]) == 0
    assert reader.communicate()[0].startswith("t h e ▁ c a t".encode())
    assert pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk(model: Path, text: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["encode", "char", "--model", str(model), "-i", str(text), "-o", "/dev/full"]) == 2
    assert "No space left" in capfd.readouterr().err


def test_standard_output_is_utf8_in_any_locale(text: Path) -> None:
    command = python("-m", "subwords", "compare", str(text), "--size", "5", "--algorithms", "word")
    environment = ENVIRONMENT | {"PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert "μ" in done.stdout.decode("utf-8")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_model_that_cannot_be_written_is_refused_before_it_is_learned(
    text: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (text.parent / "fixed").mkdir(0o500)
    assert main(["learn", "char", "--model", f"{text.parent}/fixed/a/model", str(text.with_name("absent"))]) == 2
    assert "fixed is no folder that can be written to" in capfd.readouterr().err


def test_redirected_input_is_not_written_over(model: Path, text: Path) -> None:
    command = python("-m", "subwords", "encode", "char", "--model", str(model), "-o", str(text))
    with open(text, "rb") as source:
        done = subprocess.run(command, env=ENVIRONMENT, stdin=source, capture_output=True, text=True)
    assert done.returncode == 2
    assert "is the input, too" in done.stderr
    assert text.read_bytes() == TEXT


@pytest.mark.parametrize(
    ("arguments", "closed", "said"),
    [
        ("encode char --model char.model", "<&-", "standard input is closed"),
        ("learn char --model m -", "<&-", "standard input is closed"),
        ("encode char --model char.model -i text", ">&-", "standard output is closed"),
        ("encode char --model char.model -i text -o pieces", ">&-", ""),
        ("learn char --model m text", ">&-", "subwords: char|"),
    ],
)
def test_standard_streams_that_are_closed(arguments: str, closed: str, said: str, model: Path) -> None:
    command = ["bash", "-c", f"{sys.executable} -m subwords {arguments} {closed}"]
    done = subprocess.run(command, env=ENVIRONMENT, cwd=model.parent, capture_output=True, text=True)
    assert done.returncode == (2 if "closed" in said else 0)
    assert done.stderr.startswith(f"subwords: {said}" if "closed" in said else said)
    assert "Traceback" not in done.stderr


def test_what_is_said_on_a_closed_standard_error_is_not_in_the_pieces(text: Path, tmp_path: Path) -> None:
    assert main(["learn", "word", "--size", "1", "--model", str(tmp_path / "model"), str(text)]) == 0
    command = ["bash", "-c", f"{sys.executable} -m subwords encode word --model model -i text 2>&-"]
    done = subprocess.run(command, env=ENVIRONMENT, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "the <unk> <unk>\n\n<unk> the <unk> <unk>\n"


def test_assignments() -> None:
    assert read_assignments(["a=1", "b=x=y", "c="]) == {"a": "1", "b": "x=y", "c": ""}
    for wrong in (["a"], ["=1"], ["a=1", "a=2"]):
        with pytest.raises(InputError):
            read_assignments(wrong)


def test_list_names_every_algorithm_and_parameter(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    shown = capfd.readouterr().out
    assert main(["list", "--json"]) == 0
    described = json.loads(capfd.readouterr().out)
    assert [entry["algorithm"] for entry in described] == registry.names()
    for name, entry in zip(registry.names(), described, strict=True):
        parameters = registry.find(name).parameters
        assert [parameter["name"] for parameter in entry["parameters"]] == [parameter.name for parameter in parameters]
        assert f"{name}: {registry.find(name).summary}" in shown
        assert all(f"--set {parameter.name}=" in shown for parameter in parameters)
    assert main(["list", "word", "--json"]) == 0
    assert [entry["algorithm"] for entry in json.loads(capfd.readouterr().out)] == ["word"]


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


def test_list_imports_nothing_heavy() -> None:
    program = "import sys; from subwords.cli import main; main(['list']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(python("-c", program), env=ENVIRONMENT, capture_output=True, text=True, check=True)
    heavy = {"numba", "numpy", "scipy", "torch", "sentencepiece", "tokenizers", "pandas", "subword_nmt", "sacremoses"}
    assert not heavy & set(done.stderr.split())


def test_a_reader_that_leaves_is_no_error(model: Path) -> None:
    command = python("-m", "subwords", "encode", "char", "--model", str(model))
    endless = subprocess.Popen(["yes", "the cat sat"], stdout=subprocess.PIPE)
    encoder = subprocess.Popen(
        command, env=ENVIRONMENT, stdin=endless.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert encoder.stdout is not None
    assert encoder.stderr is not None
    assert encoder.stdout.readline() == "t h e ▁ c a t ▁ s a t\n".encode()
    encoder.stdout.close()
    assert encoder.stderr.read() == b""
    assert encoder.wait() == 141
    endless.kill()
    endless.wait()
    encoder.stderr.close()
    assert endless.stdout is not None
    endless.stdout.close()


def test_stats_as_text_and_json(tmp_path: Path, text: Path, model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pieces, known = tmp_path / "pieces", tmp_path / "known"
    pieces.write_text("a b\nc\n")
    known.write_text("a b\n")
    assert main(["stats", str(pieces), "--reference", str(known), "--json"]) == 0
    figures = json.loads(capfd.readouterr().out)
    assert (figures["pieces"], figures["types"], figures["pieces_per_sentence"]) == (3, 3, 1.5)
    assert figures["unknown"] == {"pieces": 3, "unknown_pieces": 1, "unknown_piece_rate": 1 / 3}
    assert main(["stats", str(pieces), "--reference", str(known)]) == 0
    shown = dict(line.split("\t") for line in capfd.readouterr().out.splitlines())
    assert shown["unknown.unknown_piece_rate"] == "0.333333"
    assert shown["pieces"] == "3"


def test_stats_of_pipes_are_those_of_files(
    tmp_path: Path,
    text: Path,
    model: Path,
    capfd: pytest.CaptureFixture[str],
    piped: Callable[[bytes], str],
) -> None:
    pieces, gold = tmp_path / "pieces", tmp_path / "gold"
    gold.write_text("mat\tma t\n")
    assert main(["encode", "char", "--model", str(model), "-i", str(text), "-o", str(pieces)]) == 0
    shown = []
    for name in (str, lambda path: piped(path.read_bytes())):
        given = ["--text", name(text), "--reference", name(pieces), "--gold", name(gold)]
        assert main(["stats", name(pieces), *given, "--algorithm", "char", "--model", str(model)]) == 0
        shown.append(capfd.readouterr().out)
    assert shown[0] == shown[1]
    assert "unknown.words" in shown[0]


def test_stats_with_a_model(tmp_path: Path, text: Path, model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pieces, gold = tmp_path / "pieces", tmp_path / "gold"
    gold.write_text("mat\tma t\n")
    assert main(["encode", "char", "--model", str(model), "-i", str(text), "-o", str(pieces)]) == 0
    given = ["--text", str(text), "--algorithm", "char", "--model", str(model), "--gold", str(gold), "--json"]
    assert main(["stats", str(pieces), *given]) == 0
    figures = json.loads(capfd.readouterr().out)
    assert figures["boundaries"]["micro"] == {"precision": 0.5, "recall": 1.0, "f1": pytest.approx(2 / 3)}
    assert figures["kept_whole"] == 0.0
    assert figures["pieces_per_word_histogram"] == {"2": 2, "3": 4, "4": 1}
