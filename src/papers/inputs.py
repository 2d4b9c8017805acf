"""What an analysis may read: the trainings, segmentations, texts, files and scores that are its paper's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.config import Experiment
from experiment.corpora.corpus_groups import scored_direction
from experiment.graph import Graph
from experiment.layout import DOWNLOADS, raw_folder, segmentation_folder, text_folder
from experiment.runs import Grid, Run
from papers.analyses import COMMON, KINDS, Kind
from papers.paper import Paper, analysis_files

if TYPE_CHECKING:
    from pandas import DataFrame


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
    def kind(self) -> Kind:
        return KINDS[self.paper.analyses[self.name]["kind"]]

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

        if self.scores_csv is None or "scores" not in self.kind.reads:
            raise ValueError(f"the analysis {self.name} does not say that it reads scores")
        return of_paper(self.scores_csv, self.paper)

    def _chosen(self, kind: str = "") -> list[Grid]:
        known = self.experiment.grids if kind == "runs" else {**self.experiment.texts, **self.experiment.grids}
        wanted = self.paper.analyses[self.name].get("grids")
        return [grid for name, grid in known.items() if wanted is None or name in wanted]

    def keys(self, run: Run, testset: str = "") -> dict[str, Any]:
        """Return the columns that say which run a measurement belongs to, under the paper's names and sizes.

        With a test set, that of its translation: the direction is then its own, where the corpus is a group.
        """
        of_testset = {"testset": testset, "direction": scored_direction(run.direction, testset)} if testset else {}
        return {
            "corpus": self.paper.paper_corpus(run.corpus),
            "direction": run.direction,
            "model": run.model,
            "segmentation": run.segmentation,
            "algorithm": self.experiment.segmentations[run.segmentation].algorithm,
            "size": self.paper.sizes_of_paper[run.segmentation],
            "seed": run.seed,
        } | of_testset

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
        reads, graph = self.kind.reads, self.graph
        found = [str(path) for path in self.files.values()] if "files" in reads else []
        if "texts" in reads:
            for corpus, pair in self.pairs:
                found += graph.clean_files(corpus, pair)
                if corpus not in self.experiment.group_names:
                    found.append(raw_folder(corpus, pair))
                found.append(f"{text_folder(corpus, pair, 'raw')}/cleaning.json")
            found += graph.texts_of(self.segmented)
        if "segmentations" in reads:
            found += [
                f"{segmentation_folder(corpus, pair, folder)}/stats.json" for corpus, pair, folder in self.segmented
            ]
        if "runs" in reads:
            found += graph.files_of_runs(self.runs)
        if "chosen_on_test" in reads:
            found += graph.chosen_on_test(self.runs)
        if "scores" in reads:
            found.append(str(self.scores_csv or f"results/{self.experiment.folder}/scores.csv"))
        return list(dict.fromkeys(found))
