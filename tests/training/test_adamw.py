"""torch's fused AdamW under fairseq takes the steps of fairseq's own Adam."""

from __future__ import annotations

import copy
from argparse import Namespace
from typing import Any

import pytest
import torch
from training.tiny_transformer import make_task

STEPS = 30


def settings(**changes: Any) -> Namespace:
    plain = {"lr": [0.01], "adam_betas": "(0.9, 0.98)", "adam_eps": 1e-8, "weight_decay": 0.0}
    return Namespace(**{**plain, "fp16_adam_stats": False, "use_old_adam": False, "tpu": False, **changes})


def trajectory(optimizer: type, weight_decay: float, stop: int = STEPS) -> list[torch.Tensor]:
    """Return the weights after each step on the same gradients, under a learning rate that changes."""
    generator = torch.Generator().manual_seed(3)
    weights = torch.nn.Parameter(torch.randn(7, 5, generator=generator))
    stepper = optimizer(settings(weight_decay=weight_decay), [weights])
    seen = []
    for step in range(stop):
        stepper.set_lr(0.01 / (1 + step))
        weights.grad = torch.randn(7, 5, generator=generator) * weights.detach()
        stepper.step()
        seen.append(weights.detach().clone())
    return seen


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_it_takes_the_steps_of_fairseq_s_adam(weight_decay: float) -> None:
    make_task()  # fairseq, mended
    from fairseq.optim.adam import FairseqAdam
    from fairseq_plugins.adamw import FusedAdamW

    theirs, ours = (trajectory(optimizer, weight_decay) for optimizer in (FairseqAdam, FusedAdamW))
    for one, other in zip(theirs, ours, strict=True):
        assert torch.allclose(one, other, rtol=1e-5, atol=1e-7)
    assert not torch.allclose(ours[0], ours[-1], atol=1e-3)  # the weights did move


def test_its_state_is_saved_and_goes_on() -> None:
    make_task()
    from fairseq_plugins.adamw import FusedAdamW

    def optimizer(weights: torch.nn.Parameter) -> Any:
        return FusedAdamW(settings(), [weights])

    first = torch.nn.Parameter(torch.ones(4))
    one = optimizer(first)
    gradients = torch.randn(6, 4, generator=torch.Generator().manual_seed(1))
    for gradient in gradients[:3]:
        first.grad = gradient.clone()
        one.step()
    second = torch.nn.Parameter(first.detach().clone())
    other = optimizer(second)
    other.load_state_dict(copy.deepcopy(one.state_dict()))  # as a checkpoint holds it
    for gradient in gradients[3:]:
        for weights, stepper in ((first, one), (second, other)):
            weights.grad = gradient.clone()
            stepper.step()
    assert torch.equal(first, second)
    assert other.get_lr() == 0.01
