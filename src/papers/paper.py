"""A paper's file (config/papers/), brought to a scale: what is run, measured, drawn and claimed.

`read` gives a `Paper`; `Paper.experiment` is the ordinary experiment that the workflow runs for it. docs/new-paper.md
shows how such a file is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from experiment import schema
from experiment.config import Experiment
from experiment.corpora.catalogue import File
from experiment.yamlfiles import read_mapping
from papers import published
from papers.analyses import KINDS
from papers.scales import (
    SCALED,
    changed_experiment,
    check_changes,
    merged,
    scaled_corpora,
    scaled_grid,
    scaled_name,
    stated_changes,
    with_mappings,
)
from subwords.errors import InputError, unknown

FOLDER = schema.ROOT / "config" / "papers"
#: Scales that every paper has; a file may add others.
SCALES = ("full", "reduced", "smoke")
#: Keys of an experiment file about the machine and not about the paper: they may stand on the command line.
MACHINE = ("mirror", "threads", "workers", "gpus", "precision", "comet_model", "runs_per_gpu")
#: What a call of the workflow may say of a paper. Its programs are told scale and parts, and read the rest in the file.
CALLED = ("scale", "parts", *MACHINE)
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
        return scaled_name(name, self.scale)

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
    check_changes(document, change, f"{where}: scales.{scale}")
    content = {key: merged(document.get(key) or {}, change.get(key) or {}) for key in SCALED}
    content["experiment"] = changed_experiment(document["experiment"], change.get("experiment") or {})
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
        "corpora": scaled_corpora(settings["corpora"], scale),
    }
    for key in ("grids", "texts"):
        if content[key]:
            settings[key] = {name: scaled_grid(grid or {}, scale) for name, grid in content[key].items()}
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
        changed=stated_changes(document["scales"].get(scale) or {}),
        parts=parts,
        pairs=dict(document.get("pairs") or {}),
    )
    from papers.checks import check  # which knows papers

    check(paper, sizes, document["scales"], with_mappings(document["experiment"]))
    return paper


def check_call(keys: Iterable[str], files: Sequence[str | Path]) -> None:
    """Raise InputError where a call of the workflow says what its programs, which read the paper's file, do not hear.

    `keys` stand behind `--config`, `files` behind `--configfile`.
    """
    if len(files) > 1:
        raise InputError(
            f"a paper in {len(files)} files: {', '.join(map(str, files))}", next_step="write all of it in one file"
        )
    where = files[0]
    for key in keys:
        if key not in CALLED:
            raise InputError(
                f"{key!r} behind --config would reach a paper's trainings, but not its analyses, tables and claims",
                allowed=", ".join(CALLED),
                next_step=f"write it in the paper's file, {where}",
            )


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
