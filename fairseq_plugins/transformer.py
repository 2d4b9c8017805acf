"""fairseq's Transformer, trained faster: `--arch transformer_fast`.

What a loss needs, in training and on dev, is computed as below, from the parameters of fairseq's own modules: names,
shapes and values of the weights are those of `transformer`, so each loads the other's checkpoints, and beam search uses
fairseq's own code (dev is translated with a beam of 1 by fairseq_plugins.greedy). What differs:

- queries, keys and values of an attention come from one product;
- attention has no masks of its own for every head, and returns no weights (fairseq_plugins.attention);
- decoder self-attention has no mask for padding: targets are padded on the right, so no position before the end of a
  sentence sees padding, and what padding itself computes is not in the loss;
- padding has no rows where there is much of it (fairseq_plugins.attention.RowLayout; on a GPU, in graphs);
- random bits for dropout are cheap (fairseq_plugins.dropout);
- products of fp32 are oneDNN's where it multiplies faster (fairseq_plugins.products);
- under --autocast bf16 everything between the embeddings and the loss is in bf16, while weights stay in fp32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from fairseq.models import register_model, register_model_architecture
from fairseq.models.transformer import TransformerDecoder, TransformerEncoder, TransformerModel, base_architecture
from torch import nn
from torch.nn import functional

from fairseq_plugins.attention import RowLayout, Visible, attend, by_torch
from fairseq_plugins.dropout import add_dropped, dropout
from fairseq_plugins.products import affine, compute_dtype, gradient_of_weight, product
from subwords.errors import InputError

#: Settings of fairseq's Transformer that only its own code computes, and the value that they must have here.
LEFT_OUT = {
    "adaptive_input": False,
    "adaptive_softmax_cutoff": None,
    "base_layers": 0,
    "checkpoint_activations": False,
    "cross_self_attention": False,
    "offload_activations": False,
    "quant_noise_pq": 0,
    "quant_noise_scalar": 0,
    "scale_attn": False,
    "scale_fc": False,
    "scale_heads": False,
    "scale_resids": False,
    "no_cross_attention": False,
}


@register_model("transformer_fast")
class FastTransformer(TransformerModel):
    """fairseq's Transformer, computed differently where a loss is wanted."""

    @classmethod
    def build_model(cls, args: Any, task: Any) -> FastTransformer:
        if getattr(getattr(task, "cfg", None), "left_pad_target", False):  # a task that only counts weights has no cfg
            raise InputError("arch transformer_fast: left-pad-target", allowed="targets padded on the right (default)")
        for name, value in LEFT_OUT.items():
            if (getattr(args, name, value) or value) != value:
                flag = name.replace("_", "-")
                raise InputError(f"arch transformer_fast: {flag} is not computed here", next_step="arch: transformer")
        return super().build_model(args, task)

    @classmethod
    def build_encoder(cls, args: Any, src_dict: Any, embed_tokens: nn.Embedding) -> FastEncoder:
        return FastEncoder(args, src_dict, embed_tokens)

    @classmethod
    def build_decoder(cls, args: Any, tgt_dict: Any, embed_tokens: nn.Embedding) -> FastDecoder:
        return FastDecoder(args, tgt_dict, embed_tokens)

    def forward(
        self,
        src_tokens: torch.Tensor,
        src_lengths: torch.Tensor,
        prev_output_tokens: torch.Tensor,
        rows: int | None = None,
        **options: Any,
    ) -> tuple[torch.Tensor, dict[str, Any]]:
        """Return scores of all target positions, or features with `features_only`, and no attention weights.

        `rows` is how many rows the target has without padding (see RowLayout).
        """
        encoded = {**self.encoder.encode(src_tokens), "target_rows": rows}
        return self.decoder(prev_output_tokens, encoder_out=encoded, **options)


