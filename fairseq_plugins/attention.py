"""Multi-head attention for training: nothing is computed that a loss does not need.

fairseq 0.12.2 adds the masks of future and padding into one matrix for every head, and makes the last decoder layer
return attention weights, which rules out fast kernels. Here a mask is one number a key, or one triangle for
all sentences. On a GPU attention is one of torch's kernels. On a CPU the two products are written out, because torch's
kernel takes longer there: in bf16 two to six times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from fairseq_plugins.dropout import keep_mask
from fairseq_plugins.products import by_onednn, compute_dtype

#: From so many queries on torch may choose flash attention. Its blocks of 128 are mostly empty for a short sentence: in
#: a profile its gradient took 340 µs a call, that of the other kernel 150 (H200, Multi30k; not the same calls).
FLASH_FROM = 128


def by_torch(device: torch.device) -> bool:
    """Return whether attention is one of torch's kernels; else its products are written out."""
    return device.type != "cpu"


class Visible:
    """Which keys a query sees: all, those that are not padding, or those before it."""

    def __init__(self, padding: torch.Tensor | None = None, causal: bool = False) -> None:
        """`padding` is batch × keys, true where a key is padding; with `causal`, a query sees the keys before it."""
        if padding is not None and padding.device.type == "cpu" and not padding.any():
            padding = None
        self.padding, self.causal = padding, causal
        self._added: torch.Tensor | None = None

    def added_to_kernel(self, kind: torch.dtype) -> torch.Tensor | None:
        """Return the mask of padding for torch's kernels, batch × 1 × 1 × keys: 0 or -∞, made once for all layers."""
        if self._added is None and self.padding is not None:
            self._added = torch.zeros(self.padding.shape, dtype=kind, device=self.padding.device)
            self._added = self._added.masked_fill_(self.padding, float("-inf"))[:, None, None]
        return self._added

    def added(self, scores: tuple[int, int, int], heads: int) -> torch.Tensor:
        """Return the mask to add to CPU scores of batch · heads × queries × keys: 0 or -∞, made once for all layers."""
        if self._added is None:
            hidden = torch.zeros(1, 1, 1, dtype=torch.bool)
            if self.causal:
                hidden = torch.ones(scores[1:], dtype=torch.bool).triu(1)[None]
            elif self.padding is not None:
                hidden = self.padding.repeat_interleave(heads, 0)[:, None]
            self._added = torch.zeros(hidden.shape).masked_fill_(hidden, float("-inf"))
        return self._added


