"""What the rules of the workflow ask: inputs, parameters and targets, as functions of their wildcards.

Rules name files by wildcards ({corpus}, {l1}, {l2}, {source}, {target}, {segmentation}, {model}, {seed}, {testset});
what is behind a name is in the experiment. Everything here is plain Python over an `Experiment`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from experiment.config import Experiment
from experiment.corpora.catalogue import File
from experiment.corpora.corpus_groups import Group
from experiment.layout import (
    DOWNLOADS,
    experiment_folder,
    reference,
    segmentation_folder,
    segmented_folder,
    text_folder,
)
from experiment.runs import Run
from experiment.segmentations import Segmentation

Input = Callable[[Any], Any]  # wildcards -> a path or paths


def as_json(value: Any) -> str:
    """Return a value as one word of a shell command."""
    return json.dumps(value, ensure_ascii=False)


def _asked(segmentation: Segmentation) -> dict[str, Any]:
    """Return what a segmentation is; `learn_pairs` only where it is not learned on all."""
    return {key: value for key, value in asdict(segmentation).items() if key != "learn_pairs" or value}


class Graph:
    """The input functions, parameters and targets of one experiment's graph."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.settings = experiment.settings
        self.corpora = experiment.corpora_with_members
        wanted = dict.fromkeys((corpus, pair) for corpus, pair, _ in experiment.segmented)
        #: (group, pair) of every text that is put together from others: many into one.
        self.groups = [place for place in wanted if isinstance(self.corpora[place[0]], Group)]
        members = [(member.corpus.name, member.pair) for name, _ in self.groups for member in self.group(name).members]
        #: (corpus, pair) of every other text that is needed.
        self.pairs = list(dict.fromkeys([place for place in wanted if place not in self.groups] + members))
        #: Place of every file that is downloaded -> what it is.
        self.downloads: dict[str, File] = {
            str(file.location(DOWNLOADS)): file
            for corpus, pair in self.pairs
            for file in self.corpora[corpus].files(pair)
            if file.url
        }

    # --- text

    def corpus_files(self, corpus: str, pair: str) -> list[str]:
        """Return the files that a corpus is put together from: downloads, or the user's own."""
        return [str(file.location(DOWNLOADS)) for file in self.corpora[corpus].files(pair)]

    def splits(self, corpus: str, pair: str) -> list[str]:
        """Return train, dev and the test sets of a pair."""
        return list(self.corpora[corpus].splits(pair))

    def clean_files(self, corpus: str, pair: str) -> list[str]:
        """Return what cleaning makes: the splits, dev and tests as they came, gold segmentations."""
        folder, languages, splits = text_folder(corpus, pair, "raw"), pair.split("-"), self.splits(corpus, pair)
        kept = [reference(corpus, pair, split, lang) for split in splits if split != "train" for lang in languages]
        return [f"{folder}/{split}.{lang}" for split in splits for lang in languages] + kept + self.gold(corpus, pair)

    def gold(self, corpus: str, pair: str) -> list[str]:
        """Return the gold segmentation files of a pair."""
        languages = self.corpora[corpus].gold_languages(pair)
        return [f"{text_folder(corpus, pair, 'raw')}/gold.{lang}" for lang in languages]

    def cleaning_options(self, corpus: str) -> list[str]:
        """Return `cleaning` of the corpus, changed by that of the experiment, as the program's options."""
        given = {**self.corpora[corpus].cleaning, **self.settings["cleaning"]}
        words: list[str] = []
        for key, value in given.items():
            if value not in (None, False):
                words += [f"--{key.replace('_', '-')}", *([] if value is True else [str(value)])]
        return words

    # --- text of groups

    def group(self, name: str) -> Group:
        """Return a group of corpora."""
        found = self.corpora[name]
        assert isinstance(found, Group)
        return found

    def member_files(self, name: str, form: str) -> list[str]:
        """Return what a group is put together from, in this form: clean text with its references, or tokens."""
        files = []
        for member in self.group(name).members:
            corpus, folder = member.corpus.name, text_folder(member.corpus.name, member.pair, form)
            for lang in member.pair.split("-"):
                files += [f"{folder}/{split}.{lang}" for split in ("train", "dev", member.test)]
                if form == "raw":
                    files += [reference(corpus, member.pair, split, lang) for split in ("dev", member.test)]
        return files

    def gathering_options(self, name: str, form: str) -> list[str]:
        """Return the members of a group, and what else scripts/gather_corpora.py is told for this form."""
        group = self.group(name)
        words = ["--into", group.into]
        for member in group.members:
            words += ["--member", member.language, text_folder(member.corpus.name, member.pair, form), member.test]
        if form == "raw":
            overlap = {**group.cleaning, **self.settings["cleaning"]}.get("overlap", "remove")
            words += ["--overlap", overlap]
        return words

    def texts(self) -> list[str]:
        """Return every text that the experiment's segmenters read."""
        return self.texts_of(self.experiment.segmented)

    def texts_of(self, segmented: Sequence[tuple[str, str, str]]) -> list[str]:
        """Return every text that some segmentations (corpus, pair, folder) read."""
        wanted = {
            f"{text_folder(corpus, pair, self.segmentation_of(folder).text)}/{split}.{lang}"
            for corpus, pair, folder in segmented
            for split in self.splits(corpus, pair)
            for lang in pair.split("-")
        }
        return sorted(wanted)

    # --- segmentation

    def segmentation(self, wildcards: Any) -> Segmentation:
        """Return the Segmentation of a folder name; `name.seedN` is one that is learned anew for each seed."""
        return self.segmentation_of(wildcards.segmentation)

    def segmentation_of(self, folder: str) -> Segmentation:
        """Return the Segmentation that a folder is named after."""
        known = self.experiment.segmentations
        return known[folder] if folder in known else known[folder.rpartition(".seed")[0]]

    def segmenter_folder(self, wildcards: Any) -> str:
        """Return the folder of the text that a segmenter of a pair reads."""
        form = self.segmentation(wildcards).text
        return text_folder(wildcards.corpus, f"{wildcards.l1}-{wildcards.l2}", form)

    def segmenter_text(self, *splits: str) -> Input:
        """Return the input function for some splits of a pair, in both languages, as the segmenter reads them."""

        def paths(wildcards: Any) -> list[str]:
            wanted = splits or self.splits(wildcards.corpus, f"{wildcards.l1}-{wildcards.l2}")
            folder = self.segmenter_folder(wildcards)
            return [f"{folder}/{split}.{lang}" for split in wanted for lang in (wildcards.l1, wildcards.l2)]

        return paths

    def pair_gold(self, wildcards: Any) -> list[str]:
        return self.gold(wildcards.corpus, f"{wildcards.l1}-{wildcards.l2}")

    def of_segmentation(self, attribute: str) -> Input:
        """Return the parameter function for an attribute of the segmentation."""
        return lambda wildcards: getattr(self.segmentation(wildcards), attribute)

    def joint_flag(self, wildcards: Any) -> str:
        return "--joint" if self.segmentation(wildcards).joint else ""

    def learning_flags(self, wildcards: Any) -> str:
        """Return the flags of scripts/segment.py: whether sides are learned on together, and on how much of train."""
        pairs = self.segmentation(wildcards).learn_pairs
        return " ".join(filter(None, [self.joint_flag(wildcards), f"--learn-pairs {pairs}" if pairs else ""]))

    def learn_options(self, wildcards: Any) -> str:
        """Return the learn options, with the folder's seed where a segmentation is learned for each."""
        found = self.segmentation(wildcards)
        seed = {"seed": int(wildcards.segmentation.rpartition(".seed")[2])} if found.per_seed else {}
        return as_json({**found.learn, **seed})

    def segmentation_folders(self) -> list[str]:
        """Return the folder of every segmentation that is learned."""
        return [segmentation_folder(corpus, pair, folder) for corpus, pair, folder in self.experiment.segmented]

    # --- training and translation

    def run(self, wildcards: Any) -> Run:
        """Return the Run of a run folder."""
        source, target = wildcards.source, wildcards.target
        pair = self.experiment.corpora[wildcards.corpus].pair(source, target)
        return Run(wildcards.corpus, source, target, pair, wildcards.segmentation, wildcards.model, int(wildcards.seed))

    def segmented(self, file: str) -> Input:
        """Return the input function for a file of the run's segmentation; `file` may name {source} and {target}."""

        def path(wildcards: Any) -> str:
            name = file.format(source=wildcards.source, target=wildcards.target)
            return f"{segmented_folder(self.experiment, self.run(wildcards))}/{name}"

        return path

    def references(self, side: str, split: str = "") -> Input:
        """Return the input function for one side of a split (default: the test set) as it came."""

        def path(wildcards: Any) -> str:
            pair = self.experiment.corpora[wildcards.corpus].pair(wildcards.source, wildcards.target)
            return reference(wildcards.corpus, pair, split or wildcards.testset, getattr(wildcards, side))

        return path

    def source_text(self, wildcards: Any) -> str:
        """Return the source side of a test set as the segmenter reads it."""
        run = self.run(wildcards)
        folder = text_folder(run.corpus, run.pair, self.experiment.segmentations[run.segmentation].text)
        return f"{folder}/{wildcards.testset}.{run.source}"

    def recipe(self, wildcards: Any) -> str:
        return as_json(self.experiment.recipes[wildcards.model]["flags"])

    def training_selection(self) -> str:
        """Return what of `select` shapes the training: its metric, and how many checkpoints have to be kept."""
        select = self.settings["select"]
        keep = max(select.get("keep", 5), select["average"])
        return as_json({"metric": select["metric"], "keep": keep, "beam": select["beam"]})

    def run_parameters(self, wildcards: Any) -> str:
        """Return everything that was decided about a run, for run.json."""
        run = self.run(wildcards)
        decided = {
            "corpus": run.corpus,
            "direction": run.direction,
            "segmentation": _asked(self.experiment.segmentations[run.segmentation]),
            "model": {"name": run.model, "flags": self.experiment.recipes[run.model]["flags"]},
            "seed": run.seed,
        }
        return as_json(decided | {key: self.settings[key] for key in ("select", "cleaning", "precision")})

    # --- scores and tables

    def block(self, wildcards: Any) -> list[Run]:
        """Return the runs that are compared with each other: all segmentations and seeds of one table block."""
        block = (wildcards.corpus, f"{wildcards.source}-{wildcards.target}", wildcards.model)
        return [run for run in self.experiment.runs if (run.corpus, run.direction, run.model) == block]

    def compared(self, ending: str) -> Input:
        return lambda wildcards: [f"{run.folder}/{wildcards.testset}.{ending}" for run in self.block(wildcards)]

    def comparison_arguments(self, wildcards: Any) -> list[str]:
        """Return the systems of a block as scripts/compare_systems.py takes them."""
        words = []
        for run in self.block(wildcards):
            place = f"{run.folder}/{wildcards.testset}"
            words += ["--system", run.segmentation, str(run.seed), f"{place}.hyp"]
            if "comet" in self.settings["metrics"]:
                words += ["--comet", run.segmentation, str(run.seed), f"{place}.comet.json"]
        return words

    def significance_files(self) -> list[str]:
        """Return one comparison for each table block and test set; none where there is nothing to compare."""
        systems: dict[tuple[str, str, str], set[str]] = {}
        for run in self.experiment.runs:
            systems.setdefault((run.corpus, run.direction, run.model), set()).add(run.segmentation)
        baseline = self.settings["baseline"]
        return [
            f"{experiment_folder(self.experiment)}/significance/{corpus}.{direction}.{model}.{testset}.json"
            for (corpus, direction, model), names in systems.items()
            if baseline in names and len(names) > 1
            for testset in self.experiment.test_sets(corpus, direction)
        ]

    def digest(self) -> str:
        """Return what changes when the manifest does."""
        return hashlib.sha256(as_json(self.manifest()).encode()).hexdigest()

    def manifest(self) -> dict[str, Any]:
        """Return what the experiment is made of and where its files are (docs/results.md)."""
        return {
            "experiment": self.experiment.name,
            "title": self.settings["title"] or self.experiment.name,
            "description": self.settings["description"],
            "baseline": self.settings["baseline"],
            "metrics": self.settings["metrics"],
            "runs": [self._manifest_run(run) for run in self.experiment.runs],
            "significance": self.significance_files(),
            "corpora": {name: self._about(name) for name in dict.fromkeys(run.corpus for run in self.experiment.runs)},
            "parameters": {key: value for key, value in self.settings.items() if key not in ("title", "description")},
            "commands": [f"snakemake --configfile {self.experiment.where}"],
        }

    def _about(self, corpus: str) -> dict[str, str]:
        """Return what a person should know of a corpus: what it is, its licence, its citation."""
        definition = self.experiment.corpora[corpus].definition
        about = {key: definition[key] for key in ("title", "homepage", "licence", "citation") if key in definition}
        if "generated" in definition:
            about.setdefault("title", f"generated text, seed {definition['generated'].get('seed', 1)}")
            about.setdefault("licence", "none needed: made here")
        return about

    def run_files(self) -> list[str]:
        """Return every file that the manifest names and a job makes."""
        return self.significance_files() + self.files_of_runs(self.experiment.runs)

    def files_of_runs(self, runs: Sequence[Run]) -> list[str]:
        """Return every file that jobs make for some runs."""
        files: list[str] = []
        for run in map(self._manifest_run, runs):
            files += [run["run_json"], run["stats_json"], run["log"]]
            files += [path for testset in run["testsets"].values() for path in testset.values()]
        return list(dict.fromkeys(files))

    def chosen_on_test(self, runs: Sequence[Run]) -> list[str]:
        """Return the scores of the checkpoints of some runs that do best on the test set itself."""
        kinds = ("json", "comet.json") if "comet" in self.settings["metrics"] else ("json",)
        return [
            f"{run.folder}/{testset}.chosen-on-test.{kind}"
            for run in runs
            for testset in self.experiment.test_sets(run.corpus, run.direction)
            for kind in kinds
        ]

    def _manifest_run(self, run: Run) -> dict[str, Any]:
        given = self.experiment.segmentations[run.segmentation]
        return {
            "corpus": run.corpus,
            "direction": run.direction,
            "segmentation": run.segmentation,
            "algorithm": given.algorithm,
            "size": given.size if isinstance(given.size, int) else None,
            "model": run.model,
            "seed": run.seed,
            "run_json": f"{run.folder}/run.json",
            "stats_json": f"{segmented_folder(self.experiment, run)}/stats.json",
            "log": f"{run.folder}/log.jsonl",
            "testsets": {
                testset: self._test_set_files(run, testset)
                for testset in self.experiment.test_sets(run.corpus, run.direction)
            },
        }

    def _test_set_files(self, run: Run, testset: str) -> dict[str, str]:
        place = f"{run.folder}/{testset}"
        files = {
            "scores": f"{place}.scores.json",
            "hypothesis": f"{place}.hyp",
            "translation": f"{place}.translation.json",
            "reference": reference(run.corpus, run.pair, testset, run.target),
            "source": reference(run.corpus, run.pair, testset, run.source),
        }
        if "comet" in self.settings["metrics"]:
            files["comet"] = f"{place}.comet.json"
        return files
