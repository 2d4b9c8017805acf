"""The workflow is used from other places: another directory, another shell, other workflows, folders with odd names."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import PARTS, TINY, Workplace

pytestmark = pytest.mark.slow

ONE: dict[str, Any] = {**TINY, "segmentations": {"bpe": TINY["segmentations"]["bpe"]}}


@pytest.fixture(scope="module")
def one(workplaces: Callable[[str], Workplace]) -> Workplace:
    """A workplace with an experiment of one system, in which nothing is run."""
    made = workplaces("one")
    made.write(ONE)
    return made


def test_another_directory(one: Workplace, tmp_path: Path) -> None:
    """snakemake --directory DIR: results lie there; the programs are found."""
    said = one.snakemake("--directory", str(tmp_path / "elsewhere"))
    assert said.returncode == 0, said.stdout
    assert list((tmp_path / "elsewhere/results").glob("*/report.html"))


@pytest.mark.parametrize("activated", [False, True], ids=["not activated", "activated"])
def test_the_command_of_the_environment(one: Workplace, tmp_path: Path, activated: bool) -> None:
    """Called by its path in a plain shell, or by its name where `source .venv/bin/activate` was said."""
    programs, environment = Path(sys.executable).parent, one.environment()
    words = f"data --cores 1 --snakefile {one.folder}/workflow/Snakefile --configfile {one.folder}/experiment.yaml"
    command = f"{programs}/snakemake {words}"
    if activated:
        command = f"source {programs}/activate && snakemake {words}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "results/corpora").glob("mini.*/en-qmo/train.en"))


def test_use_as_a_module(one: Workplace, tmp_path: Path) -> None:
    (tmp_path / "Snakefile").write_text(
        f"""
import json
module nmt:
    snakefile: "{one.folder}/workflow/Snakefile"
    config: json.loads({json.dumps(ONE)!r})

use rule * from nmt as nmt_*

rule all:
    default_target: True
    input: rules.nmt_all.input
"""
    )
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    done = subprocess.run(command, cwd=tmp_path, env=one.environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "results").glob("*/report.html"))


def test_use_from_a_git_repository(workplace: Workplace, tmp_path: Path) -> None:
    """As `snakedeploy deploy-workflow` writes it, with gitfile() for github()."""
    repository = workplace.folder
    for words in (["init"], ["add", *PARTS], ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-m", "All"]):
        subprocess.run(["git", "-C", repository, *words], check=True)
    subprocess.run(["git", "-C", repository, "tag", "v1"], check=True)
    snakefile = tmp_path / "workflow" / "Snakefile"
    snakefile.parent.mkdir()
    snakefile.write_text(
        f"""
configfile: "config/config.yaml"

module subword_lab:
    snakefile:
        gitfile("{repository}", path="workflow/Snakefile", tag="v1")
    config:
        config

use rule * from subword_lab
"""
    )
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text(yaml.safe_dump(ONE))
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    for words in (["--dry-run"], ["data"]):
        done = subprocess.run(
            [*command, *words], cwd=tmp_path, env=workplace.environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert list((tmp_path / "results/corpora").glob("mini.*/en-qmo/train.en"))


def test_folders_with_spaces(workplaces: Callable[[str], Workplace], tmp_path: Path) -> None:
    place = workplaces("spaces")
    odd = tmp_path / "it's a folder; with (signs)"  # and no $, which Snakemake expands in the paths of `run:` jobs
    shutil.copytree(place.folder, odd)
    said = subprocess.run(
        place.command("data"), cwd=odd, env=place.environment(), capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stderr
