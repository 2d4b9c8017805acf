"""Checkpoints chosen on the test set: the same as translating and scoring with each of them by hand."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from deployment.small_paper import PAPER
from sacrebleu.metrics import BLEU, CHRF, TER

import evaluate
import select_on_test
from experiment.config import Experiment
from experiment.jsonfiles import write_json
from experiment.store.making import RECORD, write_record
from experiment.training.selection import choice_fits
from experiment.training.selection import kept as checkpoints_kept
from replication.paper import read
from replication.sources import Measure, Sources
from subwords.errors import InputError

from .conftest import TINY, Workplace

pytestmark = pytest.mark.slow
RUN = "runs/mini/en-qmo/char/mini.*/seed1"


@pytest.fixture(scope="module")
def kept(finished: Workplace, tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    """A workplace in which the checkpoints of a finished training are still there."""
    made = finished.copy(tmp_path_factory.mktemp("kept"))
    shutil.rmtree(made.results / "runs")
    segmentations = {"char": TINY["segmentations"]["char"]}
    made.write({**TINY, "segmentations": segmentations, "baseline": "char", "runtime": {"keep_checkpoints": True}})
    made.run("scores")
    return made


def run(place: Workplace, script: str, job: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, f"scripts/{script}", json.dumps(job)]
    environment = place.environment() | {"PYTHONPATH": f"{place.folder / 'src'}:{place.folder}"}
    return subprocess.run(command, cwd=place.folder, env=environment, capture_output=True, text=True, check=False)


def job_of(place: Workplace, folder: Path) -> dict[str, Any]:
    """Return what the translation of the test set is told, with a folder of its own."""
    segmented, text = place.one("segmented/mini.*/en-qmo/char.*"), place.one("corpora/mini.*/en-qmo")
    search = {"beam": 2, "length_penalty": 1.0, "length_factor": 1.0, "length_constant": 5, "precision": "fp32"}
    test = {"stem": "test", "source": f"{text}/test.en", "target": f"{text}/test.qmo"}
    test["round_trip"] = f"{segmented}/test.qmo.round-trip"
    return {
        "folder": str(folder),
        "definition": {"step": "translation 2", **search},
        "data": f"{segmented}/binarized",
        "direction": "en-qmo",
        "segmented": str(segmented),
        "algorithm": "char",
        "form": "raw",
        "inputs": {},
        "train": f"{text}/train.qmo",
        "tests": [test | {"reference": f"{text}/references/test.qmo"}],
        "search": search,
        "max_tokens": 4000,
        "metrics": ["bleu", "chrf"],
        "select": {"metric": "loss", "keep": 5},
        "device": "auto",
        "runs_per_gpu": 1,
    }


def lines(path: Path) -> list[str]:
    return path.read_bytes().decode().split("\n")[:-1]


def test_the_best_on_the_test_set_is_chosen(kept: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(kept.folder)
    training = kept.one(RUN)
    expected: dict[str, list[str]] = {}
    for model in sorted((training / "checkpoints").glob("checkpoint[0-9]*.pt")):
        out = tmp_path / model.stem
        out.mkdir()
        copy = shutil.copy(model, out)
        write_record(out / RECORD, [Path(model.name)], {})
        assert evaluate.main([json.dumps(job_of(kept, out) | {"model": str(copy)})]) == 0
        expected[model.name] = lines(out / "test.hyp")
    assert len(expected) == 2
    wanted = lines(kept.one("corpora/mini.*/en-qmo/references/test.qmo"))
    scores = {name: BLEU().corpus_score(found, [wanted]).score for name, found in expected.items()}

    folder = kept.one(f"{RUN}/best-2/beam-2.*")
    done = run(kept, "select_on_test.py", job_of(kept, folder) | {"model": "", "chooses": "test"})
    assert done.returncode == 0, done.stderr
    report = json.loads((folder / "test.chosen-on-test.json").read_text())
    assert report["selection"] == "test"
    assert {tried["file"]: tried["bleu"] for tried in report["checkpoints"]} == pytest.approx(scores)
    best = max(scores, key=lambda name: scores[name])
    assert report["scores"]["bleu"]["score"] == pytest.approx(scores[best])
    assert scores[report["chosen"]["file"]] == scores[best]
    hypotheses = lines(folder / "test.chosen-on-test.hyp")
    assert hypotheses == expected[report["chosen"]["file"]]
    assert (
        "already done" in run(kept, "select_on_test.py", job_of(kept, folder) | {"model": "", "chooses": "test"}).stdout
    )
    assert report["scores"]["chrf"]["score"] == pytest.approx(CHRF().corpus_score(hypotheses, [wanted]).score)


def test_a_metric_that_is_asked_for_later_is_scored_alone(kept: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The choice stays: it was made by BLEU. Nothing is translated, so that no checkpoint is needed."""
    monkeypatch.chdir(kept.folder)
    settings = yaml.safe_load(Path("experiment.yaml").read_text())
    folder = kept.one(f"{RUN}/best-2/beam-2.*")
    job = job_of(kept, folder) | {"model": "", "chooses": "test"}

    def is_finished(metrics: list[str]) -> bool:
        measures = {"on-test": Measure(("chosen_on_test",), list)}
        experiment = Experiment({**settings, "metrics": metrics})
        sources = Sources(SimpleNamespace(experiment=experiment, measures=measures, options={}), "on-test")  # type: ignore
        sources.check_choices()
        (mark,) = sources.chosen_on_test
        return Path(mark).exists()

    assert run(kept, "select_on_test.py", job).returncode == 0
    before = json.loads((folder / "test.chosen-on-test.json").read_text())
    assert is_finished(["bleu", "chrf"])
    assert not is_finished(["bleu", "ter"])
    monkeypatch.setattr(select_on_test, "choose", lambda *_: pytest.fail("chosen again"))
    assert select_on_test.main([json.dumps(job | {"metrics": ["bleu", "ter"]})]) == 0
    assert is_finished(["bleu", "ter"])
    assert is_finished(["bleu", "chrf"])
    now = json.loads((folder / "test.chosen-on-test.json").read_text())
    hypotheses = lines(folder / "test.chosen-on-test.hyp")
    reference = lines(kept.one("corpora/mini.*/en-qmo/references/test.qmo"))
    assert now["scores"].pop("ter")["score"] == pytest.approx(TER().corpus_score(hypotheses, [reference]).score)
    assert {**now, "seal": ""} == {**before, "seal": ""}


