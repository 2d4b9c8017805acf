"""The four steps for a GPU, small and on the CPU: interrupted, resumed, and what they record."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from gpu import experiments, loss_curves, speed
from gpu.call import Call, OutOfTime

from subwords.errors import InputError

PARTS = ["Snakefile", "benchmarks", "config", "envs", "fairseq_plugins", "profiles", "scripts", "src", "workflow"]


class Place:
    """A copy of the repository in which steps run on the CPU."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.folder = folder
        for part in PARTS:
            copy = shutil.copytree if (root / part).is_dir() else shutil.copy
            copy(root / part, folder / part)

    def step(self, number: int, *words: str, minutes: float = 25) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "benchmarks.gpu", "--step", str(number), "--scale", "smoke", "--device", "cpu"]
        command += ["--output", "records", "--cores", "2", "--minutes", str(minutes), *words]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "XDG_CACHE_HOME": str(self.folder / ".cache")}
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=1700
        )

    def record(self, name: str) -> tuple[dict[str, Any], str]:
        folder = self.folder / "records" / name
        return json.loads((folder / "result.json").read_text()), (folder / "README.md").read_text()


@pytest.fixture(scope="module")
def place(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A place where step 1 was interrupted, and then went on to its end."""
    found = Place(tmp_path_factory.mktemp("gpu"), root)
    interrupted = found.step(1, minutes=0.2)
    assert interrupted.returncode == 3, interrupted.stderr
    assert "the same command again goes on" in interrupted.stderr
    done = found.step(1)
    assert done.returncode == 0, done.stderr
    return found


@pytest.mark.slow
def test_translations_are_compared_on_the_same_weights(place: Place) -> None:
    result, text = place.record("1-translations")
    assert len(result["calls"]) == 2
    assert result["machine"]["processor"] in text
    assert f"torch {result['versions']['torch']}" in text
    assert "python -m benchmarks.gpu --step 1 --scale smoke" in text
    reference, other = result["translations"]
    assert (reference["same"], reference["sentences"], reference["different"]) == (20, 20, [])
    assert other["same"] + len(other["different"]) == 20
    losses = {(loss["precision"], loss["attention"]): loss["bits_per_piece"] for loss in result["losses"]}
    assert losses["fp32", "torch"] == pytest.approx(losses["fp32", "fairseq"], rel=1e-5)
    for attention in ("fairseq", "torch"):
        assert losses["bf16", attention] == pytest.approx(losses["fp32", attention], rel=0.01)
        assert losses["bf16", attention] != losses["fp32", attention]


@pytest.mark.slow
def test_a_table_is_recorded_with_what_it_cost(place: Place) -> None:
    done = place.step(3)
    assert done.returncode == 0, done.stderr
    result, text = place.record("3-all-segmentations")
    run = json.loads(next((place.folder / "results" / "runs").rglob("run.json")).read_text())
    assert result["costs"]["runs"] == 1
    assert result["costs"]["train_hours"] == pytest.approx(run["train_seconds"] / 3600, abs=1e-4)
    assert result["costs"]["pieces_per_second"] == run["tokens_per_second"]
    assert "Pieces/sent tgt" in text
    assert (place.folder / "records/3-all-segmentations/scores.csv").stat().st_size > 100


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("scale", ["full", "cpu"])
def test_the_workflow_takes_the_command_of_hft_s_table(place: Place, shared: Path, monkeypatch, scale: str) -> None:
    call = make_call(place.folder, monkeypatch, 600)
    call.scale, call.jobs, call.mirror = scale, 8, str(shared / "mirror")
    monkeypatch.setattr(experiments, "ROOT", place.folder)
    monkeypatch.setattr(experiments, "HFT", place.folder / "config/papers/hft.yaml")
    asked: list[list[str]] = []
    monkeypatch.setattr(call, "run", lambda words, log: asked.append([str(word) for word in words]))
    monkeypatch.setattr(experiments, "_write", lambda *_: None)
    experiments.run_paper(call)
    (words,) = asked
    planned = subprocess.run([*words[:3], "-n", *words[3:]], cwd=place.folder, capture_output=True, text=True)
    assert planned.returncode == 0, planned.stderr
    jobs = dict(line.split() for line in planned.stdout.split("\n") if len(line.split()) == 2)
    assert jobs["train"] == str(4 * 2 * 5)
    assert jobs["table_table1"] == "1"


@pytest.mark.slow
def test_throughput_and_loss_curves(place: Place) -> None:
    done = place.step(4)
    assert done.returncode == 0, done.stderr
    result, text = place.record("4-throughput")
    rungs = result["rungs"]
    assert [rung["updates"] for rung in rungs] == [100, 100, 50]
    assert len({rung["parameters"] for rung in rungs}) == 1  # other kernels, the same model
    for rung in rungs:
        flops = 6 * rung["parameters"] * rung["pieces_per_second"]
        assert rung["fraction_of_matrix_rate"] == pytest.approx(flops / result["matrix_flops_per_second"])
        assert rung["name"] in text
    stock, best = (
        {point["update"]: point["nll_loss"] for point in curve if point["split"] == "train"}
        for curve in result["curves"].values()
    )
    assert stock.keys() == best.keys() == {50, 100}
    assert best[50] == pytest.approx(stock[50], rel=0.03)  # the same pieces per update, the same seed
    for kind in ("svg", "png"):
        assert (place.folder / f"records/4-throughput/loss_curves.{kind}").stat().st_size > 1000


BF16_ON_A_CPU = """
import sys, train
train.precision_flags = lambda precision, cuda: ["--cpu", "--bf16"]
sys.exit(train.main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_in_bf16_the_plugins_learn_as_fairseq_does(place: Place) -> None:
    """On a card bf16 goes through fairseq's flat copy of the weights in fp32; so it does on a CPU, when told to."""
    segmented = next((place.folder / "results/segmented").rglob("binarized")).parent
    losses = {}
    for arch, optimizer in (("transformer", "adam"), ("transformer_sdpa", "adamw_fused")):
        rung = speed.Rung(arch, {"arch": arch, "optimizer": optimizer, "max-tokens": 384, "dropout": 0.0})
        recipe = speed._recipe(Call("step", [], 0.0, place.folder, "smoke", "cpu", 1, 1), rung)
        folder = place.folder / "bf16" / arch
        words = ["--data", str(segmented / "binarized"), "--direction", "en-qmo", "--recipe", json.dumps(recipe)]
        words += ["--seed", "1", "--joint", "--select", '{"metric": "loss", "keep": 1, "beam": 1}', "--text", "moses"]
        words += ["--algorithm", "bpe", "--segmenter", str(segmented / "model.qmo"), "--references", "none"]
        words += ["--checkpoints", str(folder), "--curve", str(folder / "curve"), "--report", str(folder / "report")]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": "src:scripts:."}
        command = [sys.executable, "-c", BF16_ON_A_CPU, *words]
        done = subprocess.run(command, cwd=place.folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        log = (folder / "fairseq.log").read_text()
        assert "bf16=True" in log or "'bf16': True" in log
        points = [json.loads(line) for line in (folder / "curve").read_text().split("\n")[:-1]]
        losses[arch] = {(point["split"], point["update"]): point["nll_loss"] for point in points}
    stock, ours = losses.values()
    assert stock.keys() == ours.keys() == {("train", 50), ("dev", 50)}
    for where in stock:
        assert ours[where] == pytest.approx(stock[where], rel=0.003)


def make_call(folder: Path, monkeypatch: pytest.MonkeyPatch, seconds: float = 60) -> Call:
    monkeypatch.setattr("gpu.call.ROOT", folder)
    deadline = time.monotonic() + seconds
    return Call("step", ["x"], deadline, folder / "out", "smoke", device="cpu", jobs=1, cores=1)


def test_a_program_and_its_children_end_with_the_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with make_call(tmp_path, monkeypatch, 1) as call, pytest.raises(OutOfTime):
        call.run(["bash", "-c", f"bash -c 'sleep 50; touch {tmp_path}/late' & wait"], "log")
    assert not subprocess.run(["pgrep", "-f", f"touch {tmp_path}/late"], capture_output=True, text=True).stdout


def test_without_snakemake_what_was_made_elsewhere_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr("gpu.call.importlib.util.find_spec", lambda name: None)
    (tmp_path / "made").touch()
    with make_call(tmp_path, monkeypatch) as call:
        monkeypatch.setattr(call, "run", lambda *words: asked.append(words))
        call.snakemake(tmp_path / "x.yaml", "made")
        assert asked == []
        call.snakemake(tmp_path / "x.yaml", "made", "missing")
        assert len(asked) == 1


def test_a_program_that_fails_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with make_call(tmp_path, monkeypatch) as call, pytest.raises(InputError, match="no such luck"):
        call.run(["bash", "-c", "echo no such luck; exit 4"], "log")


def test_what_was_done_and_the_time_it_took_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with make_call(tmp_path, monkeypatch) as call:
        call.remember(first=[1, 2])
    with make_call(tmp_path, monkeypatch) as call:
        assert call.memory["done"] == {"first": [1, 2]}
        assert len(call.memory["calls"]) == 2


def test_each_rung_changes_one_thing_and_updates_stay_as_large() -> None:
    rungs = speed.ladder(smoke=False)
    for before, after in itertools.pairwise(rungs):
        changed = {name for name in after.flags if after.flags[name] != before.flags[name]}
        assert changed or before.precision != after.precision
        assert changed in ({"max-tokens", "update-freq"}, {"max-tokens"}) or len(changed) <= 1
    pieces = [rung.flags["max-tokens"] * rung.flags["update-freq"] for rung in rungs]
    assert set(pieces[:-1]) == {24576}
    assert pieces[-1] == 4 * 24576
    assert [rung.compared for rung in rungs] == [True, False, False, False, False, True, False]


def test_the_time_of_an_update_survives_a_resumed_clock() -> None:
    seconds = [10.0, 15.0, 20.0, 4.0, 9.0, 34.0]  # resumed before the fourth, a look at the dev set before the last
    curve = [{"split": "train", "update": 50 * (n + 1), "seconds": s} for n, s in enumerate(seconds)]
    assert loss_curves.seconds_per_update([*curve, {"split": "dev", "update": 300, "seconds": 60.0}]) == 0.1
    within_a_second = [{"split": "train", "update": update, "seconds": 2.0} for update in (50, 100)]
    assert loss_curves.seconds_per_update(within_a_second) == 0.02


def test_the_costs_of_runs_count_each_run_once() -> None:
    row = {"corpus": "c", "direction": "a-b", "segmentation": "s", "model": "m", "gpu_hours": 0.5}
    rows = [
        {**row, "seed": seed, "metric": metric, "tokens_per_second": 100.0 * seed}
        | {"train_seconds": 3600.0, "cpu_seconds": 1800.0}
        for seed in (1, 2, 3)
        for metric in ("bleu", "chrf")
    ]
    assert experiments._costs(rows) == {
        "runs": 3,
        "train_hours": 3.0,
        "cpu_hours": 1.5,
        "gpu_hours": 1.5,
        "pieces": 600 * 3600,
        "pieces_per_second": 200.0,
    }
