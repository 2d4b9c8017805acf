"""The demo corpus: train, dev and two test sets, and the gold morphemes of every target word.

A share of all possible target words is held out: they occur in `test_unseen` alone, which has no other words.
`test` is drawn as train and dev are. No sentence of either side occurs twice in the whole corpus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

from experiment.corpora.demo.grammar import Grammar, Sentence
from experiment.corpora.demo.lexicon import Word
from subwords.errors import InputError
from subwords.files import write_lines

SOURCE, TARGET = "en", "qmo"
SPLITS = {"train": 4000, "dev": 200, "test": 250, "test_unseen": 250}

#: Share of the possible words that train never sees.
HELD_OUT = 0.25
#: The least number of times that every morpheme of `test_unseen` occurs in train.
MORPHEME_SEEN = 5


@dataclass(frozen=True)
class Corpus:
    """The sentences of each split, and gold: every target word with its morphemes."""

    splits: dict[str, list[Sentence]]
    gold: dict[str, Word]


def generate(seed: int = 1, sizes: dict[str, int] | None = None) -> Corpus:
    """Return the corpus of this seed; the same everywhere, for random.Random promises the same sequence everywhere."""
    sizes = {**SPLITS, **(sizes or {})}

    @cache
    def held_out(word: Word) -> bool:
        # Seeding with a string hashes it with SHA-512: nothing here depends on PYTHONHASHSEED.
        return Random(f"{seed} {' '.join(word)}").random() < HELD_OUT

    used: set[str] = set()
    splits: dict[str, list[Sentence]] = {}
    for split in ("train", "dev", "test"):
        grammar = Grammar(Random(f"{seed} {split}"), lambda word: not held_out(word))
        splits[split] = list(islice(_new_sentences(grammar, used), sizes[split]))
    seen = Counter(m for sentence in splits["train"] for word in sentence.words for m in word)
    grammar = Grammar(Random(f"{seed} test_unseen"), held_out, uninflected=False)
    learnable = (
        sentence
        for sentence in islice(_new_sentences(grammar, used), 100 * sizes["test_unseen"])
        if all(seen[m] >= MORPHEME_SEEN for word in sentence.words for m in word)
    )
    splits["test_unseen"] = list(islice(learnable, sizes["test_unseen"]))
    for split, size in sizes.items():
        if len(splits[split]) < size:
            raise InputError(
                f"the demo language has {len(splits[split])} sentences for {split}, not {size}",
                next_step="ask for fewer sentences, or for more in train if it is test_unseen that lacks them",
            )
    return Corpus(splits, _gold(splits))


def _new_sentences(grammar: Grammar, used: set[str]) -> Iterator[Sentence]:
    """Yield sentences with two unused sides; stop after many repetitions."""
    repeated = 0
    while repeated < 10_000:
        sentence = grammar.sentence()
        if sentence.source in used or sentence.target in used:
            repeated += 1
            continue
        repeated = 0
        used |= {sentence.source, sentence.target}
        yield sentence


def _gold(splits: dict[str, list[Sentence]]) -> dict[str, Word]:
    gold: dict[str, Word] = {}
    for word in (word for sentences in splits.values() for sentence in sentences for word in sentence.words):
        if gold.setdefault("".join(word), word) != word:
            raise AssertionError(f"{''.join(word)} has two analyses: the lexicon is ambiguous")
    return dict(sorted(gold.items()))


def write(folder: Path, corpus: Corpus, languages: Sequence[str] = (SOURCE, TARGET)) -> None:
    """Write {split}.{language} for each split, and gold for the target: word, tab, morphemes separated by spaces.

    `languages` are the codes that the English-like source and the target go by: another pair's, where the corpus
    replaces one that is not available.
    """
    source, target = languages
    for split, sentences in corpus.splits.items():
        write_lines(folder / f"{split}.{source}", (sentence.source for sentence in sentences))
        write_lines(folder / f"{split}.{target}", (sentence.target for sentence in sentences))
    write_lines(folder / f"gold.{target}", (f"{word}\t{' '.join(parts)}" for word, parts in corpus.gold.items()))
