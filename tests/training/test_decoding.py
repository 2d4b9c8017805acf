"""Translation of test sets: what of a long source the model reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from training.tiny_transformer import make_model, make_task

POSITIONS = 8
SEARCH = {"beam": 2, "length_penalty": 1.0, "length_factor": 1.0, "length_constant": 3, "precision": "fp32"}


def test_a_source_is_cut_where_the_model_has_no_position(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learned positions end: fairseq's own model reads eight pieces, the end among them, and fails at nine."""
    import fairseq_plugins  # noqa: F401  (before fairseq: mends it)
    from fairseq import checkpoint_utils
    from fairseq.tasks.translation import TranslationConfig, TranslationTask

    from translation.decoding import Translator

    dictionary = make_task().source_dictionary
    task = TranslationTask(TranslationConfig(max_source_positions=100), dictionary, dictionary)
    flags = {"encoder_learned_pos": True, "max_source_positions": POSITIONS}
    model = make_model("transformer", 1, make_task(), **flags).eval()
    encode, read = model.encoder.forward, []

    def noted(src_tokens: torch.Tensor, **given: Any) -> Any:
        read.extend(src_tokens.ne(dictionary.pad()).sum(1).tolist())
        return encode(src_tokens, **given)

    monkeypatch.setattr(model.encoder, "forward", noted)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(checkpoint_utils, "load_model_ensemble_and_task", lambda *_, **__: ([model], None, task))
    translator = Translator(Path("model.pt"), Path("data"), "en-de", SEARCH)
    lines = [" ".join(f"piece{number}" for number in range(count)) for count in (7, 8, 20)]
    assert all(translator.translate(lines, 4096))
    assert (translator.cut, read) == (2, [8, 8, 8])
    with pytest.raises(IndexError):
        encode(torch.arange(4, 13)[None], torch.tensor([9]))
