"""Make a COMET model of random parameters, a few megabytes, so that the real scoring code runs without a download."""

from __future__ import annotations

import itertools
import string
from pathlib import Path
from typing import Any

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
#: More pieces than transformers' threshold (100,000) for asking the hub about a tokenizer, as XLM-R's 250,000 are.
PIECES = 100_100


def pieces() -> list[tuple[str, float]]:
    """Return made-up pieces with log probabilities: letters, and the first strings of four letters."""
    made = map("".join, itertools.product(string.ascii_lowercase, repeat=4))
    found = [*SPECIAL, "\u2581", *string.ascii_letters, *".,", *itertools.islice(made, PIECES)]
    return [(piece, -float(len(piece))) for piece in found[:PIECES]]


def make_tiny_comet(folder: Path, kind: str = "regression_metric", encoder: Path | None = None, **options: Any) -> Path:
    """Write encoder, hparams.yaml and checkpoints/model.ckpt below `folder`; return the checkpoint.

    `kind` is one of COMET's classes of models, `options` are some of its own. A given encoder is shared.
    """
    import torch
    import yaml
    from comet.models import str2model

    encoder = encoder or make_encoder(folder / "encoder")
    torch.manual_seed(0)
    shape = {"pretrained_model": str(encoder), "hidden_sizes": [8], "layer_norm": False, "dropout": 0.0}
    metric = str2model[kind](encoder_model="XLM-RoBERTa", **shape, **options)
    checkpoint = folder / "checkpoints" / "model.ckpt"
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    state = {"state_dict": metric.state_dict(), "hyper_parameters": dict(metric.hparams)}
    torch.save(state | {"pytorch-lightning_version": "2.0.0"}, checkpoint)
    parameters = dict(metric.hparams) | {"class_identifier": kind}
    (folder / "hparams.yaml").write_text(yaml.safe_dump(parameters), encoding="utf-8")
    return checkpoint


def make_encoder(encoder: Path) -> Path:
    """Write tokenizer and encoder."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import XLMRobertaConfig, XLMRobertaModel, XLMRobertaTokenizerFast

    tokenizer = Tokenizer(models.Unigram(pieces(), unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    XLMRobertaTokenizerFast(tokenizer_object=tokenizer).save_pretrained(encoder)
    config = XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=130,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        type_vocab_size=1,
    )
    torch.manual_seed(0)
    XLMRobertaModel(config, add_pooling_layer=False).save_pretrained(encoder)
    return encoder
