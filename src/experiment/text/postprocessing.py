"""From a model's pieces to text that can be compared with a raw reference."""

from __future__ import annotations

from collections.abc import Iterable

from experiment.text import moses
from subwords.segmenter import Segmenter


class ToText:
    """The function from one line of pieces to text.

    The pieces are decoded by the segmenter that made them; where it read Moses tokens (form "moses"), the text is
    detruecased and detokenized too. `words` counts what was decoded so far: what single spaces separate before
    detokenization.
    """

    def __init__(self, segmenter: Segmenter, form: str, language: str) -> None:
        self.words = 0
        self._segmenter = segmenter
        self._finish = moses.to_text(form, language)

    def __call__(self, pieces: str) -> str:
        line = self._segmenter.decode(pieces)
        self.words += len(line.split(" ")) if line else 0
        return self._finish(line)

    def lost(self) -> dict[str, int]:
        """Return what could not be decoded since this was last asked: for Huffman {"unknown codes": 3}."""
        return self._segmenter.counts()


def round_trip(lines: Iterable[str], segmenter: Segmenter, to_text: ToText) -> list[str]:
    """Return a text encoded, decoded and put back into plain text; `lines` are in the form that the segmenter reads.

    What gets lost on the way (an unknown character, a detokenized quotation mark) no system with this segmentation can
    translate right.
    """
    return [to_text(pieces).replace("\n", " ") for pieces in segmenter.encode_lines(lines)]
