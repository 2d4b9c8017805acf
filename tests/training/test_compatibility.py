"""What is mended in fairseq leaves its models as they are."""

from __future__ import annotations

import gc
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from fairseq_plugins.compatibility import FASTPATH_COPIES, _understand_versions

from training.tiny_transformer import make_batch, make_model, make_task


def test_every_weight_of_a_model_takes_part() -> None:
    task = make_task()
    model = make_model(task=task)
    logits, _ = model(**make_batch(task, [(5, 7), (3, 4)])["net_input"])
    logits.square().sum().backward()
    idle = [name for name, weight in model.named_parameters() if weight.grad is None]
    assert idle == []
    # 2 encoder and 2 decoder layers: attention 4 d² + 4 d (twice in the decoder), feed-forward 2 d f + f + d, norms 2 d
    d, f, vocabulary = 16, 32, len(task.source_dictionary)
    attention, feed_forward, norm = 4 * d * d + 4 * d, 2 * d * f + f + d, 2 * d
    layers = 2 * (attention + feed_forward + 2 * norm) + 2 * (2 * attention + feed_forward + 3 * norm)
    assert sum(weight.numel() for weight in model.parameters()) == vocabulary * d + layers


def test_a_checkpoint_with_the_copies_is_loaded() -> None:
    task = make_task()
    saved, loaded = make_model(task=task, seed=1), make_model(task=task, seed=2)
    state = saved.state_dict()
    for layer in range(2):
        for name in FASTPATH_COPIES:
            state[f"encoder.layers.{layer}.{name}"] = torch.zeros(3)
    loaded.load_state_dict(state, strict=True)
    batch = make_batch(task, [(5, 7), (3, 4)])["net_input"]
    assert torch.equal(saved(**batch)[0], loaded(**batch)[0])


def test_a_version_as_of_nvidias_containers_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.7.0a0+79aa17489c.nv25.04")
    task = make_task()
    with pytest.raises(ValueError, match="0a0"):
        make_model(task=task)
    _understand_versions()
    model = make_model(task=task)
    batch = make_batch(task, [(5, 7), (3, 4)])["net_input"]
    assert model.eval()(**batch)[0].isfinite().all()


def test_a_line_of_the_log_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """fairseq's trainer makes a progress bar for each epoch, with the same log file."""
    from fairseq.logging import progress_bar

    monkeypatch.setattr(progress_bar.logger, "handlers", [])
    monkeypatch.setattr(progress_bar.logger, "level", logging.INFO)
    log = tmp_path / "fairseq.log"
    for epoch in (1, 2, 3):
        bar = progress_bar.progress_bar([], log_format="json", log_file=str(log), epoch=epoch)
        bar.print({"loss": 1.5}, tag="train")
    assert [json.loads(line)["epoch"] for line in log.read_text().splitlines()] == [1, 2, 3]


def test_a_weight_that_lacks_is_still_an_error() -> None:
    model = make_model()
    state = model.state_dict()
    del state["encoder.layers.0.fc1.weight"]
    with pytest.raises(RuntimeError, match=r"encoder\.layers\.0\.fc1\.weight"):
        model.load_state_dict(state, strict=True)


@pytest.mark.slow
def test_optimizers_do_without_torch_s_compiler() -> None:
    program = """
import sys, torch, fairseq_plugins
from fairseq.optim.adam import Adam
for kind in (Adam, torch.optim.AdamW):
    weight = torch.nn.Parameter(torch.ones(3))
    optimizer = kind([weight])
    weight.grad = torch.ones(3)
    optimizer.step()
    optimizer.zero_grad()
    optimizer.load_state_dict(optimizer.state_dict())
    assert weight[0] < 1
sys.exit("torch._dynamo" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_forked_process_collects_nothing_of_its_parent() -> None:
    """A tensor on a GPU cannot be freed there."""

    class Held:
        def __init__(self) -> None:
            self.itself, self.owner = self, os.getpid()

        def __del__(self) -> None:
            if os.getpid() != self.owner:
                os._exit(7)

    gc.collect()
    gc.disable()
    try:
        Held()
        child = os.fork()
        if not child:
            gc.collect()
            os._exit(0)
    finally:
        gc.enable()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
