"""Byte-pair encoding: the most frequent pair of adjacent symbols becomes a symbol, again and again.

Sennrich, Haddow and Birch 2016 ("Neural Machine Translation of Rare Words with Subword Units", Algorithm 1). A word is
at first its characters, the last one marked `</w>`. Each step counts all adjacent pairs inside words (weighted by how
often the words occur; "aaa" has the pair (a, a) twice), merges the most frequent one everywhere, from left to right,
and writes it down. Ties go to the larger pair: the left symbol decides first, by code points. Learning ends after
`size` merges, or when no pair occurs `min_frequency` times.

In "low low lower", (l, o) occurs 3 times, (o, w</w>) twice and (o, w) once, so (l, o) is merged first:

>>> from subwords.merges import learn_merges
>>> learn_merges({"low": 2, "lower": 1}, 2)
[('l', 'o'), ('lo', 'w</w>')]
>>> model = BPE([("l", "o"), ("lo", "w</w>")])
>>> model.encode("low lower owl")
'low lo@@ w@@ e@@ r o@@ w@@ l'
>>> model.decode(model.encode("low lower owl"))
'low lower owl'

Codes and pieces are those of subword-nmt 0.3.8, byte for byte, on text whose only white space is spaces and line feeds
(subword-nmt also takes other Unicode spaces inside words for borders; here they are letters). With
`implementation=subword-nmt` that package itself does the work.

Limits: a word that ends in "@@" cannot be told from a piece: the text "a@@ b" comes back as "ab", and "a@@" at the end
of a line as "a". The word "@@" itself vanishes (all this where learning merged the two). Runs of spaces become one, as
in apply-bpe. Spaces and carriage returns at both ends of a line (a leading one, too) are dropped; apply-bpe keeps them:
up to these, the encoding of a line is that of apply-bpe.

Complexity: learning takes time and memory proportional to the total length of the word types, plus a logarithmic share
per pair; `size` hardly matters. Encoding takes n log n for a word type of n characters, and a look-up for each word.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from subwords.counting import word_table
from subwords.marks import SEPARATOR
from subwords.merges.codes import Merge
from subwords.merges.segmenter import MergeSegmenter
from subwords.segmenter import Parameter, at_least, check_size, read_options, warn_of_fewer

if TYPE_CHECKING:
    from subwords.core.pieces import Splitter


class BPE(MergeSegmenter):
    """See the module's docstring."""

    algorithm = "bpe"
    applies: ClassVar[tuple[str, ...]] = ("bpe", "bpe-dropout", "muv", "random-bpe", "sbpe", "volt")
    summary = "byte-pair encoding, equal to subword-nmt (Sennrich et al. 2016)"
    kept_options: ClassVar[tuple[str, ...]] = ("implementation",)
    parameters = (
        Parameter("min_frequency", 2, "pairs that occur less often are not merged, at least 1"),
        Parameter("implementation", "ours", "whose program learns and encodes", ("ours", "subword-nmt"), stage="both"),
        *MergeSegmenter.parameters,
    )

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn `size` merges, or fewer (with a warning) when no pair is frequent enough.

        Raises InputError for a size or an option that cannot be used, and for texts without words.
        """
        given = read_options(cls, options)
        wanted = check_size(cls, size)
        least = at_least(given, "min_frequency")
        counts = word_table(texts)
        if given["implementation"] == "subword-nmt":
            from subwords.merges import published

            words = dict(zip(counts.words(), counts.counts(), strict=True))
            merges = published.learn_merges(words, wanted, least)
        else:
            from subwords.merges.learning import learn_merges

            merges = learn_merges(counts, wanted, least)
        model = cls(merges, **options)
        model.learned_letters = counts.letters()
        warn_of_fewer(cls, len(model.merges), wanted, f"no other pair occurs {least} times")
        return model

    def __init__(self, merges: Sequence[Merge], **options: Any) -> None:
        super().__init__(merges, **options)
        self.implementation: str = self.options.get("implementation", "ours")
        if self.implementation == "subword-nmt":
            self._merger = self._new_merger()  # an error where the package is not installed
            self.libraries = ("subword-nmt",)

    def splitter(self) -> Splitter | None:
        return super().splitter() if self.implementation == "ours" else None

    def _new_merger(self) -> Any:
        if self.implementation == "ours":
            return super()._new_merger()
        from subwords.merges import published

        return published.MergeEncoder(self.merges, SEPARATOR)
