"""What a schema cannot say of a paper's file: names have to stand for something, rules and descriptions to be read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from experiment.corpora.catalogue import corpora
from experiment.scoring.metrics import METRICS
from papers import published
from papers.analyses import COMMON, KINDS
from papers.claims.comparisons import EXTREMES
from papers.claims.rules import condition
from papers.derived import AGAINST_BPE, DERIVED
from papers.measurements import COLUMNS, RUN_FACTS
from papers.measures.segmenters import BEST
from papers.paper import SCORES, Paper, analysis_files
from papers.published import SPLITS, Value
from papers.rendering.curves import read_plan
from papers.rendering.table_building import check_entry
from papers.scales import catalogue
from papers.selection import listed
from subwords.errors import InputError, unknown

#: Options of analyses that are names in the experiment: one, a list, or label -> name.
_OPTIONS = {
    "corpus": "corpus",
    "direction": "direction",
    "model": "model",
    "segmentations": "segmentation",
    "search": "segmentation",
    "found": "segmentation",
    "without_scores": "segmentation",
    "systems": "segmentation",
    "pairs": "segmentation",
    "algorithm": "algorithm",
    "system": "algorithm",
    "baseline": "algorithm",
}
#: Options that have such names as keys.
_KEYS_OF_OPTIONS = {"pairs": "segmentation", "sentences": "direction", "judges": "direction", "parts": "corpus"}
#: What may stand in a segmentation's place, and in which options of which kinds.
_MAY_BE_BEST = (("boundary_f1", "segmentations"), ("human_evaluation", "systems"))
#: Keys of a table that say what stands beside printed cells.
_OF_PRINTED = ("extra", "means", "marks")


def check(
    paper: Paper, sizes: Mapping[Any, Any], scales: Mapping[str, Any], experiment_of_file: Mapping[str, Any]
) -> None:
    """Raise InputError for the first thing that is not as it has to be.

    `sizes`, `scales` and `experiment_of_file` are the file's own, the experiment as it is before a scale changes it:
    what is right there may be named at a scale that leaves it out, and is not measured.
    """
    for name, given in paper.analyses.items():
        _check_analysis(paper, name, given, experiment_of_file)
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
    _check_descriptions(paper, experiment_of_file)


def _check_analysis(paper: Paper, name: str, given: Mapping[str, Any], experiment_of_file: Mapping[str, Any]) -> None:
    """Raise InputError for an analysis of no known kind, an option its kind does not take, or a name of nothing."""
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
    names = _names_of_experiment(paper, experiment_of_file)
    for key, option in given.items():
        best = [BEST] if (given["kind"], key) in _MAY_BE_BEST else []
        for column, one in _names_in_option(key, option):
            if one not in (known := [*names[column], *best]):
                raise unknown(f"{column} in `{key}` of {where}", one, known, next_step=f"see {paper.where}")
    files = analysis_files(paper, name)
    for folder in kind.makes:
        for label, file in files.items():
            if file.path and Path(file.path).resolve().is_relative_to(Path("results", paper.folder, folder).resolve()):
                raise InputError(
                    f"{where}: {label}: {file.path} lies where the analysis puts what it makes anew each time",
                    next_step="copy it to another folder",
                )


def _names_in_option(key: str, given: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names of the experiment in an option of an analysis, with what they name."""
    keys = list(given) if isinstance(given, Mapping) else listed(given)
    values = list(given.values()) if isinstance(given, Mapping) else keys
    if key in _KEYS_OF_OPTIONS:
        yield from ((_KEYS_OF_OPTIONS[key], name) for name in keys)
    if key in _OPTIONS:
        yield from ((_OPTIONS[key], name) for name in values if name is not None)
    if key == "texts":  # name -> [corpus, language]
        yield from (("corpus", name) for text in values for name in listed(text)[:1])


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
    shown = [("table", name, _printed(name, given)) for name, given in paper.tables.items()]
    shown += [("figure", name, given.get("published")) for name, given in paper.figures.items()]
    for what, name, table in shown:
        if table is not None and table not in transcribed:
            raise unknown(f"published table of the {what} {name}", table, transcribed, next_step=f"see {paper.where}")


