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
@pytest.mark.slow
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


@pytest.mark.parametrize("name", ["adam", "adamw_fused"])
def test_training_in_bf16_goes_on_with_the_weights_it_left_off_with(name: str) -> None:
    """bf16 has 8 bits for a weight; the optimizer works on copies with 24, which a checkpoint must hold."""
    make_task()
    from fairseq.optim import FP16Optimizer

    config = Namespace(
        common=Namespace(bf16=True, model_parallel_size=1),
        optimization=Namespace(update_freq=[1]),
        distributed_training=Namespace(distributed_world_size=1),
        optimizer=settings(lr=[1e-4], optimizer=name),
    )
    gradients = torch.randn(8, 50, generator=torch.Generator().manual_seed(1)).bfloat16()

    def go_on(weights: torch.nn.Parameter, optimizer: Any, gradients: torch.Tensor) -> None:
        for gradient in gradients:
            optimizer.zero_grad()
            weights.grad = gradient.clone()
            optimizer._needs_sync = True
            optimizer.step()

    whole = torch.nn.Parameter(torch.ones(50).bfloat16())
    uninterrupted = FP16Optimizer.build_optimizer(config, [whole])
    go_on(whole, uninterrupted, gradients[:4])
    saved, state = whole.detach().clone(), copy.deepcopy(uninterrupted.state_dict())
    go_on(whole, uninterrupted, gradients[4:])

    rest = torch.nn.Parameter(saved)
    resumed = FP16Optimizer.build_optimizer(config, [rest])
    resumed.load_state_dict(state)
    go_on(rest, resumed, gradients[4:])
    assert torch.equal(resumed.fp32_params[0], uninterrupted.fp32_params[0])
    assert not torch.equal(resumed.fp32_params[0], resumed.fp32_params[0].bfloat16().float())  # rounding would matter
    old = FP16Optimizer.build_optimizer(config, [rest])
    old.load_state_dict({key: value for key, value in state.items() if key != "master_weights"})  # an older checkpoint


@pytest.mark.parametrize("largest", [0.0, 0.5, 1e9])
def test_gradients_are_scaled_and_clipped_as_fairseq_does(largest: float) -> None:
    make_task()
    from fairseq.optim.adam import FairseqAdam
    from fairseq_plugins.adamw import FusedAdamW

    results = []
    for kind in (FairseqAdam, FusedAdamW):
        generator = torch.Generator().manual_seed(5)
        weights = [torch.nn.Parameter(torch.randn(n, 4, generator=generator)) for n in (1, 3, 9)]
        for weight in weights[:2]:  # the last has no gradient
            weight.grad = torch.randn(weight.shape, generator=generator)
        stepper = kind(settings(), weights)
        stepper.multiply_grads(0.7)
        results.append([stepper.clip_grad_norm(largest), *(weight.grad for weight in weights[:2])])
    for one, other in zip(*results, strict=True):
        assert torch.allclose(one, other, rtol=1e-6)
