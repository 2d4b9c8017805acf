"""The Transformer with torch's attention kernels computes what fairseq's own does."""

from __future__ import annotations

import pytest
import torch
from training.tiny_transformer import make_batch, make_model, make_task

LENGTHS = [(5, 9), (12, 3), (1, 1), (7, 7)]  # (source, target): padding on both sides


def both(arguments: dict[str, object] | None = None) -> tuple[object, torch.nn.Module, torch.nn.Module]:
    """Return a task, fairseq's model and ours with the same weights, in training."""
    task = make_task()
    stock, ours = (make_model(arch, 1, task, **(arguments or {})) for arch in ("transformer", "transformer_sdpa"))
    ours.load_state_dict(stock.state_dict(), strict=True)
    return task, stock.train(), ours.train()


def loss(task: object, model: torch.nn.Module, batch: dict[str, object]) -> torch.Tensor:
    """Return the label-smoothed loss of a batch, as fairseq-train computes it."""
    from fairseq.criterions.label_smoothed_cross_entropy import LabelSmoothedCrossEntropyCriterion

    task.target_dictionary = task.source_dictionary  # type: ignore[attr-defined]
    criterion = LabelSmoothedCrossEntropyCriterion(task, sentence_avg=False, label_smoothing=0.1)
    value: torch.Tensor = criterion(model, batch)[0]
    return value


@pytest.mark.parametrize("lengths", [LENGTHS, [(6, 6)] * 3], ids=["padded", "of one length"])
@pytest.mark.parametrize("flags", [{}, {"encoder_normalize_before": True, "decoder_normalize_before": True}])
def test_loss_and_gradients_are_those_of_fairseq(lengths: list[tuple[int, int]], flags: dict[str, object]) -> None:
    task, stock, ours = both(flags)
    batch = make_batch(task, lengths)
    expected, found = loss(task, stock, batch), loss(task, ours, batch)
    assert found.item() == pytest.approx(expected.item(), rel=1e-6)
    expected.backward()
    found.backward()
    for (name, one), other in zip(stock.named_parameters(), ours.parameters(), strict=True):
        assert torch.allclose(one.grad, other.grad, rtol=1e-4, atol=1e-5), name


def test_in_bf16_it_is_as_near_to_fp32_as_fairseq_is() -> None:
    task, stock, ours = both()
    batch = make_batch(task, LENGTHS)
    exact = float(loss(task, stock, batch).detach())
    errors = [abs(float(loss(task, model.bfloat16(), batch).detach()) - exact) / exact for model in (stock, ours)]
    assert max(errors) < 0.01


def test_no_position_sees_the_future() -> None:
    task, _, ours = both()
    batch = make_batch(task, [(6, 8)])
    pieces = batch["net_input"]["prev_output_tokens"]
    before = ours(**batch["net_input"])[0]
    pieces[0, 5] = 7 if pieces[0, 5] != 7 else 8
    after = ours(**batch["net_input"])[0]
    assert torch.equal(before[0, :5], after[0, :5])
    assert not torch.allclose(before[0, 5:], after[0, 5:])


def test_padding_changes_no_sentence() -> None:
    task, _, ours = both()
    sentence = make_batch(task, [(3, 4)], seed=5)["net_input"]
    longer = make_batch(task, [(3, 4), (9, 11)], seed=5)["net_input"]
    rows = [row for row in range(2) if int(longer["src_lengths"][row]) == 4]
    alone, beside = ours(**sentence)[0][0], ours(**longer)[0][rows[0], :5]
    assert torch.allclose(alone, beside, atol=1e-6)


def test_attention_dropout_drops() -> None:
    task, _, ours = both({"attention_dropout": 0.5})
    batch = make_batch(task, LENGTHS)["net_input"]
    assert not torch.allclose(ours(**batch)[0], ours(**batch)[0])
    ours.eval()
    assert torch.equal(ours(**batch)[0], ours(**batch)[0])


def test_it_translates_as_fairseq_does() -> None:
    from fairseq.sequence_generator import SequenceGenerator

    task, stock, ours = both()
    batch = make_batch(task, LENGTHS)
    found = [
        SequenceGenerator([model.eval()], task.source_dictionary, beam_size=3, max_len_b=12).generate([model], batch)
        for model in (stock, ours)
    ]
    for expected, got in zip(*found, strict=True):
        assert [beam["tokens"].tolist() for beam in expected] == [beam["tokens"].tolist() for beam in got]


def test_targets_padded_on_the_left_are_refused() -> None:
    from subwords.errors import InputError

    with pytest.raises(InputError, match="left-pad-target"):
        make_model("transformer_sdpa", task=make_task(left_pad_target=True))
