"""What a measure may read: its paper's texts, segmentations, trainings and scores.

This is the only module about papers that knows where the pipeline keeps its files.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pandas import DataFrame

from experiment.config import Experiment
from experiment.corpora.corpus import File
from experiment.corpora.corpus_groups import MANY, scored_direction
from experiment.corpora.gathering import read_origins
from experiment.jsonfiles import read_json
from experiment.plan.plan import Plan
from experiment.plan.texts import DOWNLOADS
from experiment.runs import Grid, Run, directions_of
from experiment.scoring.scorebook import read_scores
from experiment.segmentation.entries import Segmentation
from experiment.segmentation.segmenting import load_segmenter
from experiment.store.keys import key
from experiment.store.making import DONE, RECORD, fits
from experiment.store.results import synchronize
from experiment.training.selection import choice_fits, kept
from replication.measure_code import code_of
from replication.measurements import from_scores
from subwords.errors import check_known
from subwords.segmenter import Segmenter

if TYPE_CHECKING:
    from replication.paper import Paper

Rows = Iterable[Mapping[str, Any]]


@dataclass(frozen=True)
class Measure:
    """What is measured beyond scores: a function of `Sources` and options, which yields measurements.

    reads, in any number: texts (clean and tokenized text, its cleaning reports), segmentations (models, pieces and
    statistics), runs (everything of finished trainings), chosen_on_test (their checkpoints that do best on the test
    set), scores (scores.csv), files (what its options name under `files`).
    """

    reads: tuple[str, ...]
    measure: Callable[..., Rows]

    @property
    def options(self) -> list[str]:
        """The names of its options: the function's parameters."""
        return list(inspect.signature(self.measure).parameters)[1:]


def measure(*reads: str) -> Callable[[Callable[..., Rows]], Measure]:
    """Return the decorator that registers a measure of a paper. `reads` are those of `Measure`."""
    return lambda function: Measure(reads, function)


def by_metric(keys: Mapping[str, Any], values: Mapping[str, Any], prefix: str = "") -> list[dict[str, Any]]:
    """Return measurements with the same keys, given metric -> value; `prefix` begins the metrics' names."""
    return [{**keys, "metric": f"{prefix}{metric}", "value": value} for metric, value in values.items()]


@dataclass(frozen=True)
class TextInPieces:
    """A text of a corpus and pair in the pieces of a segmentation."""

    corpus: str
    pair: str
    name: str  # of its segmentation, with `.seedN` where each seed has one
    folder: Path
    segmentation: Segmentation
    algorithm: str  # as the registry finds it; of the user's own, in the copy beside the pieces

    @property
    def languages(self) -> list[str]:
        return self.pair.split("-")

    @property
    def statistics(self) -> Any:
        """The statistics of its pieces, by language."""
        return read_json(self.folder / "stats.json")

    @property
    def record(self) -> Any:
        """What was written down when it was learned: segmentation.json."""
        return read_json(self.folder / "segmentation.json")

    @property
    def pieces(self) -> list[Path]:
        """The pieces of the training text, one file a language."""
        return [self.folder / f"train.{language}" for language in self.languages]

    def segmenter(self, language: str) -> Segmenter:
        return load_segmenter(self.folder, language, self.algorithm)


