"""`make run` and `make plan`: what they say of an experiment follows the command line, too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import run_experiment
from experiment.config import Experiment, read_settings
from experiment.plan.costs import at_once, costs, nothing_known, summary, training_pairs, training_tokens
from experiment.training import gpu
from subwords.errors import InputError


def test_systems_are_those_of_the_settings_on_the_command_line(root: Path) -> None:
    file = root / "config" / "config.yaml"
    assert len(run_experiment.described(file, [])[1].runs) == 15
    words = ["--quiet", "--config", "seeds=[1,2]", "runs_per_gpu=8", "--keep-going"]
    _, experiment, table = run_experiment.described(file, words)
    assert len(experiment.runs) == 10
    assert table == Path("results/demo/table.md")


@pytest.mark.parametrize("words", [["--config=scale=smoke"], ["-C", "scale=full", "-q", "--config", "scale=smoke"]])
def test_the_last_config_counts_however_it_is_written(root: Path, words: list[str]) -> None:
    """As for snakemake."""
    name, _, table = run_experiment.described(root / "papers/hft/experiment.yaml", words)
    assert name == "hft at scale smoke"
    assert table == Path("results/papers/hft/smoke/claims.md")


@pytest.mark.parametrize(
    ("words", "says"), [(["seeds"], "--config seeds: "), (["runtime=cpu", "threads=2"], "runtime: 'cpu'")]
)
def test_a_mistake_on_the_command_line_is_named(root: Path, words: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        run_experiment.described(root / "config" / "config.yaml", ["--config", *words])


def test_a_run_that_makes_no_table_is_no_error(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_experiment, "snakemake", lambda words: 0)
    monkeypatch.setattr(run_experiment, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run_experiment.main(["--configfile", str(root / "config/config.yaml"), "--", "segmentation"]) == 0
    said = capsys.readouterr()
    assert "error" not in said.err
    assert said.out.startswith("demo: 15 trainings; ")  # of five systems


def test_a_file_is_found_from_where_the_command_is_given(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """snakemake runs in the repository, wherever that is; so do the checks of files that the experiment names."""
    folder, elsewhere = tmp_path / "repository", tmp_path / "elsewhere"
    (folder / "mirror").mkdir(parents=True)
    elsewhere.mkdir()
    settings = (root / "config/config.yaml").read_text().replace("mirror: null", "mirror: mirror")
    (elsewhere / "mine.yaml").write_text(settings)
    given: list[str] = []
    monkeypatch.setattr(run_experiment, "snakemake", given.extend)
    monkeypatch.setattr(run_experiment, "ROOT", folder)
    monkeypatch.chdir(elsewhere)
    assert run_experiment.main(["--configfile", "mine.yaml"]) == 0
    assert (folder / given[-1]).samefile(elsewhere / "mine.yaml")


def test_errors_of_failed_jobs_are_shown_whatever_kind_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also those of a program that was called wrongly, or that Python ended. Logs of jobs that went well have none."""
    monkeypatch.setattr(run_experiment, "ROOT", tmp_path)
    said = {
        "ours": "made\nerror: first\nerror: no space\n  next: make some\n",
        "called": "usage: train.py [-h] JOB\ntrain.py: error: unrecognized arguments: --lr\n",
        "broken": "made\nTraceback (most recent call last):\n  File x\nKeyError: 'flags'\n",
        "well": "made\nno error: here\n",
        "old": "error: of yesterday\n",
    }
    for when, (name, text) in enumerate(said.items(), 1000):
        log = tmp_path / "results/logs" / name / "x.log"
        log.parent.mkdir(parents=True)
        log.write_text(text)
        os.utime(log, (when, when) if name != "old" else (0, 0))
    run_experiment.print_errors(1000)
    assert capsys.readouterr().err == (
        "\nerror: no space\n  next: make some\n  log: results/logs/ours/x.log\n"
        "\ntrain.py: error: unrecognized arguments: --lr\n  log: results/logs/called/x.log\n"
        "\nTraceback (most recent call last):\n  File x\nKeyError: 'flags'\n  log: results/logs/broken/x.log\n"
    )


def test_a_paper_s_scale_is_that_of_the_command_line(root: Path) -> None:
    name, experiment, _ = run_experiment.described(root / "papers/hft/experiment.yaml", ["--config", "scale=smoke"])
    assert name == "hft at scale smoke"
    assert experiment.runs


def test_a_setting_that_would_not_reach_a_paper_s_measures_is_refused(root: Path) -> None:
    with pytest.raises(InputError, match="'seeds' on the command line would reach a paper's trainings, but not"):
        run_experiment.described(root / "papers/hft/experiment.yaml", ["--config", "scale=smoke", "seeds=[1]"])


