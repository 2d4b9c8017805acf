"""Learning HFT's vocabulary from word types with counts.

Signoroni & Rychlý (2022), section 1: from all characters, again and again (1) segment all words with the vocabulary and
count entries and candidates, which are the strings of two neighbouring pieces, (2) add the most frequent candidates,
(3) drop the longer entries that are rarer than the last one added, until the size is reached.

Each step reads every word type once. With the default, 5% of the size a step, there are about 30 steps, because each
drops nearly as many entries as it adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import NamedTuple

from subwords.core.hft_segmentation import EntrySplitter, Types, by_frequency
from subwords.core.words import WordTable
from subwords.errors import InputError

#: Entries with their counts.
Vocabulary = dict[str, int]
#: No frequency and no number of entries is above this.
ANY = (1 << 63) - 1


class Rules(NamedTuple):
    """What tells the variants apart in segmenting.

    `first_minimum` is the frequency that the minimum starts from. The public code starts from 0, so that all its
    minima are 0 (or negative), and its second criterion decides nothing.
    """

    first_minimum: int
    most: int  # entries in a word; from there on, a prefix counts as impossible
    loses_words: bool  # the public code's treatment of unknown characters


PAPER = Rules(first_minimum=ANY, most=ANY, loses_words=False)
REFERENCE = Rules(first_minimum=0, most=1000, loses_words=True)


class Variant(NamedTuple):
    """How a variant learns and segments."""

    rules: Rules
    adjacent: bool  # first candidates: pairs of neighbours; else a word's first character with each later one
    subtracts: bool  # take the count of a new entry from those of its old pieces (not in the paper)
    exact: bool  # end with the size asked, not with a little more


VARIANTS = {
    "paper": Variant(PAPER, adjacent=True, subtracts=False, exact=True),
    "reference": Variant(REFERENCE, adjacent=False, subtracts=True, exact=False),
    "published": Variant(REFERENCE, adjacent=False, subtracts=False, exact=False),
}


def default_step(variant: str, size: int) -> int:
    """Return how many entries a step adds: 5% of the size (section 1, step 2), or the 100 of the published figures."""
    return 100 if variant == "published" else max(1, size // 20)


def learn_vocabulary(words: Mapping[str, int] | WordTable, size: int, step: int, variant: str = "paper") -> Vocabulary:
    """Return the vocabulary, entry to count, of word types with counts.

    `paper` gives exactly `size` entries, the others a few more, as the public code does; all give what there is where
    the words offer fewer. Where the steps go round in circles, `paper` doubles the step. Raises InputError when `size`
    is below the number of characters.

    The first step adds ¦l, the second ¦lo (of the strings that occur 5 times the largest, before w¦ and ow). Then l is
    not used any more, but characters are kept:

    >>> vocabulary = learn_vocabulary({"¦low¦": 5, "¦lay¦": 2}, size=8, step=1)
    >>> sorted(vocabulary.items())
    [('a', 2), ('l', 1), ('o', 5), ('w', 5), ('y', 2), ('¦', 7), ('¦l', 7), ('¦lo', 5)]
    """
    rules, adjacent, subtracts, exact = VARIANTS[variant]
    corpus = Types(words if isinstance(words, WordTable) else WordTable.of(words))
    vocabulary: Vocabulary = corpus.characters()
    characters = list(vocabulary)
    if size < len(characters):
        raise InputError(
            f"size={size} is below the alphabet: hft keeps the text's {len(characters)} different characters",
            allowed=f"a size of at least {len(characters)}, better several times as many",
            next_step="ask for a larger size, or remove rare characters from the text",
        )
    seen: set[int] = set()
    for number in count():
        if exact and len(vocabulary) >= size:
            return _trimmed(vocabulary, size)
        if not exact and number > 1 and len(vocabulary) > size:
            return vocabulary
        segmenter = EntrySplitter(vocabulary, *rules)
        if number == 0 and not adjacent:
            counts, candidates = vocabulary, corpus.first_with_later(step)
        else:
            counts, candidates = corpus.count(segmenter, step)
        if not candidates:
            break
        state = hash(frozenset(vocabulary.items()))
        if state in seen:  # each step drops what the one before it added, for ever
            if not exact or len(candidates) < step:
                break
            step *= 2
            seen.clear()
            continue
        seen.add(state)
        added = dict(candidates)
        if subtracts and number > 0:
            for entry, frequency in segmenter.uses(added).items():
                counts[entry] = counts.get(entry, 0) - frequency
        rarest = candidates[-1][1]
        vocabulary = {e: n for e, n in {**counts, **added}.items() if len(e) == 1 or n >= rarest}
        for character in characters:
            vocabulary.setdefault(character, 1)
    return vocabulary


def _trimmed(vocabulary: Vocabulary, size: int) -> Vocabulary:
    """Return the vocabulary without the last of its longer entries."""
    longer = sorted(((e, n) for e, n in vocabulary.items() if len(e) > 1), key=by_frequency, reverse=True)
    kept = longer[: size - (len(vocabulary) - len(longer))]
    return dict(kept) | {e: n for e, n in vocabulary.items() if len(e) == 1}
