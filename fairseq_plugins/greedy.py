"""Greedy translation (a beam of 1), with which dev is scored during training.

fairseq's beam search copies all keys and values at every step, twice. Here they are written in place, sentences that
have ended leave the batch, and products are in the training's precision. How long a hypothesis may become follows from
its own source, not from the longest source of its batch. So it does not depend on what is translated beside it, and
batches can be large.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from fairseq_plugins.products import affine
from fairseq_plugins.transformer import FastTransformer, normalize

#: cuDNN's attention is left out: it plans every number of keys anew, and each step has another.
KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
#: Ended sentences leave the batch when at most this share goes on: caches are copied then, which takes time.
GOING_ON = 0.8


class Greedy:
    """Translates batches with the weights that a model has at the time; the model must be in `eval` mode."""

    def __init__(self, model: FastTransformer, end: int, padding: int, factor: float, constant: int) -> None:
        """A hypothesis has at most factor · source + constant pieces, the source's end counted."""
        self.model, self.end, self.padding = model, end, padding
        self.factor, self.constant = factor, constant

    @torch.no_grad()
    @sdpa_kernel(KERNELS)
    def translate(self, source: torch.Tensor, lengths: torch.Tensor) -> list[torch.Tensor]:
        """Return the pieces of each hypothesis, without its end.

        source: batch × length; lengths: of the sentences, with their ends. Products are in the weights' precision, or
        in that of `torch.autocast`.
        """
        decoder, device = self.model.decoder, source.device.type
        kind = decoder.output_projection.weight.dtype
        if torch.is_autocast_enabled(device):
            kind = torch.get_autocast_dtype(device)
        limits = (self.factor * lengths.double() + self.constant).long().clamp(max=decoder.max_positions() - 1)
        step = _Step(decoder, self.model.encoder.encode(source), int(limits.max()) + 1, self.end, kind)
        found = torch.full((len(source), int(limits.max()) + 1), self.end, device=source.device)
        rows = torch.arange(len(source), device=source.device)
        chosen, going_on = torch.full_like(rows, self.end), torch.ones_like(rows, dtype=torch.bool)
        for number in range(found.shape[1]):
            scores = step.scores(chosen)
            scores[:, self.padding] = -torch.inf
            if number == 0:  # no hypothesis is empty
                scores[:, self.end] = -torch.inf
            chosen = scores.argmax(1).masked_fill(~going_on | (limits[rows] <= number), self.end)
            found[rows, number] = chosen
            going_on = chosen.ne(self.end)
            count = int(going_on.sum())
            if count == 0:
                break
            if count <= GOING_ON * len(rows):
                step.keep(going_on)
                rows, chosen, going_on = rows[going_on], chosen[going_on], going_on[going_on]
        counts = found.ne(self.end).sum(1).tolist()
        return [pieces[:count] for pieces, count in zip(found, counts, strict=True)]


class _Step:
    """A decoder that is fed one piece of each sentence after another."""

    def __init__(self, decoder: Any, encoded: dict[str, Any], longest: int, end: int, kind: torch.dtype) -> None:
        memory, padding = encoded["encoder_out"][0], encoded["encoder_padding_mask"][0]
        memory = memory.transpose(0, 1).to(kind)
        self._decoder, self._kind, self._number = decoder, kind, 0
        self._hidden = None
        if padding.any():
            self._hidden = torch.zeros(padding.shape, dtype=kind, device=padding.device)
            self._hidden = self._hidden.masked_fill_(padding, -torch.inf)[:, None, None]
        self._positions = None
        if decoder.embed_positions is not None:
            self._positions = decoder.embed_positions(torch.full((1, longest), end, device=memory.device))[0]
        self._layers = [_Layer(layer, memory, longest) for layer in decoder.layers]
        self._output = _Map(kind, decoder.output_projection)
        self._project_out = decoder.project_out_dim and _Map(kind, decoder.project_out_dim)

    def scores(self, pieces: torch.Tensor) -> torch.Tensor:
        """Return what the decoder says of each piece of the vocabulary, after one more piece of each sentence."""
        decoder = self._decoder
        states = decoder.embed_scale * functional.embedding(pieces, decoder.embed_tokens.weight)
        if decoder.project_in_dim is not None:
            states = decoder.project_in_dim(states)
        if self._positions is not None:
            states = states + self._positions[self._number]
        if decoder.layernorm_embedding is not None:
            states = decoder.layernorm_embedding(states)
        states = states.to(self._kind)
        for layer in self._layers:
            states = layer.compute(states, self._number, self._hidden)
        if decoder.layer_norm is not None:
            states = normalize(decoder.layer_norm, states)
        if self._project_out is not None:
            states = self._project_out(states)
        self._number += 1
        return self._output(states)

    def keep(self, kept: torch.Tensor) -> None:
        """Go on with some of the sentences."""
        if self._hidden is not None:
            self._hidden = self._hidden[kept]
        for layer in self._layers:
            layer.keep(kept, self._number)


