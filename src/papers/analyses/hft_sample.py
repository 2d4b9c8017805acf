"""A sample of HFT's pretokenized text, in the signs of the HFT paper's figures: Figure 1.

Measured: `pretokenized`, a text, of every line that is shown. Options:

    files, texts       the text is the one that `text` names: see papers/measures/monolingual.py
    text               its name
    containing         what the lines hold (the first line that holds it is shown), as {label of the row: words}
    lines              in place of it, how many lines of the beginning are shown
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from papers.measures.monolingual import texts
from subwords.errors import InputError, unknown
from subwords.files import read_lines
from subwords.hft.pretokenization import pretokenize

if TYPE_CHECKING:
    from papers.inputs import Inputs

#: The tokenizer's marks -> the signs that the paper prints (Figure 2; there the last two are exchanged).
SIGNS = str.maketrans({"¦": "|", "𐋇": "↑", "▁": "_", "𐊣": "Δ", "𐊼": "∇"})


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the lines. Raises InputError where the text, or a line that is asked for, does not exist."""
    found = texts(inputs, options)
    if options["text"] not in found:
        raise unknown("text", options["text"], found)
    path = found[options["text"]]
    if options.get("lines"):
        lines = {f"line {number}": line for number, line in enumerate(islice(read_lines(path), options["lines"]), 1)}
    else:
        lines = holding(read_lines(path), options["containing"])
    for label, line in lines.items():
        yield {"corpus": options["text"], "metric": "pretokenized", "row": label, "text": sample(line)}


def holding(lines: Iterable[str], wanted: Mapping[str, str]) -> dict[str, str]:
    """Return label -> the first line that holds its words. Raises InputError where there is none."""
    found: dict[str, str] = {}
    for line in lines:
        for label, words in wanted.items():
            if words in line:
                found.setdefault(label, line)
    for label, words in wanted.items():
        if label not in found:
            raise InputError(f"no line holds {words!r}", next_step="name other words under `containing`")
    return {label: found[label] for label in wanted}


def sample(line: str) -> str:
    """Return a line as HFT pretokenizes it, in the signs that the paper prints.

    >>> sample("Beds (excluding ICU)")
    '↑|beds| _( |excluding| Δ|icu|∇ )'
    """
    return pretokenize([line])[0].translate(SIGNS)
