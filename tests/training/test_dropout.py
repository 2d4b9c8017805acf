"""Cheap dropout: the share that is dropped, the mean that stays, and masks that follow torch's seed."""

from __future__ import annotations

import pytest
import torch

from subwords.errors import InputError
from training.tiny_transformer import make_task


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("probability", [0.1, 0.3, 0.5])
def test_shares_are_those_asked_for(kind: torch.dtype, probability: float) -> None:
    make_task()
    from fairseq_plugins.dropout import keep_mask

    torch.manual_seed(1)
    count = 400_001  # no multiple of four
    mask = keep_mask(torch.Size((count,)), probability, kind)
    dropped = float((mask == 0).double().mean())
    deviation = (probability * (1 - probability) / count) ** 0.5
    assert abs(dropped - probability) < 4 * deviation + 1 / 2**16
    kept = mask[mask != 0].unique()
    assert len(kept) == 1
    assert float(kept) == pytest.approx(1 / (1 - probability), rel=2**-8 if kind is torch.bfloat16 else 2e-5)


@pytest.mark.parametrize("probability", [10, 1.01, -0.1, float("nan")])
def test_what_is_no_share_is_refused(probability: float) -> None:
    """As torch does on a GPU: a mask of 10 dropped nearly all numbers and scaled the others by 65,536."""
    make_task()
    from fairseq_plugins.dropout import add_dropped, dropout

    states = torch.ones(2, 3)
    for drop in (dropout, lambda *given: add_dropped(states, *given)):
        with pytest.raises(InputError, match=f"dropout={probability}\n  allowed: a share from 0 to 1"):
            drop(states, probability)


def test_neighbours_are_independent() -> None:
    """Four numbers come from one draw: any two of them are dropped together as often as chance has it."""
    make_task()
    from fairseq_plugins.dropout import keep_mask

    torch.manual_seed(2)
    dropped = (keep_mask(torch.Size((100_000, 4)), 0.3, torch.float32) == 0).double()
    correlations = torch.corrcoef(dropped.T) - torch.eye(4)
    assert correlations.abs().max() < 4 / 100_000**0.5


def test_the_seed_decides() -> None:
    make_task()
    from fairseq_plugins.dropout import dropout

    states, results = torch.ones(50, 3), []
    for seed in (7, 7, 8):
        torch.manual_seed(seed)
        results.append(dropout(states, 0.3))
    assert torch.equal(results[0], results[1])
    assert not torch.equal(results[0], results[2])
    assert dropout(states, 0.0) is states


def test_adding_is_adding_what_was_not_dropped() -> None:
    make_task()
    from fairseq_plugins.dropout import add_dropped, dropout

    states, added = (torch.randn(40, 5, requires_grad=True) for _ in range(2))
    results = []
    for compute in (lambda: states + dropout(added, 0.4), lambda: add_dropped(states, added, 0.4)):
        torch.manual_seed(3)
        value = compute()
        results.append([value, *torch.autograd.grad((value**2).sum(), (states, added))])
    for one, other in zip(*results, strict=True):
        assert torch.allclose(one, other)
