"""Bounds of a system's score: the copied source below, the round trip of the reference above.

- The copied source is a translation that changes nothing. Names, numbers and punctuation alone earn it a score.
- The round trip is the reference through text form and segmentation and back. What gets lost there (an unknown
  character, a detokenized quotation mark) no translation system with this segmentation can win.
"""

from __future__ import annotations

from collections.abc import Iterable

from experiment.text.postprocessing import ToText, one_line
from subwords.segmenter import Segmenter


def round_trip(lines: Iterable[str], segmenter: Segmenter, to_text: ToText) -> list[str]:
    """Return a text encoded, decoded and put back into plain text; `lines` are in the form that the segmenter reads."""
    return [one_line(to_text(pieces)) for pieces in segmenter.encode_lines(lines)]
