"""A training in bf16 that goes on from its checkpoint ends with the same weights as one that was never interrupted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiment.segmentation.binarizing import binarize

#: In a process of its own: `benchmarks.training`, which builds fairseq's trainers, is called as this folder of tests.
CODE = """
import sys
from pathlib import Path
import torch
from benchmarks.training.trainings import Training
from benchmarks.training.variants import BF16, OURS, TINY, Variant

data, checkpoint = map(Path, sys.argv[1:])
variant = Variant("ours", OURS, BF16)
straight, first, resumed = (Training(data, TINY, variant, "cpu", 1, dropout=0.3) for _ in range(3))
for _ in range(6):
    straight.update()
for _ in range(3):
    first.update()
first.trainer.cfg.checkpoint.no_save_optimizer_state = False
first.trainer.consolidate_optimizer()
first.trainer.save_checkpoint(str(checkpoint), {"val_loss": None})
for weight in resumed.trainer.model.parameters():
    weight.data.zero_()
resumed.trainer.load_checkpoint(str(checkpoint))
for _ in range(3):
    next(resumed._batches)
for _ in range(3):
    resumed.update()
weights = [training.trainer.model.state_dict() for training in (straight, first, resumed)]
kept = torch.load(checkpoint, weights_only=False)["model"]
for name, value in weights[0].items():
    if "_float_tensor" not in name:
        assert torch.equal(value, weights[2][name]), name
        assert kept[name].dtype == value.dtype == torch.float32 or not value.is_floating_point(), name
moved = weights[0]["decoder.embed_tokens.weight"]
assert not torch.equal(moved, weights[1]["decoder.embed_tokens.weight"])
assert not torch.equal(moved, moved.bfloat16().float())  # the weights kept are not rounded
print("same")
"""


@pytest.mark.slow
def test_a_resumed_training_ends_with_the_same_weights(root: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(root / "src")}
    for language in ("de", "en"):
        lines = [" ".join(f"p{n * k % 29}" for k in range(1, 3 + n % 7)) for n in range(200)]
        for part in ("train", "dev"):
            (tmp_path / f"{part}.{language}").write_text("".join(f"{line}\n" for line in lines))
    binarize(tmp_path, "de-en", joint=True)
    command = [sys.executable, "-c", CODE, str(tmp_path / "binarized"), str(tmp_path / "checkpoint.pt")]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("same\n")