class RowLayout:
    """How a batch becomes rows, and rows a batch.

    On a CPU rows are length × batch, flattened; on a GPU batch × length, as its attention has them. Padding is left out
    where there is much of it: batches of similar sources have targets of many lengths, and a third of the decoder's
    positions is padding in some corpora. The last row then stands for all padding of the batch. No loss depends on it,
    so its gradient is zero (fairseq_plugins.batches sees to it that padding is fed to a decoder after the end of a
    sentence alone).

    On a CPU rows are filled up where oneDNN multiplies: it compiles a kernel for every number of rows that it meets (1
    to 3 ms, more than the product takes), so they come in multiples of ROWS. On a GPU, counting pieces would wait for
    the card; so padding keeps its rows there, unless the number of rows is given (by fairseq_plugins.graphs).
    """

    ROWS = 128
    #: To copy rows for each attention costs a few hundredths of a training on a CPU; so does padding of this share.
    MUCH = 0.05

    def __init__(self, padding: torch.Tensor, rows: int | None = None) -> None:
        """`padding` is batch × length, true where a piece is padding.

        `rows`, where it is given, is at least one more than there are pieces, and fewer than there are positions.
        """
        self.batch, self.length = padding.shape
        self.positions = padding.numel()
        self.by_sentence = by_torch(padding.device)
        kind = compute_dtype(padding.device, torch.float32)
        multiple = self.ROWS if by_onednn(kind, padding.device) else 1
        self.filling = -self.positions % multiple
        self._row_of: torch.Tensor | None = None  # a position's row
        self._position_of: torch.Tensor | None = None  # a row's position
        if rows is None and not self.by_sentence and padding.any():
            count = -(-(self.positions - int(padding.sum()) + 1) // multiple) * multiple
            rows = count if self.is_much(self.positions + self.filling - count, self.positions) else None
        if rows is not None:
            self._leave_out((padding if self.by_sentence else padding.t()).flatten(), rows)

    @classmethod
    def is_much(cls, left_out: int, positions: int) -> bool:
        """Return whether it is worth while to leave so many rows out."""
        return left_out > cls.MUCH * positions

    def _leave_out(self, padding: torch.Tensor, rows: int) -> None:
        """Number the rows of positions that are not padding; a GPU need not be waited for."""
        row_of = (~padding).cumsum(0).sub_(1).masked_fill_(padding, rows)
        position_of = padding.long().argmax().repeat(rows + 1)  # the last place takes what is left out
        self._position_of = position_of.scatter_(0, row_of, torch.arange(len(padding), device=padding.device))[:rows]
        self._row_of = row_of.clamp_(max=rows - 1)

    def flatten(self, states: torch.Tensor, filler: int = 0) -> torch.Tensor:
        """Return rows of states that are length × batch × …; rows that fill up are `filler`, or padding."""
        return self.pack((states.transpose(0, 1) if self.by_sentence else states).flatten(0, 1), filler)

    def pack(self, states: torch.Tensor, filler: int = 0) -> torch.Tensor:
        """Return rows of states that have a row for each position."""
        if self._row_of is not None:
            return _Chosen.apply(states, self._position_of, self._row_of)
        return fill(states, self.filling, filler)

    def unpack(self, rows: torch.Tensor) -> torch.Tensor:
        """Undo `pack`."""
        if self._row_of is not None:
            rows = _Chosen.apply(rows, self._row_of, self._position_of)
        return rows[: self.positions]

    def unflatten(self, rows: torch.Tensor) -> torch.Tensor:
        """Return rows as length × batch × …"""
        rows = self.unpack(rows)
        if self.by_sentence:
            return rows.unflatten(0, (self.batch, self.length)).transpose(0, 1)
        return rows.unflatten(0, (self.length, self.batch))


def fill(rows: torch.Tensor, count: int, filler: int = 0) -> torch.Tensor:
    """Return rows with so many rows of `filler` below."""
    return functional.pad(rows, (0, 0) * (rows.dim() - 1) + (0, count), value=filler) if count else rows


class _Chosen(torch.autograd.Function):
    """states[chosen]; `back` chooses the other way, because what is chosen several times has a gradient of zero."""

    @staticmethod
    def forward(ctx: Any, states: torch.Tensor, chosen: torch.Tensor, back: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(back)
        return states.index_select(0, chosen)

    @staticmethod
    def backward(ctx: Any, grad_found: torch.Tensor) -> tuple[Any, ...]:
        return grad_found.index_select(0, ctx.saved_tensors[0]), None, None


def attend(
    projected: tuple[torch.Tensor, ...], layouts: tuple[RowLayout, ...], visible: Visible, dropped: float
) -> torch.Tensor:
    """Return the mean of the values, weighted by softmax(queries · keys / √size); a share `dropped` of weights is zero.

    projected: one tensor with queries, keys and values or several that have them together, in this order in the third
    dimension (for torch's kernels, `by_torch`, in the second): rows × heads × 1 to 3 × size; `layouts` are those of
    their rows. Returns rows × channels, in the rows of the queries.
    """
    if by_torch(projected[0].device):
        return by_kernel(projected, layouts, visible, dropped)
    return _Products.apply(visible, dropped, layouts, *projected)


def by_kernel(
    projected: tuple[torch.Tensor, ...], layouts: tuple[RowLayout, ...], visible: Visible, dropped: float
) -> torch.Tensor:
    """Compute `attend` with torch's kernels, which take batch × length; rows have maps before heads."""
    q, k, v = (
        part.transpose(1, 2)
        for rows, layout in zip(projected, layouts, strict=True)
        for part in layout.unpack(rows).unflatten(0, (layout.batch, layout.length)).unbind(2)
    )
    mask = visible.added_to_kernel(q.dtype)
    kernels = [SDPBackend.FLASH_ATTENTION] if q.shape[2] >= FLASH_FROM else []
    with sdpa_kernel([*kernels, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]):
        mixed = functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, dropout_p=dropped, is_causal=visible.causal
        )
    return layouts[0].pack(mixed.transpose(1, 2).flatten(0, 1).flatten(1))


class _Products(torch.autograd.Function):
    """`attend` with two batched products, which have batch · heads first."""

    @staticmethod
    def forward(
        ctx: Any, visible: Visible, dropped: float, layouts: tuple[RowLayout, ...], *projected: torch.Tensor
    ) -> torch.Tensor:
        heads, _, size = projected[0].shape[1:]
        q, k, v = map(_for_product, _by_head(projected, layouts))
        added = visible.added((len(q), q.shape[1], k.shape[1]), heads).to(q.dtype)
        weights = _softmax(torch.baddbmm(added, q, k.transpose(1, 2), alpha=size**-0.5))
        mask = keep_mask(weights.shape, dropped, weights.dtype) if dropped else None
        kept = weights if mask is None else weights * mask
        ctx.save_for_backward(q, k, v, weights, mask)
        ctx.layouts, ctx.heads, ctx.counts = layouts, heads, [rows.shape[2] for rows in projected]
        return _to_rows([torch.bmm(kept, v)], layouts[0], heads).flatten(1)

    @staticmethod
    def backward(ctx: Any, grad_mixed: torch.Tensor) -> tuple[Any, ...]:
        q, k, v, weights, mask = ctx.saved_tensors
        (grad_mixed,) = map(_for_product, _by_head([grad_mixed.unflatten(1, (ctx.heads, 1, -1))], ctx.layouts[:1]))
        grad_scores = torch.bmm(grad_mixed, v.transpose(1, 2))
        kept = weights
        if mask is not None:
            kept = weights * mask
            grad_scores.mul_(mask)
        grad_scores = _softmax_backward(grad_scores, weights).mul_(q.shape[2] ** -0.5)
        grad_queries, grad_keys = torch.bmm(grad_scores, k), torch.bmm(grad_scores.transpose(1, 2), q)
        parts = iter((grad_queries, grad_keys, torch.bmm(kept.transpose(1, 2), grad_mixed)))
        together = zip(ctx.counts, ctx.layouts, strict=True)
        gradients = [_to_rows(list(islice(parts, count)), layout, ctx.heads) for count, layout in together]
        return None, None, None, *gradients


#: Below so many keys torch's softmax takes longer than its parts.
FEW_KEYS = 16


def _softmax(scores: torch.Tensor) -> torch.Tensor:
    """Return softmax over the last dimension; `scores` may be overwritten."""
    if scores.shape[2] >= FEW_KEYS:
        return scores.softmax(2)
    weights = scores.float()
    weights.sub_(weights.amax(2, keepdim=True)).exp_()
    return weights.div_(weights.sum(2, keepdim=True)).to(scores.dtype)


def _softmax_backward(grad_weights: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Return the gradient by the scores of `_softmax`."""
    if weights.shape[2] >= FEW_KEYS:
        return torch._softmax_backward_data(grad_weights, weights, 2, weights.dtype)
    grad_scores = grad_weights.float() * weights
    return grad_scores.addcmul_(weights.float(), grad_scores.sum(2, keepdim=True), value=-1).to(weights.dtype)


def _for_product(part: torch.Tensor) -> torch.Tensor:
    """Return a factor of the products as it is multiplied fastest: a copy in bf16 (oneDNN), itself in fp32 (MKL)."""
    return part.contiguous() if part.dtype == torch.bfloat16 else part


def _by_head(projected: Sequence[torch.Tensor], layouts: Sequence[RowLayout]) -> list[torch.Tensor]:
    """Return queries, keys and values as batch · heads × length × size."""
    return [
        part.flatten(1, 2).transpose(0, 1)
        for rows, layout in zip(projected, layouts, strict=True)
        for part in layout.unflatten(rows).unbind(3)
    ]


def _to_rows(parts: Sequence[torch.Tensor], layout: RowLayout, heads: int) -> torch.Tensor:
    """Undo `_by_head` for one layout: return rows × heads × parts × size."""
    return layout.flatten(torch.stack([part.transpose(0, 1).unflatten(1, (-1, heads)) for part in parts], 3))
