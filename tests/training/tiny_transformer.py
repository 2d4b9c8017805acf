"""A tiny fairseq Transformer and a batch for it, without data on disk."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

FLAGS = {
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_embed_dim": 16,
    "decoder_embed_dim": 16,
    "encoder_ffn_embed_dim": 32,
    "decoder_ffn_embed_dim": 32,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "share_all_embeddings": True,
    "dropout": 0.0,
    "max_source_positions": 64,
    "max_target_positions": 64,
}


def make_task(symbols: int = 30, left_pad_target: bool = False) -> Any:
    """Return what a model needs of a task: its dictionaries, and how sentences are padded."""
    import fairseq_plugins  # noqa: F401
    from fairseq.data import Dictionary

    dictionary = Dictionary()
    for number in range(symbols):
        dictionary.add_symbol(f"piece{number}")
    sides = {"source_dictionary": dictionary, "target_dictionary": dictionary}
    return Namespace(**sides, cfg=Namespace(left_pad_target=left_pad_target))


def make_model(arch: str = "transformer", seed: int = 1, task: Any = None, **flags: Any) -> Any:
    """Return a model of an architecture, its weights drawn with `seed`."""
    import torch

    task = task or make_task()
    from fairseq.models import ARCH_CONFIG_REGISTRY, ARCH_MODEL_REGISTRY

    arguments = Namespace(arch=arch, **{**FLAGS, **flags})
    ARCH_CONFIG_REGISTRY[arch](arguments)
    torch.manual_seed(seed)
    return ARCH_MODEL_REGISTRY[arch].build_model(arguments, task)


def make_batch(task: Any, lengths: list[tuple[int, int]], seed: int = 1) -> dict[str, Any]:
    """Return sentence pairs of (source, target) pieces as the translation task batches them (left, right padded)."""
    import torch
    from fairseq.data.language_pair_dataset import collate

    generator = torch.Generator().manual_seed(seed)
    dictionary = task.source_dictionary

    def sentence(length: int) -> torch.Tensor:
        pieces = torch.randint(dictionary.nspecial, len(dictionary), (length,), generator=generator)
        return torch.cat([pieces, torch.tensor([dictionary.eos()])])

    samples = [
        {"id": number, "source": sentence(source), "target": sentence(target)}
        for number, (source, target) in enumerate(lengths)
    ]
    batch: dict[str, Any] = collate(samples, pad_idx=dictionary.pad(), eos_idx=dictionary.eos())
    return batch
