"""scripts/score.py against sacrebleu's own command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from small_experiment import write_lines

import score
from experiment.scoring.metrics import DEFAULT_METRICS, METRICS, check_metrics, score_corpus

SACREBLEU = [sys.executable, "-m", "sacrebleu"]
REFERENCES = [
    "A red house.",
    "The bird sings, near the river.",
    "",
    "Él ve «árboles» \u2028 aquí.",
    "Price: 3,14 €",
    "x",
]
HYPOTHESES = ["A red  house . ", "the bird sings near a river.", "not empty", "Él ve árboles\x0b aquí.\t", "", "x"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Hypotheses and references."""
    write_lines(tmp_path / "hyp", HYPOTHESES)
    write_lines(tmp_path / "ref", REFERENCES)
    return str(tmp_path / "hyp"), str(tmp_path / "ref")


def by_command_line(hypotheses: str, references: str, *options: str) -> list[dict]:
    command = [*SACREBLEU, references, "-i", hypotheses, "-w", "12", "-f", "json", *options]
    content = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return content if isinstance(content, list) else [content]


def test_scores_and_signatures_are_those_of_sacrebleu(files, tmp_path):
    hyp, ref = files
    output = tmp_path / "scores.json"
    metrics = ["bleu", "chrf", "chrf++", "ter"]
    assert score.main(["--hypothesis", hyp, "--reference", ref, "--metrics", *metrics, "--output", str(output)]) == 0
    found = json.loads(output.read_text())["metrics"]
    bleu, chrf, ter = by_command_line(hyp, ref, "-m", "bleu", "chrf", "ter")
    (chrf2,) = by_command_line(hyp, ref, "-m", "chrf", "--chrf-word-order", "2")
    for name, expected in zip(metrics, (bleu, chrf, chrf2, ter), strict=True):
        assert found[name]["score"] == pytest.approx(expected["score"], abs=1e-9)
        assert found[name]["signature"] == expected["signature"]
        assert found[name]["name"] == expected["name"]


def test_sentence_scores_are_those_of_sacrebleu(files):
    hyp, ref = files
    command = [*SACREBLEU, ref, "-i", hyp, "-m", "chrf", "-sl", "-b", "-w", "2"]
    expected = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert score_corpus(HYPOTHESES, REFERENCES, ["bleu"])["sentence_chrf"] == [float(value) for value in expected]


@pytest.mark.parametrize(
    ("target", "tokenizer"),
    [("zh", "zh"), ("zh_cn", "zh"), ("zh-TW", "zh"), ("pt_br", "13a"), ("", "13a")],
)
def test_the_target_language_chooses_the_tokenizer(tmp_path, target, tokenizer):
    write_lines(tmp_path / "hyp", ["我喜欢红色的房子。", "鸟在河边唱歌。"])
    write_lines(tmp_path / "ref", ["我喜欢那座红房子。", "小鸟在河边唱歌。"])
    (expected,) = by_command_line(str(tmp_path / "hyp"), str(tmp_path / "ref"), "-m", "bleu", "-tok", tokenizer)
    found = score_corpus(
        (tmp_path / "hyp").read_text().split("\n")[:2],
        (tmp_path / "ref").read_text().split("\n")[:2],
        ["bleu"],
        target=target,
    )["metrics"]["bleu"]
    assert (found["score"], found["signature"]) == (pytest.approx(expected["score"]), expected["signature"])


def test_a_named_tokenizer_wins_over_the_language():
    found = score_corpus(["我喜欢"], ["我喜欢"], ["bleu"], target="zh", tokenizer="char")
    assert "tok:char" in found["metrics"]["bleu"]["signature"]


def test_empty_hypotheses_are_counted_and_reported(files, tmp_path, capsys):
    hyp, ref = files
    output = tmp_path / "scores.json"
    assert score.main(["--hypothesis", hyp, "--reference", ref, "--output", str(output)]) == 0
    assert json.loads(output.read_text())["empty_hypotheses"] == 1
    assert "1 of 6 are empty" in capsys.readouterr().err


def test_a_system_that_says_nothing_scores_0():
    found = score_corpus(["", " "], ["a b c d e", "f"], ["bleu", "chrf"])
    assert [found["metrics"][name]["score"] for name in ("bleu", "chrf")] == [0, 0]
    assert found["empty_hypotheses"] == 2


def test_metrics_come_once_and_in_the_order_asked_for():
    assert check_metrics(["comet", "chrf", "bleu", "chrf"]) == ["comet", "chrf", "bleu"]
    assert set(METRICS) == {"bleu", "chrf", "chrf++", "ter", "word_accuracy", "exact_match", "comet"}
    assert {"bleu", "chrf", "chrf++"} == set(DEFAULT_METRICS)


BAD = {
    "unknown metric": (["--metrics", "blue"], "did you mean 'bleu'"),
    "comet elsewhere": (["--metrics", "comet"], "score_comet.py"),
    "unknown tokenizer": (["--bleu-tokenizer", "14a"], "13a"),
    "japanese": (["--target", "ja"], "pip install 'sacrebleu[ja]'"),
    "missing file": (["--hypothesis", "nowhere"], "cannot read nowhere"),
    "unequal": (["--hypothesis", "short"], "unequal line counts"),
    "latin-1": (["--hypothesis", "latin"], "not UTF-8"),
    "empty": (["--hypothesis", "none", "--reference", "none"], "is empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named_and_nothing_is_written(files, tmp_path, capsys, monkeypatch, name):
    hyp, ref = files
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "short", HYPOTHESES[:-1])
    (tmp_path / "latin").write_bytes("é\n".encode("latin-1") * 6)
    (tmp_path / "none").write_bytes(b"")
    options, message = BAD[name]
    before = {path.name for path in tmp_path.iterdir()}
    if name == "japanese" and _has_mecab():
        pytest.skip("MeCab is installed")
    assert score.main(["--hypothesis", hyp, "--reference", ref, "--output", "out.json", *options]) == 2
    assert message in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == before


def _has_mecab() -> bool:
    from importlib.util import find_spec

    return find_spec("MeCab") is not None


def test_as_a_program_it_leaves_with_2_and_no_traceback(root, files, tmp_path):
    command = [sys.executable, str(root / "scripts" / "score.py"), "--hypothesis", files[0], "--reference", "nowhere"]
    found = subprocess.run([*command, "--output", str(tmp_path / "out")], capture_output=True, text=True)
    assert found.returncode == 2
    assert "Traceback" not in found.stderr
    assert "nowhere" in found.stderr


def test_a_full_disk_is_a_message(files, capsys):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    assert score.main(["--hypothesis", files[0], "--reference", files[1], "--output", "/dev/full/x.json"]) == 2
    assert "/dev/full" in capsys.readouterr().err
