"""What a schema cannot say of a paper's file: names have to stand for something, rules and descriptions to be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from papers import published
from papers.analyses import COMMON, KINDS
from papers.claims.comparisons import EXTREMES
from papers.claims.rules import condition
from papers.derived import AGAINST_BPE, DERIVED
from papers.measurements import RUN_FACTS
from papers.paper import SCORES, Paper, analysis_files
from papers.published import Value
from papers.rendering.curves import read_plan
from papers.rendering.table_building import check_entry
from papers.selection import listed
from subwords.errors import InputError, unknown


def check(paper: Paper, sizes: Mapping[Any, Any], scales: Mapping[str, Any]) -> None:
    """Raise InputError for the first thing that is not as it has to be. `sizes` and `scales` are the file's own."""
    for name, given in paper.analyses.items():
        _check_analysis(paper, name, given)
    for size in sizes:
        where = f"{paper.where}: scales.{paper.scale}.sizes"
        if not isinstance(size, int):
            raise InputError(f"{where}: {size!r} is text", allowed="whole numbers, without quotes")
        if size not in paper.sizes_of_paper.values():
            known = sorted({str(known) for known in paper.sizes_of_paper.values() if known})
            raise unknown(f"size in {where}", str(size), known)
    for name, claim in paper.claims.items():
        for scale in claim.get("scales", ()):
            if scale not in scales:
                raise unknown(f"scale of the claim {name}", scale, scales, next_step=f"see `scales` in {paper.where}")
    _check_sources(paper)
    if paper.parts and not (paper.tables or paper.figures or paper.claims):
        raise InputError(
            f"{paper.where}: no table, figure or claim is made of {', '.join(paper.parts)} alone",
            next_step="name all the sources (`from`) of what is wanted",
        )
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
    for key in kind.required:
        if given.get(key) is None:
            raise InputError(f"{where} lacks {key}", next_step=f"see src/papers/analyses/{given['kind']}.py")
    analysis_files(paper, name)


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
    values = [value for table in published.tables(paper.name).values() for value in table]
    known = _names(paper, values)
    for name, claim in paper.claims.items():
        for given in claim["holds"]:
            where = f"{paper.where}: claims.{name}"
            rule = condition(given, where)
            _check_names([side.where for side in (rule.left, rule.right) if side], known, where)
            _check_metrics(paper, rule.metrics, claim["from"], values, where)
    for name, figure in paper.figures.items():
        where, plan = f"{paper.where}: figures.{name}", read_plan(name, figure)
        _check_names([plan.where], known, where)
        _check_metrics(paper, plan.y, figure["from"], values, where)
    for name, table in paper.tables.items():
        where = f"{paper.where}: tables.{name}"
        check_entry(name, table)
        extras = list((table.get("extra") or {}).values())
        _check_names([table.get("where") or {}, *extras], known, where)
        for metric in (extra["metric"] for extra in extras if "metric" in extra):
            ours = metric.values() if isinstance(metric, Mapping) else [metric]
            _check_metrics(paper, ours, table["from"], values, where)


def _names(paper: Paper, values: Iterable[Value]) -> dict[str, set[str]]:
    """Return, by column, the names that the file or the published values have."""
    experiment = paper.settings
    ours: dict[str, Iterable[str]] = {
        "corpus": map(paper.paper_corpus, experiment["corpora"]),
        "model": experiment["models"],
        "segmentation": experiment["segmentations"],
        "algorithm": [given["algorithm"] for given in experiment["segmentations"].values()],
        "direction": experiment["directions"],
    }
    return {column: {*names, *(getattr(value, column) for value in values)} - {""} for column, names in ours.items()}


def _check_names(selectors: Iterable[Mapping[str, Any]], known: Mapping[str, set[str]], where: str) -> None:
    """Raise InputError for a corpus, model or algorithm that nobody knows."""
    for selector in selectors:
        for column, names in known.items():
            wanted = selector.get(column)
            for name in listed(wanted.get("not") if isinstance(wanted, Mapping) else wanted):
                if name not in names and name not in EXTREMES:
                    raise unknown(f"{column} in {where}", name, sorted(names))


def _check_metrics(
    paper: Paper, metrics: Iterable[str], sources: Iterable[str], values: Iterable[Value], where: str
) -> None:
    """Raise InputError for a metric that neither the sources of a claim, figure or table give nor the paper has."""
    known = {value.metric for value in values} | {f"{score}{ending}" for score in AGAINST_BPE for ending in DERIVED}
    for source in sources:
        if source == SCORES:
            known |= {*paper.experiment.settings["metrics"], *RUN_FACTS, "test_sentences"}
        else:
            known |= set(KINDS[paper.analyses[source]["kind"]].gives)
    for metric in metrics:
        if not any(fnmatchcase(metric, pattern) for pattern in known):
            raise unknown(f"metric in {where}", metric, sorted(known), next_step="see src/papers/analyses/__init__.py")
