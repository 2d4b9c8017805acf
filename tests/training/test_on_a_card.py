"""What a CPU cannot show: a GPU's own kernels, and CUDA graphs."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from training.test_greedy import batch_of, make_pairs, ours, trained
from training.tiny_transformer import make_batch, make_model, make_task

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU")

LENGTHS = [(5, 9), (12, 3), (1, 1), (7, 7), (2, 2), (31, 28)] * 20
SIZES = {"encoder_embed_dim": 64, "decoder_embed_dim": 64, "encoder_ffn_embed_dim": 128, "decoder_ffn_embed_dim": 128}


class Training:
    """A model of ours on the GPU, its loss and its optimizer."""

    def __init__(self, precision: str = "bf16", **flags: Any) -> None:
        from fairseq_plugins.adamw import FusedAdamW, FusedAdamWConfig
        from fairseq_plugins.loss import BlockwiseLoss

        self.task = make_task()
        self.task.target_dictionary = self.task.source_dictionary
        self.model = make_model("transformer_fast", 1, self.task, **SIZES, **flags).cuda().train()
        self.criterion = BlockwiseLoss(self.task, sentence_avg=False, label_smoothing=0.1)
        self.optimizer = FusedAdamW(FusedAdamWConfig(lr=[0.1]), list(self.model.parameters()))
        self.precision = precision

    def loss(self, sample: dict[str, Any]) -> tuple[torch.Tensor, Any, dict[str, Any]]:
        with torch.autocast("cuda", torch.bfloat16, enabled=self.precision == "bf16"):
            found: tuple[torch.Tensor, Any, dict[str, Any]] = self.criterion(self.model, sample)
            return found

    def gradient(self, compute: Any) -> tuple[torch.Tensor, Any]:
        """Return all gradients after `compute()`, in one vector of fp64 on the CPU, and what it returns."""
        for weight in self.model.parameters():
            if weight.grad is not None:
                weight.grad.zero_()
        returned = compute()
        return torch.cat([weight.grad.double().flatten().cpu() for weight in self.model.parameters()]), returned


def on_the_card(batch: Any) -> Any:
    from fairseq import utils

    return utils.move_to_cuda(batch)


def distance(one: torch.Tensor, other: torch.Tensor) -> float:
    return float((one - other).norm() / other.norm())


@pytest.mark.parametrize(("precision", "bound"), [("fp32", 1e-4), ("bf16", 0.03)])
def test_gradients_are_those_of_fairseq_on_the_cpu(precision: str, bound: float) -> None:
    ours = Training(precision)
    from fairseq.criterions.label_smoothed_cross_entropy import LabelSmoothedCrossEntropyCriterion

    stock = make_model("transformer", 1, ours.task, **SIZES).train()
    stock.load_state_dict(ours.model.state_dict())
    batch = make_batch(ours.task, LENGTHS)
    LabelSmoothedCrossEntropyCriterion(ours.task, sentence_avg=False, label_smoothing=0.1)(stock, batch)[0].backward()
    expected = torch.cat([weight.grad.double().flatten() for weight in stock.parameters()])
    found, _ = ours.gradient(lambda: ours.loss(on_the_card(batch))[0].backward())
    assert distance(found, expected) < bound


def make_graphs(training: Training) -> Any:
    from fairseq_plugins.graphs import Graphs, Signs, can_be_captured

    assert can_be_captured(training.model, training.criterion, training.optimizer)
    signs = Signs(training.task.source_dictionary.pad(), training.task.source_dictionary.eos())
    return Graphs(training.model, training.loss, signs, left_pad_source=True)


def test_graphs_have_the_losses_and_gradients_of_their_batches() -> None:
    training = Training()
    batches = [on_the_card(make_batch(training.task, LENGTHS, seed)) for seed in (1, 2)]
    expected = [training.gradient(lambda batch=batch: training.loss(batch)[0].backward())[0] for batch in batches]
    losses = [training.loss(batch)[2]["loss"].item() for batch in batches]
    graphs = make_graphs(training)
    for number in (0, 1, 0, 1):  # of one shape: computed once, captured, replayed
        gradient, found = training.gradient(lambda batch=batches[number]: graphs.add_gradients(batch))
        assert distance(gradient, expected[number]) < 0.01
        assert found["loss"].item() == pytest.approx(losses[number], rel=1e-3)
    assert len(graphs._graphs) == 1


def test_an_update_does_not_wait_for_the_card() -> None:
    training = Training()
    graphs, batch = make_graphs(training), on_the_card(make_batch(training.task, LENGTHS))
    training.optimizer.flat_gradients = graphs.gradients
    for number in range(4):  # computed, captured, replayed, replayed
        torch.cuda.synchronize()
        if number > 1:
            torch.cuda.set_sync_debug_mode("error")
        try:
            training.optimizer.zero_grad()
            graphs.add_gradients(batch)
            training.optimizer.multiply_grads(0.5)
            training.optimizer.clip_grad_norm(1.0)
            training.optimizer.step()
        finally:
            torch.cuda.set_sync_debug_mode("default")


def test_a_replayed_graph_drops_what_the_seed_says() -> None:
    training = Training(dropout=0.3)
    batch = on_the_card(make_batch(training.task, LENGTHS))
    graphs = make_graphs(training)

    def with_seed(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        return training.gradient(lambda: graphs.add_gradients(batch))[0]

    first, again, other = (with_seed(seed) for seed in (1, 1, 2))
    assert distance(again, first) < 1e-5  # computed, and replayed
    assert distance(other, first) > 0.05


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_greedy_translation_is_that_of_the_cpu(precision: str) -> None:
    model, pairs = trained("post-norm"), make_pairs(60, seed=1000)
    batch = batch_of(pairs)
    expected = ours(model, batch)
    try:
        with torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
            found = ours(model.cuda(), on_the_card(batch))
    finally:
        model.cpu()
    assert sum(one == other for one, other in zip(found, expected, strict=True)) >= (60 if precision == "fp32" else 50)
