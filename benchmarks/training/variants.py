"""What is measured: models, and for each of them fairseq's own training beside this project's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml

from experiment.training.precision import has_fast_bf16

from . import ROOT

STOCK = {"arch": "transformer", "criterion": "label_smoothed_cross_entropy", "optimizer": "adam"}
OURS = {"arch": "transformer_fast", "criterion": "label_smoothed_cross_entropy_blocks", "optimizer": "adamw_fused"}
BF16 = ("--autocast", "bf16")


@dataclass(frozen=True)
class Variant:
    """One way to train a model: recipe flags, and fairseq's flags that a recipe does not set."""

    name: str
    flags: dict[str, Any]
    words: tuple[str, ...] = ()
    stock: bool = False  # as fairseq and torch come: batches and logs by fairseq, cuDNN's attention if torch likes
    leaves_padding_out: bool = False  # in graphs


@dataclass(frozen=True)
class Model:
    """A recipe of config/models.yaml with changes."""

    name: str
    like: str
    flags: dict[str, Any] = field(default_factory=dict)


SMALL = Model("transformer-small, 2,048 pieces", "transformer-small", {"batch-size": None, "max-tokens": 2048})
MIDDLE = Model("3+3 layers of 512/1,024", "transformer-base", {
    "encoder-layers": 3, "decoder-layers": 3, "encoder-ffn-embed-dim": 1024, "decoder-ffn-embed-dim": 1024,
    "max-tokens": 2048, "num-workers": 0,
})  # fmt: skip
BASE = Model("transformer-base", "transformer-base", {"max-tokens": 25000})
TINY = Model("1+1 layers of 16, for tests", "transformer-tiny", {
    "encoder-layers": 1, "decoder-layers": 1, "encoder-embed-dim": 16, "decoder-embed-dim": 16,
    "encoder-ffn-embed-dim": 32, "decoder-ffn-embed-dim": 32, "batch-size": 16,
})  # fmt: skip


def recipes() -> dict[str, Any]:
    """Return the recipes of config/models.yaml."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "config" / "models.yaml").read_text(encoding="utf-8"))
    return found


def models(device: str) -> list[Model]:
    return [BASE] if device == "cuda" else [SMALL, MIDDLE]


def variants(device: str) -> list[Variant]:
    """Return the variants for a device; the first is what the others are compared with."""
    if device == "cuda":
        one_by_one = (*BF16, "--cuda-graphs", "off")
        fused = {**STOCK, "optimizer": OURS["optimizer"]}
        return [
            Variant("fairseq, fp16", STOCK, ("--fp16",), stock=True),
            Variant("fairseq, bf16", STOCK, ("--bf16",), stock=True),
            Variant("fairseq, autocast bf16", STOCK, one_by_one, stock=True),
            Variant("+ adamw_fused", fused, one_by_one, stock=True),
            Variant("+ our batches and logs, no cuDNN attention", fused, one_by_one),
            Variant("+ transformer_fast", {**OURS, "criterion": STOCK["criterion"]}, one_by_one),
            Variant("+ loss in blocks", OURS, one_by_one),
            Variant("+ CUDA graphs", OURS, BF16),
            Variant("+ no rows for padding (the recipes)", OURS, BF16, leaves_padding_out=True),
        ]
    found = [Variant("fairseq, fp32", STOCK, stock=True), Variant("ours, fp32", OURS)]
    if has_fast_bf16(cuda=False):
        found += [Variant("fairseq, autocast bf16", STOCK, BF16, stock=True), Variant("ours, bf16", OURS, BF16)]
    return found
