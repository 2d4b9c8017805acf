"""BPE-knockout: merges that cut across morpheme borders are taken out of BPE again, with gold morphemes as the judge.

Bauwens and Delobelle 2024 ("BPE-knockout: Pruning Pre-existing BPE Tokenisers with Backwards-compatible Morphological
Semi-supervision"). First `size` merges are learned as in `bpe`. Then the words of the `gold` file are segmented with
them, and each merge is judged by its blame ratio:

    blame(m) = borders between gold morphs that m closed / all places that m closed.

A piece whose merge has a ratio of `blame` (0.5) or more is knocked out: it leaves the vocabulary, and every merge that
used it uses its parts instead. So merges come to join three and more pieces. With `iterations` above 1 what is left is
judged again, until nothing is knocked out; a merge of n pieces then closes n - 1 places.

>>> knock_out([("a", "b"), ("ab", "c</w>")], {"abc": ["a", "bc"]}, 0.5)
[('a', 'b', 'c</w>')]
>>> model = BPEKnockout([("a", "b", "c</w>")], 2)
>>> model.encode("abc ab")
'abc a@@ b'

A merge is applied at all its places, from the left, as BPE does. The package `bpe_knockout` passes over a place that
begins where the one before it ends, and takes it up again afterwards, so that "aaaaa" becomes `aa a aa` where BPE has
`aa aa a`. `variant=reference` does so, too, and is equal to the package, merge for merge and piece for piece (with its
defaults: all morphs, no annealing, no reification, which are not offered).

Words whose morphs do not join to the word are left out. `size` counts the merges before the knockout; fewer stay.

The model file has one merge per line, its parts separated by spaces, in the order of their application; the last part
of a word carries `</w>`. Pieces are marked with "@@", as those of `bpe`, and runs of spaces become one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Self

from subwords.boundaries import cuts, usable_gold
from subwords.counting import word_table
from subwords.errors import InputError
from subwords.files import pieces_in, write_lines
from subwords.marks import SEPARATOR
from subwords.merges import learn_merges
from subwords.merges.codes import END
from subwords.merges.segmenter import MergedPieces
from subwords.segmenter import Parameter, at_least, check_size, read_options, warn_of_fewer, whole_number

_HEADER = "#bpe-knockout, merges before it: "

#: The pieces that a merge joins, two or more.
Parts = tuple[str, ...]


class BPEKnockout(MergedPieces):
    """See the module's docstring. `learned` is the number of merges before the knockout."""

    algorithm = "bpe-knockout"
    summary = "bpe without the merges that cut across gold morphemes (Bauwens & Delobelle 2024)"
    size_counts = "merges before the knockout"
    kept_options = ("variant",)
    parameters = (
        Parameter("gold", None, "file of `word<TAB>morph morph ...` lines", kind=str, required=True, is_file=True),
        Parameter("blame", 0.5, "share of bad applications from which on a piece is knocked out, above 0, up to 1"),
        Parameter("iterations", 1, "how often merges are judged, at least 1"),
        Parameter(
            "variant",
            "paper",
            "places of a merge as in BPE, or as in the public code",
            ("paper", "reference"),
            stage="both",
        ),
        Parameter("min_frequency", 2, "pairs that occur less often are not merged, at least 1"),
    )

    def __init__(self, merges: Sequence[Parts], learned: int, variant: str = "paper") -> None:
        self.merges, self.learned, self.variant = list(merges), learned, variant
        self._merger = Merger(merges, variant == "reference")

    @classmethod
    def trial_arguments(cls, text: Path) -> tuple[int, dict[str, Any]]:
        from subwords.testing import write_gold

        return 60, {"gold": str(write_gold(text))}

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn `size` merges, or fewer (with a warning) when no pair is frequent enough, and knock out."""
        chosen = read_options(cls, options, "learn")
        wanted = check_size(cls, size)
        least = at_least(chosen, "min_frequency")
        iterations = at_least(chosen, "iterations")
        if not 0 < chosen["blame"] <= 1:
            raise InputError(f"blame={chosen['blame']} cannot be used", allowed="above 0, up to 1")
        gold = usable_gold(Path(chosen["gold"]))
        words = word_table(texts)
        merges: list[Parts] = list(learn_merges(words, wanted, least))
        learned = len(merges)
        warn_of_fewer(cls, learned, wanted, f"no other pair occurs {least} times")
        for _ in range(iterations):
            before = len(merges)
            merges = knock_out(merges, gold, chosen["blame"], chosen["variant"] == "reference")
            if len(merges) == before:
                break
        model = cls(merges, learned, chosen["variant"])
        model.learned_letters = words.letters()
        return model

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        header, *lines = pieces_in(path) or [""]
        merges = [tuple(line.split(" ")) for line in lines]
        learned = whole_number(header.removeprefix(_HEADER)) if header.startswith(_HEADER) else None
        if learned is None or not all(len(parts) > 1 and all(parts) for parts in merges):
            raise InputError(f"{path} is no model of bpe-knockout", allowed=f"{_HEADER!r}, then a merge a line")
        return cls(merges, learned, **read_options(cls, options, "encode"))

    def write(self, path: Path) -> None:
        write_lines(path, [f"{_HEADER}{self.learned}", *map(" ".join, self.merges)])

    def segment_words(self, words: Sequence[str]) -> list[str]:
        segmented = (self._merger.apply(word)[0] for word in words)
        return [f"{SEPARATOR} ".join(units)[: -len(END)] for units in segmented]

    def reached(self) -> int:
        return self.learned


class Merger:
    """Applies merges of two and more parts: the first of the list that is possible, at all its places from the left."""

    def __init__(self, merges: Sequence[Parts], as_program: bool = False) -> None:
        self._next = 2 if as_program else 1  # units from a merged one to the next that may begin a place of the merge
        self._starting: defaultdict[str, list[tuple[int, Parts]]] = defaultdict(list)  # by their first part, in order
        for rank, parts in enumerate(merges):
            self._starting[parts[0]].append((rank, parts))

    def apply(self, word: str) -> tuple[list[str], dict[int, int]]:
        """Return the units of a word (the last one with </w>), and for each place inside it that was closed, by which
        merge; a place is the number of characters before it."""
        units, closed = [*word[:-1], word[-1] + END], dict[int, int]()
        while possible := [
            (rank, parts)
            for place, unit in enumerate(units)
            for rank, parts in self._starting.get(unit, ())
            if tuple(units[place : place + len(parts)]) == parts
        ]:
            rank, parts = min(possible)
            place = 0
            while place < len(units):
                if tuple(units[place : place + len(parts)]) == parts:
                    before = sum(map(len, units[:place]))
                    for inner in accumulate(map(len, parts[:-1]), initial=before):
                        if inner > before:
                            closed[inner] = rank
                    units[place : place + len(parts)] = ["".join(parts)]
                    place += self._next
                else:
                    place += 1
        return units, closed


def knock_out(
    merges: Sequence[Parts], gold: Mapping[str, Sequence[str]], blame: float, as_program: bool = False
) -> list[Parts]:
    """Return merges without those that close gold borders too often; the others have their parts instead.

    `gold` maps words to morphs that join to the word; each word counts once.
    """
    merger, good, bad = Merger(merges, as_program), Counter[int](), Counter[int]()
    for word, morphs in gold.items():
        borders = cuts(morphs)
        for place, rank in merger.apply(word)[1].items():
            (bad if place in borders else good)[rank] += 1
    gone = {"".join(merges[rank]) for rank in bad if bad[rank] / (bad[rank] + good[rank]) >= blame}
    # A piece that two merges make goes with both, and its first merge says what it was made of.
    made = {"".join(parts): parts for parts in reversed(merges)}

    def spelled(part: str) -> Parts:
        return tuple(unit for inner in made[part] for unit in spelled(inner)) if part in gone else (part,)

    kept = (parts for parts in merges if "".join(parts) not in gone)
    return [tuple(unit for part in parts for unit in spelled(part)) for parts in kept]