@dataclass(frozen=True)
class Sources:
    """What a measure may read. Its option `grids` restricts `runs` and `segmented` to some of the paper's."""

    paper: Paper
    name: str
    scores_csv: Path | None = None
    threads: int = 1

    @cached_property
    def experiment(self) -> Experiment:
        return self.paper.experiment

    @property
    def plan(self) -> Plan:
        return self.experiment.plan

    @property
    def reads(self) -> tuple[str, ...]:
        return self.paper.measures[self.name].reads

    @property
    def measured(self) -> str:
        """The file of its measurements: its name has the key of all that they are made of.

        Of all code, the key covers the paper's own. Where a change of the library affects the measurements, delete the
        file.
        """
        paper, measure = self.paper, self.paper.measures[self.name]
        definition = {
            "reads": self.paths(),
            "files": {label: [file.url, self._checksum(file)] for label, file in paper.files(self.name).items()},
            "options": paper.options[self.name],
            "sizes": paper.sizes,
            "code": code_of(measure.measure),
            "scores": self.plan.manifest_key if "scores" in self.reads else "",
        }
        return f"results/{paper.folder}/measurements/{self.name}.{key(json.loads(json.dumps(definition)))}.csv"

    def _checksum(self, file: File) -> str | None:
        """Return the checksum of a download or of a user's own file; None where that is missing: Snakemake says so."""
        own = Path(file.path)
        return file.sha256 if file.url or not own.is_file() else self.plan.results.checksums.of(own)

    def rows(self) -> Rows:
        options = {k: v for k, v in self.paper.options[self.name].items() if k not in ("files", "grids")}
        return self.paper.measures[self.name].measure(self, **options)

    def check_segmentations(self, *names: str) -> None:
        """Raise InputError for a segmentation that the paper does not have: a scale may leave out what it has."""
        where = self.paper.where
        next_step = f"see `segmentations` in {where}"
        check_known(f"segmentation of measures.{self.name} in {where}:", names, self.paper.sizes, next_step)

    def _grids(self, trained: bool) -> list[Grid]:
        known = self.experiment.grids if trained else {**self.experiment.texts, **self.experiment.grids}
        wanted = self.paper.options.get(self.name, {}).get("grids")
        return [grid for name, grid in known.items() if wanted is None or name in wanted]

    @cached_property
    def runs(self) -> list[Run]:
        """The trainings of its grids, in order."""
        return list(dict.fromkeys(run for grid in self._grids(True) for run in self.experiment.runs_of(grid)))

    @property
    def _places(self) -> list[tuple[str, str, str, int]]:
        return list(dict.fromkeys(p for grid in self._grids(False) for p in self.experiment.segmented_in(grid)))

    @cached_property
    def segmented(self) -> list[TextInPieces]:
        """The segmented texts of its grids and texts."""
        return [self._text(*place) for place in self._places]

    def _text(self, corpus: str, pair: str, segmentation: str, seed: int) -> TextInPieces:
        found = self.plan.segmentation(corpus, pair, segmentation, seed)
        name = found.segmentation.label(seed)
        return TextInPieces(corpus, pair, name, Path(found.folder), found.segmentation, found.algorithm)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(corpus, pair) of its grids and texts."""
        return list(dict.fromkeys((text.corpus, text.pair) for text in self.segmented))

    @property
    def files(self) -> dict[str, Path]:
        """The files that its options name: label -> path on this machine."""
        return {label: file.location(DOWNLOADS) for label, file in self.paper.files(self.name).items()}

    def scores(self) -> DataFrame:
        """Return scores.csv as measurements, under the paper's names and sizes."""
        if self.scores_csv is None or "scores" not in self.reads:
            raise ValueError(f"the measure {self.name} does not say that it reads scores")
        return of_paper(self.scores_csv, self.paper)

    # ---- what belongs to a training

    def keys(self, run: Run, testset: str = "") -> dict[str, Any]:
        """Return the columns that say which run a measurement belongs to, under the paper's names and sizes.

        With a test set, that of its translation: in a group of corpora the direction is then the test set's own.
        """
        of_testset = {"testset": testset, "direction": scored_direction(run.direction, testset)} if testset else {}
        return {
            "corpus": run.corpus,
            "direction": run.direction,
            "model": run.model,
            "segmentation": run.segmentation,
            "algorithm": self.experiment.segmentations[run.segmentation].algorithm,
            "size": self.paper.sizes[run.segmentation],
            "seed": run.seed,
        } | of_testset

    def translations(self) -> Iterable[tuple[Run, str, dict[str, Any]]]:
        """Return run, test set and keys of every translation of its grids."""
        found = ((run, testset) for run in self.runs for testset in self.test_sets(run.corpus, run.direction))
        return ((run, testset, self.keys(run, testset)) for run, testset in found)

    def test_sets(self, corpus: str, direction: str) -> list[str]:
        return self.experiment.test_sets(corpus, direction)

    def hypotheses(self, run: Run, testset: str) -> Path:
        return Path(str(run.testsets[testset].hypothesis))

    def test_text(self, run: Run, testset: str, language: str, as_it_came: bool = True) -> Path:
        """Return one side of a test set: as it came (which hypotheses are compared with), or as the segmenter reads
        it."""
        files = run.testsets[testset]
        came = Path(str(files.source if language == run.source else files.reference))
        form = self.experiment.segmentations[run.segmentation].text
        return came if as_it_came else self.text_folder(run.corpus, run.pair, form) / came.name

    def record(self, run: Run) -> dict[str, Any]:
        """Return the run's run.json."""
        return read_json(run.run_json)

    def report(self, run: Run, testset: str, kind: str) -> Any:
        """Return what is known of a translated test set: `scores` or `translation`."""
        return read_json(self.hypotheses(run, testset).with_suffix(f".{kind}.json"))

    def on_test(self, run: Run, testset: str) -> tuple[dict[str, Any], float | None]:
        """Return what is known of the checkpoint that does best on the test set itself, and its COMET if asked for."""
        files = run.testsets[testset].chosen_on_test
        return read_json(str(files.translation)), read_json(files.comet)["score"] if files.comet else None

    def check_choices(self) -> None:
        """Forget choices on test sets that are of an earlier training, so that they are made again.

        Raises InputError for a finished training without the checkpoints that are to be tried on test sets.
        """
        scores = [files.chosen_on_test.comet for run in self.runs for files in run.testsets.values() if files.comet]
        if self.chosen_on_test and not all(Path(str(path)).is_file() for path in scores):
            synchronize(Path(self.experiment.results, "comet-on-test.done"), False)
        for mark, (run, choice, metrics) in self.chosen_on_test.items():
            made = choice_fits(choice, Path(run.folder))
            if not made:
                if fits(Path(run.folder, RECORD)):
                    kept(Path(run.folder), self.experiment.settings["select"])
                with suppress(OSError):  # results of others, where nothing can be written, stay as they are
                    choice.unlink()
            synchronize(Path(mark), made and set(metrics) <= read_json(choice)["scores"].keys(), choice)

    @property
    def chosen_on_test(self) -> dict[str, tuple[Run, Path, Sequence[str]]]:
        """Mark of each choice on a test set that it reads -> run, record, and the metrics that are asked for.

        A mark is named by a digest of the metrics, as that of an evaluation.
        """
        found = {}
        for run in self.runs if "chosen_on_test" in self.reads else ():
            metrics = self.plan.evaluations[run.key, run.seed].metrics
            for files in run.testsets.values():
                choice = Path(files.chosen_on_test.scores)
                found[f"{choice.with_suffix('')}.{key({'metrics': sorted(metrics)})}.{DONE}"] = run, choice, metrics
        return found

    def text_of(self, run: Run) -> TextInPieces:
        """Return the segmented text that a run was trained on."""
        return self._text(run.corpus, run.pair, run.segmentation, run.seed)

    # ---- what belongs to a text

    def text_keys(self, text: TextInPieces) -> dict[str, Any]:
        """Return the columns that say which segmented text a measurement belongs to."""
        return {
            "corpus": text.corpus,
            "segmentation": text.segmentation.name,
            "algorithm": text.segmentation.algorithm,
            "size": self.paper.sizes[text.segmentation.name],
        }

    def directions(self, pair: str) -> list[str]:
        return directions_of(pair, self.experiment.settings["directions"])

    def text_folder(self, corpus: str, pair: str, form: str) -> Path:
        """Return the folder of a corpus's text in a form (raw or moses)."""
        return Path(self.plan.text(corpus, pair).form(form))

    def read_by(self, text: TextInPieces, split: str = "train") -> list[Path]:
        """Return the files that a segmentation reads, one a language."""
        folder = self.text_folder(text.corpus, text.pair, text.segmentation.text)
        return [folder / f"{split}.{language}" for language in text.languages]

    def test_stems(self, corpus: str, pair: str, direction: str) -> list[str]:
        """Return what the files of the test sets of a direction are called in a text's folder."""
        text = self.plan.text(corpus, pair)
        return [text.test(name).stem for name in self.test_sets(corpus, direction)]

    def parts_of_training(self, corpus: str, pair: str) -> list[dict[str, Any]]:
        """Return the parts that the training text was put together from, with their pairs; none of a group."""
        if corpus in self.experiment.group_names:
            return []
        return read_json(self.text_folder(corpus, pair, "raw") / "raw" / "parts.json")["train"]

    def gold(self, corpus: str, pair: str) -> list[Path]:
        """Return the gold segmentations that a generated corpus brings with it."""
        return [Path(path) for path in self.plan.text(corpus, pair).gold().values()]

    def group(self, name: str) -> tuple[str, dict[str, int]]:
        """Return the target of a group of corpora, and language -> lines of the training text."""
        into = self.experiment.corpora[name].languages[1]
        origins = read_origins(self.text_folder(name, f"{MANY}-{into}", "raw") / "train.origin")
        return into, {language: len(lines) for language, lines in origins.items()}

    def texts(self, texts: Mapping[str, Any] | None) -> dict[str, Path]:
        """Return name -> path of single texts: the measure's files, and sides of corpora ({name: [corpus,
        language]}), of the corpus's first pair with the language. Raises InputError where none has it."""
        found, firsts = dict(self.files), self.pairs[::-1]
        known = {f"{corpus} {side}": (corpus, pair) for corpus, pair in firsts for side in pair.split("-")}
        for name, (corpus, language) in (texts or {}).items():
            side = f"{corpus} {language}"
            check_known(f"corpus and language of the text {name}:", [side], known, "name its grid under `grids`")
            found[name] = self.text_folder(*known[side], "raw") / f"train.{language}"
        return found

    def paths(self) -> list[str]:
        """Return every file that has to be there before the measure runs."""
        plan = self.plan
        found = [str(path) for path in self.files.values()] if "files" in self.reads else []
        if "texts" in self.reads:
            for corpus, pair in self.pairs:
                text = plan.text(corpus, pair)
                named = {name for direction in self.directions(pair) for name in self.test_sets(corpus, direction)}
                found += [text.done, *(text.done_of(test) for test in text.tests if test.name in named)]
        if "segmentations" in self.reads:
            found += [plan.segmentation(*place).done for place in self._places]
        if "runs" in self.reads:
            found += [plan.evaluations[run.key, run.seed].done for run in self.runs]
        found += self.chosen_on_test
        if self.chosen_on_test and self.experiment.comet_key:
            found.append(f"{self.experiment.results}/comet-on-test.done")
        if "scores" in self.reads:
            found.append(str(self.scores_csv or f"{self.experiment.results}/scores.csv"))
        return list(dict.fromkeys(found))


def of_paper(scores: str | Path, paper: Paper) -> DataFrame:
    """Return a paper's scores.csv as measurements, under the paper's names and sizes."""
    return from_scores(read_scores(scores), paper.sizes)
