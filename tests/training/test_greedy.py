"""Greedy translation is fairseq's beam search with a beam of 1: fairseq is the oracle."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch

from training.tiny_transformer import make_model, make_task

FLAGS: dict[str, dict[str, Any]] = {
    "post-norm": {},
    "pre-norm": {"encoder_normalize_before": True, "decoder_normalize_before": True},
    "learned positions": {"layernorm_embedding": True, "decoder_learned_pos": True, "activation_fn": "gelu"},
    "projected": {"decoder_embed_dim": 32, "decoder_output_dim": 16, "decoder_input_dim": 16},
    "no positions": {"no_token_positional_embeddings": True},
    "few positions": {"max_target_positions": 8},
}
#: Some hypotheses end before they are so long, some are ended there.
FACTOR, CONSTANT = 0.2, 2


def make_pairs(count: int, seed: int, longest: int = 20) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return sources and, as their targets, the last half of each, backwards."""
    dictionary, generator = make_task().source_dictionary, torch.Generator().manual_seed(seed)
    end = torch.tensor([dictionary.eos()])
    pairs = []
    for _ in range(count):
        length = int(torch.randint(1, longest + 1, (1,), generator=generator))
        source = torch.randint(dictionary.nspecial, len(dictionary), (length,), generator=generator)
        pairs.append((torch.cat([source, end]), torch.cat([source.flip(0)[: (length + 1) // 2], end])))
    return pairs


def batch_of(pairs: list[tuple[torch.Tensor, torch.Tensor]], left_pad_source: bool = True) -> Any:
    from fairseq.data.language_pair_dataset import collate

    dictionary = make_task().source_dictionary
    samples = [{"id": number, "source": source, "target": target} for number, (source, target) in enumerate(pairs)]
    return collate(samples, dictionary.pad(), dictionary.eos(), left_pad_source=left_pad_source)


@functools.cache
def trained(name: str) -> Any:
    """Return a model that has learned a little of it: it writes some words of the source, and ends."""
    model = make_model("transformer_fast", 3, **{"share_all_embeddings": False, **FLAGS[name]}).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    padding = make_task().source_dictionary.pad()
    for update in range(250):
        batch = batch_of(make_pairs(32, seed=update, longest=12))
        scores, _ = model(**batch["net_input"])
        loss = torch.nn.functional.cross_entropy(scores.transpose(1, 2), batch["target"], ignore_index=padding)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def by_fairseq(model: Any, sources: list[torch.Tensor]) -> list[list[int]]:
    """Return each sentence's hypothesis, translated by itself: its longest length is then its own."""
    from fairseq.sequence_generator import SequenceGenerator

    signs = make_task().target_dictionary
    generator = SequenceGenerator([model], signs, beam_size=1, max_len_a=FACTOR, max_len_b=CONSTANT)
    found = []
    for source in sources:
        alone = {"src_tokens": source[None], "src_lengths": torch.tensor([len(source)])}
        ((best, *_),) = generator.generate([model], {"net_input": alone})
        found.append([piece for piece in best["tokens"].tolist() if piece != signs.eos()])
    return found


def ours(model: Any, batch: Any) -> list[list[int]]:
    """Return the hypotheses of a batch, in the order of its pairs (by length, the first would end last)."""
    from fairseq_plugins.greedy import Greedy

    signs = make_task().target_dictionary
    greedy = Greedy(model, signs.eos(), signs.pad(), FACTOR, CONSTANT)
    order = batch["id"].argsort()
    found = greedy.translate(batch["net_input"]["src_tokens"][order], batch["net_input"]["src_lengths"][order])
    return [pieces.tolist() for pieces in found]


def longest(model: Any, source: torch.Tensor) -> int:
    return min(int(FACTOR * len(source) + CONSTANT), model.decoder.max_positions() - 1)


@pytest.mark.parametrize("left", [True, False], ids=["padded on the left", "on the right"])
@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.usefixtures("either_library")
def test_hypotheses_are_those_of_fairseq(name: str, left: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from fairseq_plugins import greedy

    monkeypatch.setattr(greedy, "ROWS", 4)
    model, pairs = trained(name), make_pairs(120, seed=1000)
    sources = [source for source, _ in pairs]
    expected = by_fairseq(model, sources)
    ended = [len(pieces) < longest(model, source) for pieces, source in zip(expected, sources, strict=True)]
    assert 5 < sum(ended) < 115
    assert sum(len({*pieces}) for pieces in expected) > 1.5 * len(expected)
    assert ours(model, batch_of(pairs, left)) == expected


def test_in_bf16_each_piece_is_nearly_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle is fairseq's decoder in fp32, which reads the whole hypothesis and says how good each piece was."""
    from fairseq_plugins import greedy

    model, pairs, precisions = trained("post-norm"), make_pairs(60, seed=1000), set()
    affine = greedy.affine
    monkeypatch.setattr(greedy, "affine", lambda rows, *rest: precisions.add(rows.dtype) or affine(rows, *rest))
    with torch.autocast("cpu", torch.bfloat16):
        found = ours(model, batch_of(pairs))
    assert precisions == {torch.bfloat16}
    stock = make_model("transformer", 1, share_all_embeddings=False).eval()
    stock.load_state_dict(model.state_dict())
    end, losses = make_task().target_dictionary.eos(), []
    for (source, _), pieces in zip(pairs, found, strict=True):
        fed = torch.tensor([[end, *pieces]])
        scores = stock(source[None], torch.tensor([len(source)]), fed)[0][0].detach()
        if len(pieces) < longest(model, source):
            pieces = [*pieces, end]
        losses += (scores.amax(1)[: len(pieces)] - scores[range(len(pieces)), pieces]).tolist()
    assert len(losses) > 200
    assert max(losses) < 0.1


def test_what_may_not_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """No padding, no empty hypothesis, and nothing after an end, however high its score."""
    from fairseq_plugins import greedy

    signs, word = make_task().target_dictionary, 10

    class Scripted:
        def __init__(self, *_: Any) -> None:
            self.step = 0

        def scores(self, pieces: torch.Tensor) -> torch.Tensor:
            scores = torch.zeros(len(pieces), len(signs))
            scores[:, word] = 1.0
            if self.step == 0:
                scores[:, signs.pad()], scores[:, signs.eos()] = 3.0, 2.0
            if self.step == 1:
                scores[0, signs.eos()] = 2.0
            self.step += 1
            return scores

    monkeypatch.setattr(greedy, "_Decoder", Scripted)
    source = torch.tensor([5, 6, 7, 8, 9, signs.eos()])
    batch = batch_of([(source, source)] * 3)
    assert ours(trained("post-norm"), batch) == [[word], [word] * 3, [word] * 3]


def test_a_piece_that_is_written_as_padding_is_no_part_of_a_source() -> None:
    """fairseq reads it as padding, too; it counts it for the longest length, here it is none."""
    model, (pair, *_) = trained("post-norm"), make_pairs(1, seed=7)
    source = torch.cat([pair[0][:1], torch.tensor([make_task().source_dictionary.pad()]), pair[0][1:]])
    (expected,), (found,) = by_fairseq(model, [source]), ours(model, batch_of([(source, pair[1])]))
    assert found == expected[: longest(model, pair[0])]


def test_dev_is_translated_greedily_where_it_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """And by fairseq otherwise; both, like the loss, in the training's precision."""
    import fairseq_plugins  # noqa: F401  (before fairseq: mends it)
    from fairseq.sequence_generator import SequenceGenerator
    from fairseq_plugins import greedy
    from fairseq_plugins.text_bleu import TextBleuConfig, TextBleuTask

    dictionary, batch = make_task().source_dictionary, batch_of(make_pairs(5, seed=9))
    used: list[tuple[str, bool]] = []
    for kind, name in ((greedy.Greedy, "translate"), (SequenceGenerator, "_generate")):
        own = getattr(kind, name)

        def noted(self: Any, *given: Any, own: Any = own, **named: Any) -> Any:
            used.append((type(self).__name__, torch.is_autocast_enabled("cpu")))
            return own(self, *given, **named)

        monkeypatch.setattr(kind, name, noted)
    for beam, arch, autocast in (
        (1, "transformer_fast", "none"),
        (1, "transformer_fast", "bf16"),
        (2, "transformer_fast", "bf16"),
        (1, "transformer", "none"),
    ):
        task = TextBleuTask(TextBleuConfig(dev_beam=beam, autocast=autocast), dictionary, dictionary)
        translate = task.translator(make_model(arch, 1).eval())
        with task.precision(batch):
            assert len(translate(batch)) == 5
    names = ["Greedy", "Greedy", "SequenceGenerator", "SequenceGenerator"]
    assert used == list(zip(names, [False, True, True, False], strict=True))
