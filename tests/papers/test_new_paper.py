"""docs/new-paper.md, followed to the letter: the invented paper runs, and its verdicts are what its numbers can say."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from guide_paper import write_files_of_the_page
from workflow.conftest import Workplace

from experiment.jsonfiles import read_json
from experiment.store.inventory import MEASURED, waste
from replication.claims import AS_PRINTED, NOT_TESTABLE


@pytest.mark.slow
def test_the_page_works_as_written(root: Path, tmp_path: Path) -> None:
    place = Workplace(tmp_path, root)
    written = write_files_of_the_page(root, place.folder)
    assert written == [f"papers/letters/{name}" for name in ("published/table1.csv", "experiment.yaml", "paper.py")]
    command = [sys.executable, "-m", "snakemake", "--cores", "2"]
    command += ["--configfile", "papers/letters/experiment.yaml"]
    done = subprocess.run(
        command, cwd=place.folder, env=place.environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = place.results / "papers" / "letters" / "smoke"
    for name in (
        "table1.csv",
        "table1.md",
        "table1.tex",
        "text-sizes.csv",
        "scores-by-size.svg",
        "scores-by-size.png",
        "claims.csv",
        "report.html",
    ):
        assert (results / name).stat().st_size > 100, name

    with open(results / "scores.csv", encoding="utf-8") as stream:
        scores = {
            (row["segmentation"], row["metric"]): float(row["score"])
            for row in csv.DictReader(stream)
            if row["testset"] == "test"
        }
    with open(results / "table1.csv", encoding="utf-8") as stream:
        cells = {(row["row"], row["column"]): row for row in csv.DictReader(stream)}
    assert len(cells) == 6
    assert cells["BPE 500", "BLEU"]["published"] == "21.3"
    names = {"BPE 500": "bpe-500", "BPE 2000": "bpe-2k", "characters": "char"}
    for (row, column), cell in cells.items():
        ours = scores[names[row], column.lower()]
        assert float(cell["ours"]) == pytest.approx(ours, abs=0.051)
        assert float(cell["difference"]) == pytest.approx(ours - float(cell["published"]), abs=0.051)

    with open(results / "claims.csv", encoding="utf-8") as stream:
        verdicts = {row["claim"]: row for row in csv.DictReader(stream)}
    assert verdicts["letters-win"]["published"] == AS_PRINTED  # 22.0 > 21.3, 47.2 > 45.1; no intervals
    assert verdicts["letters-win"]["rule"].startswith("Characters have a higher BLEU")
    assert verdicts["letters-size-is-nothing"]["published"] == AS_PRINTED  # 21.3 - 20.9 = 0.4
    for verdict in verdicts.values():  # 20 generated lines confirm nothing
        assert verdict["ours"] == NOT_TESTABLE
        assert "lines; 200 are needed" in verdict["ours reason"]

    again = subprocess.run(
        [*command, "-n"], cwd=place.folder, env=place.environment(), capture_output=True, text=True, check=False
    )
    assert "Nothing to be done" in again.stdout + again.stderr
    shown = subprocess.run(
        [*command, "--report", "shown.html"], cwd=place.folder, env=place.environment(), capture_output=True, text=True
    )
    for name in ("scores.csv", "table1.md", "scores-by-size.svg", "claims.md", "report.html"):
        assert f"Adding {name}" in shown.stdout + shown.stderr


@pytest.mark.slow
def test_measurements_of_another_cleaning_stay_apart(root: Path, tmp_path: Path) -> None:
    """A paper, then with another cleaning, then as before: the third measures nothing, and its table is the first's."""
    place = Workplace(tmp_path, root)
    write_files_of_the_page(root, place.folder)
    file = place.folder / "papers/letters/experiment.yaml"
    first = file.read_text(encoding="utf-8")
    other = first.replace("  seeds: [1, 2, 3]\n", "  seeds: [1, 2, 3]\n  cleaning: {max_tokens: 5}\n")
    assert other != first
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--configfile", str(file.relative_to(place.folder))]
    tables, said = [], []
    for text in (first, other, first):
        file.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [*command, "--config", "parts=[corpora]"],
            cwd=place.folder,
            env=place.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        tables.append((place.results / "papers/letters/smoke/text-sizes.csv").read_bytes())
        said.append(done.stdout + done.stderr)
    assert tables[0] == tables[2] != tables[1]
    assert ["measure_corpora" in each for each in said] == [True, True, False]
    (measured,) = read_json(place.results / "papers/letters/smoke" / MEASURED).values()
    kept, other = sorted(place.results.glob("papers/*/*/measurements/*.csv"), key=lambda path: path.name != measured)
    assert {one.path for one in waste(place.results)} >= {other, Path(f"{other}.sha256")}
    assert kept not in {one.path for one in waste(place.results)}


@pytest.mark.slow
def test_what_it_will_take(root: Path, tmp_path: Path) -> None:
    place = Workplace(tmp_path, root)
    write_files_of_the_page(root, place.folder)
    paper = yaml.safe_load((place.folder / "papers/letters/experiment.yaml").read_text(encoding="utf-8"))
    assert paper["scale"] == "smoke"
    command = [
        sys.executable,
        "scripts/plan_experiment.py",
        "--configfile",
        "papers/letters/experiment.yaml",
        "--config",
        "scale=full",
    ]
    environment = {**place.environment(), "PYTHONPATH": os.pathsep.join([f"{place.folder}/src", str(place.folder)])}
    done = subprocess.run(
        [*command, "--device", "cpu"], cwd=place.folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "9 trainings, 0 of them done" in done.stdout  # 3 segmentations, 3 seeds
    assert re.search(r"^letters-en-xx, en-xx, \S+\nwhat differs besides the segmentation:\n", done.stdout, re.MULTILINE)
