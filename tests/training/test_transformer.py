"""The fast Transformer computes what fairseq's own does, with dropout 0 as the oracle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from training.tiny_transformer import make_batch, make_model, make_task

LENGTHS = [(5, 9), (12, 3), (1, 1), (7, 7)]  # (source, target): padding on both sides


def both(arguments: dict[str, object] | None = None) -> tuple[object, torch.nn.Module, torch.nn.Module]:
    """Return a task, fairseq's model and ours with the same weights, in training."""
    task = make_task()
    stock, ours = (make_model(arch, 1, task, **(arguments or {})) for arch in ("transformer", "transformer_fast"))
    ours.load_state_dict(stock.state_dict(), strict=True)
    return task, stock.train(), ours.train()


def loss(task: object, model: torch.nn.Module, batch: dict[str, object]) -> torch.Tensor:
    """Return the label-smoothed loss of a batch, as fairseq-train computes it."""
    from fairseq.criterions.label_smoothed_cross_entropy import LabelSmoothedCrossEntropyCriterion

    task.target_dictionary = task.source_dictionary  # type: ignore[attr-defined]
    criterion = LabelSmoothedCrossEntropyCriterion(task, sentence_avg=False, label_smoothing=0.1)
    value: torch.Tensor = criterion(model, batch)[0]
    return value


PRE_NORM = {"encoder_normalize_before": True, "decoder_normalize_before": True}


