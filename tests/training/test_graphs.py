"""Padded batches have the gradients of their own, whether computed or replayed. Here a replay computes them again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from training.tiny_transformer import make_batch, make_model, make_task

LENGTHS = [(5, 9), (12, 3), (1, 1), (7, 7), (2, 2)]


@given(st.integers(1, 100_000), st.integers(1, 100_000))
def test_few_shapes_little_larger(count: int, limit: int) -> None:
    from fairseq_plugins.graphs import rounded

    found = rounded(count, limit)
    assert count <= found <= max(count + 1, count * 17 / 16)
    assert found <= max(count, limit)
    assert rounded(found, limit) == found
    assert len({rounded(number, 1024) for number in range(1, 1025)}) == 32 + 16 * 4


def flat(model: torch.nn.Module) -> torch.Tensor:
    return torch.cat([weight.grad.flatten() for weight in model.parameters() if weight.grad is not None])


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A task, a model, its loss and graphs whose replay computes the batch that is in their tensors."""
    from fairseq_plugins import graphs
    from fairseq_plugins.loss import BlockwiseLoss

    task = make_task()
    task.target_dictionary = task.source_dictionary
    model = make_model("transformer_fast", 1, task).train()
    loss = BlockwiseLoss(task, sentence_avg=False, label_smoothing=0.1)
    signs = graphs.Signs(task.source_dictionary.pad(), task.source_dictionary.eos())

    def capture(self: Any, batch: Any) -> tuple[Any, dict[str, torch.Tensor]]:
        losses = {name: torch.zeros(()) for name in ("loss", "nll_loss")}

        def replay() -> None:
            replays.append(batch)
            for name, value in self._compute(batch).items():
                losses[name].copy_(value)

        return SimpleNamespace(replay=replay), losses

    replays: list[Any] = []
    real = graphs.Graphs._capture
    monkeypatch.setattr(graphs.Graphs, "_capture", capture)

    def make(left_pad_source: bool = True) -> Any:
        return graphs.Graphs(model, lambda sample: loss(model, sample), signs, left_pad_source)

    return SimpleNamespace(task=task, model=model, loss=loss, make=make, replays=replays, capture=real)


def by_fairseq(made: SimpleNamespace, *batches: dict[str, Any]) -> tuple[torch.Tensor, float]:
    made.model.zero_grad()
    total = torch.stack([made.loss(made.model, batch)[0] for batch in batches]).sum()
    total.backward()
    found = flat(made.model).clone()
    made.model.zero_grad()
    return found, total.item()