def _printed(name: str, table: Mapping[str, Any]) -> Any:
    """Return which published table a table shows; None for one of ours alone."""
    return table.get("published", name)


def _check_descriptions(paper: Paper, experiment_of_file: Mapping[str, Any]) -> None:
    """Raise InputError for a rule, a figure or a table that could not be made from any numbers."""
    for name in (*paper.tables, *paper.figures):
        if name in paper.tables and name in paper.figures:
            raise InputError(f"{paper.where}: {name} is both a table and a figure", allowed="two names")
    transcribed = published.tables(paper.name)
    values = [value for table in transcribed.values() for value in table]
    known = _names(paper, values, experiment_of_file)
    metrics = {*paper.experiment.settings["metrics"], *experiment_of_file.get("metrics", ())}
    for name, claim in paper.claims.items():
        for given in claim["holds"]:
            where = f"{paper.where}: claims.{name}"
            rule = condition(given, where)
            _check_names([side.where for side in (rule.left, rule.right) if side], known, where)
            _check_metrics(paper, metrics, rule.metrics, claim["from"], values, where)
    for name, figure in paper.figures.items():
        where, plan = f"{paper.where}: figures.{name}", read_plan(name, figure)
        _check_names([plan.where], known, where)
        _check_metrics(paper, metrics, plan.y, figure["from"], values, where)
    for name, table in paper.tables.items():
        where, printed = f"{paper.where}: tables.{name}", _printed(name, table)
        check_entry(name, table)
        extras, marks = ((table.get(key) or {}).values() for key in ("extra", "marks"))
        _check_names([table.get("where") or {}, *extras], known, where)
        for extra in extras:
            _check_metrics(paper, metrics, _metrics(extra.get("metric")), table["from"], values, where)
        for mark in marks:  # which other measurements of ours decide on
            _check_metrics(paper, metrics, _metrics(mark["metric"]), table["from"], (), where)
        if printed is None:
            _check_own_table(table, where)
        else:
            _check_printed_table(table, transcribed[printed], where)
            _check_test_sets(paper, table, transcribed[printed], where)


def _check_test_sets(paper: Paper, table: Mapping[str, Any], values: Sequence[Value], where: str) -> None:
    """Raise InputError for scores on several test sets, none of which is named: their mean would be nobody's."""
    if SCORES not in table["from"] or "testset" in (table.get("where") or {}):
        return
    unnamed = {value.corpus for value in values if value.metric in METRICS and not value.testset}
    for corpus, direction, _ in paper.experiment.blocks:
        several = paper.experiment.test_sets(corpus, direction)
        if len(several) > 1 and paper.paper_corpus(corpus) in unnamed and corpus not in paper.experiment.group_names:
            raise InputError(
                f"{where}: {corpus} {direction} is scored on several test sets, {', '.join(several)}",
                allowed=f"one of them: where: {{testset: {several[0]}}}, or a column testset in the published file",
            )


def _metrics(given: Any) -> list[Any]:
    """Return our metrics in what is written as one, or as published metric -> ours."""
    return list(given.values()) if isinstance(given, Mapping) else listed(given)


def _check_own_table(table: Mapping[str, Any], where: str) -> None:
    """Raise InputError for a table of ours alone with labels that measurements do not have, or no cell to change."""
    for side in ("rows", "columns"):
        for column in listed(table.get(side)):
            if column not in COLUMNS:
                raise unknown(f"column in {where}.{side}", column, COLUMNS)
    for key in _OF_PRINTED:
        if table.get(key):
            step = f"name its published table, or leave out {key}"
            raise InputError(
                f"{where}: {key} in a table of ours alone", allowed="rows, columns, decimals", next_step=step
            )


