"""The segmenters `volt` and `muv`: they choose merges, then apply them as byte-pair encoding does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from subwords.core.words import WordTable
from subwords.counting import word_table
from subwords.errors import InputError
from subwords.files import write_whole
from subwords.merges import END, Merge, learn_stages, most_merges
from subwords.merges.segmenter import ENCODE_PARAMETERS, MergeSegmenter
from subwords.segmenter import (
    Parameter,
    at_least,
    changed_options,
    check_idle,
    chosen_size,
    read_options,
    warn_of_fewer,
)
from subwords.volt.utility import Step, best, entropy, sizes_up_to, with_utility

_VARIANT = Parameter("variant", "paper", "the paper, or the authors' public code", ("paper", "reference"))
_INTERVAL = Parameter("interval", 1000, "merges from one size to the next")
_MAXIMUM = Parameter("maximum", 10_000, "the largest size; the public code stops below it")
_REPORT = Parameter(
    "report", None, "a JSON file for size, entropy and marginal utility of every step", kind=str, is_output=True
)

#: Words or tokens of a text, with their counts.
Counts = Mapping[str, int]
#: The merges, the size that was chosen, and the sizes that were looked at.
Chosen = tuple[list[Merge], int, list[Step]]


class ChosenMerges(MergeSegmenter):
    """Merges that were chosen by marginal utility, and what they were chosen from."""

    chooses_size = True
    _report: dict[str, Any] | None = None

    def report(self) -> dict[str, Any]:
        """Return the sizes that were looked at, with entropy and marginal utility, and the one chosen.

        Empty for a model that was loaded. The report is what `--set report=FILE` writes.
        """
        return self._report or {}

    @classmethod
    def _learned(
        cls, merges: Sequence[Merge], chosen: int, steps: Sequence[Step], options: dict[str, Any], words: WordTable
    ) -> Self:
        model = cls(merges, **options)
        model.learned_letters = words.letters()
        rows = [{name: value for name, value in asdict(step).items() if value is not None} for step in steps]
        model._report = {"algorithm": cls.algorithm, "variant": options["variant"], "size": chosen, "steps": rows}
        if options["report"]:
            write_whole(options["report"], json.dumps(model._report, indent=2) + "\n")
        return model


class Volt(ChosenMerges):
    """See the package's docstring."""

    algorithm = "volt"
    summary = "BPE tokens chosen by optimal transport, size by marginal utility (VOLT; Xu et al. 2021)"
    parameters = (
        _VARIANT,
        Parameter("candidates", 30_000, "merges to choose from"),
        _INTERVAL,
        _MAXIMUM,
        Parameter("epsilon", 1e-4, "how far a token's mass may be from its probability (Eq. 9; paper)"),
        Parameter(
            "utility", "gain", "what the chosen size maximizes: gain (Eq. 3 as printed) or muv (Eq. 1)", ("gain", "muv")
        ),
        _REPORT,
        *ENCODE_PARAMETERS,
    )

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Choose merges: at `size`, or (None, "auto") at the size of the highest marginal utility.

        Raises InputError where there are fewer than two sizes to choose from.
        """
        options = read_options(cls, options)
        fixed = chosen_size(cls, size)
        for name in ("candidates", "interval", "maximum"):
            at_least(options, name)
        if not 0 <= options["epsilon"] < 1:
            raise InputError(f"epsilon={options['epsilon']} is no difference of probabilities", allowed="0 <= x < 1")
        if fixed:
            check_idle(cls, options, ["interval", "maximum", "utility"], "--size auto, which they choose")
            if options["candidates"] < fixed and changed_options(cls, {"candidates": options["candidates"]}):
                raise InputError(
                    f"candidates={options['candidates']} is below size={fixed}",
                    allowed=f"at least {fixed}, to choose from",
                )
        if options["variant"] == "reference":
            check_idle(cls, options, ["epsilon", "utility"], "--set variant=paper")
        table = word_table(texts)
        merges, counts = learn_stages(table, max(options["candidates"], fixed or 0), ())
        warn_of_fewer(cls, len(merges), fixed or 0, "the text gives no more to choose from")
        if options["variant"] == "reference":
            words = dict(zip(table.words(), table.counts(), strict=True))
            found = _by_published_code(words, merges, counts[len(merges)], fixed, options)
        else:
            found = _by_transport(merges, counts[len(merges)], fixed, options)
        return cls._learned(*found, options, table)


def _by_transport(merges: Sequence[Merge], counts: Counts, fixed: int | None, options: dict[str, Any]) -> Chosen:
    """Return the merges, the size and the steps of Algorithm 1."""
    from subwords.volt.paper import Candidates, Transporter

    candidates = Candidates(merges, counts)
    transporter = Transporter(candidates, options["epsilon"])
    sizes = [fixed] if fixed else sizes_up_to(options["maximum"], options["interval"], len(candidates), "candidates")
    found = {size: transporter.vocabulary(size) for size in sizes}
    steps = with_utility([step for _, step in found.values()], sizes)
    chosen = fixed or best(steps, options["utility"]).size
    return candidates.merges_of(found[chosen][0]), chosen, steps


def _by_published_code(
    words: Counts, merges: Sequence[Merge], counts: Counts, fixed: int | None, options: dict[str, Any]
) -> Chosen:
    """Return the merges, the size and the steps of the public code; its sizes end below `maximum`."""
    from subwords.volt.published import PublishedTransport

    if not merges:
        raise InputError("there is no pair of characters to merge", next_step="give a longer text")
    last = options["maximum"] - 1
    # The public code goes on when the candidates run out: it then looks at the same ones again. Two such sizes show
    # the score that all others have.
    enough = min(last, len(merges) + 2 * options["interval"])
    sizes = [fixed] if fixed else sizes_up_to(last, options["interval"], enough, "sizes below the maximum")
    transport = PublishedTransport(merges, words, counts, sizes[-1])
    values = [transport.plan(size)[0] for size in sizes]
    steps = [Step(size, value, min(size, len(merges))) for size, value in zip(sizes, values, strict=True)]
    # The score is the difference of values, as it is, and stands for the utility.
    steps = with_utility(steps, range(len(steps)))
    chosen = fixed or best(steps, "gain").size
    kept = transport.kept(transport.plan(chosen)[1])
    return [merges[j] for j in kept], chosen, steps


class Muv(ChosenMerges):
    """See the package's docstring."""

    algorithm = "muv"
    summary = "byte-pair encoding with the size of highest marginal utility (MUV-search; Xu et al. 2021)"
    parameters = (_VARIANT, _INTERVAL, _MAXIMUM, _REPORT, *ENCODE_PARAMETERS)

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn BPE once, to the largest size, and cut it at the size with the highest marginal utility.

        With a `size` it is cut there. Raises InputError where there are fewer than two sizes to choose from.
        """
        options = read_options(cls, options)
        fixed = chosen_size(cls, size)
        for name in ("interval", "maximum"):
            at_least(options, name)
        if fixed:
            check_idle(cls, options, ["interval", "maximum"], "--size auto, which they choose")
        words = word_table(texts)
        most = min(fixed or options["maximum"], most_merges(words.words()))
        stages = [most] if fixed else range(options["interval"], most + 1, options["interval"])
        merges, counts = learn_stages(words, most, stages)
        warn_of_fewer(cls, len(merges), fixed or 0, "no other pair occurs 2 times")
        sizes = [len(merges)] if fixed else sizes_up_to(options["maximum"], options["interval"], len(merges), "merges")
        measure = _published_entropy if options["variant"] == "reference" else _entropy
        steps = [measure(size, counts[size]) for size in sizes]
        steps = with_utility(steps, [step.vocabulary for step in steps])
        chosen = sizes[0] if fixed else best(steps, "muv").size
        return cls._learned(merges[:chosen], chosen, steps, options, words)


def _entropy(size: int, counts: Counts) -> Step:
    """Return Eq. 2 of the tokens of a text: the mean length is that of the types, in characters."""
    length = sum(len(token.removesuffix(END) or END) for token in counts) / len(counts)
    return Step(size, entropy(counts.values(), length), len(counts), length)


def _published_entropy(size: int, counts: Counts) -> Step:
    """Return what the public code takes for it: the mean length is that of the tokens, @@ included."""
    written = {token: len(token.removesuffix(END)) if token.endswith(END) else len(token) + 2 for token in counts}
    length = sum(counts[token] * written[token] for token in counts) / sum(counts.values())
    return Step(size, entropy(counts.values(), length), len(counts), length)
