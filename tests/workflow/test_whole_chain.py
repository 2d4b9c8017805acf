"""A tiny experiment for real, from the generator to the report; and what a change reruns."""

from __future__ import annotations

import base64
import csv
import json
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from .conftest import TINY, Workplace

pytestmark = pytest.mark.slow
RUN = "runs/mini/en-qmo/{}/mini.*/seed1"


def planned_jobs(said: str) -> dict[str, int]:
    """Return rule -> number of jobs, from what a dry run prints."""
    words = [line.split() for line in said.split("Job stats:")[-1].split("\n")]
    return {line[0]: int(line[1]) for line in words if len(line) == 2 and line[1].isdigit()}


def test_every_output_is_there_and_aligned(finished: Workplace) -> None:
    for name in ("scores.csv", "table.md", "table.tex", "report.html", "manifest.json"):
        assert (finished.results / "tiny" / name).stat().st_size > 100
    for segmentation in TINY["segmentations"]:
        folder = finished.one(RUN.format(segmentation))
        hypotheses = finished.one(f"{RUN.format(segmentation)}/best-2/beam-2.*/test.hyp").read_text().split("\n")
        assert len(hypotheses) == 10 + 1
        curve = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
        assert [point["epoch"] for point in curve if point["split"] == "dev"] == [1, 2]
        assert all("bleu" in point for point in curve if point["split"] == "dev")
        record = json.loads((folder / "best-2/run.json").read_text())
        assert record["definition"] == json.loads((folder.parent / "definition.json").read_text())
        segmented = finished.one(f"segmented/mini.*/en-qmo/{segmentation}.{record['definition']['segmentation']}")
        assert json.loads((segmented / "definition.json").read_text())["algorithm"] == segmentation
        assert record["seed"] == 1
        assert record["model_parameters"] > 1000
        assert record["updates"] == curve[-1]["update"]
        assert record["versions"]["fairseq"] == "0.12.2"
        assert record["dev_sentences_skipped"] == 0
        scores = json.loads(finished.one(f"{RUN.format(segmentation)}/best-2/beam-2.*/test.scores.json").read_text())
        assert scores["made"].keys() == scores["metrics"].keys()
        assert {made["versions"]["sacrebleu"] for made in scores["made"].values()} == {metadata.version("sacrebleu")}


def test_scores_are_those_of_sacrebleu_s_command_line(finished: Workplace) -> None:
    references = finished.one("corpora/mini.*/en-qmo/references/test.qmo")
    with open(finished.results / "tiny" / "scores.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {(row["segmentation"], row["metric"]) for row in rows} == {
        (name, metric) for name in TINY["segmentations"] for metric in ("bleu", "chrf", "chrf++")
    }
    options = {"bleu": ["-m", "bleu"], "chrf": ["-m", "chrf"], "chrf++": ["-m", "chrf", "--chrf-word-order", "2"]}
    for row in rows:
        hypotheses = finished.one(f"{RUN.format(row['segmentation'])}/best-2/beam-2.*/test.hyp")
        command = ["-m", "sacrebleu", str(references), "-i", str(hypotheses), *options[row["metric"]], "-w", "8"]
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
        expected = json.loads(done.stdout)
        assert float(row["score"]) == pytest.approx(expected["score"], abs=1e-7)
        assert row["signature"] == expected["signature"]


