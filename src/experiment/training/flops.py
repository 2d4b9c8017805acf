"""How many floating-point operations a training takes, by the shape of its model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: fairseq's `transformer`, where a recipe does not say otherwise.
BASE = {"layers": 6, "embed-dim": 512, "ffn-embed-dim": 2048}


def training_flops(
    flags: Mapping[str, Any], entries: int | None, source: float | None, target: float | None
) -> float | None:
    """Return an estimate: 6 x weights x pieces, for the weights of the matrices that each piece is multiplied by.

    `source` and `target` are the pieces that the training saw, `entries` is the size of the target vocabulary. None
    where one of them or the shape of the model is not known.

    Kaplan et al. 2020, section 2.1: 2 operations a weight forward and 4 backward; attention's products of pieces with
    pieces, norms and embeddings are left out. A source piece passes the encoder (4 d² + 2 d f a layer), a target piece
    the decoder (8 d² + 2 d f, of which 2 d² belong to source pieces) and the output layer (d x vocabulary).
    """
    arch = str(flags.get("arch", ""))
    if not (source and target) or not arch.startswith("transformer"):
        return None
    base = BASE if arch in ("transformer", "transformer_fast") else dict.fromkeys(BASE)
    shape = {
        side: [flags.get(f"{side}-{name}", value) for name, value in base.items()] for side in ("encoder", "decoder")
    }
    if any(value is None for values in shape.values() for value in values) or entries is None:
        return None
    (layers, d, f), (decoder_layers, e, g) = shape["encoder"], shape["decoder"]
    of_source = layers * (4 * d * d + 2 * d * f) + decoder_layers * 2 * d * e
    of_target = decoder_layers * (6 * e * e + 2 * e * g) + e * entries
    return 6.0 * (source * of_source + target * of_target)
