"""An experiment file, read and checked as a whole before anything runs: `load` gives the runs or says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from experiment import schema
from experiment.corpora.catalogue import Corpus, corpora, read_catalogue
from experiment.corpora.corpus_groups import Group, with_members
from experiment.runs import Grid, Run
from experiment.scoring.metrics import check_metrics
from experiment.segmentations import described_segmentation
from experiment.training import recipes
from experiment.yamlfiles import read_mapping
from subwords.errors import InputError, unknown

MODELS = schema.ROOT / "config" / "models.yaml"

#: Folders under results/ that are not an experiment's.
RESERVED = {"benchmarks", "corpora", "downloads", "logs", "papers", "raw", "runs", "segmented", "text"}

#: What an experiment file leaves out. config/config.yaml explains every key.
DEFAULTS: dict[str, Any] = {
    "title": "",
    "description": "",
    "testsets": None,
    "grids": None,
    "texts": None,
    "select": {"on": "dev", "metric": "bleu", "average": 5, "which": "best", "beam": 1},
    "decode": {
        "beam": 5,
        "length_penalty": 1.0,
        "length_factor": 1.5,
        "length_constant": 30,
        "max_tokens": 4000,
        "precision": "fp32",
    },
    "cleaning": {},
    "metrics": ["bleu", "chrf"],
    "comet_model": "Unbabel/wmt22-comet-da",
    "significance": {"test": "bootstrap", "samples": 1000},
    "mirror": None,
    "gpus": 1,
    "runs_per_gpu": 1,
    "threads": 1,
    "workers": 2,
    "precision": "auto",
}


class Experiment:
    """A checked experiment: its settings with defaults filled in, its corpora, segmentations, recipes and runs.

    `folder` is its own folder under results/, when that is not its name. `runs` are its trainings; `segmented` has the
    (corpus, pair, folder) of every segmentation that is learned: for a training, or only to be looked at (`texts`).
    """

    def __init__(self, settings: Mapping[str, Any], where: str = "the configuration", folder: str = "") -> None:
        settings = _with_on(settings)
        schema.check(settings, "experiment", where)
        self.settings: dict[str, Any] = dict(settings)
        for key, default in DEFAULTS.items():
            given = settings.get(key, default)
            self.settings[key] = {**default, **given} if isinstance(default, dict) else given
        self.settings["seeds"] = [int(seed) for seed in settings["seeds"]]  # JSON Schema takes 1.0 for whole
        self.where = where
        self.name: str = self.settings["experiment"]
        self.folder = folder or self.name
        self._whole_corpora: dict[str, Corpus] = {}  # with all their test sets, for messages
        self.corpora = self._corpora()
        #: The same, and the members of groups, which are prepared and cleaned for them.
        self.corpora_with_members = self._corpora_with_members()
        self.recipes = self._recipes()
        self._check_names()
        self.segmentations = {
            name: described_segmentation(name, given, where) for name, given in self.settings["segmentations"].items()
        }
        if self.settings["baseline"] not in self.segmentations:
            raise unknown("baseline", self.settings["baseline"], self.segmentations, next_step=f"see {where}")
        check_metrics(self.settings["metrics"])
        self.grids = self._grids("grids") or {"": self._grid("", {})}
        self.texts = self._grids("texts")
        self._check_directions()
        self.runs = list(dict.fromkeys(run for grid in self.grids.values() for run in self.runs_of(grid)))
        self.segmented = self._segmented()
        self._check_test_sets()
        self._check_files()

    def test_sets(self, corpus: str, direction: str) -> list[str]:
        """Return the test sets of a corpus and direction that the experiment translates."""
        return self._test_sets_among(self.settings["testsets"], corpus, direction)

    def _test_sets_among(self, wanted: list[str] | None, corpus: str, direction: str) -> list[str]:
        source, target = direction.split("-")
        return self.corpora[corpus].wanted_tests(source, target, wanted)

    @cached_property
    def blocks(self) -> list[tuple[str, str, str]]:
        """The (corpus, direction, model) of which tables have one block each, in order."""
        return list(dict.fromkeys((run.corpus, run.direction, run.model) for run in self.runs))

    def _check_names(self) -> None:
        """Names become folders: raise InputError for one that cannot."""
        if self.name in RESERVED:
            raise InputError(
                f"{self.where}: an experiment cannot be called {self.name!r}: results/{self.name}/ holds other things",
                allowed=f"anything but {', '.join(sorted(RESERVED))}",
            )
        for kind, names in (("corpus", self.corpora), ("model", self.recipes)):
            for name in names:
                if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
                    raise InputError(f"{self.where}: {kind} {name!r}", allowed="names of letters, digits, . _ -")

    def _check_files(self) -> None:
        """Raise InputError for a file or folder of the user's that is not there."""
        mirror = self.settings["mirror"]
        if mirror and not Path(mirror).is_dir():
            raise InputError(f"{self.where}: mirror={mirror!r} is no folder", next_step="correct the path")
        for corpus, pair in dict.fromkeys((corpus, pair) for corpus, pair, _ in self.segmented):
            for file in self.corpora[corpus].files(pair):
                if file.path and not Path(file.path).is_file():
                    raise InputError(
                        f"{self.where}: {corpus}: no such file: {file.path}",
                        allowed=f"paths from the working directory, {Path.cwd()}",
                        next_step=f"correct the path in the definition of {corpus}",
                    )

    def _corpora(self) -> dict[str, Corpus]:
        given = self.settings["corpora"]
        if isinstance(given, Mapping):
            described = {name: definition for name, definition in given.items() if definition is not None}
            named = [name for name, definition in given.items() if definition is None]
        else:
            described, named = {}, list(given)
        known = {**read_catalogue(), **corpora(described, self.where)}
        for name in named:
            if name not in known:
                step = f"see `corpora` in {self.where}; choose one, or describe it in config/corpora.yaml"
                raise unknown("corpus", name, known, next_step=step)
        self._whole_corpora = {name: with_members(known[name], known, self.where) for name in given}
        return {name: self._with_wanted_tests(corpus) for name, corpus in self._whole_corpora.items()}

    @property
    def groups(self) -> list[Group]:
        """The corpora that are groups of others."""
        return [corpus for corpus in self.corpora.values() if isinstance(corpus, Group)]

    @property
    def group_names(self) -> set[str]:
        return {group.name for group in self.groups}

    def _corpora_with_members(self) -> dict[str, Corpus]:
        """Return the corpora and what groups are made of, with the test sets that groups take."""
        found = dict(self.corpora)
        for group in self.groups:
            for member in group.members:
                name = member.corpus.name
                known = found.get(name, member.corpus)
                used = known.tests is None or member.test in known.tests
                found[name] = known if used else known.with_tests([*(known.tests or ()), member.test])
        return found

    def _with_wanted_tests(self, corpus: Corpus) -> Corpus:
        """Return the corpus without the test sets that are not asked for: these are neither fetched nor cleaned."""
        wanted = self.settings["testsets"]
        if wanted is None or not corpus.test_names:
            return corpus
        return corpus.with_tests([name for name in corpus.test_names if name in wanted])

    def _recipes(self) -> dict[str, dict[str, Any]]:
        catalogue = read_mapping(MODELS, next_step="correct it")
        given = self.settings["models"]
        described = {name: r for name, r in given.items() if r is not None} if isinstance(given, Mapping) else {}
        schema.check(catalogue, "models", str(MODELS.relative_to(schema.ROOT)))
        schema.check(described, "models", f"{self.where}: models")
        known = {**catalogue, **described}
        for name, recipe in described.items():
            if recipe.get("like") == name and name in catalogue:  # the catalogue's, changed, under the same name
                known |= {
                    f"{name} of the catalogue": catalogue[name],
                    name: recipe | {"like": f"{name} of the catalogue"},
                }
        return {name: recipes.resolve(name, known) for name in given}

    def runs_of(self, grid: Grid) -> Iterator[Run]:
        """Yield the runs of a grid. A corpus takes the directions for which it has both languages.

        There is at least one for each, but for corpora that are there for a group.
        """
        for name in grid.corpora:
            corpus = self.corpora[name]
            for direction in self._directions_of(corpus, grid.directions):
                source, target = direction.split("-")
                pair = corpus.pair(source, target)
                for model in grid.models:
                    for segmentation in grid.segmentations:
                        for seed in grid.seeds:
                            yield Run(name, source, target, pair, segmentation, model, seed)

    def segmented_in(self, grid: Grid) -> list[tuple[str, str, str]]:
        """Return the (corpus, pair, folder of the segmentation) of a grid."""
        found = {
            (run.corpus, run.pair, self.segmentations[run.segmentation].folder(run.seed)) for run in self.runs_of(grid)
        }
        return sorted(found)

    def _segmented(self) -> list[tuple[str, str, str]]:
        every = [place for grid in (*self.grids.values(), *self.texts.values()) for place in self.segmented_in(grid)]
        return list(dict.fromkeys(every))

    def _grids(self, key: str) -> dict[str, Grid]:
        """Return the grids, or the texts, by name."""
        return {name: self._grid(f"{key}.{name}", given or {}) for name, given in (self.settings[key] or {}).items()}

    def _grid(self, name: str, given: Mapping[str, Any]) -> Grid:
        """Return a grid: names that are left out are all that the experiment has."""
        known: dict[str, list[Any]] = {
            "corpora": list(self.corpora),
            "directions": list(self.settings["directions"]),
            "segmentations": list(self.segmentations),
            "models": list(self.recipes),
            "seeds": list(self.settings["seeds"]),
        }
        for key, names in given.items():
            for one in names:
                if key != "seeds" and one not in known[key]:
                    raise unknown(f"name in {name}.{key}", one, known[key], next_step=f"see `{key}` in {self.where}")
        return Grid(**{key: list(given.get(key, names)) for key, names in known.items()})

    def _directions_of(self, corpus: Corpus, directions: list[str]) -> list[str]:
        found = [direction for direction in directions if set(direction.split("-")) <= set(corpus.languages)]
        if not found and not any(corpus.name in group.member_names for group in self.groups):
            raise InputError(
                f"no direction fits the corpus {corpus.name}: {', '.join(directions)}",
                allowed=f"two of its languages: {', '.join(corpus.languages)}",
                next_step=f"add one to `directions` in {self.where}",
            )
        return found

    def _check_directions(self) -> None:
        """Raise InputError for a corpus without a direction, and for a direction without a corpus."""
        used = {d for corpus in self.corpora.values() for d in self._directions_of(corpus, self.settings["directions"])}
        for direction in self.settings["directions"]:
            if direction not in used:
                languages = sorted({code for corpus in self.corpora.values() for code in corpus.languages})
                raise InputError(
                    f"no corpus has both languages of the direction {direction}",
                    allowed=f"pairs of {', '.join(languages)}",
                    next_step=f"see `corpora` and `directions` in {self.where}",
                )

    def _check_test_sets(self) -> None:
        for corpus, direction, _ in self.blocks:
            if not self.test_sets(corpus, direction):
                source, target = direction.split("-")
                found = self._whole_corpora[corpus].test_sets(source, target)
                raise InputError(
                    f"{corpus} {direction}: none of its test sets is among {self.settings['testsets']}",
                    allowed=", ".join(found) or "(none)",
                    next_step=f"see `testsets` in {self.where}",
                )
        wanted = self.settings["testsets"] or []
        every = {name for corpus, direction, _ in self.blocks for name in self.test_sets(corpus, direction)}
        for name in wanted:
            if not any(self._test_sets_among([name], corpus, direction) for corpus, direction, _ in self.blocks):
                raise unknown("test set", name, sorted(every), next_step=f"see `testsets` in {self.where}")


def _with_on(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with `select.on` as a word: YAML 1.1 reads a bare `on` as true."""
    select = settings.get("select")
    if isinstance(select, Mapping) and True in select:
        return {**settings, "select": {"on" if key is True else key: value for key, value in select.items()}}
    return dict(settings)


def load(path: Path) -> Experiment:
    """Return the experiment in a YAML file. Raises InputError for anything that is not as described."""
    return Experiment(read_mapping(path, next_step="see config/config.yaml for an example"), str(path))
