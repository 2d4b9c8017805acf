"""Morfessor Baseline: morphs that describe the words briefly (Creutz & Lagus 2002, 2007; Virpioja et al. 2013).

The model is the lexicon of morphs that makes the sum of two costs least: that of spelling the lexicon, and, weighted by
`corpusweight`, that of writing the words in morphs of it. Learning looks at each word in random order (by `seed`) and
splits it recursively in two where that lowers the cost, until an epoch gains little. A word is segmented into its most
probable morphs (Viterbi). The library `morfessor` does the work, with the defaults of its program `morfessor-train`:
each word type counts once (`dampening=ones`), and `-` is always split off.

`corpusweight` decides how many morphs there are: a larger one gives more and longer morphs. There is no exact size;
`morphs=N` lets Morfessor move the weight until the lexicon has about N.

The model file is a segmentation list of Morfessor's (`count morph + morph`, one word type a line), which
`morfessor -L FILE` reads, too. Characters that learning never saw become morphs of one character. Pieces are marked as
in `subwords.marks`, and runs of spaces become one.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from subwords import marks
from subwords.counting import count_words
from subwords.errors import InputError, extra
from subwords.files import read_bytes, write_lines
from subwords.segmenter import MarkedSegmenter, Parameter, at_least, check_idle, check_size, read_options, whole_number

if TYPE_CHECKING:
    from morfessor import BaselineModel

_HEADER = "# Morfessor Baseline, corpusweight="
_BETWEEN = " + "
#: Characters of a morph at most when words are segmented: Morfessor's default.
_LONGEST = 30

#: Epochs in which the weight may move towards a number of morphs. Its steps become smaller with each, but where no
#: weight gives the number, Morfessor would never end.
_MOST_EPOCHS = 50

_DAMPENING: dict[str, Callable[[int], int] | None] = {
    "none": None,
    "log": lambda count: round(math.log(count + 1, 2)),
    "ones": lambda count: 1,
}


class Morfessor(MarkedSegmenter):
    """See the module's docstring. `model` is Morfessor's own."""

    algorithm = "morfessor"
    summary = "morphs of a short lexicon and a short text (Creutz & Lagus 2007; Virpioja et al. 2013), by morfessor"
    size_counts = None
    reads = "moses"
    libraries = ("morfessor",)
    kept_options = ("smoothing",)
    parameters = (
        Parameter("corpusweight", 1.0, "weight of the text's cost against the lexicon's; larger gives longer morphs"),
        Parameter("morphs", None, "about how many morphs the lexicon has; moves the corpusweight", kind=int),
        Parameter("dampening", "ones", "how a word's count enters", choices=tuple(_DAMPENING)),
        Parameter("forcesplit", "-", "characters that are always morphs of their own"),
        Parameter("seed", 1, "seed of the order in which words are looked at"),
        Parameter(
            "smoothing",
            0.0,
            "added to each morph's count when words are segmented, 0 or more",
            allows=lambda smoothing: 0 <= smoothing < math.inf,
            stage="encode",
        ),
    )

    def __init__(self, model: BaselineModel, smoothing: float = 0.0) -> None:
        self.model, self.smoothing = model, smoothing

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Train Morfessor Baseline in batch. Raises InputError for options out of range and texts without words."""
        chosen = read_options(cls, options)
        check_size(cls, size)
        weight, morphs = chosen["corpusweight"], chosen["morphs"]
        if not 0 < weight < math.inf:
            raise InputError(f"corpusweight={weight} cannot be used", allowed="above 0")
        if morphs is not None:
            at_least(chosen, "morphs")
            check_idle(cls, chosen, ["corpusweight"], "morphs=N moves the weight itself: leave one of them out")
        counts = count_words(texts)
        library = _library()
        model = library.BaselineModel(forcesplit_list=list(chosen["forcesplit"]), corpusweight=weight)
        if morphs is not None:
            model.set_corpus_weight_updater(library.baseline.NumMorphCorpusWeight(morphs))
        with _seeded(chosen["seed"]):
            words = ((count, word) for word, count in counts.items())
            model.load_data(words, count_modifier=_DAMPENING[chosen["dampening"]])
            model.train_batch(max_epochs=None if morphs is None else _MOST_EPOCHS)
        return cls(_flat(model.get_segmentations(), model.get_corpus_coding_weight()), chosen["smoothing"])

    @classmethod
    def read(cls, path: Path, **options: Any) -> Self:
        content = read_bytes(path)
        try:
            lines = content.decode("utf-8").split("\n")
            weight = float(lines[0].removeprefix(_HEADER))
            segmentations = [_segmentation(line) for line in lines[1:] if line]
            if not segmentations or not 0 < weight < math.inf:
                raise ValueError(f"corpusweight={weight}, {len(segmentations)} words")
        except ValueError as error:
            raise InputError(
                f"{path} is no list of segmentations: {error}",
                allowed=f"{_HEADER}1.0, then `count morph + morph` lines",
            ) from None
        return cls(_flat(iter(segmentations), weight), **read_options(cls, options, "encode"))

    def write(self, path: Path) -> None:
        words = (f"{count} {_BETWEEN.join(morphs)}" for count, _, morphs in self.model.get_segmentations())
        write_lines(path, [f"{_HEADER}{self.model.get_corpus_coding_weight()!r}", *words])

    def segment(self, word: str) -> list[str]:
        return self.model.viterbi_segment(word, self.smoothing, _LONGEST)[0]

    def known_pieces(self) -> list[str]:
        return marks.both_forms(morph for _, _, morphs in self.model.get_segmentations() for morph in morphs)

    def reached(self) -> int:
        return self.model.types


def _library() -> Any:
    with extra("morfessor"):
        import morfessor
    return morfessor


_Segmentation = tuple[int, str, list[str]]


def _flat(segmentations: Iterator[_Segmentation], weight: float) -> BaselineModel:
    """Return a model of words and their morphs: a learned one without the steps between, as a saved one has them."""
    model = _library().BaselineModel(corpusweight=weight)
    model.load_segmentations(segmentations)
    return model


def _segmentation(line: str) -> _Segmentation:
    count, _, morphs = line.partition(" ")
    found = morphs.split(_BETWEEN)
    number = whole_number(count)
    if not number or not all(found) or any(" " in morph for morph in found):
        raise ValueError(f"{line[:60]!r}")
    return number, "".join(found), found


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed Python's generator, as `morfessor-train --randseed` does, and show no progress; restore both."""
    utils = _library().utils
    state, shown = random.getstate(), utils.show_progress_bar
    random.seed(str(seed))
    utils.show_progress_bar = False
    try:
        yield
    finally:
        random.setstate(state)
        utils.show_progress_bar = shown
