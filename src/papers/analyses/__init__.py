"""What is measured beyond training and scoring: one module a kind, each with `measure(inputs, options)`.

`KINDS` says for every kind which of an experiment's files it reads (the workflow makes them first), what it gives and
which options it takes. A module is imported when its analysis runs. `measure` yields measurements (columns:
`papers.measurements.COLUMNS`); what a scale cannot give is not measured, and its cells stay empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from papers.inputs import Inputs


@dataclass(frozen=True)
class Kind:
    """What an analysis reads, what it measures, and the options that it takes beside `COMMON`.

    reads, in any number: texts (clean and tokenized text, its cleaning reports), segmentations (models, pieces and
    statistics), runs (everything of finished trainings), chosen_on_test (what their checkpoints are worth that do best
    on the test set), scores (scores.csv), files (what it names under `files`).
    gives: metrics, with a * for what differs. required, optional: names; the module's docstring says what they mean.
    makes: folders of the paper's results that it fills beside its measurements, anew each time.
    """

    reads: tuple[str, ...]
    gives: tuple[str, ...]
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        return (*self.required, *self.optional)


#: Keys of every analysis.
COMMON = ("kind", "grids", "files")
#: Name in a paper's file and of the module -> what it reads, gives and takes.
KINDS: dict[str, Kind] = {
    "corpus_counts": Kind(
        reads=("texts",),
        gives=(
            "sentences",
            "tokens_*",
            "types_*",
            "type_token_ratio_*",
            "unknown_source_tokens",
            "*sentences_with_unknown_words",
        ),
        optional=("text", "splits", "parts", "total"),
    ),
    "selection_on_test": Kind(
        reads=("chosen_on_test",), gives=("bleu", "chrf", "chrf++", "ter", "comet", "updates_chosen")
    ),
    "symbols": Kind(
        reads=("segmentations",), gives=("symbols_share", "symbols_most", "vocabulary"), optional=("language",)
    ),
    "undecodable_output": Kind(reads=("runs",), gives=("undecodable_output", "undecodable_output_of_system")),
    "boundary_f1": Kind(
        reads=("texts", "segmentations", "scores", "files"),
        gives=("boundary_f1*",),
        required=("segmentations",),
        optional=("without_scores",),
    ),
    "effects": Kind(
        reads=("scores",),
        gives=("effect_*", "sampler_*"),
        optional=("metric", "languages", "variants", "contrast", "sampling", "row"),
    ),
    "effects_of_published": Kind(
        reads=(),
        gives=("effect_*", "sampler_*"),
        optional=("table", "replicates", "metric", "languages", "variants", "contrast", "sampling", "row"),
    ),
    "changed_sentences": Kind(
        reads=("texts", "runs"),
        gives=("sentence_bleu_difference", "sentence_bleu", "source", "reference", "translation"),
        optional=("system", "baseline", "count", "seed"),
    ),
    "hft_frequencies": Kind(
        reads=("files", "texts"),
        gives=("f95*", "mu*", "nu*", "vocabulary*", "frequency*"),
        required=("sizes",),
        optional=("texts", "step", "pretokenized", "coverage", "curves"),
    ),
    "hft_sample": Kind(
        reads=("files", "texts"), gives=("pretokenized",), required=("text",), optional=("texts", "lines", "containing")
    ),
    "text_counts": Kind(
        reads=("files", "texts"),
        gives=("sentences", "words", "word_types", "characters", "distinct_characters"),
        optional=("texts",),
    ),
    "human_evaluation": Kind(
        reads=("texts", "runs", "scores", "files"),
        gives=("answers_*", "wins_*", "p_*", "evaluated_sentences"),
        required=("sentences", "systems"),
        optional=("judges", "seed"),
        makes=("human_evaluation/sheets",),
    ),
    "likelihood_gains": Kind(
        reads=("segmentations",),
        gives=("likelihood_gain", "likelihood_gain_mean"),
        required=("segmentations",),
        optional=("window",),
    ),
    "merges_learned": Kind(reads=("segmentations",), gives=("merges",), optional=("segmentations",)),
    "paired_bootstrap": Kind(
        reads=("runs", "scores"), gives=("bleu_p_*",), optional=("algorithm", "baseline", "samples")
    ),
    "word_pieces": Kind(
        reads=("segmentations",),
        gives=("pieces", "pieces_as_printed"),
        required=("corpus", "language", "segmentations", "words"),
        optional=("spelled",),
    ),
    "entropy_by_size": Kind(
        reads=("segmentations", "scores"),
        gives=("entropy", "muv", "bleu"),
        required=("corpus", "direction", "segmentations"),
    ),
    "joint_vocabulary": Kind(reads=("segmentations",), gives=("vocabulary",)),
    "muv_correlation": Kind(
        reads=("texts", "segmentations", "scores"),
        gives=("muv", "spearman_of_pair", "pairs", "spearman", "positive_share"),
        required=("corpus", "pairs"),
        optional=("languages",),
    ),
    "search_costs": Kind(
        reads=("segmentations", "runs", "scores"),
        gives=("bleu", "bleu_tokenized", "cpu_hours", "gpu_hours", "vocabulary"),
        required=("corpus", "direction", "model", "search", "name", "found"),
    ),
    "tokenized_bleu": Kind(reads=("runs",), gives=("bleu_tokenized",)),
    "training_speed": Kind(reads=("segmentations", "runs"), gives=("sentences_per_second",)),
}


def analysis(kind: str) -> Callable[[Inputs, dict[str, Any]], Iterable[Mapping[str, Any]]]:
    """Return the measuring function of a kind."""
    return import_module(f"papers.analyses.{kind}").measure