class _Layer:
    """A decoder layer, with the keys and values of the source and of what it was fed."""

    def __init__(self, layer: Any, memory: torch.Tensor, longest: int) -> None:
        """`memory` is batch × source length × channels."""
        self._layer, kind = layer, memory.dtype
        itself, source = layer.self_attn, layer.encoder_attn
        self._heads = itself.num_heads
        self._self_in = _Map(kind, itself.q_proj, itself.k_proj, itself.v_proj)
        self._source_in = _Map(kind, source.q_proj)
        self._self_out, self._source_out = _Map(kind, itself.out_proj), _Map(kind, source.out_proj)
        self._inner, self._outer = _Map(kind, layer.fc1), _Map(kind, layer.fc2)
        known = _Map(kind, source.k_proj, source.v_proj)(memory.flatten(0, 1)).unflatten(0, memory.shape[:2])
        self._memory = self._by_head(known, 2)  # keys and values: batch × heads × length × size
        shape = (2, len(memory), self._heads, longest, self._memory.shape[4])
        self._seen = memory.new_empty(shape)

    def compute(self, states: torch.Tensor, number: int, hidden: torch.Tensor | None) -> torch.Tensor:
        states = self._add(self._layer.self_attn_layer_norm, states, self._attend_to_itself, number)
        states = self._add(self._layer.encoder_attn_layer_norm, states, self._attend_to_source, hidden)
        return self._add(self._layer.final_layer_norm, states, self._feed_forward)

    def keep(self, kept: torch.Tensor, count: int) -> None:
        """Go on with some of the sentences, of which `count` pieces were fed."""
        self._memory = self._memory[:, kept]
        seen = self._seen
        self._seen = seen.new_empty((2, int(kept.sum()), *seen.shape[2:]))
        self._seen[:, :, :, :count] = seen[:, kept, :, :count]

    def _add(self, norm: Any, states: torch.Tensor, compute: Any, *rest: Any) -> torch.Tensor:
        if self._layer.normalize_before:
            return states + compute(normalize(norm, states), *rest)
        return normalize(norm, states + compute(states, *rest))

    def _attend_to_itself(self, states: torch.Tensor, number: int) -> torch.Tensor:
        query, *fed = self._by_head(self._self_in(states)[:, None], 3)
        for seen, new in zip(self._seen, fed, strict=True):
            seen[:, :, number] = new[:, :, 0]
        keys, values = self._seen[:, :, :, : number + 1]
        return self._self_out(_mixed(query, keys, values, None))

    def _attend_to_source(self, states: torch.Tensor, hidden: torch.Tensor | None) -> torch.Tensor:
        (query,) = self._by_head(self._source_in(states)[:, None], 1)
        return self._source_out(_mixed(query, self._memory[0], self._memory[1], hidden))

    def _feed_forward(self, states: torch.Tensor) -> torch.Tensor:
        if self._layer.activation_fn is functional.relu:
            return self._outer(self._inner(states, relu=True))
        return self._outer(self._layer.activation_fn(self._inner(states)))

    def _by_head(self, states: torch.Tensor, parts: int) -> torch.Tensor:
        """Return parts × batch × heads × length × size of states that are batch × length × channels."""
        return states.unflatten(2, (parts, self._heads, -1)).permute(2, 0, 3, 1, 4)


class _Map:
    """Linear maps of the same rows, their results side by side."""

    def __init__(self, kind: torch.dtype, *maps: torch.nn.Linear) -> None:
        self._weight = torch.cat([one.weight.to(kind) for one in maps])
        biases = [one.bias.to(kind) for one in maps if one.bias is not None]
        self._bias = torch.cat(biases) if biases else None

    def __call__(self, rows: torch.Tensor, relu: bool = False) -> torch.Tensor:
        return affine(rows, self._weight, self._bias, relu)


def _mixed(query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, hidden: torch.Tensor | None) -> torch.Tensor:
    """Return batch × channels: the values, weighted by what one query of each sentence and head says of the keys."""
    return functional.scaled_dot_product_attention(query, keys, values, attn_mask=hidden).flatten(1)
