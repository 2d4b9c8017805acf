"""What a schema cannot say of a paper's file: names have to stand for something, rules and descriptions to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from papers import published
from papers.analyses import COMMON, KINDS
from papers.claims.rules import condition
from papers.paper import SCORES, Paper
from papers.rendering.figures import read_plan
from papers.rendering.tables import check_entry
from subwords.errors import InputError, unknown


def check(paper: Paper, sizes: Mapping[Any, Any], scales: Mapping[str, Any]) -> None:
    """Raise InputError for the first thing that is not as it has to be. `sizes` and `scales` are the file's own."""
    for name, given in paper.analyses.items():
        _check_analysis(paper, name, given)
    for size in sizes:
        if size not in paper.sizes_of_paper.values():
            known = sorted({str(known) for known in paper.sizes_of_paper.values() if known})
            raise unknown(f"size in {paper.where}: scales.{paper.scale}.sizes", str(size), known)
    for name, claim in paper.claims.items():
        for scale in claim.get("scales", ()):
            if scale not in scales:
                raise unknown(f"scale of the claim {name}", scale, scales, next_step=f"see `scales` in {paper.where}")
    _check_sources(paper)
    _check_descriptions(paper)


def _check_analysis(paper: Paper, name: str, given: Mapping[str, Any]) -> None:
    """Raise InputError for an analysis of no known kind, an option its kind does not take, or a grid nobody named."""
    if "kind" not in given:
        raise InputError(f"{paper.where}: the analysis {name} has no kind", allowed=", ".join(KINDS))
    if given["kind"] not in KINDS:
        raise unknown(f"kind of the analysis {name}", given["kind"], KINDS, next_step=f"see {paper.where}")
    kind, where = KINDS[given["kind"]], f"the analysis {name} ({given['kind']})"
    for key in given:
        if key not in (*COMMON, *kind.options):
            raise unknown(f"key of {where}", key, [*COMMON, *kind.options], next_step=f"see {paper.where}")
    for grid in given.get("grids") or ():
        if grid not in (known := [*paper.settings.get("grids", {}), *paper.settings.get("texts", {})]):
            raise unknown(f"grid of {where}", grid, known, next_step=f"see {paper.where}")
    for key in kind.needed_options:
        if given.get(key) is None:
            raise InputError(f"{where} lacks {key}", next_step=f"see src/papers/analyses/{given['kind']}.py")


def _check_sources(paper: Paper) -> None:
    """Raise InputError where parts, tables, figures or claims take from what is not there."""
    sources = [SCORES, *paper.analyses]
    for part in paper.parts or ():
        if part not in sources:
            raise unknown("part", part, sources, next_step=f"see `analyses` in {paper.where}")
    for what, described in (("table", paper.tables), ("figure", paper.figures), ("claim", paper.claims)):
        for name, given in described.items():
            for source in given["from"]:
                if source not in sources:
                    raise unknown(f"source of the {what} {name}", source, sources, next_step=f"see {paper.where}")
    transcribed = published.tables(paper.name)
    for name, given in paper.tables.items():
        table = given.get("published", name)
        if table is not None and table not in transcribed:
            raise unknown("published table", table, transcribed, next_step=f"see {paper.where}")


def _check_descriptions(paper: Paper) -> None:
    """Raise InputError for a rule, a figure or a table that could not be made from any numbers."""
    for name in (*paper.tables, *paper.figures):
        if name in paper.tables and name in paper.figures:
            raise InputError(f"{paper.where}: {name} is both a table and a figure", allowed="two names")
    for name, claim in paper.claims.items():
        for given in claim["holds"]:
            where = f"{paper.where}: claims.{name}"
            rule = condition(given, where)
            _check_names(paper, [side.where for side in (rule.left, rule.right) if side], where)
    for name, figure in paper.figures.items():
        _check_names(paper, [read_plan(name, figure).where], f"{paper.where}: figures.{name}")
    for name, table in paper.tables.items():
        check_entry(name, table)
        selectors = [table.get("where") or {}, *(table.get("extra") or {}).values()]
        _check_names(paper, selectors, f"{paper.where}: tables.{name}")


def _check_names(paper: Paper, selectors: Sequence[Mapping[str, Any]], where: str) -> None:
    """Raise InputError for a corpus, model or algorithm that neither the file nor the published values have."""
    values = [value for table in published.tables(paper.name).values() for value in table]
    experiment = paper.settings
    ours: dict[str, Any] = {
        "corpus": map(paper.paper_corpus, experiment["corpora"]),
        "model": experiment["models"],
        "segmentation": experiment["segmentations"],
        "algorithm": [given["algorithm"] for given in experiment["segmentations"].values()],
        "direction": experiment["directions"],
    }
    for column, names in ours.items():
        known = {*names, *(getattr(value, column) for value in values)}
        for selector in selectors:
            wanted = selector.get(column, [])
            wanted = wanted.get("not", []) if isinstance(wanted, Mapping) else wanted
            for name in [wanted] if isinstance(wanted, str) else wanted if isinstance(wanted, list) else []:
                if name not in known and name not in ("largest", "smallest"):
                    raise unknown(f"{column} in {where}", name, sorted(known - {""}), next_step=f"see {paper.where}")
