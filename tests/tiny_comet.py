"""Make a COMET model of a few thousand random parameters, so that the real scoring code runs without a download."""

from __future__ import annotations

from pathlib import Path

TEXT = "the a small old red house tree river child bird reads sees walks sings under over near and quickly today"


def make_tiny_comet(folder: Path) -> Path:
    """Write encoder, hparams.yaml and checkpoints/model.ckpt below `folder`; return the checkpoint."""
    import torch
    import yaml
    from comet.models import RegressionMetric
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import XLMRobertaConfig, XLMRobertaModel, XLMRobertaTokenizerFast

    encoder = folder / "encoder"
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    words = TEXT.split()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    text = [f"{a} {b} {c}" for a in words for b in words for c in words[:5]]
    trainer = trainers.UnigramTrainer(vocab_size=150, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(text, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    XLMRobertaTokenizerFast(tokenizer_object=tokenizer).save_pretrained(encoder)
    config = XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=130,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        type_vocab_size=1,
    )
    torch.manual_seed(0)
    XLMRobertaModel(config, add_pooling_layer=False).save_pretrained(encoder)
    metric = RegressionMetric(
        encoder_model="XLM-RoBERTa", pretrained_model=str(encoder), hidden_sizes=[8], layer_norm=False, dropout=0.0
    )
    checkpoint = folder / "checkpoints" / "model.ckpt"
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    state = {"state_dict": metric.state_dict(), "hyper_parameters": dict(metric.hparams)}
    torch.save(state | {"pytorch-lightning_version": "2.0.0"}, checkpoint)
    parameters = dict(metric.hparams) | {"class_identifier": "regression_metric"}
    (folder / "hparams.yaml").write_text(yaml.safe_dump(parameters), encoding="utf-8")
    return checkpoint
