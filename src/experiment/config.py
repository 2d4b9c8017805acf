"""An experiment file, read and checked as a whole before anything runs: `load` gives the runs or raises InputError."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from experiment import schema
from experiment.corpora.catalogue import corpora, read_catalogue
from experiment.corpora.corpus import Corpus
from experiment.corpora.corpus_groups import Group, with_members
from experiment.plan.plan import Plan
from experiment.runs import Grid, Run
from experiment.scoring import significance
from experiment.scoring.comet_model import DEFAULT_MODEL, comet_key
from experiment.scoring.metrics import DEFAULT_METRICS, check_metrics, check_tokenizer
from experiment.segmentation.entries import baselines, described_segmentation, sizes_of, with_sizes
from experiment.store.results import Results
from experiment.training import fairseq_flags
from experiment.yamlfiles import read_mapping
from subwords.errors import InputError, check_known, unknown

MODELS = schema.ROOT / "config" / "models.yaml"

#: Folders under results/ that are not an experiment's.
RESERVED = {"benchmarks", "corpora", "downloads", "logs", "papers", "runs", "segmented", "site", "used"}

#: What an experiment file leaves out. The schema describes every key, config/config.yaml explains it.
DEFAULTS = schema.defaults("experiment") | {"metrics": DEFAULT_METRICS, "comet_model": DEFAULT_MODEL}
DEFAULTS["significance"] = significance.DEFAULTS
#: Settings about the machine. They change no result and are not part of any key.
RUNTIME: dict[str, Any] = DEFAULTS["runtime"]


class Experiment:
    """A checked experiment: its settings with defaults filled in, its corpora, segmentations, recipes and runs.

    `folder` is its own folder under results/, when that is not its name. `runs` are its trainings; `segmented` has the
    (corpus, pair, segmentation, seed) of all that is segmented: for a training, or only to be looked at (`texts`).
    """

    def __init__(self, settings: Mapping[str, Any], where: str = "the configuration", folder: str = "") -> None:
        schema.check(settings, "experiment", where)
        self.settings: dict[str, Any] = dict(settings)
        for key, default in DEFAULTS.items():
            given = settings.get(key, default)
            self.settings[key] = {**default, **given} if isinstance(default, dict) else given
        self.where = where
        self.name: str = self.settings["experiment"]
        self.folder = folder or self.name
        #: Its own folder, from the working directory.
        self.results = f"results/{self.folder}"
        #: Every corpus that a name may refer to, with all its test sets.
        self.whole_corpora: dict[str, Corpus] = {}
        self.corpora = self._corpora()
        self.recipes = self._recipes()
        self.segmentations = {
            name: described_segmentation(name, given, where)
            for name, given in with_sizes(self.settings["segmentations"], where).items()
        }
        sizes = {name: each.size for name, each in self.segmentations.items()}
        #: Segmentation -> its baseline: the same for all, of a sweep the one of its own size, or one of its own.
        self.against = baselines(sizes, self.settings["baseline"])
        check_metrics([*self.settings["metrics"], *self.settings["significance"].get("margin", {})])
        self._check_settings()
        comet = "comet" in self.settings["metrics"]
        #: A digest of COMET's model and use, in the names of its scores; empty without COMET.
        self.comet_key = comet_key(self.settings["comet_model"], Results().checksums) if comet else ""
        self.grids = self._grids("grids") or {"": self._grid("", {})}
        self.texts = self._grids("texts")
        self._check_directions()
        self._check_test_sets()
        self._check_tokenizers()
        self._check_files()
        self.plan = Plan(self)
        self.runs = list(dict.fromkeys(run for grid in self.grids.values() for run in self.runs_of(grid)))
        wanted, trained = self.settings["baseline"], {run.segmentation for run in self.runs}
        of_sizes = [name for name, size in sizes.items() if name in (wanted, f"{wanted}-{size}")]
        named = of_sizes or list(dict.fromkeys(self.against.values()))
        #: The baseline; of many, or if it is a sweep, the first that is trained.
        self.baseline = next((name for name in named if name in trained), named[0])
        self.segmented = list(dict.fromkeys(place for grid in self._every_grid() for place in self.segmented_in(grid)))
        for place in self.segmented:
            self.plan.segmentation(*place)

    def test_sets(self, corpus: str, direction: str) -> list[str]:
        """Return the test sets of a corpus and direction that the experiment translates."""
        return self.corpora[corpus].wanted_tests(*direction.split("-"), wanted=self.settings["testsets"])

    @cached_property
    def blocks(self) -> list[tuple[str, str, str]]:
        """The (corpus, direction, model) of which tables have one block each, in order."""
        named = (names for grid in self.grids.values() for names in self._combined(grid))
        return list(dict.fromkeys((corpus, direction, model) for corpus, direction, _, model, _ in named))

    def check_baseline(self) -> None:
        """Raise InputError where systems are trained, but not the baseline, not the own one of a system, or not with
        all of a system's seeds.

        Not part of the check of a file, because a part of a paper may train nothing that is compared.
        """
        trained = dict.fromkeys(run.segmentation for run in self.runs)
        alone = [name for name, other in self.against.items() if name in trained and other not in trained]
        if alone and not isinstance(self.settings["baseline"], str):
            raise InputError(
                f"{self.where}: baseline: {alone[0]} is compared with {self.against[alone[0]]}, which is in no grid",
                allowed=", ".join(trained),
                next_step=f"add {self.against[alone[0]]} to a grid's segmentations, or name another baseline",
            )
        if trained and self.baseline not in trained:
            wanted = self.settings["baseline"] if isinstance(self.settings["baseline"], str) else self.baseline
            raise InputError(
                f"{self.where}: baseline: {wanted} is in no grid, so nothing could be compared with it",
                allowed=", ".join(trained),
                next_step=f"add {wanted} to a grid's segmentations, or name another baseline",
            )
        seeds: dict[tuple[str, ...], set[int]] = {}
        for run in self.runs:
            seeds.setdefault((*run.block, run.segmentation), set()).add(run.seed)
        for (*block, name), of_system in seeds.items():
            other = self.against.get(name, "")
            if lacking := of_system - seeds.get((*block, other), of_system):
                raise InputError(
                    f"{self.where}: grids: {name} has seeds for which its baseline {other} is not trained"
                    f" ({', '.join(block)}): {', '.join(map(str, sorted(lacking)))}",
                    allowed="a baseline with all the seeds of the systems that are compared with it",
                    next_step=f"give {other} these seeds in a grid",
                )

    def _check_settings(self) -> None:
        """Raise InputError for a name that is taken, and for settings that do not go together."""
        if self.name in RESERVED:
            raise InputError(
                f"{self.where}: an experiment cannot be called {self.name!r}: results/{self.name}/ holds other things",
                allowed=f"anything but {', '.join(sorted(RESERVED))}",
            )
        select = self.settings["select"]
        if select["average"] > select["keep"]:
            raise InputError(
                f"{self.where}: select.average={select['average']} is more than the {select['keep']} best and last"
                " checkpoints that trainings keep",
                allowed=f"1 to {select['keep']}",
                next_step=f"select: {{keep: {select['average']}}}; it belongs to a training's definition",
            )
        runtime, changeable = self.settings["runtime"], sorted(fairseq_flags.RUNTIME_FLAGS)
        step = "others belong to a model"
        check_known(f"flag in {self.where}: runtime.flags:", runtime["flags"], changeable, next_step=step)
        for name, recipe in self.recipes.items():
            together = fairseq_flags.without_nulls(recipe["flags"] | runtime["flags"])
            fairseq_flags.check_flags(f"{name} with runtime.flags", together)
            fairseq_flags.on_cards(name, recipe["flags"], runtime["gpus"])

    def _check_files(self) -> None:
        """Raise InputError for a user's file or folder that does not exist."""
        mirror = self.settings["runtime"]["mirror"]
        if mirror and not Path(mirror).is_dir():
            raise InputError(f"{self.where}: runtime.mirror={mirror!r} is not a folder", next_step="correct the path")
        named = (place for grid in self._every_grid() for place in self.segmented_in(grid))
        for corpus, pair in dict.fromkeys((corpus, pair) for corpus, pair, *_ in named):
            for file in self.whole_corpora[corpus].files(pair):
                if file.path and not Path(file.path).is_file():
                    raise InputError(
                        f"{self.where}: {corpus}: no such file: {file.path}",
                        allowed=f"paths from the working directory, {Path.cwd()}",
                        next_step=f"correct the path in the definition of {corpus}",
                    )

    def _every_grid(self) -> list[Grid]:
        return [*self.grids.values(), *self.texts.values()]

    def _corpora(self) -> dict[str, Corpus]:
        given = self.settings["corpora"]
        known = {**read_catalogue(), **corpora(_described(given), self.where)}
        step = f"see `corpora` in {self.where}; choose one, or describe it in config/corpora.yaml"
        check_known("corpus", given, known, next_step=step)
        whole = {name: with_members(known[name], known, self.where) for name in given}
        self.whole_corpora = {**known, **whole}
        wanted = self.settings["testsets"]
        for name, corpus in whole.items():
            if wanted is not None and corpus.test_names:
                whole[name] = corpus.with_tests([test for test in corpus.test_names if test in wanted])
        return whole

    @property
    def groups(self) -> list[Group]:
        return [corpus for corpus in self.corpora.values() if isinstance(corpus, Group)]

    @property
    def group_names(self) -> set[str]:
        return {group.name for group in self.groups}

    def _recipes(self) -> dict[str, dict[str, Any]]:
        catalogue = read_mapping(MODELS, next_step="correct it")
        described = _described(self.settings["models"])
        schema.check(catalogue, "models", str(MODELS.relative_to(schema.ROOT)))
        schema.check(described, "models", f"{self.where}: models")
        known = {**catalogue, **described}
        for name, recipe in described.items():
            if recipe.get("like") == name and name in catalogue:  # the catalogue's, changed, under the same name
                inherited = f"{name} of the catalogue"
                known |= {inherited: catalogue[name], name: recipe | {"like": inherited}}
        found = {name: fairseq_flags.resolve(name, known) for name in self.settings["models"]}
        for name, recipe in found.items():
            fairseq_flags.check_end(name, recipe["flags"])
        return found

    def runs_of(self, grid: Grid) -> Iterator[Run]:
        """Yield the runs of a grid. A corpus has the directions for which it has both languages.

        Every corpus has at least one, except those that only serve a group.
        """
        return (self.plan.run(*names) for names in self._combined(grid))

    def _combined(self, grid: Grid) -> Iterator[tuple[str, str, str, str, int]]:
        """Yield the (corpus, direction, segmentation, model, seed) of a grid."""
        for corpus in grid.corpora:
            for direction in self._directions_of(self.corpora[corpus], grid.directions):
                for model, segmentation, seed in product(grid.models, grid.segmentations, grid.seeds):
                    yield corpus, direction, segmentation, model, seed

    def segmented_in(self, grid: Grid) -> list[tuple[str, str, str, int]]:
        """Return the (corpus, pair, segmentation, seed) of a grid; seed 0 where one is learned for all seeds."""
        found = {
            (corpus, self.corpora[corpus].pair(*direction.split("-")), name, seed * self.segmentations[name].per_seed)
            for corpus, direction, name, _, seed in self._combined(grid)
        }
        return sorted(found)

    def _grids(self, key: str) -> dict[str, Grid]:
        """Return the grids, or the texts, by name."""
        return {name: self._grid(f"{key}.{name}", given or {}) for name, given in (self.settings[key] or {}).items()}

    def _grid(self, name: str, given: Mapping[str, Any]) -> Grid:
        """Return a grid. Keys that are left out are all that the experiment has; a sweep's name is all its sizes."""
        known: dict[str, Any] = {key: self.settings[key] for key in ("directions", "seeds")}
        known |= {"corpora": self.corpora, "segmentations": self.segmentations, "models": self.recipes}
        if "segmentations" in given:
            given = {**given, "segmentations": sizes_of(given["segmentations"], self.settings["segmentations"])}
        for key, names in given.items():
            if key != "seeds":
                check_known(f"name in {name}.{key}", names, known[key], next_step=f"see `{key}` in {self.where}")
        return Grid(**{key: list(given.get(key, names)) for key, names in known.items()})

    def _directions_of(self, corpus: Corpus, directions: list[str]) -> list[str]:
        found = [direction for direction in directions if set(direction.split("-")) <= set(corpus.languages)]
        members = {member.corpus.name for group in self.groups for member in group.members}
        if not found and corpus.name not in members:
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
        """Raise InputError for a corpus and direction without a test set, and for a test set that is none."""
        places = [(self.whole_corpora[corpus], direction.split("-")) for corpus, direction, _ in self.blocks]
        every = {name for corpus, languages in places for name in corpus.test_sets(*languages)}
        step = f"see `testsets` in {self.where}"
        for name in self.settings["testsets"] or []:
            if not any(corpus.wanted_tests(*languages, wanted=[name]) for corpus, languages in places):
                raise unknown("test set", name, sorted(every), next_step=step)
        for corpus, languages in places:
            if not corpus.wanted_tests(*languages, wanted=self.settings["testsets"]):
                raise InputError(
                    f"{corpus.name} {'-'.join(languages)}: none of its test sets is among {self.settings['testsets']}",
                    allowed=", ".join(corpus.test_sets(*languages)) or "(none)",
                    next_step=step,
                )
        known = every.union(*(corpus.test_names for corpus in self.whole_corpora.values()))
        step = f"see `cleaning: testsets` in {self.where}"
        check_known("test set", self.settings["cleaning"].get("testsets") or [], sorted(known), next_step=step)

    def _check_tokenizers(self) -> None:
        """Raise InputError for a target language of which BLEU's words, in the metrics or on dev, cannot be had."""
        for _, direction, _ in self.blocks:
            check_tokenizer(direction.split("-")[1], [*self.settings["metrics"], self.settings["select"]["metric"]])


