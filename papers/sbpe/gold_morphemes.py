"""Gold morphemes on the surface of words, from the two sources that S-BPE's Table 4 can be made of.

- Morpho Challenge 2010, which the paper used and which a user may have: `word<TAB>morph:label morph:label, …`, where a
  comma separates alternative analyses and `~` is a morph without a form.
- SIGMORPHON 2022 (word level), free: `word<TAB>morph @@morph …<TAB>class`. Czech morphs are stretches of the word;
  English ones are canonical (`conserve @@ation` for `conservation`) and have to be found on the surface.

Both give words with analyses, an analysis being stretches that join to the word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from subwords.boundaries import GoldWord, boundary_scores, cuts, piece_boundaries, read_gold
from subwords.errors import InputError
from subwords.files import read_lines
from subwords.segmenter import Segmenter


class Analyses(NamedTuple):
    """A word, and each way to cut it into the stretches of its morphemes."""

    word: str
    ways: list[list[str]]


def read_morpho_challenge(path: Path) -> list[Analyses]:
    """Return the words of a segmentation file of Morpho Challenge 2010. Raises InputError, with the line, for others.

    An analysis whose morphs do not join to the word is left out, and a word without any other.
    """
    found = []
    for number, line in enumerate(read_lines(path), 1):
        word, _, rest = line.partition("\t")
        if not word or not rest.strip():
            raise InputError(
                f"{path}, line {number}: {line[:80]!r} is not a word and its morphs",
                allowed="word<TAB>morph:label morph:label, alternative",
            )
        ways = [[morph for each in way.split() if (morph := _form(each))] for way in rest.split(",")]
        ways = [way for way in ways if "".join(way) == word]
        if ways:
            found.append(Analyses(word, ways))
    return found


def _form(labelled: str) -> str:
    """Return the form of `form:label`; empty for the zero morph."""
    form = labelled.rpartition(":")[0] or labelled
    return "" if form == "~" else form


def read_sigmorphon(path: Path) -> list[Analyses]:
    """Return the words of a word-level file of SIGMORPHON 2022, those whose morphemes can be found on the surface."""
    found = []
    for word, morphs in read_gold(path):
        way = morphs if "".join(morphs) == word else on_surface(word, morphs)
        if way:
            found.append(Analyses(word, [way]))
    return found


#: Label of a file begins with one of these.
READERS: dict[str, Callable[[Path], list[Analyses]]] = {
    "morpho-challenge": read_morpho_challenge,
    "sigmorphon": read_sigmorphon,
}


#: Costs in the alignment: an edit, and what an edit of a morpheme's first letter costs more (far less than an edit).
EDIT, FIRST = 1000, 1


def on_surface(word: str, morphs: Sequence[str]) -> list[str] | None:
    """Return the stretches of a word that its canonical morphemes stand for; None where one has nothing of its own.

    The stretches are those with the fewest edits (Levenshtein 1966) between morphemes and word; of several, those that
    leave the start of morphemes alone: spelling changes the end of stems, not the suffix. A letter between two
    morphemes that neither has belongs to the one before it. A morpheme of which no letter is left in its place (`good
    er` for `better`) has no stretch.

    >>> on_surface("conservation", ["conserve", "ation"]), on_surface("simply", ["simple", "ly"])
    (['conserv', 'ation'], ['simp', 'ly'])
    >>> on_surface("running", ["run", "ing"]), on_surface("ingenuities", ["ingenuity", "s"])
    (['runn', 'ing'], ['ingenuitie', 's'])
    """
    letters = "".join(morphs)
    starts = [0, *accumulate(map(len, morphs))]
    change = [EDIT + FIRST * (place in starts[1:]) for place in range(len(letters))]
    cost = _costs(letters, word, change)
    i, j = len(letters), len(word)
    end_at, kept = {i: j}, [False] * len(letters)
    while i:
        # Back from the end, as far right as a cheapest alignment allows.
        same = j > 0 and letters[i - 1] == word[j - 1]
        if cost[i][j] == cost[i - 1][j] + change[i - 1]:
            i -= 1
        elif j and cost[i][j] == cost[i - 1][j - 1] + (0 if same else change[i - 1]):
            i, j = i - 1, j - 1
            kept[i] = same
        else:
            j -= 1
            continue
        end_at[i] = j
    if not all(any(kept[start:end]) for start, end in pairwise(starts)):
        return None
    return [word[end_at[start] if start else 0 : end_at[end]] for start, end in pairwise(starts)]


def _costs(letters: str, word: str, change: Sequence[int]) -> list[list[int]]:
    """Return the least cost of making each start of `word` of each start of `letters`."""
    rows = [[EDIT * j for j in range(len(word) + 1)]]
    for letter, costs in zip(letters, change, strict=True):
        above = rows[-1]
        row = [above[0] + costs]
        for j, wanted in enumerate(word, 1):
            row.append(min(above[j] + costs, above[j - 1] + (0 if letter == wanted else costs), row[j - 1] + EDIT))
        rows.append(row)
    return rows


def scores(segmenter: Segmenter, gold: Sequence[Analyses]) -> dict[str, Any]:
    """Return `subwords.boundaries.boundary_scores`; of several analyses the one counts that the pieces agree with most.

    As in the boundary measure of Virpioja et al. 2011: an ambiguous word does not count against the segmentation.
    """
    found = piece_boundaries(segmenter, [word for word, _ in gold])
    chosen = [
        GoldWord(word, max(ways, key=lambda way: _agreement(places, cuts(way))) if places is not None else ways[0])
        for (word, ways), places in zip(gold, found, strict=True)
    ]
    return boundary_scores(segmenter, chosen)


def _agreement(found: frozenset[int], true: frozenset[int]) -> float:
    """Return the F1 of boundaries in one word: 1 where neither has one."""
    together = len(found) + len(true)
    return 2 * len(found & true) / together if together else 1.0
