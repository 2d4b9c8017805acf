"""A paper's file (config/papers/), brought to a scale: what is run, measured, drawn and claimed.

`read` gives a `Paper`; `Paper.experiment` is the ordinary experiment that the workflow runs for it. docs/new-paper.md
shows how such a file is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from experiment import schema
from experiment.config import Experiment
from experiment.corpora.catalogue import Corpus, File, read_catalogue
from experiment.yamlfiles import read_mapping
from papers import published
from papers.analyses import KINDS
from subwords.errors import InputError, unknown

FOLDER = schema.ROOT / "config" / "papers"
#: Scales that every paper has; a file may add others.
SCALES = ("full", "reduced", "smoke")
#: Keys that a scale may change.
SCALED = ("experiment", "grids", "texts", "analyses", "tables", "figures", "claims")
#: Keys of an experiment file about the machine and not about the paper: they may stand on the command line.
MACHINE = ("mirror", "threads", "workers", "gpus", "precision", "comet_model", "runs_per_gpu")
#: What a call of the workflow may say of a paper. Its programs are told scale and parts, and read the rest in the file.
CALLED = ("scale", "parts", *MACHINE)
#: Keys of an experiment that are a list of names, or name -> description (null: the catalogue's).
NAMED = ("corpora", "models")
#: Where tables, figures and claims get their numbers from beside analyses: scores.csv.
SCORES = "scores"


@dataclass(frozen=True)
class Paper:
    """A paper at one scale. Tables, figures, analyses and claims are as the file describes them."""

    name: str
    title: str
    citation: str
    url: str
    scale: str
    where: str  # the file
    settings: dict[str, Any]  # of the experiment
    analyses: dict[str, dict[str, Any]]
    tables: dict[str, dict[str, Any]]
    figures: dict[str, dict[str, Any]]
    claims: dict[str, dict[str, Any]]
    sizes_of_paper: dict[str, int | None]  # segmentation -> size that the paper asked for
    changed: dict[str, Any]  # what the scale changes of the paper's experiment, as the file says it
    parts: tuple[str, ...] | None  # the sources that are measured; None for all
    pairs: dict[str, int]  # corpus -> training pairs, about, where nothing else says how many (for the plan alone)

    @property
    def folder(self) -> str:
        """Its folder under results/."""
        return f"papers/{self.name}/{self.scale}"

    @cached_property
    def experiment(self) -> Experiment:
        """The experiment that is run for it. Raises InputError for what no experiment may say."""
        return Experiment(self.settings, self.where, self.folder)

    def paper_corpus(self, name: str) -> str:
        """Return the paper's name of a corpus: in results/ it is called NAME.SCALE unless the scale is full."""
        return name.removesuffix(f".{self.scale}")

    def corpus(self, name: str) -> str:
        """Return what a corpus of the paper is called in results/."""
        return _scaled_name(name, self.scale)

    @property
    def uses_scores(self) -> bool:
        """Whether any table, figure, claim or analysis reads scores or runs: whether anything is trained."""
        trained = {SCORES, "runs", "chosen_on_test"}
        return any(
            source == SCORES or trained & set(KINDS[self.analyses[source]["kind"]].reads) for source in self.sources
        )

    @property
    def evidence(self) -> list[str]:
        """What its claims are judged by: their sources, and the scores, which know how long the test sets are."""
        named = {source: None for claim in self.claims.values() for source in claim["from"]}
        return list({**named, **({SCORES: None} if named and self.uses_scores else {})})

    @property
    def generated(self) -> bool:
        """Whether its corpora are made up at this scale: what comes out is about the pipeline and not about them."""
        return any("generated" in corpus.definition for corpus in self.experiment.corpora.values())

    @property
    def sources(self) -> list[str]:
        """What its tables, figures and claims are made of: names of analyses, and `scores`."""
        described = (*self.tables.values(), *self.figures.values(), *self.claims.values())
        used = {source for part in described for source in part["from"]}
        return [name for name in (SCORES, *self.analyses) if name in used]

    def measurement_files(self, described: Mapping[str, Any]) -> list[str]:
        """Return the files of measurements that a table, a figure or a claim is made of."""
        return [f"results/{self.folder}/measurements/{name}.csv" for name in described["from"]]

    def published_files(self, table: str = "") -> list[str]:
        """Return the file of published values that a table shows; without one, all of the paper's."""
        shown = self.tables.get(table, {}).get("published", table) if table else "*"
        if shown is None:  # a table of ours alone
            return []
        return sorted(
            f"config/papers/published/{path.name}" for path in published.FOLDER.glob(f"{self.name}.{shown}.csv")
        )

    @property
    def needed_analyses(self) -> list[str]:
        """Every analysis that a table, a figure or a claim reads."""
        return [name for name in self.sources if name != SCORES]


