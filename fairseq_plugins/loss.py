"""Label-smoothed cross-entropy in blocks: `--criterion label_smoothed_cross_entropy_blocks`.

fairseq's own computes logits of a whole batch, log-probabilities in fp32, and the gradients of both, each as large as
pieces × vocabulary. Here the loss of a block of pieces and its gradient by the logits are computed together, in place,
so that the block stays in the processor's cache; logits of padding are not computed. The numbers are the same. (That a
loss can compute its gradient on the way is from Hsu et al. 2024, Liger Kernel.)
"""

from __future__ import annotations

from typing import Any

import torch
from fairseq.criterions import register_criterion
from fairseq.criterions.label_smoothed_cross_entropy import (
    LabelSmoothedCrossEntropyCriterion,
    LabelSmoothedCrossEntropyCriterionConfig,
)
from fairseq.models.transformer import TransformerModelBase

from fairseq_plugins.attention import RowLayout, fill
from fairseq_plugins.products import by_onednn, compute_dtype, product

#: Logits that are computed together: on a CPU what its cache holds, on a GPU what keeps it busy.
BLOCK = {"cpu": 2**18, "cuda": 2**27}
#: Logits that are in memory together.
LARGEST = {"cpu": 2**25, "cuda": 2**29}


@register_criterion("label_smoothed_cross_entropy_blocks", dataclass=LabelSmoothedCrossEntropyCriterionConfig)
class BlockwiseLoss(LabelSmoothedCrossEntropyCriterion):
    """fairseq's label-smoothed cross-entropy, computed with its gradient in blocks of pieces.

    fairseq's own computes the other cases: other models than Transformers, adaptive softmax, fp16 (whose
    gradients must be scaled before they are rounded), accuracies, losses of single pieces.
    """

    def forward(self, model: Any, sample: Any, reduce: bool = True) -> tuple[torch.Tensor, Any, dict[str, Any]]:
        if not reduce or self.report_accuracy or self.ignore_prefix_size or not projects(model):
            return super().forward(model, sample, reduce)
        features, _ = model(**sample["net_input"], features_only=True)
        weight, target = model.decoder.output_projection.weight, sample["target"]
        rows = sample["net_input"].get("rows")
        loss, nll = label_smoothed_loss(features, weight, target, self.eps, self.padding_idx, rows)
        log = {"loss": loss.detach(), "nll_loss": nll, **self.sizes(sample)}
        return loss, log["sample_size"], log

    def sizes(self, sample: Any) -> dict[str, int]:
        """Return how large a batch is, as fairseq logs it; gradients are divided by `sample_size`."""
        sentences, pieces = len(sample["target"]), sample["ntokens"]
        size = sentences if self.sentence_avg else pieces
        return {"ntokens": pieces, "nsentences": sentences, "sample_size": size}


def projects(model: Any) -> bool:
    """Return whether a model's scores are its features times one matrix, in a precision with fp32's range.

    Several processes wrap the model, twice. Where they look for weights that an output does not use, they would take
    the matrix for one, unless it is the embeddings, too.
    """
    inner, searched = model, False
    while not isinstance(inner, TransformerModelBase):
        searched |= getattr(inner, "find_unused_parameters", False)
        inner = getattr(inner, "module", None)
        if inner is None:
            return False
    decoder = inner.decoder
    if decoder.adaptive_softmax is not None or decoder.output_projection.weight.dtype == torch.float16:
        return False
    return not searched or decoder.output_projection.weight is decoder.embed_tokens.weight