def _described(given: list[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return what an experiment file describes itself, of names of corpora or models; others are in a catalogue."""
    return {name: entry for name, entry in given.items() if entry is not None} if isinstance(given, Mapping) else {}


def from_command_line(words: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings after Snakemake's --config: they arrive as text, and `mirror=DIR` belongs to `runtime`.

    >>> from_command_line({"seeds": ["1", "2"], "mirror": "../mirror", "gpus": 4})
    {'seeds': [1, 2], 'runtime': {'mirror': '../mirror', 'gpus': 4}}
    """
    settings = {key: _typed(value) for key, value in words.items()}
    runtime = {key: settings.pop(key) for key in RUNTIME if key in settings}
    given = settings.get("runtime", {})
    if not isinstance(given, Mapping):  # the schema says what is wrong with it
        return settings
    return settings | ({"runtime": {**given, **runtime}} if runtime else {})


def _typed(value: Any) -> Any:
    """Return the value of a setting on the command line: in `seeds=[1,2]`, 1 and 2 arrive as text.

    >>> _typed(["1", "two", {"average": "3", "which": "last"}]), _typed("*: more than chance")
    ([1, 'two', {'average': 3, 'which': 'last'}], '*: more than chance')
    """
    if isinstance(value, Mapping):
        return {key: _typed(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_typed(part) for part in value]
    try:
        meant = yaml.safe_load(value) if isinstance(value, str) else value
    except yaml.YAMLError:  # a sentence
        return value
    return meant if isinstance(meant, bool | int | float) or value == "null" else value


def read_settings(path: Path, changes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the settings in a YAML file, changed by words KEY=VALUE, as after Snakemake's --config."""
    from snakemake.cli import parse_config  # half a second, and not for each training
    from snakemake.utils import update_config

    step = "see config/config.yaml for an example"
    if not path.exists():
        folders = path.parent, MODELS.parent / "experiments"
        beside, committed = (sorted(folder.glob("[!.]*.yaml")) for folder in folders)
        raise unknown("experiment", path, beside or committed, next_step=step)
    settings: dict[str, Any] = read_mapping(path, next_step=step)
    try:
        changed = parse_config(list(changes))
    except ValueError as error:
        raise InputError(f"--config {' '.join(changes)}: {error}", allowed="KEY=VALUE …") from None
    update_config(settings, from_command_line(changed))
    return settings


def load(path: Path, changes: Sequence[str] = ()) -> Experiment:
    """Return the experiment in a YAML file, changed. Raises InputError for anything that is not as described."""
    return Experiment(read_settings(path, changes), str(path))