@pytest.mark.parametrize("by_torch", [False, True], ids=["written out", "by torch, the path of a GPU"])
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("leaves_out", [True, False], ids=["without padding", "with padding"])
@pytest.mark.parametrize("lengths", [LENGTHS, [(target, source) for source, target in LENGTHS]], ids=["", "turned"])
def test_losses_and_gradients_are_those_of_the_batch(
    made: SimpleNamespace,
    left: bool,
    by_torch: bool,
    leaves_out: bool,
    lengths: list[tuple[int, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from fairseq_plugins import attention, transformer
    from fairseq_plugins import graphs as graphs_module
    from fairseq_plugins import loss as loss_module

    for module in (attention, transformer):
        monkeypatch.setattr(module, "by_torch", lambda device: by_torch)
    monkeypatch.setattr(graphs_module.Graphs, "leaves_padding_out", leaves_out)
    monkeypatch.setattr(attention.RowLayout, "MUCH", 0.05 if leaves_out else 1.0)
    first, second = (make_batch(made.task, lengths, seed) for seed in (1, 2))
    if not left:
        for batch in (first, second):
            tokens = batch["net_input"]["src_tokens"]
            padding = made.task.source_dictionary.pad()
            moved = [torch.cat([row[row != padding], row[row == padding]]) for row in tokens]
            batch["net_input"]["src_tokens"] = torch.stack(moved)
    expected = [by_fairseq(made, batch) for batch in (first, second)]
    graphs = made.make(left)
    shape = graphs.shape_for(first)
    assert (shape.rows is not None) == leaves_out
    rows, layer, own = [], transformer.feed_forward, loss_module._LabelSmoothedLoss.apply
    decoder = {id(one) for one in made.model.decoder.layers}

    def seen(layer_of: Any, states: torch.Tensor) -> torch.Tensor:
        rows.extend([len(states)] if id(layer_of) in decoder else [])
        return layer(layer_of, states)

    def of_loss(states: torch.Tensor, *rest: Any) -> Any:
        rows.append(len(states))
        return own(states, *rest)

    monkeypatch.setattr(transformer, "feed_forward", seen)
    monkeypatch.setattr(loss_module, "_LabelSmoothedLoss", SimpleNamespace(apply=of_loss))
    for number, batch in enumerate((first, second, first, second)):  # of one shape: computed once, then replayed
        made.model.zero_grad(set_to_none=False)
        found = graphs.add_gradients(batch)
        gradient, loss = expected[number % 2]
        assert found["loss"].item() == pytest.approx(loss, rel=1e-6)
        assert torch.allclose(flat(made.model), gradient, rtol=1e-4, atol=1e-5)
    assert len(made.replays) == 3
    if leaves_out:
        assert rows == [shape.rows] * 12  # of two layers and the loss, four times


def test_batches_of_an_update_add_up_where_the_gradients_are(made: SimpleNamespace) -> None:
    batches = [make_batch(made.task, lengths, 3) for lengths in (LENGTHS, LENGTHS[:2], LENGTHS)]
    expected, _ = by_fairseq(made, *batches)
    graphs = made.make()
    logs = [graphs.add_gradients(batches[0])]
    places = [weight.grad.data_ptr() for weight in made.model.parameters()]
    logs += [graphs.add_gradients(batch) for batch in batches[1:]]
    assert torch.allclose(flat(made.model), expected, rtol=1e-4, atol=1e-5)
    assert [weight.grad.data_ptr() for weight in made.model.parameters()] == places
    assert logs[0]["loss"].item() == pytest.approx(logs[2]["loss"].item())  # not overwritten by what came after


def test_padding_leaves_the_table_of_positions_where_it_is(made: SimpleNamespace) -> None:
    """It grows where a batch has more positions than the model; graphs would read where it was."""
    batch = make_batch(made.task, [(62, 62)], 1)  # 63 pieces of 64
    graphs, positions = made.make(), made.model.encoder.embed_positions
    place = positions.weights.data_ptr()
    graphs.add_gradients(batch)
    assert positions.weights.data_ptr() == place
    assert graphs.shape_for(batch) == (2, 64, 64, 80)
    graphs._longest = (63, 63)
    assert graphs.shape_for(batch) == (2, 63, 63, 80)


@given(st.integers(1, 30_000), st.integers(1, 30_000))
def test_rows_are_few_numbers_and_enough_for_all_pieces_and_one_for_padding(pieces: int, more: int) -> None:
    from fairseq_plugins.graphs import rows_for

    positions = pieces + more
    step = positions / 8
    rows = rows_for(pieces, positions)
    if rows is None:
        assert pieces + 1 > 0.95 * positions - step - 8
    else:
        assert pieces + 1 <= rows < min(pieces + 1 + step + 8, 0.95 * positions)
        assert rows_for(rows - 1, positions) == rows
    assert len({rows_for(count, positions) for count in range(1, positions, max(1, positions // 100))}) <= 9


def test_an_end_in_each_sentence_that_is_added_has_its_row(made: SimpleNamespace) -> None:
    from fairseq_plugins.graphs import rows_for

    batch = make_batch(made.task, [(3, 19), *[(1, 1)] * 16], 1)  # 17 sentences, 18 after padding; 20 + 16 · 2 pieces
    assert made.make().shape_for(batch) == (18, 4, 20, rows_for(52 + 1, 360))


def test_a_batch_that_fairseq_collects_keeps_its_padding(made: SimpleNamespace) -> None:
    batch = make_batch(made.task, LENGTHS, 1)
    del batch["target_positions"]
    expected, _ = by_fairseq(made, batch)
    graphs = made.make()
    assert graphs.shape_for(batch).rows is None
    graphs.add_gradients(batch)
    assert torch.allclose(flat(made.model), expected, rtol=1e-4, atol=1e-5)


def test_a_new_optimizer_loses_no_gradients(made: SimpleNamespace) -> None:
    batch = make_batch(made.task, LENGTHS, 1)
    expected, _ = by_fairseq(made, batch)
    graphs = made.make()
    for _ in range(3):
        made.model.zero_grad()  # as an optimizer does that keeps none
        graphs.add_gradients(batch)
        assert torch.allclose(flat(made.model), expected, rtol=1e-4, atol=1e-5)


def test_without_room_for_a_graph_every_batch_is_computed(
    made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from fairseq_plugins import graphs as graphs_module

    def no_room(*given: Any, **named: Any) -> Any:
        raise RuntimeError("CUDA error: out of memory\nmore of it")

    monkeypatch.setattr(graphs_module.Graphs, "_capture", made.capture)
    monkeypatch.setattr(torch.cuda, "graph", no_room)
    for name in ("CUDAGraph", "graph_pool_handle", "empty_cache"):
        monkeypatch.setattr(torch.cuda, name, lambda: None)
    batch = make_batch(made.task, LENGTHS, 1)
    expected, _ = by_fairseq(made, batch)
    graphs = made.make()
    for _ in range(4):
        made.model.zero_grad()
        graphs.add_gradients(batch)
        assert torch.allclose(flat(made.model), expected, rtol=1e-4, atol=1e-5)
    assert capsys.readouterr().err == "no CUDA graphs after 0: CUDA error: out of memory\n"


def test_an_optimizer_takes_all_gradients_in_one_tensor(made: SimpleNamespace) -> None:
    from fairseq_plugins.adamw import FusedAdamW, FusedAdamWConfig

    batch = make_batch(made.task, LENGTHS, 1)
    weights = list(made.model.parameters())
    optimizer = FusedAdamW(FusedAdamWConfig(lr=[0.1]), weights)
    made.loss(made.model, batch)[0].backward()
    optimizer.multiply_grads(0.5)
    norm, gradient = optimizer.clip_grad_norm(0.1), flat(made.model)
    optimizer.zero_grad()

    graphs = made.make()
    optimizer.flat_gradients = graphs.gradients
    graphs.add_gradients(batch)
    places = [weight.grad.data_ptr() for weight in weights]
    optimizer.multiply_grads(0.5)
    assert optimizer.clip_grad_norm(0.1).item() == pytest.approx(norm.item())
    assert torch.allclose(flat(made.model), gradient, rtol=1e-4, atol=1e-6)
    assert optimizer.clip_grad_norm(0).item() == pytest.approx(norm.item())  # of the call before
    assert optimizer.clip_grad_norm(0).item() == pytest.approx(0.1, rel=1e-4)
    optimizer.zero_grad()
    assert [weight.grad.data_ptr() for weight in weights] == places
    assert not flat(made.model).any()


def test_only_what_is_the_same_for_every_batch_is_captured(monkeypatch: pytest.MonkeyPatch) -> None:
    from fairseq_plugins.adamw import FusedAdamW, FusedAdamWConfig
    from fairseq_plugins.graphs import can_be_captured
    from fairseq_plugins.loss import BlockwiseLoss

    task = make_task()
    task.target_dictionary = task.source_dictionary
    loss = BlockwiseLoss(task, sentence_avg=False, label_smoothing=0.1)
    model, stock = (make_model(arch, 1, task) for arch in ("transformer_fast", "transformer"))
    dropping = make_model("transformer_fast", 1, task, decoder_layerdrop=0.1)
    optimizer = FusedAdamW(FusedAdamWConfig(lr=[0.1]), list(model.parameters()))
    assert not can_be_captured(model, loss, optimizer)  # on a CPU
    for one in (model, stock, dropping):
        monkeypatch.setattr(one, "parameters", lambda: iter([SimpleNamespace(is_cuda=True)]))
    assert can_be_captured(model, loss, optimizer)
    assert not can_be_captured(stock, loss, optimizer)
    assert not can_be_captured(dropping, loss, optimizer)
    assert not can_be_captured(model, loss, object())
    assert not can_be_captured(model, object(), optimizer)
