"""The benchmark of trainings: it runs from end to end, and what it prepares for a GPU holds together on a CPU."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiment.segmentation.binarizing import binarize

TINY = "1+1 layers of 16, for tests"


def run(root: Path, code: str, *words: str) -> str:
    """Run code beside the benchmark, in a process of its own (its package is called as a folder of tests)."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_step_for_a_gpu_changes_one_thing(root: Path) -> None:
    code = """
import json
from benchmarks.training.variants import models, variants
steps = [[v.name, v.flags, v.words, v.stock, v.leaves_padding_out] for v in variants("cuda")]
print(json.dumps([steps, [m.flags for m in models("cuda")]]))
"""
    steps, (model,) = json.loads(run(root, code))
    assert steps[0][0] == "fairseq, fp16"
    assert steps[0][2] == ["--fp16"]
    assert model["max-tokens"] == 25000
    for (_, before, *rest), (_, after, *other) in itertools.pairwise(steps):
        changed = {flag for flag in {*before, *after} if before.get(flag) != after.get(flag)}
        assert len(changed) + sum(one != two for one, two in zip(rest, other, strict=True)) == 1


def test_the_tables_of_the_page_follow_from_their_data(root: Path) -> None:
    """But for their column of targets."""
    code = """
import json, sys
from benchmarks.training.__main__ import table
for path in sys.argv[1:]:
    print(*table(json.load(open(path))["results"]), sep="\\n")
"""
    names = ("small", "middle", "small-amd", "middle-amd", "tiny", "sweep", "hft-default", "graphs-h200", "base-h200")
    files = [str(root / f"docs/experiments/training-speed/{name}.json") for name in names]
    own = ("| fairseq, ", "| ours, ", "| + ")
    measured = [line for line in run(root, code, *files).splitlines() if line.startswith(("| training", *own))]
    target, rows = None, []
    for line in (root / "docs/training-speed.md").read_text(encoding="utf-8").splitlines():
        cells = line.split("|")
        if line.startswith("| training"):
            target = next((at for at, cell in enumerate(cells) if cell.strip() == "target"), None)
        if line.startswith(("| training", *own)):
            rows.append("|".join(cell for at, cell in enumerate(cells) if at != target))
    assert rows == measured


def make_data(folder: Path, joint: bool) -> Path:
    """Return a folder of binarized pairs."""
    for language in ("de", "en"):
        for part, count in (("train", 200), ("dev", 20)):
            lines = (" ".join(f"p{n * k % 29}" for k in range(1, 3 + n % 7)) for n in range(count))
            (folder / f"{part}.{language}").write_text("".join(f"{line}\n" for line in lines))
    binarize(folder, "de-en", joint)
    return folder / "binarized"


@pytest.mark.slow
@pytest.mark.parametrize(("model", "joint"), [(TINY, True), ("transformer-tiny", False)], ids=["model", "recipe"])
def test_fairseq_and_ours_are_compared(root: Path, tmp_path: Path, model: str, joint: bool) -> None:
    data = make_data(tmp_path, joint)
    words = ["--data", str(data), "--model", model, "--device", "cpu", "--output", str(tmp_path / "speed.md")]
    words += ["--seeds", "2", "--updates", "6", "--warmup", "2"]
    command = [sys.executable, "-m", "benchmarks.training", *words]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONFAULTHANDLER": "1"}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads((tmp_path / "speed.json").read_text())
    stock, ours, *rest = result["results"][model]
    assert stock["ratios"] == [1.0, 1.0]
    assert stock["gradient_error"] == 0
    assert ours["gradient_error"] < 1e-4
    for entry in (ours, *rest):
        assert entry["dev_loss"] == pytest.approx(stock["dev_loss"], rel=0.02)
    text = (tmp_path / "speed.md").read_text()
    assert "| ours, fp32 |" in text
    assert result["commit"] in text


@pytest.mark.slow
def test_every_variant_for_a_gpu_trains_here(root: Path, tmp_path: Path) -> None:
    """All of a GPU's flags but fp16, which fairseq has on a GPU alone; attention takes the path of a GPU."""
    code = """
import sys
from pathlib import Path
from benchmarks.training.trainings import Training
from benchmarks.training.variants import TINY, variants
from fairseq_plugins import attention, transformer
for module in (attention, transformer):
    module.by_torch = lambda device: True
for variant in variants("cuda"):
    if "--fp16" not in variant.words:
        training = Training(Path(sys.argv[1]), TINY, variant, "cpu", 1)
        before = training.dev()["dev_loss"]
        for _ in range(12):
            training.update()
        assert training.dev()["dev_loss"] < before, variant.name
        print(variant.name)
"""
    assert len(run(root, code, str(make_data(tmp_path, joint=True))).splitlines()) == 8
