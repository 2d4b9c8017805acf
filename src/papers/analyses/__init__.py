"""What is measured beyond training and scoring: one module a kind, each with `measure(inputs, options)`.

`KINDS` says for every kind which of an experiment's files it reads (the workflow makes them first) and what it gives. A
module is imported when its analysis runs. `measure` yields measurements (columns: `papers.measurements.COLUMNS`); what
a scale cannot give is not measured, and its cells stay empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.config import Experiment, Grid, Run
from experiment.graph import Graph
from experiment.layout import DOWNLOADS, segmentation_folder, text_folder
from papers.paper import Paper, analysis_files

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Kind:
    """What an analysis reads, what it measures, and the options that it takes beside `COMMON`: words of a line.

    texts: clean and tokenized text, its cleaning reports. segmentations: models, pieces and statistics. runs:
    everything of finished trainings. chosen_on_test: what their checkpoints are worth that do best on the test set.
    scores: scores.csv. files: what it names under `files`. Metrics may have a * for what differs. Options with an
    exclamation mark have to be given; the docstring of the module says what they mean.
    """

    reads: str
    gives: str
    takes: str = ""

    @property
    def needs(self) -> list[str]:
        return self.reads.split()

    @property
    def metrics(self) -> list[str]:
        return self.gives.split()

    @property
    def options(self) -> list[str]:
        return self.takes.replace("!", "").split()

    @property
    def needed_options(self) -> list[str]:
        return [name[:-1] for name in self.takes.split() if name.endswith("!")]


#: Keys of every analysis.
COMMON = ("kind", "grids", "files")
#: Name in a paper's file and of the module -> what it reads, gives and takes.
KINDS: dict[str, Kind] = {
    "corpus_counts": Kind(
        "texts",
        "sentences tokens_* types_* type_token_ratio_* unknown_source_tokens *sentences_with_unknown_words",
        "text splits parts total",
    ),
    "selection_on_test": Kind("chosen_on_test", "bleu chrf chrf++ ter comet updates_chosen"),
    "symbols": Kind("segmentations", "symbols_share vocabulary", "language"),
    "undecodable_output": Kind("runs", "undecodable_output undecodable_output_of_system"),
    "boundary_f1": Kind("texts segmentations scores files", "boundary_f1*", "segmentations! without_scores"),
    "effects": Kind("scores", "effect_* sampler_*", "metric languages variants contrast sampling row"),
    "effects_of_published": Kind(
        "", "effect_* sampler_*", "table replicates metric languages variants contrast sampling row"
    ),
    "changed_sentences": Kind(
        "texts runs",
        "sentence_bleu_difference sentence_bleu source reference translation",
        "system baseline count seed",
    ),
    "hft_frequencies": Kind(
        "files texts", "f95* mu* nu* vocabulary* frequency*", "texts sizes! step pretokenized coverage curves"
    ),
    "hft_sample": Kind("files texts", "pretokenized", "texts text! lines containing"),
    "text_counts": Kind("files texts", "sentences words word_types characters distinct_characters", "texts"),
    "human_evaluation": Kind(
        "texts runs scores files", "answers_* wins_* p_* evaluated_sentences", "sentences! systems! judges seed"
    ),
    "likelihood_gains": Kind("segmentations", "likelihood_gain likelihood_gain_mean", "segmentations! window"),
    "merges_learned": Kind("segmentations", "merges", "segmentations"),
    "paired_bootstrap": Kind("runs scores", "bleu_p_*", "algorithm baseline samples"),
    "word_pieces": Kind("segmentations", "pieces pieces_as_printed", "corpus! language! segmentations! words!"),
    "entropy_by_size": Kind("segmentations scores", "entropy muv bleu", "corpus! direction! segmentations!"),
    "joint_vocabulary": Kind("segmentations", "vocabulary"),
    "muv_correlation": Kind(
        "texts segmentations scores", "muv spearman_of_pair pairs spearman positive_share", "corpus! pairs! languages"
    ),
    "search_costs": Kind(
        "segmentations runs scores",
        "bleu bleu_tokenized cpu_hours gpu_hours vocabulary",
        "corpus! direction! model! search! name! found!",
    ),
    "tokenized_bleu": Kind("runs", "bleu_tokenized"),
    "training_speed": Kind("segmentations runs", "sentences_per_second"),
}


@dataclass(frozen=True)
class Inputs:
    """What an analysis may read. `grids` restricts `runs` and `segmented` to some of the paper's grids and texts."""

    paper: Paper
    name: str
    scores_csv: Path | None = None
    threads: int = 1

    @cached_property
    def experiment(self) -> Experiment:
        return self.paper.experiment

    @cached_property
    def graph(self) -> Graph:
        return Graph(self.experiment)

    @property
    def options(self) -> dict[str, Any]:
        """What the paper's file says beside kind, grids and files."""
        return {k: v for k, v in self.paper.analyses[self.name].items() if k not in COMMON}

    @property
    def files(self) -> dict[str, Path]:
        """The files that it names: label -> path on this machine."""
        return {label: file.location(DOWNLOADS) for label, file in analysis_files(self.paper, self.name).items()}

    @cached_property
    def runs(self) -> list[Run]:
        """The trainings of its grids, in order."""
        return list(dict.fromkeys(run for grid in self._chosen("runs") for run in self.experiment.runs_of(grid)))

    @cached_property
    def segmented(self) -> list[tuple[str, str, str]]:
        """(corpus, pair, folder of the segmentation) of its grids and texts."""
        return list(dict.fromkeys(place for grid in self._chosen() for place in self.experiment.segmented_in(grid)))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(corpus, pair) of its grids and texts."""
        return list(dict.fromkeys((corpus, pair) for corpus, pair, _ in self.segmented))

    def scores(self) -> DataFrame:
        """Return scores.csv as measurements, under the paper's names and sizes."""
        from papers.measurements import of_paper

        if self.scores_csv is None:
            raise ValueError(f"the analysis {self.name} does not need scores")
        return of_paper(self.scores_csv, self.paper)

    def _chosen(self, kind: str = "") -> list[Grid]:
        known = self.experiment.grids if kind == "runs" else {**self.experiment.texts, **self.experiment.grids}
        wanted = self.paper.analyses[self.name].get("grids")
        return [grid for name, grid in known.items() if wanted is None or name in wanted]

    def keys(self, run: Run) -> dict[str, Any]:
        """Return the columns that say which run a measurement belongs to, under the paper's names and sizes."""
        return {
            "corpus": self.paper.paper_corpus(run.corpus),
            "direction": run.direction,
            "model": run.model,
            "segmentation": run.segmentation,
            "algorithm": self.experiment.segmentations[run.segmentation].algorithm,
            "size": self.paper.sizes_of_paper[run.segmentation],
            "seed": run.seed,
        }

    def segmentation_keys(self, corpus: str, folder: str) -> dict[str, Any]:
        """Return the columns that say which segmentation of a corpus a measurement belongs to."""
        found = self.graph.segmentation_of(folder)
        return {
            "corpus": self.paper.paper_corpus(corpus),
            "segmentation": found.name,
            "algorithm": found.algorithm,
            "size": self.paper.sizes_of_paper[found.name],
        }

    def paths(self) -> list[str]:
        """Return every file that has to be there before the analysis runs."""
        needs, graph = KINDS[self.paper.analyses[self.name]["kind"]].needs, self.graph
        found = [str(path) for path in self.files.values()] if "files" in needs else []
        if "texts" in needs:
            for corpus, pair in self.pairs:
                found += graph.clean_files(corpus, pair)
                found.append(f"{text_folder(corpus, pair, 'raw')}/cleaning.json")
            found += graph.texts_of(self.segmented)
        if "segmentations" in needs:
            found += [
                f"{segmentation_folder(corpus, pair, folder)}/stats.json" for corpus, pair, folder in self.segmented
            ]
        if "runs" in needs:
            found += graph.files_of_runs(self.runs)
        if "chosen_on_test" in needs:
            found += graph.chosen_on_test(self.runs)
        if "scores" in needs:
            found.append(f"results/{self.experiment.folder}/scores.csv")
        return list(dict.fromkeys(found))


def analysis(kind: str) -> Callable[[Inputs, dict[str, Any]], Iterable[Mapping[str, Any]]]:
    """Return the measuring function of a kind."""
    return import_module(f"papers.analyses.{kind}").measure
