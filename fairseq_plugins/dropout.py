"""Dropout with cheap random bits on a CPU: sixteen bits for each number, drawn for four numbers at a time.

torch draws a float for every number on a CPU, which takes a tenth of a small training. Here one 64-bit draw is enough
for four numbers, and a probability is a multiple of 1/65,536. The draws come from torch's own generator, which fairseq
seeds again for every update, so a resumed training drops the same numbers. On a GPU torch's kernel is as cheap.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from subwords.errors import InputError

LEVELS = 2**16


def dropout(states: torch.Tensor, probability: float) -> torch.Tensor:
    """Return `states` with each number zeroed with `probability`, the others scaled so that the mean stays."""
    if probability == 0:
        return states
    if states.device.type != "cpu":
        return functional.dropout(states, probability)
    return states * keep_mask(states.shape, probability, states.dtype)


def add_dropped(states: torch.Tensor, added: torch.Tensor, probability: float) -> torch.Tensor:
    """Return states + dropout(added, probability)."""
    if probability == 0 or states.device.type != "cpu":
        return states + dropout(added, probability)
    return _AddDropped.apply(states, added, keep_mask(added.shape, probability, added.dtype))


class _AddDropped(torch.autograd.Function):
    """states + added · mask in one pass."""

    @staticmethod
    def forward(ctx: Any, states: torch.Tensor, added: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(mask)
        return torch.addcmul(states, added, mask)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        return gradient, gradient * ctx.saved_tensors[0], None


def keep_mask(shape: torch.Size, probability: float, dtype: torch.dtype) -> torch.Tensor:
    """Return a random mask: 0 with `probability` (to the nearest 1/65,536), else one over the share that is kept.

    Raises InputError for what is no probability.
    """
    if not 0 <= probability <= 1:
        raise InputError(f"dropout={probability}", allowed="a share from 0 to 1: 10 % is 0.1")
    count = shape.numel()
    draws = torch.empty((count + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
    bits = draws.view(torch.int16)[:count].view(shape)
    dropped = min(round(probability * LEVELS), LEVELS - 1)
    mask = torch.empty(shape, dtype=dtype)
    torch.ge(bits, dropped - LEVELS // 2, out=mask)
    return mask.mul_(LEVELS / (LEVELS - dropped))
