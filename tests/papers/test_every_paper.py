"""All five papers at smoke scale, as a user starts them: every table, figure and verdict is made (make test-papers)."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from workflow.conftest import Workplace

from replication import paper
from replication.claims import STATES


def rows(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.papers
@pytest.mark.parametrize("name", ["hft", "huffman", "random-bpe", "volt", "sbpe"])  # quickest first
def test_a_paper_at_smoke_scale(root: Path, tmp_path: Path, name: str) -> None:
    place = Workplace(tmp_path, root)
    command = [sys.executable, "-m", "snakemake", "--cores", "2"]
    command += ["--configfile", f"papers/{name}/experiment.yaml", "--config", "scale=smoke"]
    done = subprocess.run(
        command, cwd=place.folder, env=place.environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    described = paper.read(name, "smoke")
    results = place.results / described.folder

    for measure in described.needed_measures:
        (measured,) = (results / "measurements").glob(f"{measure}.*.csv")
        assert rows(measured) or measure == "human"

    printed = described.printed
    for table, given in described.tables.items():
        made = rows(results / f"{table}.csv")
        assert {(row["row"], row["column"]) for row in made} >= {
            (value.row, value.column)
            for shown in printed
            if shown == (given.shows or table)
            for value in printed[shown].itertuples()
        }
        for ending in ("md", "tex"):
            assert described.scale in (results / f"{table}.{ending}").read_text(encoding="utf-8")
    for figure in described.figures:
        assert (results / f"{figure}.svg").read_text(encoding="utf-8").rstrip().endswith("</svg>")
        assert (results / f"{figure}.png").read_bytes().startswith(b"\x89PNG")

    verdicts = rows(results / "claims.csv")
    assert [verdict["claim"] for verdict in verdicts] == list(described.claims)
    for verdict in verdicts:
        for column in ("published", "ours"):
            assert verdict[column] in STATES
            assert verdict[f"{column} reason"]
    page = (results / "report.html").read_text(encoding="utf-8")
    for verdict in verdicts:
        assert verdict["claim"] in page
    assert "http" not in "".join(line for line in page.split("\n") if "src=" in line)  # self-contained

    again = subprocess.run(
        [*command, "-n"], cwd=place.folder, env=place.environment(), capture_output=True, text=True, check=False
    )
    assert "Nothing to be done" in again.stdout + again.stderr
