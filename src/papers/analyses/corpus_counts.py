"""Sizes of corpora: sentences, tokens and types of each split, what train does not know of test, lines of the parts.

Options, all of them with defaults:

    text: moses            the text whose words are counted: moses (tokenized, truecased) or raw; sentences are the same
    splits: [train, dev, test]    test is all test sets of the direction together
    parts: {corpus: {mtdata id or file: label of the published row}}    pairs of a part, as it came
    total: Total           label of the row for all parts of train together, before anything is held out
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.jsonfiles import read_json
from experiment.layout import raw_folder, text_folder
from papers.measures.unknown_words import unknown_words
from subwords.counting import count_words
from subwords.errors import InputError
from subwords.files import read_lines

if TYPE_CHECKING:
    from papers.inputs import Inputs

SPLITS = ("train", "dev", "test")
Words = Mapping[str, int]


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the sizes of every corpus of the grids, per direction. Raises InputError where no segmentation reads such
    a text.
    """
    form, splits = options.get("text", "moses"), options.get("splits", SPLITS)
    for corpus, pair in inputs.pairs:
        folder = Path(text_folder(corpus, pair, form))
        if not any(path.startswith(f"{folder}/train.") for path in inputs.paths()):
            raise InputError(f"no segmentation of {corpus} reads {form} text", allowed="text: moses, or text: raw")
        files = {split: [split] for split in ("train", "dev")}
        found = dict.fromkeys(run.direction for run in inputs.runs if (run.corpus, run.pair) == (corpus, pair))
        for direction in found or [pair]:
            files["test"] = inputs.experiment.test_sets(corpus, direction)
            keys = {"corpus": inputs.paper.paper_corpus(corpus), "direction": direction}
            for row in of_direction(folder, direction, {split: files[split] for split in splits}):
                yield keys | row
            if corpus not in inputs.experiment.group_names:  # a group has members, not parts
                labels = options.get("parts", {}).get(keys["corpus"], {})
                parts = read_json(Path(raw_folder(corpus, pair), "parts.json"))["train"]
                for row in of_parts(parts, labels, options.get("total", "Total")):
                    yield keys | row


def of_direction(folder: Path, direction: str, splits: Mapping[str, list[str]]) -> Iterator[dict[str, Any]]:
    """Yield the sizes of a direction's splits, each given as names of files (FOLDER/{name}.{language}).

    Where train and test are among them, also what test's source has that train's does not: `unknown_source_tokens`
    (share), `sentences_with_unknown_words` (number) and `share_of_sentences_with_unknown_words`.
    """
    sources, targets = (
        {split: [folder / f"{name}.{language}" for name in names] for split, names in splits.items()}
        for language in direction.split("-")
    )
    words: dict[str, Words] = {}
    for split in splits:
        words[split] = count_words(sources[split])
        sides = {"source": words[split], "target": count_words(targets[split])}
        sentences = sum(1 for path in sources[split] for _ in read_lines(path))
        for metric, value in sizes(sentences, sides).items():
            yield {"split": split, "metric": metric, "value": value}
    if {"train", "test"} <= set(splits):
        lines = (line for path in sources["test"] for line in read_lines(path))
        for metric, value in unknown(lines, words["train"]).items():
            yield {"split": "test", "metric": metric, "value": value}


def sizes(sentences: int, sides: Mapping[str, Words]) -> dict[str, float]:
    """Return sentences, and tokens, types and their ratio of each side, given its words with their counts."""
    found: dict[str, float] = {"sentences": sentences}
    for side, words in sides.items():
        tokens = sum(words.values())
        found |= {f"tokens_{side}": tokens, f"types_{side}": len(words)}
        found[f"type_token_ratio_{side}"] = len(words) / tokens
    return found


def unknown(lines: Iterator[str], known: Words) -> dict[str, float]:
    """Return how much of tokenized lines is not among the known words: tokens, and sentences that have one."""
    count = Counter[str]()
    for line in lines:
        missing = len(unknown_words(line, known))
        count["sentences"] += 1
        count["tokens"] += len(line.split(" ")) - line.split(" ").count("")
        count["unknown"] += missing
        count["having"] += bool(missing)
    return {
        "unknown_source_tokens": count["unknown"] / max(count["tokens"], 1),
        "sentences_with_unknown_words": count["having"],
        "share_of_sentences_with_unknown_words": count["having"] / max(count["sentences"], 1),
    }


def of_parts(parts: Sequence[Mapping[str, Any]], labels: Mapping[str, str], total: str) -> Iterator[dict[str, Any]]:
    """Yield the pairs (with text on both sides) of the parts that have a label, and of all parts together."""
    for part in parts:
        if part["part"] in labels:
            yield {"metric": "sentences", "row": labels[part["part"]], "value": part["pairs"]}
    yield {"metric": "sentences", "row": total, "value": sum(part["pairs"] for part in parts)}
