"""Systems (a segmented text, a direction and a recipe) and their evaluations: definitions, folders, jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json
from experiment.plan.segmented_texts import BINARIZED, SegmentedText
from experiment.plan.texts import PlannedTestSet
from experiment.store.keys import key
from experiment.store.making import DEFINITION, DONE, RECORD, check_definition, check_made_of, fits, fits_source
from experiment.store.results import Keyed, Results
from experiment.training import fairseq_flags
from experiment.training.selection import gone
from subwords.errors import InputError

TRAINING_STEP, TRANSLATION_STEP = "training 4", "translation 2"
#: Beside the model: a description of the run, and its cost.
RUN = "run.json"


@dataclass(frozen=True)
class System(Keyed):
    """A system but for its seed. One folder holds the trainings with all seeds."""

    segmented: SegmentedText
    direction: str
    flags: Mapping[str, Any]


def describe_system(
    segmented: SegmentedText,
    direction: str,
    model: str,
    flags: Mapping[str, Any],
    settings: Mapping[str, Any],
    results: Results,
) -> System:
    """Return a system. Of `select`, only metric, keep and the beam of BLEU change a training or what it keeps."""
    select = settings["select"]
    shaping = {name: select[name] for name in ("metric", "beam", "keep")}
    if select["metric"] == "loss":  # nothing is translated in training; as by default, so that this has one key
        shaping["beam"] = 1
    definition = {
        "step": TRAINING_STEP,
        "segmentation": segmented.key,
        "direction": direction,
        "recipe": fairseq_flags.content(flags, results.checksums),
        "select": shaping,
        "precision": settings["precision"],
    }
    names = segmented.text.corpus.name, direction, segmented.segmentation.name
    folder = results.folder(f"runs/{'/'.join(names)}/{model}.{key(definition)}", definition)
    return System(definition, folder, segmented, direction, flags)


@dataclass(frozen=True)
class Evaluation:
    """One run's chosen model, and its translations of some test sets with some lexical metrics.

    All that is made is in two folders: the model's, named after the choice, and in it the translations', with the key
    of the search settings. Nothing is made twice: an evaluation with more test sets or metrics adds to what is there.
    """

    system: System
    seed: int
    select: Mapping[str, Any]
    search: Mapping[str, Any]
    tests: Sequence[PlannedTestSet]
    metrics: Sequence[str]

    @property
    def training(self) -> str:
        return f"{self.system.folder}/seed{self.seed}"

    @property
    def chosen(self) -> str:
        """The folder of the model: which checkpoints, and how many of them are averaged."""
        return f"{self.training}/{self.select['which']}-{self.select['average']}"

    @cached_property
    def definition(self) -> dict[str, Any]:
        return {"step": TRANSLATION_STEP, **self.search}

    @property
    def folder(self) -> str:
        return f"{self.chosen}/beam-{self.search['beam']}.{key(self.definition)}"

    @property
    def done(self) -> str:
        """The mark of this evaluation, named by a digest of its test sets and metrics, in any order."""
        request = {"tests": sorted(test.stem for test in self.tests), "metrics": sorted(self.metrics)}
        return f"{self.folder}/{key(request)}.{DONE}"

    def translated(self, test: PlannedTestSet) -> bool:
        """Return whether a test set is translated, by the model that is there now."""
        record = Path(self.folder, f"{test.stem}.translation.json")
        return fits_source(record, Path(self.chosen, "model.pt"))

    def scored(self, test: PlannedTestSet) -> bool:
        """Return whether a test set is translated and has all the scores, and its reference has made the round trip."""
        scores = Path(self.folder, f"{test.stem}.scores.json")
        if not (self.translated(test) and fits(Path(f"{self.round_trip(test)}.json")) and scores.exists()):
            return False
        return set(self.metrics) <= read_json(scores)["metrics"].keys()

    def round_trip(self, test: PlannedTestSet) -> str:
        """Return the path of the reference after segmentation and back."""
        target = self.system.direction.split("-")[1]
        return f"{self.system.segmented.folder}/{test.stem}.{target}.round-trip"

    def finished(self) -> bool:
        return Path(self.chosen, RUN).is_file() and all(map(self.scored, self.tests))

    def check_origin(self) -> None:
        """Raise InputError for translations with another definition, or a training on other pieces than those here."""
        segmented = self.system.segmented
        check_made_of(segmented.record, segmented.text.record)
        check_made_of(Path(self.training, RECORD), segmented.record)
        if (path := Path(self.folder, DEFINITION)).exists():
            check_definition(path, key(self.definition))

    def forget_torn_choice(self) -> None:
        """Delete the record of a model that is needed and was deleted, or its run.json: it is chosen again."""
        record = Path(self.chosen, RECORD)
        if not record.exists():
            return
        model_gone = not Path(self.chosen, "model.pt").exists() and self.needs_translation()
        trained = fits(Path(self.training, RECORD))
        can_be_chosen = not (trained and gone(Path(self.training), self.select))
        if (model_gone and can_be_chosen) or not Path(self.chosen, RUN).is_file():
            with suppress(OSError):  # results of others, where nothing can be written, stay as they are
                record.unlink()

    def needs_translation(self) -> bool:
        """Return whether some test set is not translated yet."""
        return not all(map(self.translated, self.tests))

    def check_checkpoints(self) -> None:
        """Raise InputError where a model is needed, but its training is finished and the checkpoints are gone."""
        record = Path(self.training, RECORD)
        if not fits(record) or fits(Path(self.chosen, RECORD)) or not self.needs_translation():
            return
        if missing := gone(Path(self.training), self.select):
            raise InputError(
                f"select: {{which: {self.select['which']}, average: {self.select['average']}}} needs checkpoints of"
                f" {self.training} that were deleted when it was finished: {', '.join(missing)}",
                allowed=f"what is there: {', '.join(sorted(p.parent.name for p in record.parent.glob(f'*/{RECORD}')))}",
                next_step=f"take one of these; or delete {record} to train it again (what was made of it stays;"
                " `runtime: {keep_checkpoints: true}` keeps all checkpoints)",
            )

    def _inputs(self) -> dict[str, list[str]]:
        """Return the records of what is read beside the model, and patterns of the files in them."""
        segmented, text = self.system.segmented, self.system.segmented.text
        used = [f"{BINARIZED}/dict.*", "model.*", "encode.*", "pieces.*", "vocabulary.*", "*.py"]
        found = {str(segmented.record): used}
        for test in self.tests:
            files = [text.named(test.stem, segmented.segmentation.text), f"references/{test.stem}.*"]
            found.setdefault(str(text.record_of(test)), []).extend(files)
        found.setdefault(str(text.record), []).append(f"train.{self.system.direction.split('-')[1]}")
        return found

    @property
    def text_marks(self) -> list[str]:
        """The marks of the text that the run is trained on and of the test sets that it translates."""
        text = self.system.segmented.text
        return list(dict.fromkeys([text.done, *map(text.done_of, self.tests)]))

    def training_job(self, runtime: Mapping[str, Any], results: str) -> dict[str, Any]:
        """Return the job of scripts/train.py: the training, and what follows it."""
        system, segmented = self.system, self.system.segmented
        entry, text = segmented.segmentation, segmented.text
        source, target = system.direction.split("-")
        recipe = fairseq_flags.without_nulls({**system.flags, **runtime["flags"]})
        if logs := recipe.get("tensorboard-logdir"):  # a folder of its own for each training: TensorBoard's runs
            recipe["tensorboard-logdir"] = f"{logs}/{self.training.removeprefix('results/runs/')}"
        return {
            "folder": self.training,
            "definition": system.definition,
            "direction": system.direction,
            "seed": self.seed,
            "recipe": recipe,
            "select": dict(self.select),
            "precision": system.definition["precision"],
            "joint": entry.joint,
            "algorithm": segmented.algorithm,
            "form": entry.text,
            "data": segmented.data,
            "segmenter": segmented.folder,
            "dev": [f"{segmented.folder}/dev.{language}" for language in (source, target)],
            "references": text.reference("dev", target),
            "inputs": {
                str(segmented.record): [f"{BINARIZED}/*", "model.*", "encode.*", "dev.*", "*.py"],
                str(text.record): ["references/dev.*"],
            },
            **{name: runtime[name] for name in ("gpus", "device", "runs_per_gpu", "keep_checkpoints")},
            "results": results,
            "chosen": self.chosen,
            "evaluation": self.job(runtime),
        }

    def job(self, runtime: Mapping[str, Any]) -> dict[str, Any]:
        """Return the job of scripts/evaluate.py."""
        segmented = self.system.segmented
        source, target = self.system.direction.split("-")
        entry, text = segmented.segmentation, segmented.text
        return {
            "folder": self.folder,
            "definition": self.definition,
            "model": f"{self.chosen}/model.pt",
            "data": f"{segmented.folder}/{BINARIZED}",
            "direction": self.system.direction,
            "segmented": segmented.folder,
            "algorithm": segmented.algorithm,
            "form": entry.text,
            "train": f"{text.folder}/train.{target}",
            "tests": [
                {
                    "stem": test.stem,
                    "source": f"{text.form(entry.text)}/{test.stem}.{source}",
                    "target": f"{text.form(entry.text)}/{test.stem}.{target}",
                    "reference": text.reference(test.stem, target),
                    "round_trip": self.round_trip(test),
                }
                for test in self.tests
            ],
            "inputs": self._inputs(),
            "search": dict(self.search),
            "max_tokens": runtime["decode_tokens"],
            "metrics": list(self.metrics),
            **{name: runtime[name] for name in ("device", "runs_per_gpu")},
        }
