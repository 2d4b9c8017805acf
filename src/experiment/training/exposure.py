"""How much a training has seen and computed: sentences, pieces, floating-point operations, and whether it ended early.

What the training itself recorded counts; what it did not record is computed from its recipe.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: fairseq's `transformer`, where a recipe does not say otherwise.
BASE = {"layers": 6, "embed-dim": 512, "ffn-embed-dim": 2048}


def exposure(
    record: Mapping[str, Any], sentences: int | None, pieces: Mapping[str, float | None], entries: int | None
) -> dict[str, Any]:
    """Return `sentences_seen`, `pieces_seen`, `training_flops`, `stopped_early`, `energy_kwh`; None where not known.

    `record` is a run.json, `sentences` the number of training pairs, `pieces` the mean pieces of a sentence by side
    ("source", "target"), `entries` the target vocabulary's. `pieces_seen` are of the target side.
    """
    flags = (record.get("definition") or {}).get("recipe") or asked(record, "model").get("flags") or {}
    found: dict[str, Any] = {"energy_kwh": record.get("energy_kwh"), "stopped_early": stopped_early(record, flags)}
    seen = record.get("sentences_seen") or sentences_seen(record, flags, sentences)
    source, target = (seen * each if seen and each else None for each in (pieces.get("source"), pieces.get("target")))
    target = record.get("pieces_seen") or target
    return found | {
        "sentences_seen": seen and round(seen),
        "pieces_seen": target and round(target),
        "training_flops": record.get("training_flops") or training_flops(flags, entries, source, target),
    }


def planned_exposure(flags: Mapping[str, Any]) -> dict[str, int | None]:
    """Return the updates and sentences that a recipe names for every system; None for what depends on the system."""
    updates = flags.get("max-update") if not flags.get("patience") else None
    by_sentences = flags.get("batch-size") and not flags.get("max-tokens")
    batch = flags["batch-size"] * _first(flags.get("update-freq", 1)) if by_sentences else None
    return {"updates": updates, "sentences_seen": updates and batch and updates * batch}


def asked(record: Mapping[str, Any], what: str) -> Mapping[str, Any]:
    """Return what the experiment file asked for: an entry of a run.json's `parameters`, or nothing."""
    return (record.get("parameters") or {}).get(what) or {}


def sentences_seen(record: Mapping[str, Any], flags: Mapping[str, Any], sentences: int | None) -> float | None:
    """Return updates times sentences of a batch; epochs times sentences where batches are measured in pieces.

    Batches are an update's, on however many cards it is shared out (`recipes.on_cards`).
    """
    if flags.get("batch-size") and not flags.get("max-tokens") and record.get("updates") is not None:
        return float(record["updates"]) * flags["batch-size"] * _first(flags.get("update-freq", 1))
    return record["epochs"] * sentences if sentences and record.get("epochs") else None


def stopped_early(record: Mapping[str, Any], flags: Mapping[str, Any]) -> bool | None:
    """Return whether patience ended the training before the recipe's last update or epoch."""
    if record.get("stopped_early") is not None:
        return bool(record["stopped_early"])
    ends = {"updates": flags.get("max-update"), "epochs": flags.get("max-epoch")}
    reached = [record[name] >= end for name, end in ends.items() if end and record.get(name) is not None]
    return not any(reached) if reached else None


def training_flops(
    flags: Mapping[str, Any], entries: int | None, source: float | None, target: float | None
) -> float | None:
    """Return an estimate: 6 x weights x pieces, for the weights of the matrices that each piece is multiplied by.

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


def _first(value: Any) -> int:
    return int(value[0] if isinstance(value, list) else value)