def label_smoothed_loss(
    features: torch.Tensor,
    weight: torch.Tensor,
    target: torch.Tensor,
    epsilon: float,
    padding: int,
    row_count: int | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the summed loss and negative log-likelihood (nats) of the pieces that are not `padding`.

    features: batch × length × channels; weight: vocabulary × channels; target: batch × length. The likelihood has no
    gradient. fairseq's smoothing: `epsilon` is spread over the vocabulary's other pieces. On a GPU rows of padding are
    left out where `row_count` is given: that of a RowLayout of the target.
    """
    if not torch.is_grad_enabled():  # on dev: autograd.Function would be told that the weight wants a gradient
        weight = weight.detach()
    device, kind = features.device, compute_dtype(features.device, features.dtype)
    rows, wanted = features.reshape(-1, features.shape[-1]), target.reshape(-1)
    counted = wanted.ne(padding)
    if row_count is not None:
        layout = RowLayout(target.eq(padding), row_count)
        sides = (features, target, target.ne(padding))
        rows, wanted, counted = (layout.flatten(one.transpose(0, 1)) for one in sides)
    elif device.type == "cpu":
        rows, wanted, counted = (one[counted] for one in (rows, wanted, counted))
        if by_onednn(kind, device):
            count = -len(rows) % RowLayout.ROWS
            rows, wanted, counted = (fill(one, count) for one in (rows, wanted, counted))
    with torch.autocast(device.type, enabled=False):
        loss, nll = _LabelSmoothedLoss.apply(rows.to(kind), weight, wanted, counted, epsilon)
    return loss, nll


class _LabelSmoothedLoss(torch.autograd.Function):
    """Loss and gradient together.

    With p = softmax(logits), the gradient by the logits of a piece is p - (1 - ε - ε') · one-hot - ε', where
    ε' = ε / (vocabulary - 1). Only p needs the logits: the second part is one row of the weight, the third its sum.
    """

    @staticmethod
    def forward(
        ctx: Any, rows: torch.Tensor, weight: torch.Tensor, target: torch.Tensor, counted: torch.Tensor, epsilon: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        types, device = weight.shape[0], rows.device.type
        learning, kind = any(ctx.needs_input_grad), rows.dtype
        matrix = weight.to(kind)
        norms, shares = counted.float(), counted.float()
        grad_rows, grad_weight = torch.empty_like(rows), torch.zeros_like(weight)
        largest_part, height = (max(1, count[device] // types) for count in (LARGEST, BLOCK))
        for start in range(0, len(rows), largest_part):
            part = slice(start, start + largest_part)
            logits = product(rows[part], matrix.T)
            blocks = zip(*(one.split(height) for one in (logits, norms[part], shares[part])), strict=True)
            for block, norm, share in blocks:
                scores = block.float()  # in fp32 this is the block itself
                largest = scores.amax(1)
                total = scores.sub_(largest[:, None]).exp_().sum(1)
                share.div_(total)
                norm.copy_(total.log_().add_(largest))
                if learning and scores.dtype != kind:
                    block.copy_(scores)
            if learning:
                scaled = shares[part, None].to(kind)
                torch.mul(product(logits, matrix), scaled, out=grad_rows[part])
                grad_weight += product(logits.T, rows[part] * scaled).to(weight.dtype)
        other = epsilon / (types - 1)
        wanted = 1 - epsilon - other
        counts, summed, picked = counted.float(), weight.sum(0, dtype=torch.float32), matrix[target]
        nll = ((norms - (rows * picked).sum(1, dtype=torch.float32)) * counts).sum()
        smooth = ((types * norms - rows.float() @ summed) * counts).sum()
        if learning:
            grad_rows.addcmul_(picked, counts[:, None].to(kind), value=-wanted)
            grad_rows.sub_((counts[:, None] * (other * summed)).to(kind))
            counted_rows = rows.to(weight.dtype) * counts[:, None].to(weight.dtype)
            grad_weight.index_add_(0, target, counted_rows, alpha=-wanted).sub_(other * counted_rows.sum(0))
            ctx.save_for_backward(grad_rows, grad_weight)
        ctx.mark_non_differentiable(nll)
        return wanted * nll + other * smooth, nll

    @staticmethod
    def backward(ctx: Any, grad_loss: torch.Tensor, _: Any) -> tuple[Any, ...]:
        return *(grad * grad_loss.to(grad.dtype) for grad in ctx.saved_tensors), None, None, None
