"""One training in several processes, as on several cards: on the CPU, with gloo in NCCL's place."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from experiment.training.dev_scores import read_dev_scores

pytestmark = pytest.mark.slow

RECIPE = {
    "arch": "transformer_tiny",
    "criterion": "label_smoothed_cross_entropy",
    "optimizer": "adam",
    "lr": 0.01,
    "lr-scheduler": "fixed",
    "batch-size": 16,
    "update-freq": 2,
    "max-update": 24,
    "save-interval-updates": 8,
    "validate-interval-updates": 8,
    "dropout": 0.0,
    "share-all-embeddings": True,
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a binarized text: numbers, and the same numbers backwards."""
    from experiment.segmentation.binarizing import binarize

    folder, chance = tmp_path_factory.mktemp("data"), random.Random(1)
    for split, size in (("train", 200), ("dev", 20)):
        lines = [chance.choices([f"w{number}" for number in range(30)], k=chance.randint(3, 9)) for _ in range(size)]
        (folder / f"{split}.aa").write_text("".join(" ".join(line) + "\n" for line in lines))
        (folder / f"{split}.bb").write_text("".join(" ".join(line[::-1]) + "\n" for line in lines))
    binarize(folder, "aa-bb", joint=True)
    return folder


def start(root: Path, data: Path, folder: Path, processes: int) -> subprocess.Popen[str]:
    """Start scripts/train.py with so many processes on the CPU, in a process group of its own."""
    job: dict[str, Any] = {
        "folder": str(folder / "seed1"),
        "chosen": str(folder / "seed1" / "best-1"),
        "definition": {"step": "training"},
        "direction": "aa-bb",
        "seed": 1,
        "recipe": RECIPE,
        "select": {"metric": "loss", "keep": 1, "average": 1, "which": "best", "beam": 1},
        "precision": "auto",
        "joint": True,
        "algorithm": "word",
        "form": "raw",
        "data": str(data / "binarized"),
        "segmenter": "",
        "dev": [str(data / "dev.aa"), str(data / "dev.bb")],
        "references": str(data / "dev.bb"),
        "gpus": processes,
        "device": "cpu",
        "runs_per_gpu": 1,
        "keep_checkpoints": True,
        "results": str(folder),
        "inputs": {},
        "evaluation": {
            "folder": str(folder / "seed1" / "none"),
            "definition": {},
            "model": "",
            "segmented": str(data),
            "direction": "aa-bb",
            "inputs": {},
            "tests": [],
        },
    }
    return subprocess.Popen(
        [sys.executable, str(root / "scripts" / "train.py"), json.dumps(job)],
        env={**os.environ, "PYTHONPATH": f"{root / 'src'}:{root}", "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> None:
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 0, said[-3000:]


def scores(folder: Path) -> list[dict[str, Any]]:
    return read_dev_scores(folder / "seed1" / "checkpoints")


def weights(folder: Path) -> dict[str, torch.Tensor]:
    from fairseq_plugins.checkpoints import LAST, load

    model: dict[str, torch.Tensor] = load(folder / "seed1" / "checkpoints" / LAST)["model"]
    return model


def test_two_processes_train_what_one_trains_and_go_on_after_a_kill(root: Path, data: Path, tmp_path: Path) -> None:
    one, two, killed = tmp_path / "one", tmp_path / "two", tmp_path / "killed"
    finish(start(root, data, one, processes=1))
    finish(start(root, data, two, processes=2))
    first = start(root, data, killed, processes=2)
    while not (killed / "seed1" / "checkpoints" / "checkpoint_last.pt").exists() and first.poll() is None:
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    finish(start(root, data, killed, processes=2))
    # the same batches: 16 sentences twice in one process, 16 sentences in each of two; sums differ in their order alone
    assert [entry["updates"] for entry in scores(two)] == [entry["updates"] for entry in scores(one)]
    for ours, theirs in zip(scores(two), scores(one), strict=True):
        assert ours["score"] == pytest.approx(theirs["score"], abs=0.02)
    assert scores(killed) == scores(two)
    for name, weight in weights(two).items():
        assert torch.equal(weights(killed)[name], weight)
    alone, report = (json.loads((each / "seed1" / "training.json").read_text()) for each in (one, two))
    assert all(alone[cost] > 0 and report[cost] is None for cost in ("cpu_seconds", "peak_memory_mib"))  # a part's
    assert report["gpus"] == 0
    assert report["train_seconds"] > 0
