"""How many words and sentences are right, and which words: rare, frequent, or not seen in training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sacrebleu.metrics.base import Metric, Score, Signature

from subwords.counting import count_words

#: Lowest frequency in the training text -> class of words (those of compare-mt, Neubig et al. 2019).
CLASSES = {0: "0", 1: "1", 2: "2-4", 5: "5-9", 10: "10-99", 100: "100-999", 1000: "1000+"}


class _WordSignature(Signature):
    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__(args)
        self._abbr |= {"tok": "tok"}
        self.info |= {"case": "mixed", "tok": args["tokenizer_signature"]}


class _OfWords(Metric):
    """A metric of sacrebleu's kind whose sentences count [hits, of how many]."""

    _SIGNATURE_TYPE = _WordSignature

    def __init__(self, tokenizer: Any, references: Sequence[Sequence[str]] | None = None) -> None:
        super().__init__()
        self.tokenizer, self.tokenizer_signature = tokenizer, tokenizer.signature()
        if references is not None:
            self._ref_cache = self._cache_references(references)

    def _preprocess_segment(self, sent: str) -> str:
        return self.tokenizer(sent.rstrip())

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        return {"reference": refs[0].split()}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int]:
        return self.count(hypothesis.split(), ref_kwargs["reference"])

    def _compute_score_from_stats(self, stats: Sequence[float]) -> Score:
        return Score(type(self).__name__, 100 * stats[0] / stats[1] if stats[1] else 0.0)

    def _aggregate_and_compute(self, stats: list[list[int]]) -> Score:
        return self._compute_score_from_stats([sum(column) for column in zip(*stats, strict=True)])

    def count(self, hypothesis: Sequence[str], reference: Sequence[str]) -> list[int]:
        raise NotImplementedError


class WordAccuracy(_OfWords):
    """100 (1 - word error rate): words of the reference less edits, by words of the reference (Hunt 1990).

    Word order counts. Below 0 where there are more edits than words.
    """

    def count(self, hypothesis: Sequence[str], reference: Sequence[str]) -> list[int]:
        return [len(reference) - edit_distance(hypothesis, reference), len(reference)]


class ExactMatch(_OfWords):
    """Percentage of translations that are their reference, word for word."""

    def count(self, hypothesis: Sequence[str], reference: Sequence[str]) -> list[int]:
        return [int(hypothesis == reference), 1]


def edit_distance(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many words have to be inserted, left out or replaced (Levenshtein 1966).

    >>> edit_distance("the small cat sat".split(), "a small cat sat down".split())
    2
    """
    row = list(range(len(second) + 1))
    for number, word in enumerate(first, 1):
        diagonal, row[0] = row[0], number
        for place, other in enumerate(second, 1):
            diagonal, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, diagonal + (word != other))
    return row[-1]


def training_words(path: str | Path, tokenize: Callable[[str], str]) -> Counter[str]:
    """Return how often each word occurs in a text. What spaces separate is tokenized alone, each type of it once."""
    words: Counter[str] = Counter()
    for between_spaces, count in count_words([Path(path)]).items():
        for word in tokenize(between_spaces).split():
            words[word] += count
    return words


def words_by_frequency(
    hypotheses: Sequence[str], references: Sequence[str], training: Mapping[str, int], tokenize: Callable[[str], str]
) -> dict[str, dict[str, float | int | None]]:
    """Return precision, recall and F1 of the words of each class of frequency in the target side of training.

    A word of a translation is right as often as its reference has it (clipped counts, as compare-mt's word accuracy).
    Classes are named by their lowest and highest frequency, as in "2-4"; "0" holds the words that training has not
    seen, whose `recall` says how many of them are translated. Values are percentages, None where nothing is counted;
    `words` are the reference's.
    """
    counts = {name: [0, 0, 0] for name in CLASSES.values()}
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        given, wanted = (Counter(tokenize(line.rstrip()).split()) for line in (hypothesis, reference))
        for word in given.keys() | wanted.keys():
            count = counts[CLASSES[max(low for low in CLASSES if low <= training.get(word, 0))]]
            for index, number in enumerate((min(given[word], wanted[word]), given[word], wanted[word])):
                count[index] += number
    found: dict[str, dict[str, float | int | None]] = {}
    for name, (right, given_words, words) in counts.items():
        shares = {"precision": (right, given_words), "recall": (right, words), "f1": (2 * right, given_words + words)}
        percentages = {key: 100 * part / whole if whole else None for key, (part, whole) in shares.items()}
        found[name] = {"words": words, **percentages}
    return found