def read(path: str | Path, scale: str | None = None, parts: Sequence[str] | None = None) -> Paper:
    """Return the paper in a file. Raises InputError for anything that is not as described.

    `scale` overrides the file's; `parts` keeps the tables, figures and claims that need no other source than these
    (names of analyses, or `scores`).
    """
    document = read_mapping(path, next_step="see docs/new-paper.md")
    given = {key: value for key, value in (("scale", scale), ("parts", parts)) if value is not None}
    return from_settings({**document, **given}, str(path))


def from_settings(document: Mapping[str, Any], where: str) -> Paper:
    """Return the paper of a file's content. Raises InputError for anything that is not as described."""
    schema.check(document, "papers", where)
    scale = document.get("scale", "smoke")
    if scale not in document["scales"]:
        raise unknown("scale", scale, document["scales"], next_step=f"see `scales` in {where}")
    change = dict(document["scales"].get(scale) or {})
    sizes = change.pop("sizes", {})
    _check_changes(document, change, f"{where}: scales.{scale}")
    content = {key: _merged(document.get(key) or {}, change.get(key) or {}) for key in SCALED}
    content["experiment"] = _changed_experiment(document["experiment"], change.get("experiment") or {})
    settings = content["experiment"] | {key: document[key] for key in MACHINE if key in document}
    schema.check({"experiment": document["paper"], **settings}, "experiment", f"{where}: experiment")
    asked = {name: given.get("size") for name, given in document["experiment"]["segmentations"].items()}
    settings |= {
        "experiment": f"{document['paper']}-{scale}",
        "title": document["title"],
        "segmentations": {
            name: {**given, "size": sizes.get(given["size"], given["size"])} if "size" in given else given
            for name, given in settings["segmentations"].items()
        },
        "corpora": _scaled_corpora(settings["corpora"], scale),
    }
    for key in ("grids", "texts"):
        if content[key]:
            settings[key] = {name: _scaled_grid(grid or {}, scale) for name, grid in content[key].items()}
    parts = tuple(document["parts"]) if document.get("parts") else None
    paper = Paper(
        name=document["paper"],
        title=document["title"],
        citation=document["citation"],
        url=document.get("url", ""),
        scale=scale,
        where=where,
        settings=settings,
        analyses={name: dict(given or {}) for name, given in content["analyses"].items() if given is not False},
        tables=_with_sources(content["tables"], parts),
        figures=_with_sources(content["figures"], parts),
        claims=_with_sources(content["claims"], parts),
        sizes_of_paper={name: size if isinstance(size, int) else None for name, size in asked.items()},
        changed=_stated_changes(document["scales"].get(scale) or {}),
        parts=parts,
        pairs=dict(document.get("pairs") or {}),
    )
    from papers.checks import check  # which knows papers

    check(paper, sizes, document["scales"], _with_mappings(document["experiment"])["corpora"])
    return paper


def _stated_changes(scale: Mapping[str, Any]) -> dict[str, Any]:
    return {key: scale[key] for key in ("sizes", "experiment", "grids", "texts") if scale.get(key)}


def check_call(keys: Iterable[str], where: str) -> None:
    """Raise InputError for the first key behind `--config` that only the paper's file, `where`, may have."""
    for key in keys:
        if key not in CALLED:
            raise InputError(
                f"{key!r} behind --config would reach a paper's trainings, but not its analyses, tables and claims",
                allowed=", ".join(CALLED),
                next_step=f"write it in the paper's file, {where}",
            )


@cache
def catalogue() -> dict[str, Corpus]:
    """Return the corpora of config/corpora.yaml, read once."""
    return read_catalogue()


