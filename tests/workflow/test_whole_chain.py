"""A tiny experiment for real, from the generator to the report; and what a change reruns."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from .conftest import TINY, Workplace

pytestmark = pytest.mark.slow
RUNS = "runs/mini/en-qmo"


def planned_jobs(said: str) -> dict[str, int]:
    """Return rule -> number of jobs, from what a dry run prints."""
    words = [line.split() for line in said.split("Job stats:")[-1].split("\n")]
    return {line[0]: int(line[1]) for line in words if len(line) == 2 and line[1].isdigit()}


def test_every_output_is_there_and_aligned(finished: Workplace) -> None:
    for name in ("scores.csv", "table.md", "table.tex", "report.html", "manifest.json"):
        assert (finished.results / "tiny" / name).stat().st_size > 100
    for segmentation in TINY["segmentations"]:
        folder = finished.results / RUNS / segmentation / "mini" / "seed1"
        hypotheses = (folder / "test.hyp").read_text().split("\n")
        assert len(hypotheses) == 10 + 1
        curve = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
        assert [point["epoch"] for point in curve if point["split"] == "dev"] == [1, 2]
        assert all("bleu" in point for point in curve if point["split"] == "dev")
        record = json.loads((folder / "run.json").read_text())
        assert record["parameters"]["segmentation"]["algorithm"] == segmentation
        assert record["seed"] == 1
        assert record["model_parameters"] > 1000
        assert record["updates"] == curve[-1]["update"]
        assert record["versions"]["fairseq"] == "0.12.2"


def test_scores_are_those_of_sacrebleu_s_command_line(finished: Workplace) -> None:
    references = finished.results / "corpora/mini/en-qmo/references/test.qmo"
    with open(finished.results / "tiny" / "scores.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {(row["segmentation"], row["metric"]) for row in rows} == {
        (name, metric) for name in TINY["segmentations"] for metric in ("bleu", "chrf")
    }
    for row in rows:
        hypotheses = finished.results / RUNS / row["segmentation"] / "mini" / "seed1" / "test.hyp"
        command = ["-m", "sacrebleu", str(references), "-i", str(hypotheses), "-m", row["metric"], "-w", "8"]
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
        expected = json.loads(done.stdout)
        assert float(row["score"]) == pytest.approx(expected["score"], abs=1e-7)
        assert row["signature"] == expected["signature"]


def test_a_second_run_has_nothing_to_do(finished: Workplace) -> None:
    assert "Nothing to be done" in finished.run("-n")


@pytest.mark.parametrize(
    ("change", "reruns", "leaves"),
    [
        ({"metrics": ["bleu", "chrf", "ter"]}, {"score", "compare", "tables"}, {"train", "select", "translate"}),
        ({"decode": {"beam": 1}}, {"translate", "score"}, {"train", "select"}),
        ({"select": {"average": 1}}, {"select", "translate"}, {"train"}),
        ({"threads": 2, "workers": 1, "mirror": "config"}, set(), {"train", "segment", "translate"}),
        ({"significance": {"samples": 30}}, {"compare"}, {"train", "translate", "score"}),
        ({"seeds": [1, 2]}, {"train", "translate"}, {"segment", "binarize", "segmentation_statistics"}),
    ],
    ids=["metric", "beam", "average", "machine", "significance", "seed"],
)
def test_a_change_reruns_what_it_touches_and_nothing_else(
    finished: Workplace, change: dict[str, object], reruns: set[str], leaves: set[str]
) -> None:
    merged = {**TINY, **change}
    for key in ("decode", "select"):
        if key in change:
            merged[key] = {**TINY[key], **change[key]}  # type: ignore[dict-item]
    finished.write(merged)
    try:
        planned = finished.run("-n")
    finally:
        finished.write(TINY)
    rules = planned_jobs(planned).keys()
    assert reruns <= rules
    assert not leaves & rules


def test_the_plan_has_every_run_once(workplaces: Callable[[str], Workplace]) -> None:
    place = workplaces("large")
    place.write({**TINY, "seeds": list(range(1, 251))})
    assert planned_jobs(place.run("-n"))["train"] == 500


def test_lists_and_numbers_can_be_given_on_the_command_line(workplaces: Callable[[str], Workplace]) -> None:
    said = workplaces("overridden").snakemake("-n", config=("seeds=[1,2,3]", "decode={beam: 1}"))
    assert said.returncode == 0, said.stdout
    assert planned_jobs(said.stdout)["train"] == 2 * 3  # two segmentations


def test_text_in_a_file_stays_text(workplaces: Callable[[str], Workplace]) -> None:
    place = workplaces("texts")
    place.write({**TINY, "title": "2026"})
    said = place.snakemake("-n", config=("seeds=[1]",))
    assert said.returncode == 0, said.stdout


def test_snakemake_makes_its_own_report(finished: Workplace) -> None:
    finished.run("--report", "snakemake-report.html")
    assert (finished.folder / "snakemake-report.html").stat().st_size > 10_000
