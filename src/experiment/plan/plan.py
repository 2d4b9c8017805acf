"""The plan of an experiment: its texts, segmentations, trainings and evaluations, by key. The rules ask it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.corpora.corpus import File
from experiment.corpora.corpus_groups import Group
from experiment.jsonfiles import read_json, write_json
from experiment.plan.segmented_texts import SegmentedText, describe_segmented
from experiment.plan.systems import RUN, Evaluation, System, describe_system
from experiment.plan.texts import DOWNLOADS, PlannedTestSet, Text, describe_text
from experiment.runs import Run, TestSet
from experiment.store.keys import key
from experiment.store.making import DONE, define, fits, locked
from experiment.store.results import Results, not_from_the_future, not_interrupted, synchronize
from experiment.store.usage import use_file, write_use
from subwords.errors import InputError

if TYPE_CHECKING:
    from experiment.config import Experiment

#: Files of an experiment that Snakemake compares by their times.
OWN_FILES = ("manifest.json", "comet.done", "comet-on-test.done", "scores.csv")
#: Keys of `decode`: how a test set is translated.
SEARCH = ("beam", "length_penalty", "length_factor", "length_constant", "precision")


def as_json(value: Any) -> str:
    """Return a value as one word of a shell command."""
    return json.dumps(value, ensure_ascii=False)


class Plan:
    """The texts, segmentations and systems of an experiment, by key, and its evaluations, by key and seed."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._settings = experiment.settings
        self.runtime: dict[str, Any] = experiment.settings["runtime"]
        self.results = Results()
        self.texts: dict[str, Text] = {}
        #: Test sets that are made by themselves, by key of their text and stem: of any corpus with that text.
        self.own_tests: dict[tuple[str, str], tuple[Text, PlannedTestSet]] = {}
        self.segmented: dict[str, SegmentedText] = {}
        self.systems: dict[str, System] = {}
        self.evaluations: dict[tuple[str, int], Evaluation] = {}
        #: Further downloads, of papers.
        self.further_files: list[File] = []
        self.text = cache(self._text)
        self.segmentation = cache(self._segmentation)
        self.system = cache(self._system)
        self.run = cache(self._run)

    # --- by name

    def _text(self, corpus: str, pair: str) -> Text:
        found = self._experiment.whole_corpora[corpus]
        members: tuple[Text, ...] = ()
        if isinstance(found, Group):
            members = tuple(self.text(member.corpus.name, member.pair) for member in found.members)
        text = describe_text(found, pair, self._settings["cleaning"], self.results, members)
        text = replace(text, folder=self.texts.setdefault(text.key, text).folder)
        for test in text.tests:
            if test.own:
                self.own_tests.setdefault((text.key, test.stem), (text, test))
        return text

    def _segmentation(self, corpus: str, pair: str, name: str, seed: int) -> SegmentedText:
        entry = self._experiment.segmentations[name]
        if not entry.per_seed and seed:
            return self.segmentation(corpus, pair, name, 0)
        found = describe_segmented(self.text(corpus, pair), entry, seed, self.results)
        return self.segmented.setdefault(found.key, found)

    def _system(self, corpus: str, direction: str, segmentation: str, model: str, seed: int) -> System:
        """Return the system to train; `seed` matters only if its segmentation is learned for each seed."""
        if not self._experiment.segmentations[segmentation].per_seed and seed:
            return self.system(corpus, direction, segmentation, model, 0)
        pair = self._experiment.corpora[corpus].pair(*direction.split("-"))
        flags = self._experiment.recipes[model]["flags"]
        segmented = self.segmentation(corpus, pair, segmentation, seed)
        found = describe_system(segmented, direction, model, flags, self._settings, self.results)
        return self.systems.setdefault(found.key, found)

    def _run(self, corpus: str, direction: str, segmentation: str, model: str, seed: int) -> Run:
        """Return a run and plan its training and evaluation."""
        system = self.system(corpus, direction, segmentation, model, seed)
        text = self.text(corpus, system.segmented.text.pair)
        tests = [text.test(name) for name in self._experiment.test_sets(corpus, direction)]
        known = self.evaluations.get((system.key, seed))  # of another corpus with the same text
        wanted = {test.stem: test for test in (*(known.tests if known else ()), *tests)}
        search = {name: self._settings["decode"][name] for name in SEARCH}
        lexical = [metric for metric in self._settings["metrics"] if metric != "comet"] or ["bleu"]
        evaluation = Evaluation(system, seed, self._settings["select"], search, [*wanted.values()], lexical)
        self.evaluations[system.key, seed] = evaluation
        source, target = direction.split("-")
        entry = system.segmented.segmentation
        testsets = {}
        for test in tests:
            place = f"{evaluation.folder}/{test.stem}"
            testsets[test.name] = TestSet(
                scores=f"{place}.scores.json",
                comet=f"{place}.comet.{self._experiment.comet_key}.json" if self._experiment.comet_key else None,
                hypothesis=f"{place}.hyp",
                reference=text.reference(test.stem, target),
                source=text.reference(test.stem, source),
                text_record=str(text.record_of(test)),
                translation=f"{place}.translation.json",
                round_trip=evaluation.round_trip(test),
            )
        return Run(
            corpus=corpus,
            direction=direction,
            segmentation=segmentation,
            algorithm=entry.algorithm,
            model=model,
            seed=seed,
            run_json=f"{evaluation.chosen}/{RUN}",
            testsets=testsets,
            size=entry.size if isinstance(entry.size, int) else None,
            stats_json=f"{system.segmented.folder}/stats.json",
            log=f"{evaluation.training}/log.jsonl",
            pair=text.pair,
            key=system.key,
            folder=evaluation.training,
            text=text.folder,
            segmented=system.segmented.folder,
        )

    # --- what rules need

    def files_of(self, key: str, stem: str = "") -> list[str]:
        """Return the files that a text, or a test set of its own, is put together from: downloads, or a user's own.

        An mtdata download is complete when its mark is there.
        """
        text, test = self.own_tests[key, stem] if stem else (self.texts[key], None)
        marks = [f"{DOWNLOADS}/mtdata/{name}.{DONE}" for name in text.mtdata_of(test)]
        return [str(file.location(DOWNLOADS)) for file in text.files_of(test)] + marks

    def members_of(self, key: str) -> list[str]:
        """Return the marks of the texts that a group is put together from."""
        text = self.texts[key]
        if not isinstance(text.corpus, Group):
            return []
        parts = zip(text.corpus.members, text.members, strict=True)
        return list(dict.fromkeys(mark for part, own in parts for mark in (own.done, own.done_of(own.test(part.test)))))

    def testset_job(self, key: str, stem: str) -> dict[str, Any]:
        """Return the job of scripts/make_corpus.py."""
        text, test = self.own_tests[key, stem]
        return text.test_job(test, self.runtime)

    def testset_mark(self, key: str, stem: str) -> str:
        text, test = self.own_tests[key, stem]
        return text.done_of(test)

    def evaluation(self, key: str, seed: str) -> Evaluation:
        return self.evaluations[key, int(seed)]

    @property
    def downloads(self) -> dict[str, File]:
        """Place of every file that is downloaded -> what it is."""
        sources = [*((text, None) for text in self.texts.values()), *self.own_tests.values()]
        found = [*(file for text, test in sources for file in text.files_of(test)), *self.further_files]
        return {str(file.location(DOWNLOADS)): file for file in found if file.url}

    @property
    def marks(self) -> dict[str, list[str]]:
        """The marks of everything that the experiment needs, by step."""
        return {
            "texts": [text.done for text in self.texts.values()],
            "segmented": [segmented.done for segmented in self.segmented.values()],
            "runs": [evaluation.done for evaluation in self.evaluations.values()],
        }

    def synchronize(self) -> None:
        """Make Snakemake's marks agree with the records. Raises InputError for checkpoints that are needed and gone."""
        for result in (*self.texts.values(), *self.segmented.values()):
            synchronize(Path(result.done), fits(result.record), result.record)
        own_tests = {Path(text.done_of(test)): text.record_of(test) for text, test in self.own_tests.values()}
        for done, record in own_tests.items():
            synchronize(done, fits(record), record)
        for evaluation in self.evaluations.values():
            evaluation.check_origin()
            evaluation.forget_torn_choice()
            evaluation.check_checkpoints()
            synchronize(Path(evaluation.done), evaluation.finished())
        every = [files.comet for run in self._experiment.runs for files in run.testsets.values() if files.comet]
        if not all(Path(path).is_file() for path in every):
            synchronize(Path(self._experiment.results, "comet.done"), False)
        own = [Path(self._experiment.results, name) for name in OWN_FILES]
        marks = [Path(mark) for step in self.marks.values() for mark in step]
        not_interrupted([*marks, *own_tests])
        not_from_the_future([*marks, Path(self.use_file), *own])
        for mark in self.manifest_again:  # left by an earlier time
            with suppress(OSError):
                Path(mark).unlink()
        # Else a job registers it, before anything is made.
        if all(mark.exists() for mark in marks) and not Path(self.use_file).exists():
            with suppress(OSError), locked(Path(self.results.root)):  # not in results that may only be read
                write_use(Path(self.use_file), self._use, planned=0)  # perhaps a dry run: it replaces no other plan

    @cached_property
    def manifest_again(self) -> list[str]:
        """A file that forces a new manifest where the present one belongs to another experiment of the same name.

        It must be a target: Snakemake does not make an intermediate file again when the final results look up to date.
        """
        path = Path(self._experiment.results, "manifest.json")
        if not path.exists() or key(read_json(path)) == self.manifest_key:
            return []
        return [f"{self._experiment.results}/manifest.{self.manifest_key}"]

    @cached_property
    def manifest_key(self) -> str:
        return key(json.loads(as_json(self.manifest())))

    # --- what the experiment uses

    @cached_property
    def _use(self) -> dict[str, Any]:
        """What the experiment uses, in the form of `experiment.store.usage`."""

        def inside(folder: str) -> str:
            return str(Path(folder).relative_to(self.results.root))

        made = [*self.texts.values(), *self.segmented.values()]
        keep = self.runtime["keep_checkpoints"]
        return {
            "experiment": inside(self._experiment.results),
            "folders": sorted(inside(each.folder) for each in made),
            "trainings": {
                inside(each.training): {"chosen": inside(each.chosen), "select": dict(each.select), "keep": keep}
                for each in self.evaluations.values()
            },
        }

    @property
    def use_file(self) -> str:
        return use_file(self.results.root, self._use)

    def register(self) -> None:
        """Write what the experiment uses, and make the folder of each result, before any job starts.

        Raises InputError where another experiment has made a folder for one of our results since we planned.
        """
        with locked(Path(self.results.root)):
            write_use(Path(self.use_file), self._use)
            found = Results(self.results.root)
            for each in (*self.texts.values(), *self.segmented.values(), *self.systems.values()):
                own = str(Path(each.folder).relative_to(self.results.root))
                if (folder := found.folder(own, each.definition)) != each.folder:
                    raise InputError(
                        f"another experiment that has just started also makes {each.folder}, as {folder}",
                        next_step="run the same command again: both then share it",
                    )
                define(Path(each.folder), each.definition)

    # --- what follows from all runs

    def write_manifest(self, path: str, marks: Iterable[str]) -> None:
        """Write the manifest, and the marks (`manifest_again`) that say so."""
        write_json(path, self.manifest())
        for mark in marks:
            Path(mark).touch()

    def manifest(self) -> dict[str, Any]:
        """Return what the experiment is made of and where its files are (docs/scores-csv.md)."""
        experiment, settings = self._experiment, self._settings
        return {
            "experiment": experiment.name,
            "title": settings["title"] or experiment.name,
            "description": settings["description"],
            "baseline": experiment.baseline,
            "against": experiment.against,
            "metrics": settings["metrics"],
            "runs": [asdict(run) for run in experiment.runs],
            "corpora": {name: self._about(name) for name in dict.fromkeys(run.corpus for run in experiment.runs)},
            "parameters": {key: settings[key] for key in settings if key not in ("title", "description", "runtime")},
            "commands": [f"snakemake --configfile {experiment.where}"],
        }

    def _about(self, corpus: str) -> dict[str, str]:
        """Return what a reader should know about a corpus: what it is, its licence, its citation."""
        definition = self._experiment.corpora[corpus].definition
        about = {key: definition[key] for key in ("title", "homepage", "licence", "citation") if key in definition}
        if "generated" in definition:
            about.setdefault("title", f"generated text, seed {definition['generated'].get('seed', 1)}")
            about.setdefault("licence", "none needed: made here")
        return about
