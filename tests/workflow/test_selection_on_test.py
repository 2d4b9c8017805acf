"""Checkpoints chosen on the test set: the same as translating and scoring with each of them by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sacrebleu.metrics import BLEU, CHRF

from .conftest import TINY, Workplace

pytestmark = pytest.mark.slow


def run(place: Workplace, script: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, f"scripts/{script}", *words]
    environment = place.environment() | {"PYTHONPATH": f"{place.folder / 'src'}:{place.folder}"}
    return subprocess.run(command, cwd=place.folder, env=environment, capture_output=True, text=True, check=False)


def options(segmentation: str, text: str) -> list[str]:
    """Return what a translation needs but the model and the outputs."""
    segmented = f"results/segmented/mini/en-qmo/{segmentation}"
    source = {"moses": "results/text/mini/en-qmo/moses", "raw": "results/corpora/mini/en-qmo"}[text]
    search = {"beam": 2, "length_penalty": 1.0, "length_factor": 1.0, "length_constant": 5, "max_tokens": 4000}
    words = ["--data", f"{segmented}/binarized", "--direction", "en-qmo", "--source", f"{source}/test.en"]
    words += ["--algorithm", segmentation, "--encode-options", f"{segmented}/encode.en.json", "--text", text]
    words += ["--source-segmenter", f"{segmented}/model.en", "--target-segmenter", f"{segmented}/model.qmo"]
    return [*words, "--search", json.dumps(search)]


def test_the_best_on_the_test_set_is_chosen(finished: Workplace, tmp_path: Path) -> None:
    folder = finished.results / "runs/mini/en-qmo/char/mini/seed1"
    references = finished.results / "corpora/mini/en-qmo/references/test.qmo"
    common = options("char", "raw")
    expected: dict[str, Any] = {}
    for model in sorted((folder / "checkpoints").glob("checkpoint[0-9]*.pt")):
        out = tmp_path / model.stem
        outputs = ["--hypotheses", f"{out}.hyp", "--pieces", f"{out}.pieces", "--report", f"{out}.json"]
        done = run(finished, "translate.py", "--model", str(model), *common, *outputs)
        assert done.returncode == 0, done.stderr
        expected[model.name] = Path(f"{out}.hyp").read_bytes().decode().split("\n")[:-1]
    assert len(expected) == 2
    wanted = references.read_bytes().decode().split("\n")[:-1]
    scores = {name: BLEU().corpus_score(found, [wanted]).score for name, found in expected.items()}

    chosen = ["--hypotheses", str(tmp_path / "chosen.hyp"), "--report", str(tmp_path / "chosen.json")]
    words = ["--checkpoints", str(folder / "checkpoints"), "--training", str(folder / "training.json")]
    done = run(finished, "select_on_test.py", *words, "--references", str(references), *common, *chosen)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "chosen.json").read_text())
    assert report["selection"] == "test"
    assert {tried["file"]: tried["bleu"] for tried in report["checkpoints"]} == pytest.approx(scores)
    best = max(scores, key=lambda name: scores[name])
    assert report["scores"]["bleu"]["score"] == pytest.approx(scores[best])
    assert scores[report["chosen"]["file"]] == scores[best]
    hypotheses = (tmp_path / "chosen.hyp").read_bytes().decode().split("\n")[:-1]
    assert hypotheses == expected[report["chosen"]["file"]]
    assert report["scores"]["chrf"]["score"] == pytest.approx(CHRF().corpus_score(hypotheses, [wanted]).score)


def test_without_checkpoints(finished: Workplace, tmp_path: Path) -> None:
    folder = finished.results / "runs/mini/en-qmo/char/mini/seed1"
    references = str(finished.results / "corpora/mini/en-qmo/references/test.qmo")
    words = ["--checkpoints", str(tmp_path), "--training", str(folder / "training.json"), "--references", references]
    outputs = ["--hypotheses", str(tmp_path / "h"), "--report", str(tmp_path / "r")]
    done = run(finished, "select_on_test.py", *words, *options("char", "raw"), *outputs)
    assert done.returncode == 2
    assert f"there are no checkpoints in {tmp_path}" in done.stderr
    assert not (tmp_path / "r").exists()


def test_no_ordinary_experiment_has_the_rule(finished: Workplace) -> None:
    target = f"{finished.results.name}/runs/mini/en-qmo/char/mini/seed1/test.chosen-on-test.json"
    assert "MissingRuleException" in finished.snakemake("-n", target).stdout
    assert "keep" not in TINY["select"]


def test_translations_say_what_could_not_be_decoded(finished: Workplace) -> None:
    """Words are those of the decoded text; characters can always be decoded."""
    folder = finished.results / "runs/mini/en-qmo/char/mini/seed1"
    report = json.loads((folder / "test.translation.json").read_text())
    lines = (folder / "test.pieces").read_bytes().decode().split("\n")[:-1]
    assert report["words"] == sum("".join(line.split(" ")).count("▁") + 1 for line in lines if line)
    assert report["lost_in_decoding"] == {}