class FastEncoder(TransformerEncoder):
    """fairseq's encoder, called by its beam search; losses and greedy translation call `encode`."""

    def encode(self, src_tokens: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        """Return the last layer's states of a batch of sources, as fairseq's decoder takes them."""
        padding = src_tokens.eq(self.padding_idx)
        visible, layout = Visible(padding), RowLayout(padding)
        states = embed(self, src_tokens, layout)
        with torch.autocast(states.device.type, enabled=False):
            for layer in self.layers:
                states = add(layer, layer.self_attn_layer_norm, states, self_attention, layout, visible)
                states = add(layer, layer.final_layer_norm, states, feed_forward)
            if self.layer_norm is not None:
                states = normalize(self.layer_norm, states)
        rest: dict[str, list[torch.Tensor]]
        rest = {name: [] for name in ("encoder_embedding", "encoder_states", "src_tokens", "src_lengths")}
        return {"encoder_out": [layout.unflatten(states)], "encoder_padding_mask": [padding], **rest}


class FastDecoder(TransformerDecoder):
    """fairseq's decoder; without an incremental state it returns no attention weights."""

    def extract_features(
        self,
        prev_output_tokens: torch.Tensor,
        encoder_out: dict[str, Any] | None,
        incremental_state: Any = None,
        full_context_alignment: bool = False,
        alignment_layer: int | None = None,
        alignment_heads: int | None = None,
    ) -> tuple[torch.Tensor, dict[str, Any]]:
        aligned = full_context_alignment or alignment_layer or alignment_heads
        if encoder_out is None or incremental_state is not None or aligned:
            rest = (incremental_state, full_context_alignment, alignment_layer, alignment_heads)
            return super().extract_features(prev_output_tokens, encoder_out, *rest)
        padding = encoder_out["encoder_padding_mask"][0]
        visible, future = Visible(padding), Visible(causal=True)
        layout = RowLayout(prev_output_tokens.eq(self.padding_idx), encoder_out.get("target_rows"))
        source = RowLayout(padding)
        memory = source.flatten(encoder_out["encoder_out"][0])
        states = embed(self, prev_output_tokens, layout)
        with torch.autocast(states.device.type, enabled=False):
            for layer in self.layers:
                states = add(layer, layer.self_attn_layer_norm, states, self_attention, layout, future)
                cross = (layout, source, memory, visible)
                states = add(layer, layer.encoder_attn_layer_norm, states, cross_attention, *cross)
                states = add(layer, layer.final_layer_norm, states, feed_forward)
            if self.layer_norm is not None:
                states = normalize(self.layer_norm, states)
            if self.project_out_dim is not None:
                states = linear(states, self.project_out_dim)
        return layout.unflatten(states).transpose(0, 1), {"attn": [None], "inner_states": []}


def embed(side: Any, tokens: torch.Tensor, layout: RowLayout) -> torch.Tensor:
    """Return the rows that an encoder's or decoder's layers start from, for tokens of batch × length."""
    rows = layout.flatten(tokens.t(), side.padding_idx)
    states = functional.embedding(rows, side.embed_tokens.weight, side.padding_idx)
    states = states * side.embed_scale
    if getattr(side, "project_in_dim", None) is not None:
        states = side.project_in_dim(states)
    if side.embed_positions is not None:
        states = states + layout.flatten(side.embed_positions(tokens).transpose(0, 1))
    if side.layernorm_embedding is not None:
        states = side.layernorm_embedding(states)
    states = states.to(compute_dtype(states.device, states.dtype))
    return dropout(states, dropped(side.dropout_module))


def dropped(module: Any) -> float:
    """Return the probability with which a dropout module of fairseq's zeroes a number now: on dev, none."""
    return float(module.p) if module.training else 0.0


def add(
    layer: Any, norm: nn.LayerNorm, states: torch.Tensor, compute: Callable[..., torch.Tensor], *rest: Any
) -> torch.Tensor:
    """Return states + dropout(compute(layer, states)), normalized before or after as the layer has it."""
    before = layer.normalize_before
    found = compute(layer, normalize(norm, states) if before else states, *rest)
    states = add_dropped(states, found, dropped(layer.dropout_module))
    return states if before else normalize(norm, states)


def self_attention(layer: Any, states: torch.Tensor, layout: RowLayout, visible: Visible) -> torch.Tensor:
    attention = layer.self_attn
    projected = by_head(states, attention.num_heads, attention.q_proj, attention.k_proj, attention.v_proj)
    return linear(attend((projected,), (layout,), visible, dropped(attention.dropout_module)), attention.out_proj)


def cross_attention(
    layer: Any, states: torch.Tensor, layout: RowLayout, source: RowLayout, memory: torch.Tensor, visible: Visible
) -> torch.Tensor:
    attention = layer.encoder_attn
    queries = by_head(states, attention.num_heads, attention.q_proj)
    projected = by_head(memory, attention.num_heads, attention.k_proj, attention.v_proj)
    mixed = attend((queries, projected), (layout, source), visible, dropped(attention.dropout_module))
    return linear(mixed, attention.out_proj)


def feed_forward(layer: Any, states: torch.Tensor) -> torch.Tensor:
    if layer.activation_fn is functional.relu:
        inner = linear(states, layer.fc1, relu=True)
    else:
        inner = layer.activation_fn(linear(states, layer.fc1))
    return linear(dropout(inner, dropped(layer.activation_dropout_module)), layer.fc2)


def by_head(states: torch.Tensor, heads: int, *maps: nn.Linear) -> torch.Tensor:
    """Return several linear maps of the same rows from one product, as `attend` takes them."""
    if by_torch(states.device):
        return linear(states, *maps).unflatten(1, (len(maps), heads, -1))
    return linear(states, *maps, heads=heads).unflatten(1, (heads, len(maps), -1))


def linear(states: torch.Tensor, *maps: nn.Linear, heads: int = 1, relu: bool = False) -> torch.Tensor:
    """Return the results of linear maps of the same rows, side by side within every head, in the rows' precision.

    With `relu`, negative ones are zero.
    """
    biases = [one.bias for one in maps if one.bias is not None]
    return _Linear.apply(states, heads, relu, *(one.weight for one in maps), *biases)


class _Linear(torch.autograd.Function):
    """rows · weightᵀ + bias, or ReLU of it, for several fp32 weights and biases, in the rows' precision."""

    @staticmethod
    def forward(ctx: Any, rows: torch.Tensor, heads: int, relu: bool, *parameters: torch.Tensor) -> torch.Tensor:
        weights = [one for one in parameters if one.dim() == 2]
        weight = _interleave([one.to(rows.dtype) for one in weights], heads)
        biases = parameters[len(weights) :]
        bias = _interleave(biases, heads).to(rows.dtype) if biases else None
        found = affine(rows, weight, bias, relu)
        ctx.save_for_backward(rows, weight, found if relu else None)
        ctx.heads, ctx.count, ctx.kind = heads, len(weights), parameters[0].dtype
        ctx.biased = bias is not None
        return found

    @staticmethod
    def backward(ctx: Any, grad_found: torch.Tensor) -> tuple[Any, ...]:
        rows, weight, rectified = ctx.saved_tensors
        if rectified is not None:
            grad_found = torch.ops.aten.threshold_backward(grad_found, rectified, 0)
        grad_rows = product(grad_found, weight) if ctx.needs_input_grad[0] else None
        found = _part(gradient_of_weight(grad_found, rows).to(ctx.kind), ctx.heads, ctx.count)
        if ctx.biased:
            found += _part(grad_found.sum(0).to(ctx.kind), ctx.heads, ctx.count)
        return grad_rows, None, None, *found


def _interleave(parameters: Sequence[torch.Tensor], heads: int) -> torch.Tensor:
    """Return parameters of several maps as one: for every head, its rows of the first map, of the second, …"""
    if len(parameters) == 1:
        return parameters[0]
    return torch.stack([one.unflatten(0, (heads, -1)) for one in parameters], 1).flatten(0, 2)


def _part(gradient: torch.Tensor, heads: int, count: int) -> list[torch.Tensor]:
    """Undo `_interleave`."""
    if count == 1:
        return [gradient]
    return [part.flatten(0, 1) for part in gradient.unflatten(0, (heads, count, -1)).unbind(1)]


def normalize(norm: nn.LayerNorm, states: torch.Tensor) -> torch.Tensor:
    """Return `norm(states)` in the states' precision (sums are in fp32)."""
    if states.device.type == "cpu" and states.dtype != torch.float32:
        return _Normalized.apply(states, norm, norm.weight, norm.bias)
    weight, bias = norm.weight.to(states.dtype), norm.bias.to(states.dtype)
    return functional.layer_norm(states, norm.normalized_shape, weight, bias, norm.eps)


class _Normalized(torch.autograd.Function):
    """Layer normalization of bf16 states on a CPU.

    torch's own backward sums the gradients of weight and bias over all rows in bf16: with 4,000 rows a tenth is lost.
    """

    @staticmethod
    def forward(ctx: Any, states: torch.Tensor, norm: nn.LayerNorm, weight: torch.Tensor, bias: torch.Tensor) -> Any:
        ctx.shape = norm.normalized_shape
        found, mean, scale = torch.native_layer_norm(states, ctx.shape, weight, bias, norm.eps)
        ctx.save_for_backward(states, mean, scale, weight, bias)
        return found

    @staticmethod
    def backward(ctx: Any, grad_found: torch.Tensor) -> tuple[Any, ...]:
        states, *rest = ctx.saved_tensors
        grad_states, grad_weight, grad_bias = torch.ops.aten.native_layer_norm_backward(
            grad_found.float(), states.float(), ctx.shape, *rest, ctx.needs_input_grad[:1] + ctx.needs_input_grad[2:]
        )
        return grad_states.to(states.dtype), None, grad_weight, grad_bias


register_model_architecture("transformer_fast", "transformer_fast")(base_architecture)
