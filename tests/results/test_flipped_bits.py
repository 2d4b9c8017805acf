"""Everything that scores are made from is compared with its record first: a flipped bit is an error and no score."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from deployment.damage import flip
from small_experiment import make_runs, run_steps, write_lines

import collect_scores
import make_corpus
from experiment.config import Experiment
from experiment.store.making import write_record
from replication import measurements
from subwords.errors import InputError
from translation.evaluating import Evaluator


def test_words_of_the_training_text(tmp_path: Path) -> None:
    text, folder = tmp_path / "text", tmp_path / "beam"
    write_lines(text / "train.xx", ["a rare word", "a word"])
    write_lines(text / "references" / "test.xx", ["a rare word"])
    write_lines(folder / "test.hyp", ["a word"])
    write_record(folder / "test.translation.json", [Path("test.hyp")], {})
    job = {"folder": str(folder), "direction": "en-xx", "model": "", "train": str(text / "train.xx")}
    test = {"stem": "test", "reference": str(text / "references" / "test.xx")}
    assert Evaluator(job | {"metrics": ["bleu"]}).score(test) == ["bleu"]
    flip(text / "words.xx")
    with pytest.raises(InputError, match=r"words\.xx has changed since it was written(.|\n)*delete .*words\.xx\.json"):
        Evaluator(job | {"metrics": ["bleu", "chrf"]}).score(test)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """An experiment whose round trips have records, and whose test set has one of its own; and its manifest."""
    folder = tmp_path_factory.mktemp("recorded")
    manifest = make_runs(folder, segmentations=("bpe", "char"), testsets=("late",), seeds=(1,))
    references = folder / "text" / "references"
    references.mkdir(parents=True)
    for run in manifest["runs"]:
        files = run["testsets"]["late"]
        for side in ("source", "reference"):
            files[side] = shutil.copy(files[side], references)
        files["text_record"] = str(folder / "text" / "late.json")
    write_record(folder / "text" / "late.json", [Path("references/late.en"), Path("references/late.xx")], {})
    run_steps(folder, manifest)
    for run in manifest["runs"]:
        round_trip = Path(run["testsets"]["late"]["round_trip"])
        write_record(Path(f"{round_trip}.json"), [Path(round_trip.name)], {})
    return folder, manifest


@pytest.mark.parametrize("file", ["round_trip", "reference", "source"])
def test_texts_that_systems_are_compared_on(
    recorded: tuple[Path, dict[str, Any]], file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, manifest = recorded
    path = Path(manifest["runs"][1]["testsets"]["late"][file])
    words = ["--manifest", str(folder / "results" / "manifest.json"), "--output", str(folder / "again.csv")]
    assert collect_scores.main(words) == 0
    flip(path)
    try:
        assert collect_scores.main(words) == 2
    finally:
        flip(path)
    assert f"{path} has changed since it was written" in capsys.readouterr().err


def test_what_a_test_set_of_its_own_is_made_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    splits = {name: {side: f"{name}.{side}" for side in ("en", "xx")} for name in ("train", "dev", "late")}
    for name, files in splits.items():
        for side, file in files.items():
            write_lines(Path(file), [f"the {name} of {side} number {number} ." for number in range(20)])
    tests = {"late": {**splits["late"], "overlap": "keep"}}
    corpus = {"languages": ["en", "xx"], "train": splits["train"], "dev": splits["dev"], "tests": tests}
    settings = {"experiment": "x", "corpora": {"mine": corpus}, "directions": ["en-xx"], "models": ["transformer-tiny"]}
    segmentation = {"char": {"algorithm": "char"}}
    plan = Experiment({**settings, "segmentations": segmentation, "baseline": "char", "seeds": [1]}).plan
    (text,) = plan.texts.values()
    runtime = plan.runtime | {"workers": 1}  # other processes take longer to start
    assert make_corpus.main([json.dumps(text.job(runtime))]) == 0
    job = json.dumps(text.test_job(text.test("late"), runtime))
    for damaged in ("moses/truecase.xx", "train.xx"):
        flip(Path(text.folder, damaged))
        assert make_corpus.main([job]) == 2
        assert f"{damaged} has changed since it was written" in capsys.readouterr().err
        flip(Path(text.folder, damaged))
    assert make_corpus.main([job]) == 0


def test_what_a_paper_measured(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    measurements.write(path, [{"metric": "words", "value": 1003}])
    assert list(measurements.read(path)["value"]) == [1003]
    path.write_text(path.read_text().replace("1003", "1001"))
    with pytest.raises(InputError, match=r"counts\.csv has changed since(.|\n)*delete .*counts\.csv and run again"):
        measurements.read(path)
