"""Do pieces end where morphemes end? Boundaries inside words against a gold segmentation.

A boundary is an offset strictly inside a word, in characters. The gold file has one word a line,
`word<TAB>morph morph`; morphs may carry SIGMORPHON's `@@` in front, and further columns are ignored. A word whose
morphs do not join to it (a canonical segmentation: `patron @@ess @@s` of `patronesses`) has no boundaries on its
surface and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

from subwords.errors import InputError
from subwords.files import read_lines
from subwords.segmenter import Segmenter


class GoldWord(NamedTuple):
    """A word and its morphs."""

    word: str
    morphs: list[str]

    @property
    def joins(self) -> bool:
        """Whether the morphs join to the word: else it has no boundaries on its surface."""
        return "".join(self.morphs) == self.word


def read_gold(path: Path) -> list[GoldWord]:
    """Return the words of a gold file. Raises InputError with the line number where a line has not that format."""
    gold = []
    for number, line in enumerate(read_lines(path), 1):
        word, _, rest = line.partition("\t")
        morphs = rest.partition("\t")[0].split()
        if not word or not morphs:
            problem = f"{path}, line {number}: {line[:80]!r} is not a word and its morphs"
            raise InputError(problem, allowed="word<TAB>morph morph ...")
        gold.append(GoldWord(word, [morphs[0], *(morph.removeprefix("@@") for morph in morphs[1:])]))
    return gold


def usable_gold(path: Path) -> dict[str, list[str]]:
    """Return the words of a gold file whose morphs join to them, with these; of a word given twice, the last ones.

    No such word holds a space, which no morph has. Raises InputError where there is none, and as `read_gold` does.
    """
    usable = dict(gold for gold in read_gold(path) if gold.joins)
    if not usable:
        raise InputError(f"{path} has no word whose morphs join to it", allowed="word<TAB>morph morph ...")
    return usable


def cuts(stretches: Sequence[str]) -> frozenset[int]:
    """Return the offsets inside a word at which its stretches meet.

    >>> sorted(cuts(["un", "", "do", "ing"]))
    [2, 4]
    """
    *inner, length = accumulate(map(len, stretches), initial=0)
    return frozenset(inner) - {0, length}


def piece_boundaries(segmenter: Segmenter, words: Sequence[str]) -> list[frozenset[int] | None]:
    """Return for each word the offsets at which the algorithm cuts it; None where its pieces are no stretches of it."""
    boundaries: list[frozenset[int] | None] = []
    for word, pieces in zip(words, segmenter.pieces_of(words), strict=True):
        stretches = segmenter.surfaces(pieces)
        joined = "".join(stretches or ())
        same = len(joined) == len(word) and joined.casefold() == word.casefold()
        boundaries.append(cuts(stretches) if stretches and same else None)
    return boundaries


def boundary_scores(segmenter: Segmenter, gold: Sequence[GoldWord]) -> dict[str, Any]:
    """Return how well the algorithm's boundaries agree with the gold ones, each gold word counting once.

    `macro`: precision is the mean over words in which the algorithm puts a boundary, recall over words in which the
    gold has one, F1 their harmonic mean (the boundary measure that Virpioja et al. 2011 discuss). `micro`: the same
    from boundaries summed over words. A precision or recall over nothing is None; F1 is then 0, or None when there are
    no boundaries at all.

    `words` were scored; `without_surface_gold` were left out for their gold, `without_surface_pieces` because the
    pieces are no stretches of the word (the codes of `huffman`, `<unk>`). With no word scored all figures are None:
    not applicable.
    """
    on_surface = [word for word in gold if word.joins]
    boundaries = piece_boundaries(segmenter, [word for word, _ in on_surface])
    pairs = zip(boundaries, (cuts(morphs) for _, morphs in on_surface), strict=True)
    scored = [(found, true) for found, true in pairs if found is not None]
    precisions = [len(found & true) / len(found) for found, true in scored if found]
    recalls = [len(found & true) / len(true) for found, true in scored if true]
    hits = sum(len(found & true) for found, true in scored)
    return {
        "words": len(scored),
        "without_surface_gold": len(gold) - len(on_surface),
        "without_surface_pieces": len(on_surface) - len(scored),
        "macro": _scores(ratio(fsum(precisions), len(precisions)), ratio(fsum(recalls), len(recalls))),
        "micro": _scores(
            ratio(hits, sum(len(found) for found, _ in scored)), ratio(hits, sum(len(true) for _, true in scored))
        ),
    }


def ratio(part: float, whole: float) -> float | None:
    """Return a share; None where there is nothing to have one."""
    return part / whole if whole else None


def _scores(precision: float | None, recall: float | None) -> dict[str, float | None]:
    """Return precision, recall and their harmonic mean."""
    if precision is None and recall is None:
        f1 = None
    elif not precision or not recall:
        f1 = 0.0
    else:
        f1 = 2 * precision * recall / (precision + recall)
    return {"precision": precision, "recall": recall, "f1": f1}