def test_the_plan_is_of_the_settings_on_the_command_line(root: Path) -> None:
    command = [sys.executable, "scripts/plan_experiment.py", "--config", "seeds=[1,2]", "experiment=two"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("two: 10 trainings")
    assert not done.stderr  # nor warnings of fairseq's libraries


def test_a_reader_that_leaves_early_is_no_error(root: Path) -> None:
    """`head` closes the pipe before the rest is written: nothing is said."""
    command = [
        sys.executable,
        "-c",
        "from experiment.programs import program\n@program\ndef main(argv):\n  while True: print(1)\nexit(main())",
    ]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline() == "1\n"
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 141


def test_the_plan_says_what_time_and_disk_it_takes(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand: weights of 4 bytes, the text raw, clean and in pieces, checkpoints with Adam's moments in the last."""
    monkeypatch.chdir(tmp_path)  # this checkout may have run the demo
    _, experiment, _ = run_experiment.described(root / "config" / "config.yaml", [])
    sentences = experiment.corpora["demo"].definition["generated"]["train"]
    (part,) = costs(experiment, lambda flags, joint, source, target: 1_000_000, "cpu")
    assert part.runs == 15  # five segmentations with three seeds
    assert part.stays == 15 * 4_000_000 + sentences * 250 * (2 + 5)
    # the five best, the five last, and where it goes on: for a moment twice, because it is replaced when it is whole
    assert part.training == 10 * 4_000_000 + 2 * 12_000_000
    most = (part.stays + 2 * 64_000_000) / 1e6
    said = summary([part], "cpu", 2)
    assert said.endswith(f"needs up to 64.0 MB more, so with 2 at once all need up to {most:.1f} MB")
    assert "so with 15 at once" in summary([part], "cpu", 100)
    pieces = experiment.recipes["transformer-tiny"]["flags"]["max-epoch"] * sentences * 30
    assert part.hours == pytest.approx(15 * (6 * 1_000_000 * pieces / 30e9 + 15) / 3600)
    assert f"15 trainings, 0 of them done; about {part.hours:.1f} CPU-hours" in said


def test_the_pairs_of_a_group_are_those_of_all_its_members(root: Path) -> None:
    """Also where the experiment names some of them on their own."""
    groups = {"g": {"title": "Two", "group": {"mr": "loresmt-en-mr", "ga": "loresmt-en-ga"}, "into": "en"}}
    settings = read_settings(root / "config/experiments/loresmt-en-ga.yaml")
    names = {"loresmt-en-mr": None, "loresmt-en-ga": None}
    for others in ({}, {"loresmt-en-mr": None}, names):
        experiment = Experiment({**settings, "corpora": groups | others, "directions": ["many-en"], "testsets": None})
        assert training_pairs(experiment, "g", nothing_known) == 20_933 + 8_112


def test_resources_of_ones_own_replace_the_number_of_cards() -> None:
    for own in (["--resources", "gpu=2"], ["--resources=gpu=2"], ["--quiet", "--res", "gpu=2"]):
        assert run_experiment.names_resources(own)
    assert not run_experiment.names_resources(["--restart-times", "3", "--rerun-incomplete"])


def test_jobs_that_share_a_card_are_counted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "visible_gpus", lambda: ["0", "1"])
    for words, jobs in (([], 2), (["--config", "runs_per_gpu=4"], 8)):
        _, experiment, _ = run_experiment.described(root / "config" / "config.yaml", words)
        assert run_experiment.jobs_on_cards(experiment) == jobs


@pytest.mark.parametrize(("device", "cards", "trainings"), [("cpu", 4, 8), ("gpu", 0, 1), ("gpu", 4, 6), ("gpu", 9, 8)])
def test_trainings_at_once_are_what_cores_and_cards_take(
    monkeypatch: pytest.MonkeyPatch, device: str, cards: int, trainings: int
) -> None:
    """By hand: 16 cores with 2 threads each; 3 runs share a card, and each has 2 cards."""
    monkeypatch.setattr("os.cpu_count", lambda: 16)
    monkeypatch.setattr(gpu, "visible_gpus", lambda: ["a card"] * cards)
    assert at_once({"threads": 2, "gpus": 2, "runs_per_gpu": 3}, device) == trainings


@pytest.mark.parametrize(("given", "batches"), [("4,8", 8), ("2", 2), (2, 2)])
def test_an_update_sums_the_batches_that_the_recipe_says(given: str | int, batches: int) -> None:
    flags = {"max-tokens": 1000, "max-update": 10, "update-freq": given}
    assert training_tokens(flags, None) == 10_000 * batches


@pytest.mark.parametrize(
    ("limits", "pieces"),
    [({"max-tokens": 0, "batch-size": 48}, 48 * 30), ({"max-tokens": 900, "batch-size": 48}, 900), ({}, 0)],
)
def test_a_batch_is_the_smaller_of_both_limits(limits: dict[str, int], pieces: int) -> None:
    assert training_tokens({**limits, "max-update": 10}, None) == 10 * pieces


def test_a_generated_corpus_has_its_default_number_of_pairs(root: Path) -> None:
    settings = read_settings(root / "config/config.yaml")
    own = {"demo": {"title": "Two", "languages": ["en", "qmo"], "generated": {"seed": 2}}}
    assert training_pairs(Experiment({**settings, "corpora": own}), "demo", nothing_known) == 4000
