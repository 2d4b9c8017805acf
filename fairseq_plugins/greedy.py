"""Greedy translation (a beam of 1), with which dev is scored during training.

fairseq's beam search copies the keys and values of what it has translated so far twice at every step. With a beam of 1
they are written in place. How long a hypothesis may become follows from its own source, not from the longest source of
its batch. So, but for rounding, it does not depend on what is translated beside it, and batches can be large. Products
are in the training's precision.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from fairseq_plugins.attention import Visible
from fairseq_plugins.products import affine, compute_dtype
from fairseq_plugins.transformer import FastTransformer, normalize

#: Sentences that have ended leave the batch when at most this share goes on: all keys and values are copied then.
GOING_ON = 0.8
#: They leave so that a multiple of so many rows is left: oneDNN compiles kernels for every number of rows.
ROWS = 32


class Greedy:
    """Translates batches with the weights that a model has at the time; the model must be in `eval` mode."""

    def __init__(self, model: FastTransformer, end: int, padding: int, factor: float, constant: int) -> None:
        """A hypothesis has at most factor · source + constant pieces; the source's end counts, padding does not."""
        self.model, self.end, self.padding = model, end, padding
        self.factor, self.constant = factor, constant

    @torch.no_grad()
    def translate(self, source: torch.Tensor, lengths: torch.Tensor) -> list[torch.Tensor]:
        """Return the pieces of each hypothesis, without its end.

        source: batch × length; lengths: of the sentences, with their ends. Products are in the weights' precision, or
        in that of `torch.autocast`.
        """
        precision = compute_dtype(source.device, self.model.decoder.output_projection.weight.dtype)
        encoded = self.model.encoder.encode(source)
        with torch.autocast(source.device.type, enabled=False):
            return self._search(encoded, self._limits(lengths), precision)

    def _limits(self, lengths: torch.Tensor) -> torch.Tensor:
        limits = (self.factor * lengths.double() + self.constant).long()
        return limits.clamp(max=self.model.decoder.max_positions() - 1)

    def _search(self, encoded: dict[str, Any], limits: torch.Tensor, precision: torch.dtype) -> list[torch.Tensor]:
        steps = int(limits.max()) + 1
        decoder = _Decoder(self.model.decoder, encoded, steps, self.end, precision)
        rows = torch.arange(len(limits), device=limits.device)  # the sentences that are still in the batch
        found = torch.full((len(rows), steps), self.end, device=limits.device)
        chosen, going_on = torch.full_like(rows, self.end), torch.ones_like(rows, dtype=torch.bool)
        for step in range(steps):
            scores = decoder.scores(chosen)
            scores[:, self.padding] = -torch.inf
            if step == 0:  # no hypothesis is empty
                scores[:, self.end] = -torch.inf
            chosen = scores.argmax(1).masked_fill(~going_on | (limits[rows] <= step), self.end)
            found[rows, step] = chosen
            going_on = chosen.ne(self.end)
            count = int(going_on.sum())
            if count == 0:
                break
            if (left := -(-count // ROWS) * ROWS) <= GOING_ON * len(rows):
                kept = going_on.sort(descending=True, stable=True).indices[:left]
                decoder.keep(kept)
                rows, chosen, going_on = rows[kept], chosen[kept], going_on[kept]
        counts = found.ne(self.end).sum(1).tolist()
        return [pieces[:count] for pieces, count in zip(found, counts, strict=True)]


class _Decoder:
    """A decoder that is fed one piece of each sentence after another."""

    def __init__(self, decoder: Any, encoded: dict[str, Any], steps: int, end: int, precision: torch.dtype) -> None:
        memory, padding = encoded["encoder_out"][0], encoded["encoder_padding_mask"][0]
        memory = memory.transpose(0, 1).to(precision)
        self._decoder, self._precision, self._step = decoder, precision, 0
        self._padding_mask = Visible(padding).added_to_kernel(precision) if padding.any() else None
        self._positions = None
        if decoder.embed_positions is not None:
            self._positions = decoder.embed_positions(torch.full((1, steps), end, device=memory.device))[0]
        self._layers = [_Layer(layer, memory, steps) for layer in decoder.layers]
        self._output = _Map(precision, decoder.output_projection)
        self._project_out = decoder.project_out_dim and _Map(precision, decoder.project_out_dim)

    def scores(self, pieces: torch.Tensor) -> torch.Tensor:
        """Return batch × vocabulary: what is to follow, after one more piece of each sentence."""
        decoder = self._decoder
        states = decoder.embed_scale * functional.embedding(pieces, decoder.embed_tokens.weight)
        if decoder.project_in_dim is not None:
            states = decoder.project_in_dim(states)
        if self._positions is not None:
            states = states + self._positions[self._step]
        if decoder.layernorm_embedding is not None:
            states = decoder.layernorm_embedding(states)
        states = states.to(self._precision)
        for layer in self._layers:
            states = layer.compute(states, self._step, self._padding_mask)
        if decoder.layer_norm is not None:
            states = normalize(decoder.layer_norm, states)
        if self._project_out is not None:
            states = self._project_out(states)
        self._step += 1
        return self._output(states)

    def keep(self, kept: torch.Tensor) -> None:
        """Go on with some of the sentences, by their numbers in the batch."""
        if self._padding_mask is not None:
            self._padding_mask = self._padding_mask[kept]
        for layer in self._layers:
            layer.keep(kept, self._step)


class _Layer:
    """A decoder layer, with the keys and values of the source and of what it was fed."""

    def __init__(self, layer: Any, memory: torch.Tensor, steps: int) -> None:
        """`memory` is batch × source length × channels."""
        self._layer, precision = layer, memory.dtype
        itself, source = layer.self_attn, layer.encoder_attn
        self._heads = itself.num_heads
        self._self_in = _Map(precision, itself.q_proj, itself.k_proj, itself.v_proj)
        self._source_in = _Map(precision, source.q_proj)
        self._self_out, self._source_out = _Map(precision, itself.out_proj), _Map(precision, source.out_proj)
        self._inner, self._outer = _Map(precision, layer.fc1), _Map(precision, layer.fc2)
        known = _Map(precision, source.k_proj, source.v_proj)(memory.flatten(0, 1)).unflatten(0, memory.shape[:2])
        self._memory = self._by_head(known, 2)  # keys and values: batch × heads × length × size
        self._seen = memory.new_empty((2, len(memory), self._heads, steps, self._memory.shape[4]))

    def compute(self, states: torch.Tensor, step: int, padding_mask: torch.Tensor | None) -> torch.Tensor:
        states = self._add(self._layer.self_attn_layer_norm, states, self._attend_to_itself, step)
        states = self._add(self._layer.encoder_attn_layer_norm, states, self._attend_to_source, padding_mask)
        return self._add(self._layer.final_layer_norm, states, self._feed_forward)

    def keep(self, kept: torch.Tensor, steps: int) -> None:
        """Go on with some of the sentences, by their numbers, after so many steps."""
        self._memory = self._memory[:, kept]
        seen = self._seen
        self._seen = seen.new_empty((2, len(kept), *seen.shape[2:]))
        self._seen[:, :, :, :steps] = seen[:, kept, :, :steps]

    def _add(self, norm: Any, states: torch.Tensor, compute: Any, *rest: Any) -> torch.Tensor:
        if self._layer.normalize_before:
            return states + compute(normalize(norm, states), *rest)
        return normalize(norm, states + compute(states, *rest))

    def _attend_to_itself(self, states: torch.Tensor, step: int) -> torch.Tensor:
        query, *fed = self._by_head(self._self_in(states)[:, None], 3)
        for seen, new in zip(self._seen, fed, strict=True):
            seen[:, :, step] = new[:, :, 0]
        keys, values = self._seen[:, :, :, : step + 1]
        return self._self_out(_mixed(query, keys, values, None))

    def _attend_to_source(self, states: torch.Tensor, padding_mask: torch.Tensor | None) -> torch.Tensor:
        (query,) = self._by_head(self._source_in(states)[:, None], 1)
        return self._source_out(_mixed(query, self._memory[0], self._memory[1], padding_mask))

    def _feed_forward(self, states: torch.Tensor) -> torch.Tensor:
        if self._layer.activation_fn is functional.relu:
            return self._outer(self._inner(states, relu=True))
        return self._outer(self._layer.activation_fn(self._inner(states)))

    def _by_head(self, states: torch.Tensor, parts: int) -> torch.Tensor:
        """Return parts × batch × heads × length × size of states that are batch × length × channels."""
        return states.unflatten(2, (parts, self._heads, -1)).permute(2, 0, 3, 1, 4)


class _Map:
    """Linear maps of the same rows, their results side by side."""

    def __init__(self, precision: torch.dtype, *maps: torch.nn.Linear) -> None:
        self._weight = _together([one.weight.to(precision) for one in maps])
        biases = [one.bias.to(precision) for one in maps if one.bias is not None]
        self._bias = _together(biases) if biases else None

    def __call__(self, rows: torch.Tensor, relu: bool = False) -> torch.Tensor:
        return affine(rows, self._weight, self._bias, relu)


def _together(parts: list[torch.Tensor]) -> torch.Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts)  # the output matrix is large: no copy


def _mixed(
    query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, padding_mask: torch.Tensor | None
) -> torch.Tensor:
    """Return batch × channels: the values, weighted by what one query of each sentence and head says of the keys.

    With one query torch's kernel is the fastest in bf16 on a CPU, too, unlike with many (fairseq_plugins.attention).
    """
    return functional.scaled_dot_product_attention(query, keys, values, attn_mask=padding_mask).flatten(1)