def test_a_metric_that_is_asked_for_later_needs_no_card(workplace: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another rule scores what is chosen; profiles ask for a card where something is chosen."""
    workplace.configfile = "papers/small/experiment.yaml"
    folder = workplace.folder / "papers" / "small"
    folder.mkdir()
    (folder / "paper.py").write_text(PAPER)
    experiment = {name: value for name, value in TINY.items() if name != "experiment"}
    paper = {"paper": "small", "title": "Small", "citation": "Nobody 2099", "scales": {"smoke": None}}
    runs = len(TINY["segmentations"])
    planned = workplace.plan({**paper, "experiment": experiment})
    assert (planned.get("select_on_test"), planned.get("rescore_on_test")) == (runs, None)
    monkeypatch.chdir(workplace.folder)
    for mark in Sources(read(folder / "experiment.yaml"), "on-test").chosen_on_test:
        choice = Path(mark).with_suffix("").with_suffix(".json")
        write_json(choice, {"scores": {"bleu": {}}, "files": {}}, sealed=True)
    planned = workplace.plan({**paper, "experiment": experiment})
    assert (planned.get("select_on_test"), planned.get("rescore_on_test")) == (None, runs)


def test_one_card_is_enough_for_all_checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A card that this process has is not waited for again. And of a checkpoint only BLEU is computed."""
    takes: list[int] = []
    scored: list[list[str]] = []
    monkeypatch.setattr("experiment.scoring.metrics.sentence_chrf", lambda hypotheses, _: scored.append(hypotheses))

    class WithoutModel:
        def __init__(self, job: dict[str, Any], model: str) -> None:
            assert takes == [1]

        def translation(self, test: dict[str, str]) -> tuple[list[str], list[str], dict[str, Any]]:
            return ["a b c d"], [], {}

    monkeypatch.setattr(select_on_test, "Evaluator", WithoutModel)
    monkeypatch.setattr(select_on_test.gpu, "take", lambda count, *_: takes.append(count) or [])
    training = tmp_path / "training"
    dev = [{"file": f"c{n}.pt", "epoch": n, "updates": n, "score": 1.0} for n in (1, 2)]
    (training / "checkpoints").mkdir(parents=True)
    (training / "training.json").write_text(json.dumps({"dev": dev}))
    for entry in dev:
        (training / "checkpoints" / str(entry["file"])).touch()
    (tmp_path / "reference").write_text("a b c d\n")
    job = {"folder": str(training / "best-1" / "beam"), "direction": "en-qmo", "metrics": [], "inputs": {}}
    job |= {"device": "auto", "runs_per_gpu": 1, "select": {"metric": "loss", "keep": 1}}
    test = {"stem": "test", "reference": str(tmp_path / "reference")}
    assert select_on_test.main([json.dumps(job | {"tests": [test], "chooses": "test"})]) == 0
    assert takes == [1]
    assert scored == [["a b c d"]]  # of the choice
    choice = training / "best-1" / "beam" / "test.chosen-on-test.json"
    assert choice_fits(choice, training)
    (training / "training.json").write_text(json.dumps({"dev": dev, "seconds": 2}))  # trained again
    assert not choice_fits(choice, training)
    (training / "checkpoints" / "c2.pt").unlink()
    with pytest.raises(InputError, match=r"that were deleted: c2\.pt"):
        checkpoints_kept(training, job["select"])


def test_without_checkpoints(finished: Workplace) -> None:
    folder = finished.one(f"{RUN}/best-2/beam-2.*")
    done = run(finished, "select_on_test.py", job_of(finished, folder) | {"model": "", "chooses": "test"})
    assert done.returncode == 2
    assert "that were deleted: checkpoint" in done.stderr
    assert "keep_checkpoints: true" in done.stderr
    assert not (folder / "test.chosen-on-test.json").exists()


def test_no_ordinary_experiment_has_the_rule(finished: Workplace) -> None:
    target = finished.one(f"{RUN}/best-2/beam-2.*") / "test.chosen-on-test.0123456789.done"
    said = finished.snakemake("-n", str(target.relative_to(finished.folder))).stdout
    assert "MissingRuleException" in said


def test_translations_say_what_could_not_be_decoded(finished: Workplace) -> None:
    """Words are those of the decoded text; characters can always be decoded."""
    folder = finished.one(f"{RUN}/best-2/beam-2.*")
    report = json.loads((folder / "test.translation.json").read_text())
    pieces = lines(folder / "test.pieces")
    assert report["words"] == sum("".join(line.split(" ")).count("▁") + 1 for line in pieces if line)
    assert report["lost_in_decoding"] == {}