@pytest.mark.parametrize("lengths", [LENGTHS, [(6, 6)] * 3], ids=["padded", "of one length"])
@pytest.mark.parametrize(
    "flags",
    [
        {},
        PRE_NORM,
        {"layernorm_embedding": True, "decoder_learned_pos": True, "activation_fn": "gelu"},
        {"share_all_embeddings": False, "decoder_embed_dim": 32, "decoder_output_dim": 16, "decoder_input_dim": 16},
    ],
    ids=["post-norm", "pre-norm", "learned positions", "projected"],
)
@pytest.mark.parametrize("by_torch", [False, True], ids=["written out", "by torch, the path of a GPU"])
@pytest.mark.usefixtures("either_library")
def test_loss_and_gradients_are_those_of_fairseq(
    lengths: list[tuple[int, int]], flags: dict[str, object], by_torch: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairseq_plugins import attention, transformer

    for module in (attention, transformer):
        monkeypatch.setattr(module, "by_torch", lambda device: by_torch)
    task, stock, ours = both(flags)
    batch = make_batch(task, lengths)
    expected, found = loss(task, stock, batch), loss(task, ours, batch)
    assert found.item() == pytest.approx(expected.item(), rel=1e-6)
    expected.backward()
    found.backward()
    for (name, one), other in zip(stock.named_parameters(), ours.parameters(), strict=True):
        assert torch.allclose(one.grad, other.grad, rtol=1e-4, atol=1e-5), name


def gradient(task: Any, model: torch.nn.Module, batch: dict[str, object]) -> torch.Tensor:
    model.zero_grad()
    loss(task, model, batch).backward()
    return torch.cat([weight.grad.flatten() for weight in model.parameters()])


@pytest.mark.parametrize("flags", [{}, PRE_NORM], ids=["post-norm", "pre-norm"])
@pytest.mark.parametrize(
    "lengths", [[(11, 8), (5, 12), (9, 9), (3, 2)], [(31, 28), (25, 32), (19, 29), (30, 22)]], ids=["short", "long"]
)
def test_under_autocast_it_is_as_near_to_fp32_as_fairseq_is(
    flags: dict[str, object], lengths: list[tuple[int, int]]
) -> None:
    """The oracle is fairseq in fp32; the bound, how far fairseq itself is from it under torch's autocast.

    In long batches it shows where sums over all rows lose digits, as those of torch's layer normalization do.
    """
    task, stock, ours = both(flags)
    batch = make_batch(task, lengths * 10)
    exact = gradient(task, stock, batch)
    errors = []
    for model in (stock, ours):
        with torch.autocast("cpu", torch.bfloat16):
            value = loss(task, model, batch)
        model.zero_grad()
        value.backward()
        assert all(weight.dtype == weight.grad.dtype == torch.float32 for weight in model.parameters())
        found = torch.cat([weight.grad.flatten() for weight in model.parameters()])
        errors.append(float((found - exact).norm() / exact.norm()))
    assert 0 < errors[1] < 1.5 * errors[0] < 0.02


LEARNED = {"encoder_learned_pos": True, "decoder_learned_pos": True}


@pytest.mark.parametrize("much", [-1.0, 1.0], ids=["without padding", "with padding"])
@pytest.mark.parametrize("flags", [{}, PRE_NORM, LEARNED], ids=["post-norm", "pre-norm", "learned positions"])
def test_rows_that_fill_up_change_nothing(
    much: float, flags: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairseq_plugins import attention

    task, stock, ours = both(flags)
    batch = make_batch(task, LENGTHS)
    expected = gradient(task, stock, batch)
    monkeypatch.setattr(attention, "by_onednn", lambda *_: True)
    monkeypatch.setattr(attention.RowLayout, "MUCH", much)
    assert torch.allclose(gradient(task, ours, batch), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("filled", [False, True])
def test_a_piece_that_is_written_as_padding_is_none(filled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """fairseq gives <pad> in a text the number of padding: inside a target, and as its last piece."""
    from fairseq_plugins import attention
    from fairseq_plugins.batches import collate

    task, stock, ours = both()
    pad, end = task.source_dictionary.pad(), task.source_dictionary.eos()
    targets = [[7, pad, 8, end], [9, 8, 7, 6, pad, end], [pad, end], [5, 6, 7, 8, 9, 5, 6, end]]
    samples = [
        {"id": n, "source": torch.tensor([4, 5, end]), "target": torch.tensor(one)} for n, one in enumerate(targets)
    ]
    batch = collate(samples, pad, end)
    expected = gradient(task, stock, batch)
    monkeypatch.setattr(attention, "by_onednn", lambda *_: filled)
    monkeypatch.setattr(attention.RowLayout, "MUCH", -1.0)
    assert torch.allclose(gradient(task, ours, batch), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("lengths", "rows"), [([6, 6, 6], 18), ([6, 6, 5], 18), ([6, 2, 1], 10)])
def test_much_padding_is_left_out_of_rows(lengths: list[int], rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One padded position of 18 is kept (MUCH = 0.1); of nine, one row is left, for all padding."""
    from fairseq_plugins import attention

    monkeypatch.setattr(attention, "by_onednn", lambda *_: False)
    monkeypatch.setattr(attention.RowLayout, "MUCH", 0.1)
    padding = torch.arange(6) >= torch.tensor(lengths)[:, None]
    states = torch.rand(6, 3, 4).masked_fill(padding.t()[..., None], 0).requires_grad_()
    layout = attention.RowLayout(padding)
    found = layout.flatten(states)
    assert found.shape == (rows, 4)
    back = layout.unflatten(found)
    assert torch.equal(back, states)
    weight = torch.rand(6, 3, 4).masked_fill(padding.t()[..., None], 0)  # padding has no influence
    (back * weight).sum().backward()
    assert torch.equal(states.grad, weight)


@pytest.mark.parametrize(("padded", "rows"), [(200, 2432), (89, 2432), (88, None)])
def test_rows_that_are_filled_up_count_as_saved(padded: int, rows: int | None) -> None:
    """2,520 positions are filled up to 2,560. With 2,320 pieces and a row for padding, 2,432 remain: 128 are saved, and
    more than a twentieth of 2,520 is much. With 2,432 pieces nothing is saved."""
    from fairseq_plugins.attention import RowLayout

    padding = torch.arange(42) >= 42 - (torch.arange(60) < padded % 60).int()[:, None] - padded // 60
    assert padding.sum() == padded
    with torch.autocast("cpu", torch.bfloat16):
        layout = RowLayout(padding)
    assert len(layout.flatten(torch.rand(42, 60, 1))) == (rows or 2560)


def test_attention_of_the_gpu_is_that_of_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch's attention, run here on the CPU by its reference, against the products written out.

    Its rows are batch × length and have maps before heads.
    """
    from fairseq_plugins import products
    from fairseq_plugins.attention import RowLayout, Visible, attend, by_kernel

    monkeypatch.setattr(products, "has_faster_products", lambda: False)  # no rows that fill up
    generator = torch.Generator().manual_seed(1)
    monkeypatch.setattr(RowLayout, "MUCH", 1.0)  # nor are any left out
    padding = torch.tensor([[False] * 5, [True, True, False, False, False]])
    source, target = RowLayout(padding), RowLayout(torch.zeros(2, 6, dtype=torch.bool))
    together = torch.randn(10, 3, 3, 4, generator=generator)
    apart = (torch.randn(12, 3, 1, 4, generator=generator), torch.randn(10, 3, 2, 4, generator=generator))
    cases: list[tuple[tuple[torch.Tensor, ...], tuple[RowLayout, ...], dict[str, Any]]] = [
        ((together,), (source,), {"causal": True}),
        ((together,), (source,), {"padding": padding}),
        (apart, (target, source), {"padding": padding}),
    ]

    def turned(rows: torch.Tensor, layout: RowLayout) -> torch.Tensor:
        return rows.unflatten(0, (layout.length, layout.batch)).transpose(0, 1).flatten(0, 1)

    for projected, layouts, seen in cases:
        gradients = []
        for compute in (attend, by_kernel):
            leaves = [rows.clone().requires_grad_() for rows in projected]
            given = tuple(leaves)
            if compute is by_kernel:
                given = tuple(turned(*one).transpose(1, 2) for one in zip(leaves, layouts, strict=True))
            mixed = compute(given, layouts, Visible(**seen), 0.0)
            if compute is attend:
                mixed = turned(mixed, layouts[0])
            (mixed * mixed.detach().cos()).sum().backward()
            gradients.append([mixed, *(leaf.grad for leaf in leaves)])
        for one, other in zip(*gradients, strict=True):
            assert torch.allclose(one, other, atol=1e-5)


@pytest.mark.usefixtures("either_library")
def test_attention_dropout_has_the_gradient_of_its_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    from fairseq_plugins import attention

    rows = torch.randn(8, 2, 3, 3, dtype=torch.float64, requires_grad=True)  # 4 positions of 2 sentences
    mask = torch.rand(4, 4, 4).round() * 2
    monkeypatch.setattr(attention, "keep_mask", lambda *_: mask)
    q, k, v = (part.unflatten(0, (4, 2)).flatten(1, 2).transpose(0, 1) for part in rows.unbind(2))
    weights = (q @ k.transpose(1, 2) / 3**0.5 + torch.full((4, 4), -torch.inf).triu(1)).softmax(2)
    expected = ((weights * mask) @ v).transpose(0, 1).reshape(8, 6)
    layout = attention.RowLayout(torch.zeros(2, 4, dtype=torch.bool))
    found = layout.unpack(attention.attend((layout.pack(rows),), (layout,), attention.Visible(causal=True), 0.5))
    assert torch.allclose(found, expected, atol=1e-6)
    weight = torch.randn(found.shape, dtype=torch.float64)
    (one,), (other,) = (torch.autograd.grad((value * weight).sum(), rows) for value in (expected, found))
    assert torch.allclose(one, other, atol=1e-5)


def test_checkpoints_serve_both(tmp_path: Path) -> None:
    """Ours into fairseq's model and back: the same names and shapes, the same scores."""
    task, stock, ours = both({"share_all_embeddings": False})
    shapes = [{name: value.shape for name, value in model.state_dict().items()} for model in (stock, ours)]
    assert shapes[0] == shapes[1]
    with torch.no_grad():
        for weight in ours.parameters():
            weight.add_(0.1)
    torch.save(ours.state_dict(), tmp_path / "model.pt")
    stock.load_state_dict(torch.load(tmp_path / "model.pt"), strict=True)
    batch = make_batch(task, LENGTHS)
    real = batch["target"].ne(task.target_dictionary.pad())
    expected, found = (model.eval()(**batch["net_input"])[0][real] for model in (stock, ours))
    assert torch.allclose(expected, found, atol=1e-5)


def test_what_is_not_computed_is_refused() -> None:
    from subwords.errors import InputError

    for flags in ({"quant_noise_pq": 0.1}, {"adaptive_softmax_cutoff": "10,20"}, {"checkpoint_activations": True}):
        with pytest.raises(InputError, match=next(iter(flags)).replace("_", "-")):
            make_model("transformer_fast", **flags)


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
        make_model("transformer_fast", task=make_task(left_pad_target=True))
