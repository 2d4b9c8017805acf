"""Sizes of corpora: sentences, tokens and types of each split, what train does not know of test, lines of the parts.

Words are what single spaces separate in the tokenized, truecased text that a segmenter reads: so a word that is only
capitalized, because a sentence starts with it, is no unknown one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from replication.sources import Rows, Sources, by_metric, measure
from subwords.counting import count_words
from subwords.files import read_lines

#: Label of the row for all parts of train together, before anything is held out.
TOTAL = "Total"
Words = Mapping[str, int]


@measure("texts")
def corpus_counts(sources: Sources, parts: Mapping[str, Mapping[str, str]] | None = None) -> Rows:
    """Yield the sizes of every corpus of the grids, per direction.

    parts    {corpus: {mtdata id or file: label of the published row}}: pairs of a part, as it came

    The split test is all test sets of the direction together.
    """
    for corpus, pair in sources.pairs:
        folder = sources.text_folder(corpus, pair, "moses")
        directions = dict.fromkeys(run.direction for run in sources.runs if (run.corpus, run.pair) == (corpus, pair))
        for direction in directions or [pair]:
            files = {"train": ["train"], "dev": ["dev"], "test": sources.test_stems(corpus, pair, direction)}
            counted = of_direction(folder, direction, files)
            labelled = of_parts(sources.parts_of_training(corpus, pair), (parts or {}).get(corpus, {}))
            yield from ({"corpus": corpus, "direction": direction} | row for row in chain(counted, labelled))


def of_direction(folder: Path, direction: str, splits: Mapping[str, list[str]]) -> Iterator[dict[str, Any]]:
    """Yield the sizes of a direction's splits, each given as names of files (FOLDER/{name}.{language}).

    Of test also what its source has that train's does not: `unknown_source_tokens` (share),
    `sentences_with_unknown_words` (number) and `share_of_sentences_with_unknown_words`.
    """
    sources, targets = (
        {split: [folder / f"{name}.{language}" for name in names] for split, names in splits.items()}
        for language in direction.split("-")
    )
    words: dict[str, Words] = {}
    for split in splits:
        words[split] = count_words(sources[split])
        found: dict[str, float] = {"sentences": sum(1 for path in sources[split] for _ in read_lines(path))}
        for side, counts in (("source", words[split]), ("target", count_words(targets[split]))):
            tokens = sum(counts.values())
            found |= {f"tokens_{side}": tokens, f"types_{side}": len(counts)}
            found[f"type_token_ratio_{side}"] = len(counts) / tokens
        yield from by_metric({"split": split}, found)
    lines = (line for path in sources["test"] for line in read_lines(path))
    yield from by_metric({"split": "test"}, unknown(lines, words["train"]))


def unknown_words(line: str, known: Collection[str]) -> list[int]:
    """Return the places (from 0) of the words of a tokenized line that are not known.

    >>> unknown_words("the turning lane", {"the", "lane"})
    [1]
    """
    return [place for place, word in enumerate(filter(None, line.split(" "))) if word not in known]


def unknown(lines: Iterator[str], known: Words) -> dict[str, float]:
    """Return how much of tokenized lines is not among the known words: tokens, and sentences that have one."""
    sentences = [(len(list(filter(None, line.split(" ")))), len(unknown_words(line, known))) for line in lines]
    having = sum(missing > 0 for _, missing in sentences)
    return {
        "unknown_source_tokens": sum(missing for _, missing in sentences) / max(sum(n for n, _ in sentences), 1),
        "sentences_with_unknown_words": having,
        "share_of_sentences_with_unknown_words": having / max(len(sentences), 1),
    }


def of_parts(parts: Sequence[Mapping[str, Any]], labels: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the pairs (with text on both sides) of the parts that have a label, and of all parts together, if any."""
    for part in parts:
        if part["part"] in labels:
            yield {"metric": "sentences", "row": labels[part["part"]], "value": part["pairs"]}
    if parts:
        yield {"metric": "sentences", "row": TOTAL, "value": sum(part["pairs"] for part in parts)}
