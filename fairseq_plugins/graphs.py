"""Forward and backward pass of a batch as one CUDA graph.

A Transformer base launches some two thousand kernels an update, and Python and the driver need longer to launch them
than a fast card to compute them. A CUDA graph is launched as a whole. Its shapes and addresses are fixed: so batches
are padded to few shapes (each dimension by at most an eighth), and gradients are added to tensors that stay where they
are.

A shape that comes for the first time is computed step by step; when it comes again its graph is captured, and replayed
from then on. Dropout draws new masks at each replay, from the seed that fairseq sets for the update.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from fairseq_plugins.adamw import FusedAdamW
from fairseq_plugins.loss import BlockwiseLoss, projects
from fairseq_plugins.transformer import FastTransformer

#: Graphs that are kept; further shapes are computed step by step. Each takes some megabytes of the card's memory.
MOST_GRAPHS = 256

#: Computes fairseq's loss, sample size and logs of a batch.
Loss = Callable[[Any], tuple[torch.Tensor, Any, dict[str, Any]]]


def rounded(count: int) -> int:
    """Return the next larger of few numbers: multiples of 4, from 64 on of an eighth of a power of two.

    >>> [rounded(count) for count in (3, 16, 17, 63, 65, 130, 1000)]
    [4, 16, 20, 64, 72, 144, 1024]
    """
    step = max(4, 2 ** (count.bit_length() - 4))
    return -(-count // step) * step


class Signs(NamedTuple):
    """What fills a padded batch: padding, and one end of sentence in each added row, which must not be all padding."""

    padding: int
    end: int


class Batch:
    """Tensors for batches of one shape: sentences × source length × target length."""

    def __init__(self, shape: tuple[int, int, int], like: torch.Tensor, signs: Signs, left_pad_source: bool) -> None:
        """`like` has the device and the type of pieces."""
        sentences, source, target = shape
        self._signs, self._left = signs, left_pad_source
        self._source = like.new_empty(sentences, source)
        self._fed, self._target = (like.new_empty(sentences, target) for _ in range(2))
        lengths = like.new_full((sentences,), source)
        self.sample: dict[str, Any] = {
            "net_input": {"src_tokens": self._source, "src_lengths": lengths, "prev_output_tokens": self._fed},
            "target": self._target,
            "ntokens": 0,
        }

    @staticmethod
    def shape_for(sample: dict[str, Any]) -> tuple[int, int, int]:
        sentences, source = sample["net_input"]["src_tokens"].shape
        return rounded(sentences), rounded(source), rounded(sample["target"].shape[1])

    def fill(self, sample: dict[str, Any]) -> None:
        """Copy a batch of fairseq's into the tensors; targets are padded on the right."""
        source, fed, target = (
            sample["net_input"]["src_tokens"],
            sample["net_input"]["prev_output_tokens"],
            sample["target"],
        )
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
    if not (
        isinstance(model, FastTransformer) and isinstance(loss, BlockwiseLoss) and isinstance(optimizer, FusedAdamW)
    ):
        return False  # several processes wrap the model, fp16 the optimizer
    drops_layers = model.encoder.encoder_layerdrop or model.decoder.decoder_layerdrop
    whole = not (loss.report_accuracy or loss.ignore_prefix_size or drops_layers) and projects(model)
    return whole and next(model.parameters()).is_cuda


class Graphs:
    """Adds the gradients of batches to those of a model's weights, by graphs."""

    def __init__(self, model: Any, loss: Loss, signs: Signs, left_pad_source: bool) -> None:
        self._loss, self._signs, self._left = loss, signs, left_pad_source
        self._seen: set[tuple[int, int, int]] = set()
        self._graphs: dict[tuple[int, int, int], tuple[torch.cuda.CUDAGraph, Batch, dict[str, torch.Tensor]]] = {}
        self._pool: Any = None
        for weight in model.parameters():
            if weight.requires_grad and weight.grad is None:
                weight.grad = torch.zeros_like(weight)

    def add_gradients(self, sample: dict[str, Any]) -> dict[str, torch.Tensor]:
        """Return the summed losses of a batch of fairseq's: loss and nll_loss."""
        shape = Batch.shape_for(sample)
        if shape in self._graphs:
            graph, batch, losses = self._graphs[shape]
            batch.fill(sample)
        else:
            batch = Batch(shape, sample["target"], self._signs, self._left)
            batch.fill(sample)
            if shape not in self._seen or len(self._graphs) == MOST_GRAPHS:
                self._seen.add(shape)
                return self._compute(batch)
            graph, losses = self._capture(batch)
            self._graphs[shape] = graph, batch, losses
        graph.replay()
        return {name: value.clone() for name, value in losses.items()}  # the next replay overwrites them

    def _compute(self, batch: Batch) -> dict[str, torch.Tensor]:
        loss, _, log = self._loss(batch.sample)
        loss.backward()  # type: ignore[no-untyped-call]
        return {name: log[name] for name in ("loss", "nll_loss")}

    def _capture(self, batch: Batch) -> tuple[torch.cuda.CUDAGraph, dict[str, torch.Tensor]]:
        """Record what `_compute` does, without doing it; all graphs share their memory, because one runs at a time."""
        self._pool = self._pool or torch.cuda.graph_pool_handle()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
            losses = self._compute(batch)
        return graph, losses
