"""Attention without masks in memory: `--arch transformer_sdpa`, fairseq's Transformer with torch's fused kernels.

fairseq 0.12.2 adds the mask of the future and that of the padding up to one matrix of numbers for every head, which
rules out the fastest kernels, and asks the last decoder layer for the weights of its cross-attention, which rules out
any. In training, here:

- decoder self-attention is causal and has no mask: targets are padded on the right, so no position before the end of a
  sentence looks at padding, and what padding itself computes is not in the loss;
- the encoder's and the cross-attention's mask is one bit a source position, and absent from a batch without padding;
- no weights are returned: nothing in training reads them.

Weights have the names of `transformer`, so checkpoints of the two serve each other. Decoding is fairseq's own.
"""

from __future__ import annotations

from typing import Any

import torch
from fairseq.models import register_model, register_model_architecture
from fairseq.models.transformer import TransformerModel, base_architecture
from fairseq.modules import MultiheadAttention
from torch.nn import functional

from subwords.errors import InputError


class SdpaAttention(MultiheadAttention):
    """fairseq's multi-head attention, in training by torch.nn.functional.scaled_dot_product_attention.

    Queries are T × B × C, `key_padding_mask` is B × S and true where a key is padding. Where `attn_mask` is given it
    must be the mask of the future, which is the only one that fairseq's Transformer has.
    """

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor | None,
        value: torch.Tensor | None,
        key_padding_mask: torch.Tensor | None = None,
        incremental_state: Any = None,
        need_weights: bool = True,
        static_kv: bool = False,
        attn_mask: torch.Tensor | None = None,
        before_softmax: bool = False,
        need_head_weights: bool = False,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        wants_weights = (need_weights or need_head_weights) and not self.training
        if incremental_state is not None or wants_weights or before_softmax or key is None or value is None:
            return super().forward(
                query, key, value, key_padding_mask, incremental_state, need_weights, static_kv, attn_mask,
                before_softmax, need_head_weights,
            )  # fmt: skip
        causal = attn_mask is not None
        mask = None
        if key_padding_mask is not None and not causal:
            mask = ~key_padding_mask.bool()[:, None, None, :]
        dropping = self.training or self.dropout_module.apply_during_inference
        mixed = functional.scaled_dot_product_attention(
            self._heads(self.q_proj(query)),
            self._heads(self.k_proj(key)),
            self._heads(self.v_proj(value)),
            attn_mask=mask,
            dropout_p=self.dropout_module.p if dropping else 0.0,
            is_causal=causal,
        )
        return self.out_proj(mixed.permute(2, 0, 1, 3).flatten(2)), None

    def _heads(self, states: torch.Tensor) -> torch.Tensor:
        """Return T × B × C as B × heads × T × C/heads."""
        return states.unflatten(2, (self.num_heads, self.head_dim)).permute(1, 2, 0, 3)


@register_model("transformer_sdpa")
class SdpaTransformer(TransformerModel):
    """fairseq's Transformer whose attention is SdpaAttention."""

    @classmethod
    def build_model(cls, args: Any, task: Any) -> SdpaTransformer:
        if task.cfg.left_pad_target:
            raise InputError("arch transformer_sdpa: left-pad-target", allowed="targets padded on the right (default)")
        model = super().build_model(args, task)
        for module in model.modules():
            if type(module) is MultiheadAttention:
                module.__class__ = SdpaAttention  # fairseq's layers made it; it lacks nothing but the other forward
        return model


register_model_architecture("transformer_sdpa", "transformer_sdpa")(base_architecture)
