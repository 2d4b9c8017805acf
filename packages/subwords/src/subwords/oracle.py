"""Gold morphemes as pieces: what a segmentation would be that makes no mistake against a gold standard.

No algorithm has this at hand for running text, so it is an upper bound of boundary scores (its own gold gives 1), and a
way to ask what morphological pieces are worth to a translation system: the demo's corpus has gold morphemes for every
word, natural corpora have them for some (SIGMORPHON 2022).

The `gold` file has `word<TAB>morph morph ...` lines, as `subwords stats --gold` reads it. Words whose morphs do not
join to the word (canonical segmentations) are left out. A word that is in it only in lower case is cut at the same
places. Any other word is one piece (`unknown=word`), or one piece for each character (`unknown=character`); such words
are counted.

Texts are not read: the model is the gold file's usable words, in code-point order. Pieces are marked as in
`subwords.marks`, and runs of spaces become one.

>>> model = Oracle({"undoing": ["un", "do", "ing"]})
>>> model.encode("Undoing undoing it")
'Un ##do ##ing un ##do ##ing it'
>>> model.counts()
{'words without gold morphemes': 1}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from subwords import marks
from subwords.boundaries import usable_gold
from subwords.files import write_lines
from subwords.segmenter import MarkedSegmenter, Parameter, check_size, read_options


class Oracle(MarkedSegmenter):
    """See the module's docstring. `morphs` maps words to their morphs, which join to the word."""

    algorithm = "oracle"
    summary = "gold morphemes as pieces: an upper bound"
    size_counts = None
    reads = "moses"
    learns_from_text = False
    loses = "words without gold morphemes"
    kept_options = ("unknown",)
    parameters = (
        Parameter("gold", None, "file of `word<TAB>morph morph ...` lines", kind=str, required=True, is_file=True),
        Parameter(
            "unknown", "word", "the pieces of a word that has no gold morphemes", ("word", "character"), stage="encode"
        ),
    )

    def __init__(self, morphs: Mapping[str, list[str]], unknown: str = "word") -> None:
        self.morphs, self.unknown = dict(morphs), unknown

    @classmethod
    def trial_arguments(cls, text: Path) -> tuple[None, dict[str, Any]]:
        from subwords.testing import write_gold

        return None, {"gold": str(write_gold(text))}

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Return the model of a gold file. Raises InputError where no word of it can be used."""
        gold = read_options(cls, options, "learn")["gold"]
        check_size(cls, size)
        return cls.read(Path(gold), **{name: value for name, value in options.items() if name != "gold"})

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        return cls(usable_gold(path), **read_options(cls, options, "encode"))

    def write(self, path: Path) -> None:
        write_lines(path, (f"{word}\t{' '.join(morphs)}" for word, morphs in sorted(self.morphs.items())))

    def segment(self, word: str) -> list[str]:
        if word in self.morphs:
            return self.morphs[word]
        if self._has(word):
            lower = self.morphs[word.lower()]
            ends = [sum(map(len, lower[: n + 1])) for n in range(len(lower))]
            return [word[end - len(morph) : end] for morph, end in zip(lower, ends, strict=True)]
        return [word] if self.unknown == "word" else list(word)

    def _has(self, word: str) -> bool:
        return word in self.morphs or (word.lower() in self.morphs and len(word.lower()) == len(word))

    def missed(self, word: str, pieces: str) -> int:
        return not self._has(word)

    def known_pieces(self) -> list[str]:
        return marks.both_forms(morph for morphs in self.morphs.values() for morph in morphs)

    def reached(self) -> int:
        return len({morph for morphs in self.morphs.values() for morph in morphs})
