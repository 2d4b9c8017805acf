"""A paper is a folder, papers/NAME: experiment.yaml, published/*.csv and paper.py. `read` brings it to a scale.

`Paper.experiment` is the ordinary experiment that the workflow runs for it; tables, figures, claims and measures
are the functions of its paper.py that carry the decorator of their name. docs/new-paper.md shows how to add a paper.
"""

from __future__ import annotations

import importlib
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml
from pandas import DataFrame

from experiment import schema
from experiment.config import RUNTIME, Experiment, read_settings
from experiment.corpora.corpus import File
from experiment.yamlfiles import read_mapping
from replication.claims import Claim
from replication.figures import PaperFigure
from replication.measurements import read_printed
from replication.sources import Measure
from replication.tables import PaperTable
from subwords.errors import InputError, check_known, unknown

FOLDER = schema.ROOT / "papers"
#: Keys of an experiment that are not about the paper: they stand beside `experiment` in its file.
MACHINE = ("runtime", "precision", "comet_model")
#: Settings allowed on the command line for a paper. Its programs are given scale and parts; they read its file.
CALLED = ("scale", "parts", "runtime", *RUNTIME)
#: Where tables, figures and claims get their numbers from beside measures: scores.csv.
SCORES = "scores"


@dataclass(frozen=True)
class Paper:
    """A paper at one scale."""

    name: str
    title: str
    citation: str
    url: str
    scale: str
    where: str  # its experiment.yaml
    settings: dict[str, Any] = field(repr=False)  # of the experiment
    measures: dict[str, Measure]
    options: dict[str, dict[str, Any]]  # of each measure
    tables: dict[str, PaperTable]
    figures: dict[str, PaperFigure]
    claims: dict[str, Claim]
    sizes: dict[str, int | None]  # segmentation -> size that the paper asked for
    changes: str  # what the scale changes of the paper's experiment, as YAML
    parts: tuple[str, ...]  # the sources that are measured; none: all
    pairs: dict[str, int]

    @property
    def folder(self) -> str:
        """Its folder under results/."""
        return f"papers/{self.name}/{self.scale}"

    @cached_property
    def experiment(self) -> Experiment:
        """The experiment that runs for it. Raises InputError for what no experiment may say."""
        return Experiment(self.settings, self.where, self.folder)

    @cached_property
    def printed(self) -> dict[str, DataFrame]:
        """Its published tables, by the names of their files; `text` has numbers of running text."""
        return {path.stem: read_printed(path) for path in sorted(Path(self.where).parent.glob("published/*.csv"))}

    @property
    def generated(self) -> bool:
        """Whether its corpora are made up at this scale: what comes out is about the pipeline and not about them."""
        return any("generated" in corpus.definition for corpus in self.experiment.corpora.values())

    @property
    def sources(self) -> list[str]:
        """What its tables, figures and claims are made of: `scores`, and names of measures."""
        made = (*self.tables.values(), *self.figures.values(), *self.claims.values())
        used = {source for one in made for source in one.needs}
        return [name for name in (SCORES, *self.measures) if name in used]

    @property
    def needed_measures(self) -> list[str]:
        """Every measure that a table, a figure or a claim needs."""
        return [name for name in self.sources if name != SCORES]

    @property
    def uses_scores(self) -> bool:
        """Whether anything is trained: whether any source reads scores or runs."""
        trained = {SCORES, "runs", "chosen_on_test"}
        return any(source == SCORES or trained & set(self.measures[source].reads) for source in self.sources)

    def files(self, measure: str) -> dict[str, File]:
        """Return the files that a measure names under `files`: downloads (url, sha256), or the user's own (local)."""
        given = (self.options[measure].get("files") or {}).items()
        return {
            label: File(path=file.get("local", ""), url=file.get("url", ""), sha256=file.get("sha256"))
            for label, file in given
            if file  # null: left out at this scale
        }


def read(path: str | Path, scale: str | None = None, parts: Sequence[str] = ()) -> Paper:
    """Return the paper of an experiment.yaml, or of its folder's name. Raises InputError for what is not as described.

    `scale` overrides the file's; `parts` keeps the tables, figures and claims that need no other source than these.
    """
    path = FOLDER / path / "experiment.yaml" if isinstance(path, str) and "/" not in path else Path(path)
    _check_folder(path)
    document = read_mapping(path, next_step="see docs/new-paper.md")
    given = {key: value for key, value in (("scale", scale), ("parts", list(parts))) if value}
    return from_settings({**document, **given}, str(path))


