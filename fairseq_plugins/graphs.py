"""Forward and backward pass of a batch as one CUDA graph.

A Transformer base launches some two thousand kernels and copies an update, and Python and the driver need longer to
launch them than a fast card to compute them. A CUDA graph is launched as a whole. Its shapes and addresses are fixed:
so batches are padded to few shapes, targets without their padding take one of few numbers of rows, and gradients are
added to tensors that stay where they are. Beside what single batches need, the card holds the memory of the largest
graph.

A shape that comes for the first time is computed step by step; when it comes again its graph is captured, and replayed
from then on. Dropout draws new masks at each replay, from the seed that fairseq sets for the update.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from fairseq_plugins.adamw import FusedAdamW
from fairseq_plugins.attention import RowLayout
from fairseq_plugins.loss import BlockwiseLoss, projects
from fairseq_plugins.transformer import FastTransformer

#: Graphs that are kept; further shapes are computed step by step.
MOST_GRAPHS = 256

#: Computes fairseq's loss, sample size and logs of a batch.
Loss = Callable[[Any], tuple[torch.Tensor, Any, dict[str, Any]]]


def rounded(count: int, limit: int) -> int:
    """Return the next larger of few numbers: an even one, from 64 on at most a sixteenth larger; and at most `limit`.

    >>> [rounded(count, 1010) for count in (3, 16, 17, 63, 65, 130, 1000)]
    [4, 16, 18, 64, 68, 136, 1010]
    """
    step = max(2, 2 ** (count.bit_length() - 5))
    return max(count, min(-(-count // step) * step, limit))


def rows_for(pieces: int, positions: int) -> int | None:
    """Return how many rows pieces take without their padding, in eighths of all positions; None if nearly all.

    One row is for the padding. (In sixteenths of themselves there were a third more shapes of 300,000 pairs, made up of
    Multi30k's. Sources of a batch have similar lengths: without their padding they save less than a twentieth.)
    """
    step = 8 * -(-positions // 64)
    rows = -(-(pieces + 1) // step) * step
    return rows if RowLayout.is_much(positions - rows, positions) else None


class Shape(NamedTuple):
    """What is fixed in a graph: sentences and lengths after padding, and the rows of the target."""

    sentences: int
    source: int
    target: int
    rows: int | None


class Signs(NamedTuple):
    """What fills a padded batch: padding, and one end of sentence in each added row, which must not be all padding."""

    padding: int
    end: int


class Batch:
    """Tensors for batches of one shape."""

    def __init__(self, shape: Shape, like: torch.Tensor, signs: Signs, left_pad_source: bool) -> None:
        """`like` has the device and the type of pieces."""
        sentences, source, target, rows = shape
        self._signs, self._left = signs, left_pad_source
        self._source = like.new_empty(sentences, source)
        self._fed, self._target = (like.new_empty(sentences, target) for _ in range(2))
        lengths = like.new_full((sentences,), source)
        tokens = {"src_tokens": self._source, "src_lengths": lengths, "prev_output_tokens": self._fed}
        self.sample: dict[str, Any] = {
            "net_input": {**tokens, "rows": rows},
            "target": self._target,
            "ntokens": 0,
        }

    def fill(self, sample: dict[str, Any]) -> None:
        """Copy a batch of fairseq's into the tensors; targets are padded on the right."""
        given = sample["net_input"]
        source, fed, target = given["src_tokens"], given["prev_output_tokens"], sample["target"]
        sentences = len(source)
        for tensor in (self._source, self._fed, self._target):
            tensor.fill_(self._signs.padding)
        own = self._source[:sentences]
        (own[:, -source.shape[1] :] if self._left else own[:, : source.shape[1]]).copy_(source)
        self._source[sentences:, -1 if self._left else 0] = self._signs.end
        self._fed[:sentences, : fed.shape[1]].copy_(fed)
        self._fed[sentences:, 0] = self._signs.end
        self._target[:sentences, : target.shape[1]].copy_(target)


def can_be_captured(model: Any, loss: Any, optimizer: Any) -> bool:
    """Return whether a training is computed the same way for every batch of a shape, by one process on a GPU."""
    ours = isinstance(model, FastTransformer) and isinstance(loss, BlockwiseLoss) and isinstance(optimizer, FusedAdamW)
    if not ours:  # several processes wrap the model, fp16 the optimizer
        return False
    drops_layers = model.encoder.encoder_layerdrop or model.decoder.decoder_layerdrop
    whole = not (loss.report_accuracy or loss.ignore_prefix_size or drops_layers) and projects(model)
    return whole and next(model.parameters()).is_cuda


class Graphs:
    """Adds the gradients of batches to those of a model's weights, by graphs."""

    leaves_padding_out = True

    def __init__(self, model: Any, loss: Loss, signs: Signs, left_pad_source: bool) -> None:
        self._loss, self._signs, self._left = loss, signs, left_pad_source
        self._longest, self._most = model.max_positions(), MOST_GRAPHS
        self._seen: set[Shape] = set()
        self._graphs: dict[Shape, tuple[torch.cuda.CUDAGraph, Batch, dict[str, torch.Tensor]]] = {}
        self._pool: Any = None
        weights = [weight for weight in model.parameters() if weight.requires_grad]
        #: All gradients, in one tensor.
        self.gradients = torch.cat([torch.zeros_like(weight).flatten() for weight in weights])
        parts = self.gradients.split([weight.numel() for weight in weights])
        self._places = [(weight, part.view_as(weight)) for weight, part in zip(weights, parts, strict=True)]

    def shape_for(self, sample: dict[str, Any]) -> Shape:
        """Return the shape in which a batch of fairseq's is computed, within the model's positions."""
        given, length = sample["net_input"]["src_tokens"].shape
        lengths = zip((length, sample["target"].shape[1]), self._longest, strict=True)
        source, target = (rounded(length, longest) for length, longest in lengths)
        sentences = rounded(given, 2 * given)
        pieces = sample.get("target_positions")  # fairseq's own batches do not have it
        known = self.leaves_padding_out and pieces is not None
        ends = sentences - given  # of the sentences that are added
        return Shape(sentences, source, target, rows_for(pieces + ends, sentences * target) if known else None)

    def add_gradients(self, sample: dict[str, Any]) -> dict[str, torch.Tensor]:
        """Return the summed losses of a batch of fairseq's: loss and nll_loss."""
        for weight, gradient in self._places:
            if weight.grad is not gradient:  # of the first update, or of a new optimizer
                weight.grad = gradient.zero_()
        shape = self.shape_for(sample)
        if shape in self._graphs:
            graph, batch, losses = self._graphs[shape]
            batch.fill(sample)
        else:
            batch = Batch(shape, sample["target"], self._signs, self._left)
            batch.fill(sample)
            captured = self._capture(batch) if shape in self._seen and len(self._graphs) < self._most else None
            self._seen.add(shape)
            if captured is None:
                return self._compute(batch)
            graph, losses = captured
            self._graphs[shape] = graph, batch, losses
        graph.replay()
        return {name: value.clone() for name, value in losses.items()}  # the next replay overwrites them

    def _compute(self, batch: Batch) -> dict[str, torch.Tensor]:
        loss, _, log = self._loss(batch.sample)
        loss.backward()  # type: ignore[no-untyped-call]
        return {name: log[name] for name in ("loss", "nll_loss")}

    def _capture(self, batch: Batch) -> tuple[torch.cuda.CUDAGraph, dict[str, torch.Tensor]] | None:
        """Record what `_compute` does, without doing it; all graphs share their memory, because one runs at a time.

        Returns None where the card has no room; then there are no further graphs.
        """
        self._pool = self._pool or torch.cuda.graph_pool_handle()
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
                losses = self._compute(batch)
        except RuntimeError as error:
            self._most = len(self._graphs)
            print(f"no CUDA graphs after {self._most}: {str(error).splitlines()[0]}", file=sys.stderr)
            torch.cuda.empty_cache()
            return None
        return graph, losses