def test_scores_come_with_what_they_are_read_with(finished: Workplace) -> None:
    """Bounds, comparison, exposure, overlap and words by frequency reach scores.csv: recomputed from the files."""
    target = finished.one("corpora/mini.*/en-qmo/references/test.qmo").read_text()
    with open(finished.results / "tiny" / "scores.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        training = json.loads((finished.one(RUN.format(row["segmentation"])) / "training.json").read_text())
        segmented = finished.one(f"segmented/mini.*/en-qmo/{row['segmentation']}.*")
        lines = (segmented / "train.qmo").read_text().splitlines()
        epochs, pieces = training["epochs"], sum(len(line.split()) for line in lines)
        assert int(row["sentences_seen"]) == epochs * len(lines)
        assert int(row["pieces_seen"]) == epochs * pieces
        sides = [set((segmented / f"train.{language}").read_text().split()) for language in ("en", "qmo")]
        assert int(row["vocabulary"]) == len(sides[0] | sides[1])
        assert float(row["vocabulary_overlap"]) == len(sides[0] & sides[1]) / len(sides[0] | sides[1])
        assert row["stopped_early"] == "false"
        assert row["energy_kwh"] == ""
        assert float(row["copied_source"]) < 30
        assert (segmented / "test.qmo.round-trip").read_text() == target  # all characters are known
        assert float(row["round_trip"]) == pytest.approx(100)
        assert (row["effect"] == "") == (row["segmentation"] == row["baseline"])
        assert row["versions"].startswith("python 3.")
    counts = (finished.one("corpora/mini.*/en-qmo/words.qmo")).read_text().splitlines()
    tokens = sum(int(line.rpartition(" ")[2]) for line in counts)
    train = finished.one("corpora/mini.*/en-qmo/train.qmo").read_text()
    assert tokens == len(train.replace(".", " .").replace("?", " ?").replace(",", " ,").split())


def test_a_second_run_has_nothing_to_do(finished: Workplace) -> None:
    assert "Nothing to be done" in finished.run("-n")


def test_the_plan_counts_the_parameters_that_are_trained(finished: Workplace) -> None:
    command = [finished.python, "scripts/plan_experiment.py", "--configfile", finished.configfile]
    said = subprocess.run(command, cwd=finished.folder, capture_output=True, text=True, check=True).stdout
    planned = {line.split()[0]: line.split()[-1] for line in said.splitlines() if line.strip()}
    for name in TINY["segmentations"]:  # one joint, one not
        record = json.loads((finished.one(RUN.format(name)) / "best-2/run.json").read_text())
        assert planned[name] == f"{record['model_parameters']:,}"


def test_the_plan_has_every_run_once(workplaces: Callable[[str], Workplace]) -> None:
    place = workplaces("large")
    place.write({**TINY, "seeds": list(range(1, 101))})
    assert planned_jobs(place.run("-n"))["train"] == 200


def test_lists_and_numbers_can_be_given_on_the_command_line(workplaces: Callable[[str], Workplace]) -> None:
    said = workplaces("overridden").snakemake("-n", config=("seeds=[1,2,3]", "decode={beam: 1}"))
    assert said.returncode == 0, said.stdout
    assert planned_jobs(said.stdout)["train"] == 2 * 3  # two segmentations


def test_settings_of_the_machine_need_no_block_on_the_command_line(workplaces: Callable[[str], Workplace]) -> None:
    place = workplaces("machine")
    said = place.snakemake("-n", config=("threads=2", "mirror=config"))
    assert said.returncode == 0, said.stdout
    said = place.snakemake("-n", config=("mirror=nowhere",))
    assert "runtime.mirror='nowhere' is not a folder" in said.stdout


def test_text_in_a_file_stays_text(workplaces: Callable[[str], Workplace]) -> None:
    place = workplaces("texts")
    place.write({**TINY, "title": "2026"})
    said = place.snakemake("-n", config=("seeds=[1]",))
    assert said.returncode == 0, said.stdout


def test_snakemake_s_own_report_has_tables_figures_and_captions(finished: Workplace) -> None:
    finished.run("--report", "snakemake-report.html")
    page = (finished.folder / "snakemake-report.html").read_text()
    read = json.JSONDecoder().raw_decode
    results = read(page, page.index('{"', page.index('var results = {"')))[0]
    categories = read(page, page.index('{"', page.index('var categories = {"')))[0]
    named = {name: {Path(path).name for path in found["Other"]} for name, found in categories.items()}
    figures = {f"mini_en-qmo_mini.{kind}.svg" for kind in ("scores", "curves", "words.test", "pieces")}
    assert named == {"Tables": {"scores.csv", "table.md"}, "Report": {"report.html"}, "Figures": figures}
    for path, result in results.items():
        assert "<p>" in result["caption"]
        content = base64.b64decode(result["data_uri"].partition("base64,")[2])
        assert content == (finished.folder / path).read_bytes()
    curves = results["results/tiny/figures/mini_en-qmo_mini.curves.svg"]
    assert curves["labels"] == {"system": "mini_en-qmo_mini", "figure": "curves"}
    assert "Learning curves" in curves["caption"]