def _check_changes(document: Mapping[str, Any], change: Mapping[str, Any], where: str) -> None:
    """Raise InputError where a scale changes what is not there: a typing error would add a model in place of one."""
    places = [(key, document.get(key) or {}, change.get(key) or {}) for key in SCALED if key != "experiment"]
    base, changed = document["experiment"], change.get("experiment") or {}
    parts = ("corpora", "segmentations", "models")
    places += [(f"experiment.{key}", base.get(key) or {}, changed.get(key) or {}) for key in parts]
    for place, known, names in places:
        for name in names:
            if name not in known:
                raise unknown(f"name in {where}.{place}", name, known, next_step=f"add it to `{place}`, or correct it")


def _changed_experiment(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return the experiment at a scale.

    A change of one corpus or model keeps the others; a list of them takes these alone, as the file describes them.
    """
    base = _with_mappings(base)
    changed = _with_mappings(_merged(base, change))
    chosen = [key for key in NAMED if isinstance(change.get(key), list) and isinstance(base[key], Mapping)]
    return changed | {key: {name: base[key].get(name) for name in changed[key]} for key in chosen}


def _with_mappings(experiment: Mapping[str, Any]) -> dict[str, Any]:
    """Return an experiment whose corpora and models are mappings. What is no list of names is left to the schema."""
    lists = {key: experiment[key] for key in NAMED if isinstance(experiment.get(key), list)}
    named = {key: dict.fromkeys(names) for key, names in lists.items() if all(isinstance(name, str) for name in names)}
    return {**experiment, **named}


def _merged(base: Any, change: Any) -> Any:
    """Return `base` changed by `change`: mappings key by key, everything else replaced."""
    if not isinstance(base, Mapping) or not isinstance(change, Mapping):
        return change
    # A corpus that is described anew is another one: none of its keys stay, and of a group no member.
    if "generated" in change or "local" in change or "into" in change:
        return dict(change)
    return {**base, **{key: _merged(base.get(key), value) for key, value in change.items()}}


def _scaled_name(name: str, scale: str) -> str:
    return name if scale == "full" else f"{name}.{scale}"


def _scaled_corpora(corpora: Mapping[str, Any], scale: str) -> dict[str, Any]:
    """Return the corpora under the names that they have at this scale, so that runs of two scales never mix."""
    if scale == "full":
        return dict(corpora)
    known = catalogue()
    found = {}
    for name, given in corpora.items():
        if given is None and name not in known:
            raise unknown("corpus", name, known, next_step="describe it in the paper's file")
        definition = dict(known[name].definition if given is None else given)
        if "group" in definition:
            definition["group"] = {
                language: _scaled_name(member, scale) if member in corpora else member
                for language, member in definition["group"].items()
            }
        found[_scaled_name(name, scale)] = definition
    return found


def _scaled_grid(grid: Mapping[str, Any], scale: str) -> dict[str, Any]:
    if "corpora" not in grid:
        return dict(grid)
    return {**grid, "corpora": [_scaled_name(name, scale) for name in grid["corpora"]]}


def _with_sources(described: Mapping[str, Any], parts: tuple[str, ...] | None) -> dict[str, dict[str, Any]]:
    """Return tables, figures or claims, each with `from`, without those that need more than `parts`."""
    found = {name: {"from": [SCORES], **(given or {})} for name, given in described.items() if given is not False}
    return {name: given for name, given in found.items() if parts is None or set(given["from"]) <= set(parts)}


def analysis_files(paper: Paper, name: str) -> dict[str, File]:
    """Return the files that an analysis names under `files`: downloads (url, sha256) or the user's own (local)."""
    found = {}
    for label, given in (paper.analyses[name].get("files") or {}).items():
        if given is None:  # left out at this scale
            continue
        if isinstance(given, str):
            found[label] = File(path=given)
        elif isinstance(given, Mapping) and "local" in given:
            found[label] = File(path=given["local"], sha256=given.get("sha256"))
        elif isinstance(given, Mapping) and {"url", "sha256"} <= set(given):
            found[label] = File(url=given["url"], sha256=given["sha256"])
        else:
            where = f"{paper.where}: analyses.{name}.files.{label}"
            raise InputError(f"{where}: {given!r}", allowed="a path, {local: path}, or {url: …, sha256: …}")
    return found