def experiment_or_paper(path: Path, changes: Sequence[str] = ()) -> Experiment | Paper:
    """Return what a file describes, changed by words KEY=VALUE, as after Snakemake's --config.

    Raises InputError for what is not as described, for settings that would not reach a paper's programs, and where
    scores would have no baseline to be compared with.
    """
    _check_folder(path)
    settings = read_settings(path, changes)
    if "paper" not in settings:
        experiment = Experiment(settings, str(path))
        experiment.check_baseline()
        return experiment
    check_call([word.partition("=")[0] for word in changes], [path])
    paper = from_settings(settings, str(path))
    if paper.uses_scores:
        paper.experiment.check_baseline()
    return paper


def _check_folder(path: Path) -> None:
    """Raise InputError for the file of a paper that there is not, with the names of those that there are."""
    if not path.is_file() and path.parent.parent.resolve() == FOLDER:
        raise unknown("paper", path.parent.name, sorted(each.parent.name for each in FOLDER.glob("*/experiment.yaml")))


def from_settings(document: Mapping[str, Any], where: str) -> Paper:
    """Return the paper of an experiment.yaml's content. Raises InputError for what is not as described."""
    schema.check(document, "paper", where)
    scale = document.get("scale", "smoke")
    check_known("scale", [scale], document["scales"], next_step=f"see `scales` in {where}")
    change = document["scales"][scale] or {}
    changes = {key: value for key, value in change.items() if value and key != "measures"}
    declared = {name.replace("_", "-"): one for name, one in vars(module(Path(where).parent)).items()}
    measures = {name: one for name, one in declared.items() if isinstance(one, Measure)}
    options = merged(document.get("measures") or {}, change.get("measures") or {})
    settings = _at_scale(document, change, scale, where)
    if any("chosen_on_test" in one.reads for one in measures.values()):
        settings["runtime"] = {**settings.get("runtime", {}), "keep_checkpoints": True}
    parts = tuple(document.get("parts") or ())
    check_known(f"part of {where}:", parts, [SCORES, *measures])
    check_known(f"measure of {where}:", options, measures)
    grids = [*settings.get("grids", ()), *settings.get("texts", ())]
    for name, given in options.items():
        known = ["files", "grids", *measures[name].options]
        check_known(f"option of the measure {name} in {where}:", given or (), known)
        check_known(f"grid of the measure {name} in {where}:", (given or {}).get("grids") or (), grids)
    made = {name: one for name, one in declared.items() if isinstance(one, PaperTable | PaperFigure | Claim)}
    made = {name: one for name, one in made.items() if not parts or set(one.needs) <= set(parts)}
    return Paper(
        name=document["paper"],
        title=document["title"],
        citation=document["citation"],
        url=document.get("url", ""),
        scale=scale,
        where=where,
        settings=settings,
        measures=measures,
        options={name: dict(options.get(name) or {}) for name in measures},
        tables={name: one for name, one in made.items() if isinstance(one, PaperTable)},
        figures={name: one for name, one in made.items() if isinstance(one, PaperFigure)},
        claims={f"{document['paper']}-{name}": one for name, one in made.items() if isinstance(one, Claim)},
        sizes=_sizes(document),
        changes=yaml.safe_dump(changes, sort_keys=False, allow_unicode=True) if changes else "",
        parts=parts,
        pairs=dict(document.get("pairs") or {}),
    )


def module(folder: Path) -> ModuleType:
    """Return a paper's module, papers.NAME.paper, wherever the folder is. Raises InputError where there is none."""
    folder = folder.resolve()
    if not (folder / "paper.py").is_file():
        raise InputError(f"{folder} has no paper.py", next_step="see docs/new-paper.md")
    package = f"papers.{folder.name}"
    known = sys.modules.get(f"{package}.paper")
    if known is not None and Path(str(known.__file__)).parent == folder:
        return known
    for name in [name for name in sys.modules if name.startswith(f"{package}.")]:
        del sys.modules[name]
    for name, path in (("papers", folder.parent), (package, folder)):
        parent = ModuleType(name)
        parent.__path__ = [str(path)]
        sys.modules[name] = parent
    return importlib.import_module(f"{package}.paper")


