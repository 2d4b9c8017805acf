"""COMET in the workflow, with a small random model: one job for all systems, and only for what has no score."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tiny_comet import make_tiny_comet

import score_comet

from .conftest import TINY, Workplace

pytestmark = pytest.mark.slow
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}


def comet_scores(place: Workplace) -> dict[tuple[str, str], float]:
    with open(place.results / "tiny/scores.csv", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["metric"] == "comet"]
    return {(row["segmentation"], row["testset"]): float(row["score"]) for row in rows}


def test_comet_joins_systems_that_are_finished(
    finished: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = finished.copy(tmp_path / "place")
    for name, value in OFFLINE.items():
        monkeypatch.setenv(name, value)
    model = make_tiny_comet(tmp_path / "model")
    experiment = {**TINY, "metrics": ["bleu", "comet"], "comet_model": str(model)}
    log = place.results / "logs/score_comet/tiny.log"

    steps = {"list_runs", "download_comet", "score_comet", "collect_scores", "make_tables"}
    assert place.plan(experiment).keys() == steps
    place.run("scores")
    assert "2 of 2 test sets scored" in log.read_text()
    first = comet_scores(place)
    assert first.keys() == {("bpe", "test"), ("char", "test")}

    both = {**experiment, "testsets": ["test", "test_unseen"]}
    assert place.plan(both)["score_comet"] == 1
    place.run()
    assert "2 of 4 test sets scored" in log.read_text()
    second = comet_scores(place)
    assert second.items() > first.items()
    assert "Nothing to be done" in place.run("-n")

    damaged, *_ = place.results.glob("runs/**/test.comet.*.json")
    damaged.unlink()  # as the error tells one to do where a bit of it is flipped
    (place.results / "tiny/scores.csv").unlink()
    assert place.plan(both).keys() == {"score_comet", "collect_scores", "make_tables"}
    place.run()
    assert "1 of 4 test sets scored" in log.read_text()
    assert comet_scores(place) == pytest.approx(second)
    (place.results / "tiny/scores.csv").unlink()
    assert place.plan(both).keys() == {"collect_scores", "make_tables"}

    files = json.loads((place.results / "tiny/manifest.json").read_text())["runs"][0]["testsets"]["test_unseen"]
    words = [word for name in ("source", "hypothesis", "reference") for word in (f"--{name}", files[name])]
    monkeypatch.chdir(place.folder)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert score_comet.main([*words, "--model", str(model), "--output", "c.json"]) == 0
    assert json.loads((place.folder / "c.json").read_text())["score"] == pytest.approx(second["bpe", "test_unseen"])
    table = (place.results / "tiny/table.md").read_text()
    assert "COMET" in table
