"""F95, μ and ν of HFT, BPE and unigram by size, and their frequencies by rank: Figures 4 and 5 of the HFT paper.

Measured of every text, algorithm and size: `f95`, `mu` and `nu` as the authors' program computed them with the settings
that it had, and `f95_corrected`, `mu_corrected`, `nu_corrected` by the paper's definitions (measures/frequencies.py,
measures/hft_figure4.py), with `vocabulary` and `vocabulary_corrected`, the entries learned. For the sizes of `curves`
also `frequency` and `frequency_corrected` by rank (`x`).

Options:

    files, texts       the texts: see papers/measures/monolingual.py
    sizes              sizes, or {size of the paper: size that is asked for}
    step               entries that HFT adds at a time, as published [100]
    pretokenized       {algorithm: {text: none, earlier or present}}: whether HFT's own pretokenized text was in what
                       the published model was learned from; `others` is for texts that are not named [none]
    coverage           {algorithm: {text: share}}: character_coverage of the published models, `others` as above [1.0]
    curves             {sizes: [...], after: n}: the n most frequent pieces are left out

What a text cannot give (fewer entries than asked for, more characters) is not measured.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from papers.measures.hft_figure4 import ALGORITHMS, POLLUTIONS, Folder, Found, corrected, published
from papers.measures.monolingual import texts
from subwords.errors import InputError, unknown

if TYPE_CHECKING:
    from papers.inputs import Inputs

#: Names of the segmentations in the published files.
_NAMES = {"hft": "hft-published"}


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the numbers of every text. Raises InputError for a setting that does not exist."""
    found = texts(inputs, options)
    folders = {(algorithm, name): _folder(options, algorithm, name) for algorithm in ALGORITHMS for name in found}
    for name, path in found.items():
        for algorithm in ALGORITHMS:
            yield from of_text(name, path, algorithm, folders[algorithm, name], options)


def of_text(
    name: str, text: Path, algorithm: str, folder: Folder, options: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the numbers of one text and algorithm at all sizes."""
    sizes, curves = options["sizes"], options.get("curves") or {}
    asked = sizes if isinstance(sizes, Mapping) else dict.fromkeys(sizes)
    for size, other in asked.items():
        keys = {
            "corpus": name,
            "segmentation": f"{_NAMES.get(algorithm, algorithm)}-{_short(size)}",
            "algorithm": algorithm,
            "size": size,
        }
        wanted = other or size
        for form in ("", "_corrected"):
            try:
                if form:
                    made = corrected(text, algorithm, wanted)
                else:
                    made = published(text, algorithm, wanted, options.get("step", 100), folder)
            except InputError as error:
                print(f"{name}, {algorithm}, {size}{form}: not measured: {error}", file=sys.stderr)
                continue
            after = curves.get("after", 0) if size in curves.get("sizes", ()) else None
            for row in rows(made, form, after):
                yield keys | row


def rows(made: Found, form: str, after: int | None) -> Iterator[dict[str, Any]]:
    """Yield the numbers of one segmented text, and, where `after` is given, the frequencies of the ranks after it."""
    numbers = made.frequencies
    for metric, value in (("f95", numbers.f95), ("mu", numbers.mu), ("nu", numbers.nu)):
        yield {"metric": metric + form, "value": value}
    yield {"metric": "vocabulary" + form, "value": made.vocabulary}
    if after is not None:
        for rank, frequency in enumerate(numbers.ranked[after:], after + 1):
            yield {"metric": "frequency" + form, "x": rank, "value": frequency}


def _short(size: int) -> str:
    """Return a size as names of segmentations have it: 500, 1500, 3k."""
    return f"{size // 1000}k" if size % 1000 == 0 else f"{size}"


def _folder(options: Mapping[str, Any], algorithm: str, name: str) -> Folder:
    def chosen(key: str, default: Any) -> Any:
        given = (options.get(key) or {}).get(algorithm) or {}
        return given.get(name, given.get("others", default))

    pretokenized = chosen("pretokenized", "none")
    if pretokenized not in POLLUTIONS:
        raise unknown(f"pretokenized text of {name}", pretokenized, POLLUTIONS)
    return Folder(pretokenized, chosen("coverage", 1.0))
