"""Batches of sentence pairs, collected in a few calls of torch: fairseq's own makes a dozen for every pair.

That takes as long as the update of a small model on a GPU. The batches are the same, but for texts with a piece that
is written <pad>.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from fairseq.data import language_pair_dataset

by_fairseq = language_pair_dataset.collate

#: What a pair may have beside source and target; fairseq collects such pairs.
FURTHER = ("alignment", "constraints", "prev_output_tokens")


def padded(rows: Sequence[torch.Tensor], flat: torch.Tensor, padding: int, left: bool, multiple: int) -> torch.Tensor:
    """Return rows × length with the pieces of `flat`, which are those of `rows` in length and order."""
    lengths = torch.tensor([len(row) for row in rows])[:, None]
    longest = int(lengths.max())
    places = torch.arange(-(-longest // multiple) * multiple)
    if left:
        places = places.flip(0)
    return flat.new_full((len(rows), len(places)), padding).masked_scatter_(places < lengths, flat)


def collate(
    samples: list[dict[str, Any]],
    pad_idx: int,
    eos_idx: int,
    left_pad_source: bool = True,
    left_pad_target: bool = False,
    input_feeding: bool = True,
    pad_to_length: dict[str, int] | None = None,
    pad_to_multiple: int = 1,
) -> dict[str, Any]:
    """Return what fairseq's function of this name returns, but where a target has a piece that is written <pad>.

    The piece after it is predicted from an end of sentence, not from padding: what is fed says where padding begins.
    Beside fairseq's entries there is `target_positions`: how many of the targets' positions are not padded ones.
    """
    first = samples[0] if samples else {}
    usual = input_feeding and pad_to_length is None and first.get("target") is not None
    if not usual or any(first.get(name) is not None for name in FURTHER):
        how = (left_pad_source, left_pad_target, input_feeding, pad_to_length, pad_to_multiple)
        return dict(by_fairseq(samples, pad_idx, eos_idx, *how))
    sources, targets = ([sample[side] for sample in samples] for side in ("source", "target"))
    source = padded(sources, torch.cat(sources), pad_idx, left_pad_source, pad_to_multiple)
    lengths, order = source.ne(pad_idx).sum(1).sort(descending=True)
    pieces = torch.cat(targets)
    target = padded(targets, pieces, pad_idx, left_pad_target, pad_to_multiple)
    fed = pieces.roll(1)  # each target begins with the end of a sentence and lacks its own
    fed[torch.tensor([0, *(len(row) for row in targets[:-1])]).cumsum(0)] = eos_idx
    fed[fed.eq(pad_idx)] = eos_idx
    fed = padded(targets, fed, pad_idx, left_pad_target, pad_to_multiple)
    return {
        "id": torch.tensor([sample["id"] for sample in samples]).index_select(0, order),
        "nsentences": len(samples),
        "ntokens": int(target.ne(pad_idx).sum()),
        "target_positions": len(pieces),
        "net_input": {
            "src_tokens": source.index_select(0, order),
            "src_lengths": lengths,
            "prev_output_tokens": fed.index_select(0, order),
        },
        "target": target.index_select(0, order),
    }


language_pair_dataset.collate = collate
