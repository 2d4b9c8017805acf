"""Every algorithm on one text, side by side: what would each do to it?

Each algorithm learns from the text and segments it, in this process, one after the other. Times are of the wall, with
what is imported on first use. An algorithm that cannot be learned at the size asked gives the reason in its
row, and the others go on.

Algorithms differ in what they read: those for raw text get the text as it is. Those meant for tokenized text (Moses)
get it as it is, too, unless a language is named; then it is tokenized first. `pieces_per_word` always divides by the
words of the text as given, so that rows compare; `kept_whole` counts words of the form that the algorithm read.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subwords import registry
from subwords.api import as_files
from subwords.boundaries import usable_gold
from subwords.counting import count_words
from subwords.errors import InputError, extra
from subwords.files import read_lines, write_lines
from subwords.segmenter import Segmenter
from subwords.statistics import Segmented, describe


@dataclass(frozen=True)
class Row:
    """One algorithm's figures (see `statistics.describe`), None where they do not apply; `reason` when it failed."""

    algorithm: str
    reads: str | None = None
    size_reached: int | None = None
    types: int | None = None
    pieces_per_word: float | None = None
    pieces_per_sentence: float | None = None
    f95: int | None = None
    nu: float | None = None
    renyi_efficiency: float | None = None
    kept_whole: float | None = None
    morph_f1: float | None = None
    learn_seconds: float | None = None
    encode_seconds: float | None = None
    reason: str = ""


def compare(
    text: Path,
    size: int,
    *,
    algorithms: Sequence[str] | None = None,
    gold: Path | None = None,
    moses: str | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    done: Callable[[Row], None] = lambda row: None,
) -> list[Row]:
    """Return a row for each algorithm (all registered ones by default), in order; `done` is called with each at once.

    `size` goes to every algorithm that takes one. `moses` is the language to tokenize in for algorithms that read
    tokenized text. `options` are parameters by algorithm. `morph_f1` is the macro F1 of boundaries against `gold`,
    from which `oracle` takes its pieces: the upper bound.

    The text and the gold file may be pipes. Raises InputError when one of them cannot be used, or an algorithm is not
    registered.
    """
    names = list(algorithms or registry.names())
    for name in names:
        if name not in registry.names():
            registry.find(name)  # raises, naming the choices
    for name in options or {}:
        if name not in names:
            raise InputError(f"options for {name!r}, which is not compared", allowed=", ".join(names))
    rows = []
    temporary = tempfile.TemporaryDirectory(prefix="subwords-compare-")
    with as_files([text, gold] if gold else [text]) as (text, *golds), temporary as folder:
        words, gold = sum(count_words([text]).values()), next(iter(golds), None)
        if gold:
            usable_gold(gold)  # a fault of it is no fault of the algorithms
        texts = {"raw": text, "moses": _tokenized(text, moses, Path(folder)) if moses else text}
        for name in names:
            upper_bound = {"gold": str(gold)} if gold and name == "oracle" else {}
            given = {**upper_bound, **(options or {}).get(name, {})}
            try:
                row = _row(registry.find(name), texts, size, words, gold, given, Path(folder) / "pieces")
            except InputError as error:
                said = (line.strip() for line in str(error).split("\n") if "  next: " not in line)
                row = Row(name, reason="; ".join(said))
            done(row)
            rows.append(row)
    return rows


def _row(
    algorithm: type[Segmenter],
    texts: Mapping[str, Path],
    size: int,
    words: int,
    gold: Path | None,
    options: dict[str, Any],
    pieces: Path,
) -> Row:
    text = texts[algorithm.reads]
    start = time.perf_counter()
    segmenter = algorithm.learn([text], size if algorithm.size_counts else None, **options)
    learned = time.perf_counter()
    write_lines(pieces, segmenter.encode_lines(read_lines(text)))
    encoded = time.perf_counter()
    figures = describe(Segmented(pieces, text), segmenter=segmenter, gold=gold)
    figures["pieces_per_word"] = figures["pieces"] / words
    shown = {name: figures[name] for name in Row.__dataclass_fields__ if name in figures}
    return Row(
        **shown,
        reads=algorithm.reads,
        morph_f1=figures["boundaries"]["macro"]["f1"] if gold else None,
        learn_seconds=learned - start,
        encode_seconds=encoded - learned,
    )


def _tokenized(text: Path, language: str, folder: Path) -> Path:
    """Return a copy of the text in Moses tokens, split at single spaces and without XML escapes."""
    with extra("moses"):
        from sacremoses import MosesTokenizer
        from sacremoses.corpus import NonbreakingPrefixes

    known = set(NonbreakingPrefixes().available_langs.values())
    if language not in known:
        said = f"--moses {language}: sacremoses splits at full stops as in English, for it has no abbreviations of that"
        warnings.warn(f"{said} language, only of {', '.join(sorted(known))}", UserWarning, stacklevel=3)
    tokenizer = MosesTokenizer(lang=language)
    path = folder / "tokenized"
    write_lines(path, (tokenizer.tokenize(line, escape=False, return_str=True) for line in read_lines(text)))
    return path


#: Column heads and how to write each figure; text ("") is at the left, numbers at the right.
_COLUMNS: dict[str, tuple[str, str]] = {
    "algorithm": ("algorithm", ""),
    "reads": ("reads", ""),
    "size_reached": ("size", "d"),
    "types": ("pieces seen", "d"),
    "pieces_per_word": ("pieces/word", ".3f"),
    "pieces_per_sentence": ("μ", ".2f"),
    "f95": ("F95", "d"),
    "nu": ("ν", ".2f"),
    "renyi_efficiency": ("Rényi", ".3f"),
    "kept_whole": ("whole", ".1%"),
    "morph_f1": ("morph F1", ".3f"),
    "learn_seconds": ("learn s", ".2f"),
    "encode_seconds": ("encode s", ".2f"),
    "reason": ("why not", ""),
}


def table(rows: Sequence[Row], *, markdown: bool = False) -> str:
    """Return the rows as a table for a terminal, or as a Markdown table."""
    optional = {"morph_f1": any(row.morph_f1 is not None for row in rows), "reason": any(row.reason for row in rows)}
    columns = [
        _column([getattr(row, name) for row in rows], *_COLUMNS[name], rule=markdown)
        for name in _COLUMNS
        if optional.get(name, True)
    ]
    lines = zip(*columns, strict=True)
    return "\n".join(f"| {' | '.join(line)} |" if markdown else "  ".join(line).rstrip() for line in lines)


def _column(values: Sequence[Any], head: str, form: str, *, rule: bool) -> list[str]:
    """Return a column's cells, all of one width: the head, a Markdown rule if asked for, the values."""
    cells = [head, *("-" if value is None else format(value, form) for value in values)]
    width = max(map(len, cells))
    cells = [cell.rjust(width) if form else cell.ljust(width) for cell in cells]
    if rule:
        cells.insert(1, "-" * (width - 1) + (":" if form else "-"))
    return cells
