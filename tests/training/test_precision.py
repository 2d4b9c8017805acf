"""The precision of a training: bf16 where the device multiplies in it, and what fairseq is told."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from experiment.training import precision
from subwords.errors import InputError
from translation import training


@pytest.mark.parametrize(
    ("found", "fast"),
    [({"amx_bf16": True}, True), ({"avx512_bf16": True, "avx2": True}, True), ({"avx512_f": True}, False)],
)
def test_a_processor_says_what_it_has(found: dict[str, bool], fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found, raising=False)
    assert precision.has_fast_bf16(cuda=False) is fast


def test_torch_reads_this_processor_as_the_system_does() -> None:
    cpuinfo = Path("/proc/cpuinfo")
    flags = cpuinfo.read_text().split() if cpuinfo.exists() else []
    if "flags" not in flags:
        pytest.skip("the system does not list what the processor has (x86 Linux does)")
    assert precision.has_fast_bf16(cuda=False) == bool({"amx_bf16", "avx512_bf16"} & set(flags))


@pytest.mark.parametrize(("capability", "fast"), [((7, 5), False), ((8, 0), True), ((9, 0), True)])
def test_cards_have_it_from_ampere_on(capability: tuple[int, int], fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: capability)
    assert precision.has_fast_bf16(cuda=True) is fast


def test_what_fairseq_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "has_fast_bf16", lambda cuda: True)
    assert precision.precision_flags("auto", cuda=False) == ["--cpu", "--autocast", "bf16"]
    assert precision.precision_flags("auto", cuda=True) == ["--autocast", "bf16"]
    monkeypatch.setattr(precision, "has_fast_bf16", lambda cuda: False)
    assert precision.precision_flags("auto", cuda=False) == ["--cpu"]
    assert precision.precision_flags("auto", cuda=True) == ["--fp16"]
    assert precision.precision_flags("fp32", cuda=False) == ["--cpu"]
    with pytest.raises(InputError, match="fp16 on a CPU"):
        precision.precision_flags("fp16", cuda=False)


def test_a_log_that_cannot_be_written_is_an_error_before_training(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = {"tensorboard-logdir": "logs"}
    training.check_logging(recipe)  # the project's environment has tensorboardX
    monkeypatch.setattr(training, "find_spec", lambda name: None)
    training.check_logging({})
    with pytest.raises(InputError, match="lacks tensorboardX"):
        training.check_logging(recipe)
