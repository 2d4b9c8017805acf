"""From a model's pieces to text that can be compared with a raw reference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from subwords import registry


def to_text(algorithm: str, model: Path, form: str, language: str) -> Callable[[str], str]:
    """Return the function from one line of pieces to text.

    The pieces are decoded by the segmenter that made them; where it read Moses tokens (form "moses"), the text is
    detruecased and detokenized too.
    """
    segmenter = registry.find(algorithm).load(model)
    if form == "raw":
        return segmenter.decode
    from experiment.moses import detokenizer

    detokenize = detokenizer(language)
    return lambda pieces: detokenize(segmenter.decode(pieces))