def _check_printed_table(table: Mapping[str, Any], values: Sequence[Value], where: str) -> None:
    """Raise InputError for means and marks of columns, or extras and marks of metrics, that are not printed there."""
    file = f"see config/papers/published/{values[0].paper}.{values[0].table}.csv" if values else ""
    columns, metrics = ({getattr(value, name): None for value in values} for name in ("column", "metric"))
    means, extras, marks = (table.get(key) or {} for key in ("means", "extra", "marks"))
    named = [("means", name) for name in (*means, *(each for names in means.values() for each in names or ()))]
    named += [("marks", name) for mark in marks.values() for name in mark.get("columns") or ()]
    for key, name in named:
        if name not in columns:
            raise unknown(f"column in {where}.{key}", name, columns, next_step=file)
    for key, described in (("extra", extras), ("marks", marks)):
        for metric in (given.get("metric") for given in described.values()):
            for name in metric if isinstance(metric, Mapping) else ():
                if name not in metrics:
                    raise unknown(f"published metric in {where}.{key}", name, metrics, next_step=file)


def _names_of_experiment(paper: Paper, experiment_of_file: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return, by column, the names that the experiment has, at its scale or in the file, corpora under the paper's."""
    found: dict[str, dict[str, None]] = {}
    for experiment in (paper.settings, experiment_of_file):
        segmentations = experiment["segmentations"]
        names = {
            "corpus": [paper.paper_corpus(name) for name in experiment["corpora"]],
            "model": experiment["models"],
            "segmentation": segmentations,
            "algorithm": [given["algorithm"] for given in segmentations.values() if "algorithm" in given],
            "direction": experiment["directions"],
        }
        for column, every in names.items():
            found.setdefault(column, {}).update(dict.fromkeys(every))
    return {column: list(names) for column, names in found.items()}


def _names(paper: Paper, values: Iterable[Value], experiment_of_file: Mapping[str, Any]) -> dict[str, Collection[str]]:
    """Return, by column, the names that the file or the published values have."""
    test_sets = _test_sets(paper, experiment_of_file["corpora"])
    ours = {**_names_of_experiment(paper, experiment_of_file), "testset": test_sets}
    known = {column: {*names, *(getattr(value, column) for value in values)} - {""} for column, names in ours.items()}
    # These do not apply to every measurement: an empty one is meant, too.
    return {**known, "testset": {"", *known["testset"]}, "split": ("", *SPLITS), "selection": ("", "dev", "test")}


def _test_sets(paper: Paper, corpora_of_file: Mapping[str, Any]) -> list[str]:
    """Return the test sets that are translated, and those of the paper's corpora, which a scale may have replaced."""
    experiment = paper.experiment
    found = [name for corpus, direction, _ in experiment.blocks for name in experiment.test_sets(corpus, direction)]
    described = {name: given for name, given in corpora_of_file.items() if given is not None}
    known = {**catalogue(), **corpora(described, paper.where)}
    for corpus in (known[name] for name in corpora_of_file if name in known):
        found += corpus.definition.get("group") or corpus.test_names  # a group's are called by its languages
    return found


def _check_names(selectors: Iterable[Mapping[str, Any]], known: Mapping[str, Collection[str]], where: str) -> None:
    """Raise InputError for a corpus, model, algorithm, test set or split that nobody knows."""
    for selector in selectors:
        for column, names in known.items():
            wanted = selector.get(column)
            for name in listed(wanted.get("not") if isinstance(wanted, Mapping) else wanted):
                if name not in names and name not in EXTREMES:
                    raise unknown(f"{column} in {where}", name, sorted({*names} - {""}))


def _check_metrics(
    paper: Paper,
    scored: Iterable[str],
    metrics: Iterable[str],
    sources: Iterable[str],
    values: Iterable[Value],
    where: str,
) -> None:
    """Raise InputError for a metric that neither the sources of a claim, figure or table give nor the paper has."""
    known = {value.metric for value in values} | {f"{score}{ending}" for score in AGAINST_BPE for ending in DERIVED}
    for source in sources:
        if source == SCORES:
            known |= {*scored, *RUN_FACTS, "test_sentences"}
        else:
            known |= set(KINDS[paper.analyses[source]["kind"]].gives)
    for metric in metrics:
        if not any(fnmatchcase(metric, pattern) for pattern in known):
            if metric in METRICS:
                raise InputError(
                    f"{where}: {metric} is not computed", next_step="add it to `metrics` of the experiment"
                )
            raise unknown(f"metric in {where}", metric, sorted(known), next_step="see src/papers/analyses/__init__.py")
