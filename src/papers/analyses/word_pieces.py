"""The pieces of single words: Table 3 of S-BPE.

Options:

    corpus, language      whose segmentations, and which side's
    words                 the words, as the table's rows have them
    spelled               {word: as our text writes it}, where a table has no capitals and umlauts, but the text does;
                          the pieces are then given as the table spells
    segmentations         {name in the table: name of a segmentation}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.layout import segmentation_folder
from papers.measures.segmenters import load
from papers.published import tables
from subwords.errors import unknown

if TYPE_CHECKING:
    from papers.inputs import Inputs


SPELLED = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield `pieces` of every word, as text, and `pieces_as_printed`, 1 or 0, of those that the paper printed.

    Raises InputError for a segmentation that the corpus does not have."""
    corpus, language = inputs.paper.corpus(options["corpus"]), options["language"]
    spelled = options.get("spelled") or {}
    places = {folder: pair for name, pair, folder in inputs.segmented if name == corpus}
    values = [value for table in tables(inputs.paper.name).values() for value in table if value.metric == "pieces"]
    printed = {(value.segmentation, value.row): value.text for value in values}
    for label, name in options["segmentations"].items():
        if name not in places:
            raise unknown(f"segmentation of {options['corpus']}", name, places, next_step=f"see {inputs.paper.where}")
        segmenter = load(Path(segmentation_folder(corpus, places[name], name)), language)
        written = [spelled.get(word, word) for word in options["words"]]
        keys = inputs.segmentation_keys(corpus, name) | {"segmentation": label, "metric": "pieces"}
        for word, pieces in zip(options["words"], segmenter.pieces_of(written), strict=True):
            text = " ".join(map(plain, pieces) if word in spelled else pieces)
            yield keys | {"row": word, "text": text}
            if (label, word) in printed:
                same = float(text == printed[label, word])
                yield keys | {"metric": "pieces_as_printed", "row": word, "value": same}


def plain(piece: str) -> str:
    """Return a German piece without capitals and umlauts.

    >>> plain("Unglück@@")
    'unglueck@@'
    """
    return re.sub("[äöüß]", lambda found: SPELLED[found[0]], piece.lower())
