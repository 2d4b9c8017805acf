"""The single texts that an analysis names: files of its own, or the training text of one side of a corpus.

files: {hftoks-am: {url: …, sha256: …}}       name of the text -> a file, downloaded with the corpora
texts: {hftoks-am: [loresmt-en-ga, ga]}       name of the text -> corpus of the paper's grids, and language
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.layout import text_folder
from subwords.errors import unknown

if TYPE_CHECKING:
    from papers.inputs import Inputs


def texts(inputs: Inputs, options: Mapping[str, Any]) -> dict[str, Path]:
    """Return name -> path of every text. Raises InputError for a corpus that is in none of the analysis' grids."""
    found = dict(inputs.files)
    pairs = {inputs.paper.paper_corpus(corpus): (corpus, pair) for corpus, pair in inputs.pairs}
    for name, (corpus, language) in (options.get("texts") or {}).items():
        if corpus not in pairs:
            raise unknown(f"corpus of the text {name}", corpus, pairs, next_step="name its grid under `grids`")
        found[name] = Path(text_folder(*pairs[corpus], "raw"), f"train.{language}")
    return found