def paper_options(command: ArgumentParser) -> None:
    """Add the options of a program that takes a paper and a scale."""
    command.add_argument("--paper", required=True, metavar="NAME", help="a folder of papers/, or its experiment.yaml")
    command.add_argument("--scale", help="default: the file's")


def check_call(keys: Iterable[str], files: Sequence[str | Path]) -> None:
    """Raise InputError for settings on the command line that would not reach the paper's programs: they read its file.

    `keys` come from `--config`, `files` from `--configfile`.
    """
    if len(files) > 1:
        raise InputError(
            f"a paper in {len(files)} files: {', '.join(map(str, files))}", next_step="write all of it in one file"
        )
    for key in keys:
        if key not in CALLED:
            raise InputError(
                f"{key!r} on the command line would reach a paper's trainings, but not its measures and claims",
                allowed=", ".join(CALLED),
                next_step=f"write it in the paper's file, {files[0]}",
            )


# ---- what a scale changes, key by key

#: Keys of an experiment that are a list of names, or name -> description (null: the catalogue's).
NAMED = ("corpora", "models")


def _sizes(document: Mapping[str, Any]) -> dict[str, int | None]:
    given = {name: each.get("size") for name, each in document["experiment"]["segmentations"].items()}
    return {name: size if isinstance(size, int) else None for name, size in given.items()}


def _at_scale(document: Mapping[str, Any], change: Mapping[str, Any], scale: str, where: str) -> dict[str, Any]:
    """Return the settings of the experiment at a scale."""
    _check_change(document, change, f"{where}: scales.{scale}")
    base, changed = _with_mappings(document["experiment"]), change.get("experiment") or {}
    settings = _with_mappings(merged(base, changed))
    for key in NAMED:  # a list in place of descriptions: these alone, as the file describes them
        if isinstance(changed.get(key), list) and isinstance(base[key], Mapping):
            settings[key] = {name: base[key].get(name) for name in settings[key]}
    settings |= {key: document[key] for key in MACHINE if key in document}
    schema.check({"experiment": document["paper"], **settings}, "experiment", f"{where}: experiment")
    sizes, names = change.get("sizes") or {}, settings["segmentations"]
    settings |= {
        "experiment": f"{document['paper']}-{scale}",
        "title": document["title"],
        "segmentations": {
            name: {**given, "size": sizes.get(given["size"], given["size"])} if "size" in given else given
            for name, given in names.items()
        },
    }
    places = {key: merged(document.get(key) or {}, change.get(key) or {}) for key in ("grids", "texts")}
    return settings | {key: described for key, described in places.items() if described}


def _check_change(document: Mapping[str, Any], change: Mapping[str, Any], where: str) -> None:
    """Raise InputError where a scale changes what is not there: a typing error would add a model in place of one."""
    known = {key: document.get(key) or () for key in ("grids", "texts", "measures")}
    known |= {key: document["experiment"].get(key) or () for key in ("corpora", "segmentations", "models")}
    known["sizes"] = [size for size in _sizes(document).values() if size]
    changed = {**change, **(change.get("experiment") or {})}
    for key, names in known.items():
        check_known(f"name in {where}: {key}", changed.get(key) or (), names)


def _with_mappings(experiment: Mapping[str, Any]) -> dict[str, Any]:
    """Return an experiment whose corpora and models are mappings. What is no list of names is left to the schema."""
    lists = {key: experiment[key] for key in NAMED if isinstance(experiment.get(key), list)}
    named = {key: dict.fromkeys(names) for key, names in lists.items() if all(isinstance(name, str) for name in names)}
    return {**experiment, **named}


def merged(base: Any, change: Any) -> Any:
    """Return `base` changed by `change`: mappings key by key, everything else replaced."""
    if not isinstance(base, Mapping) or not isinstance(change, Mapping):
        return change
    # A corpus that is described again is another one: none of its keys stay, and of a group no member.
    if "generated" in change or "local" in change or "into" in change:
        return dict(change)
    return {**base, **{key: merged(base.get(key), value) for key, value in change.items()}}
