"""The loss in blocks is fairseq's label-smoothed cross-entropy: value, likelihood and gradients."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
import torch

from training.tiny_transformer import make_batch, make_model, make_task

PADDING = 1


def oracle(features: torch.Tensor, weight: torch.Tensor, target: torch.Tensor, epsilon: float) -> Any:
    from fairseq.criterions.label_smoothed_cross_entropy import label_smoothed_nll_loss

    scores = torch.log_softmax(features @ weight.T, -1)
    return label_smoothed_nll_loss(scores.flatten(0, 1), target.flatten(), epsilon, ignore_index=PADDING)


def example(types: int = 37) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(4)
    features = torch.randn(7, 9, 8, generator=generator, requires_grad=True)
    weight = (3 * torch.randn(types, 8, generator=generator)).requires_grad_()
    target = torch.randint(2, types, (7, 9), generator=generator)
    target[2:, 6:] = PADDING
    return features, weight, target


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize(("block", "largest"), [(2**18, 2**25), (100, 2**25), (100, 1000), (1, 1)])
@pytest.mark.usefixtures("either_library")
def test_it_is_fairseq_s(epsilon: float, block: int, largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    make_task()
    from fairseq_plugins import loss

    monkeypatch.setitem(loss.BLOCK, "cpu", block)
    monkeypatch.setitem(loss.LARGEST, "cpu", largest)
    features, weight, target = example()
    results = []
    for compute in (oracle, lambda *given: loss.label_smoothed_loss(*given, PADDING)):
        value, likelihood = compute(features, weight, target, epsilon)
        gradients = torch.autograd.grad(0.5 * value, (features, weight))
        results.append([value, likelihood, *gradients])
    for one, other in zip(*results, strict=True):
        assert torch.allclose(one, other, rtol=1e-5, atol=1e-5)


def test_sharp_and_flat_scores_are_finite() -> None:
    make_task()
    from fairseq_plugins.loss import label_smoothed_loss

    features, weight, target = example()
    for scale in (1e-6, 100.0):
        expected = oracle(scale * features, weight, target, 0.1)[0]
        found = label_smoothed_loss(scale * features, weight, target, 0.1, PADDING)[0]
        assert torch.isfinite(found)
        assert float(found.detach()) == pytest.approx(float(expected.detach()), rel=1e-5)


def test_in_bf16_gradients_are_as_near_as_bf16_allows() -> None:
    make_task()
    from fairseq_plugins.loss import label_smoothed_loss

    features, weight, target = example(types=300)
    exact = torch.autograd.grad(oracle(features, weight, target, 0.1)[0], (features, weight))
    with torch.autocast("cpu", torch.bfloat16):
        value, _ = label_smoothed_loss(features.bfloat16(), weight, target, 0.1, PADDING)
    found = torch.autograd.grad(value, (features, weight))
    for one, other in zip(exact, found, strict=True):
        assert one.dtype == other.dtype == torch.float32
        assert float((one - other).norm() / one.norm()) < 0.02


@pytest.mark.parametrize("arch", ["transformer", "transformer_fast"])
@pytest.mark.usefixtures("either_library")
def test_the_criterion_logs_and_learns_as_fairseq_s(arch: str) -> None:
    task = make_task()
    from fairseq.criterions.label_smoothed_cross_entropy import LabelSmoothedCrossEntropyCriterion
    from fairseq_plugins.loss import BlockwiseLoss

    task.target_dictionary = task.source_dictionary
    batch, model = make_batch(task, [(5, 9), (12, 3), (1, 1)]), make_model(arch, task=task).train()
    results = []
    for kind in (LabelSmoothedCrossEntropyCriterion, BlockwiseLoss):
        value, size, log = kind(task, sentence_avg=False, label_smoothing=0.1)(model, batch)
        model.zero_grad()
        value.backward()
        results.append((value, size, log, [weight.grad for weight in model.parameters()]))
    (value, size, log, gradients), (other, other_size, other_log, other_gradients) = results
    assert (size, log.keys()) == (other_size, other_log.keys())
    assert torch.allclose(value, other, rtol=1e-5)
    assert all(float(log[name]) == pytest.approx(float(other_log[name]), rel=1e-5) for name in log)
    for one, another in zip(gradients, other_gradients, strict=True):
        assert torch.allclose(one, another, rtol=1e-4, atol=1e-5)
    with torch.no_grad():
        kept = [
            kind(task, False, 0.1)(model.eval(), batch)[2]
            for kind in (LabelSmoothedCrossEntropyCriterion, BlockwiseLoss)
        ]
    assert float(kept[0]["loss"]) == pytest.approx(float(kept[1]["loss"]), rel=1e-5)


def test_what_it_does_not_serve_goes_through_fairseq() -> None:
    make_task()
    from fairseq_plugins.loss import projects

    model = make_model()
    assert projects(model)
    assert not projects(model.half())
    assert not projects(torch.nn.Linear(2, 2))


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("kind", ["legacy", "pytorch", "pytorch, searching"])
def test_several_processes_have_it_too(kind: str, tied: bool, tmp_path: Path) -> None:
    """fairseq wraps the model twice. One process is enough to see the wrapping and the reduction of gradients."""
    from fairseq.distributed import ModuleProxyWrapper
    from fairseq.models.distributed_fairseq_model import DistributedFairseqModel
    from fairseq_plugins.loss import BlockwiseLoss, projects
    from torch import distributed

    task = make_task()
    model = make_model(share_all_embeddings=tied, share_decoder_input_output_embed=tied)
    loss, batch = BlockwiseLoss(task, sentence_avg=False, label_smoothing=0.1), make_batch(task, [(5, 7), (9, 4)])
    loss(model, batch)[0].backward()
    alone = {name: weight.grad.clone() for name, weight in model.named_parameters() if weight.grad is not None}
    distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        if kind == "legacy":
            how = Namespace(tpu=False, ddp_backend="legacy_ddp", heartbeat_timeout=-1)
            wrapped = DistributedFairseqModel(how, model, distributed.group.WORLD, torch.device("cpu"))
        else:
            parallel = torch.nn.parallel.DistributedDataParallel
            wrapped = ModuleProxyWrapper(parallel(model, find_unused_parameters=kind.endswith("searching")))
        # that search would take an output matrix of its own for unused
        assert projects(wrapped) == (tied or "searching" not in kind)
        model.zero_grad(set_to_none=True)
        loss(wrapped, batch)[0].backward()
    finally:
        distributed.destroy_process_group()
    for name, weight in model.named_parameters():
        if name in alone:
            torch.testing.assert_close(weight.grad, alone[name])


def test_on_dev_no_gradient_is_computed() -> None:
    from fairseq_plugins import loss

    features, weight, target = example()
    with torch.no_grad():
        found, _ = loss.label_smoothed_loss(features, weight, target, 0.1, PADDING)
        assert torch.equal(found, loss.label_smoothed_loss(features, weight.detach(), target, 0.1, PADDING)[0])
        with pytest.MonkeyPatch.context() as patch:
            asked: list[bool] = []
            forward = loss._LabelSmoothedLoss.forward

            def seen(ctx: Any, *arguments: Any) -> Any:
                asked.append(any(ctx.needs_input_grad))
                return forward(ctx, *arguments)

            patch.setattr(loss._LabelSmoothedLoss, "forward", staticmethod(seen))
            loss.label_smoothed_loss(features, weight, target, 0.1, PADDING)
    assert asked == [False]
