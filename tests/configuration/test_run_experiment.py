"""`make run`: what it says of an experiment, and how many jobs it lets have a card, follow the command line, too."""

from __future__ import annotations

from pathlib import Path

import pytest

import run_experiment
from experiment.training import gpu


def test_systems_are_those_of_the_settings_on_the_command_line(root: Path) -> None:
    file = root / "config" / "config.yaml"
    assert len(run_experiment.described(file, [])[1].runs) == 6
    words = ["--quiet", "--config", "seeds=[1,2]", "runs_per_gpu=8", "--keep-going"]
    _, experiment, table = run_experiment.described(file, words)
    assert len(experiment.runs) == 12
    assert table == Path("results/demo/table.md")


def test_a_paper_s_scale_is_that_of_the_command_line(root: Path) -> None:
    name, experiment, _ = run_experiment.described(root / "papers/hft/experiment.yaml", ["--config", "scale=smoke"])
    assert name == "hft at scale smoke"
    assert experiment.runs


def test_jobs_that_share_a_card_are_counted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "visible_gpus", lambda: ["0", "1"])
    for words, jobs in (([], 2), (["--config", "runs_per_gpu=4"], 8)):
        _, experiment, _ = run_experiment.described(root / "config" / "config.yaml", words)
        assert run_experiment.jobs_on_cards(experiment) == jobs
