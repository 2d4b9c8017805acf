"""Greedy translation is fairseq's beam search with a beam of 1: fairseq is the oracle."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from training.tiny_transformer import make_batch, make_model, make_task

LENGTHS = [(5, 9), (12, 3), (1, 1), (7, 7), (30, 2), (3, 4), (5, 5), (18, 1)]
FACTOR, CONSTANT = 1.5, 5


def untrained(task: Any, **flags: Any) -> Any:
    """Return a model with weights so large that it is sure of itself, and ends some sentences early."""
    model = make_model("transformer_fast", 3, task, **flags).eval()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn(weight.shape, generator=generator) * 0.4)
    return model


def by_fairseq(task: Any, model: Any, batch: Any, beam: int = 1) -> list[list[int]]:
    """Return the pieces of each sentence's best hypothesis, translated by itself: its limit is then its own."""
    from fairseq.sequence_generator import SequenceGenerator

    signs = task.target_dictionary
    generator = SequenceGenerator([model], signs, beam_size=beam, max_len_a=FACTOR, max_len_b=CONSTANT)
    found = []
    for source, length in zip(batch["net_input"]["src_tokens"], batch["net_input"]["src_lengths"], strict=True):
        alone = {"src_tokens": source[-length:][None], "src_lengths": length[None]}
        (best, *_), *_ = generator.generate([model], {"net_input": alone})
        found.append([piece for piece in best["tokens"].tolist() if piece != signs.eos()])
    return found


def ours(task: Any, model: Any, batch: Any) -> list[list[int]]:
    from fairseq_plugins.greedy import Greedy

    signs = task.target_dictionary
    greedy = Greedy(model, signs.eos(), signs.pad(), FACTOR, CONSTANT)
    given = batch["net_input"]
    return [pieces.tolist() for pieces in greedy.translate(given["src_tokens"], given["src_lengths"])]


@pytest.mark.parametrize(
    "flags",
    [
        {},
        {"encoder_normalize_before": True, "decoder_normalize_before": True},
        {"layernorm_embedding": True, "decoder_learned_pos": True, "activation_fn": "gelu"},
        {"share_all_embeddings": False, "decoder_embed_dim": 32, "decoder_output_dim": 16, "decoder_input_dim": 16},
        {"no_token_positional_embeddings": True, "max_target_positions": 20},
    ],
    ids=["post-norm", "pre-norm", "learned positions", "projected", "few positions"],
)
@pytest.mark.usefixtures("either_library")
def test_hypotheses_are_those_of_fairseq(flags: dict[str, Any]) -> None:
    task = make_task()
    model, batch = untrained(task, **flags), make_batch(task, LENGTHS)
    expected = by_fairseq(task, model, batch)
    lengths = {len(pieces) for pieces in expected}
    assert len(lengths) > 2  # some end by themselves, some at their limits
    assert ours(task, model, batch) == expected


def test_in_bf16_each_piece_is_nearly_the_best() -> None:
    """The oracle is fairseq's decoder in fp32, which reads the whole hypothesis: it says how good each piece was."""
    task = make_task()
    model, batch = untrained(task), make_batch(task, LENGTHS)
    with torch.autocast("cpu", torch.bfloat16):
        found = ours(task, model, batch)
    stock = make_model("transformer", 1, task).eval()
    stock.load_state_dict(model.state_dict())
    given, losses = batch["net_input"], []
    for source, length, pieces in zip(given["src_tokens"], given["src_lengths"], found, strict=True):
        fed = torch.tensor([[task.target_dictionary.eos(), *pieces]])
        scores = stock(source[-length:][None], length[None], fed)[0][0, : len(pieces)]
        losses.append(scores.amax(1) - scores[range(len(pieces)), pieces])
    assert scores.std() > 1
    assert torch.cat(losses).max() < 0.05
