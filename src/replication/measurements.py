"""Measurements: one tidy frame, a row per number, for what was measured and for what a paper printed.

Every table, figure and claim is made from such frames. They come from scores.csv (`from_scores`), from a paper's
measures (`write`, `read`), and from what the paper printed (`read_printed`: papers/NAME/published/{table}.csv).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import pandas
from pandas import DataFrame, Series

from experiment.corpora.corpus_groups import scored_direction
from experiment.scoring.comparison import learned_nothing
from experiment.scoring.metrics import METRICS
from experiment.store.checksums import check_checksum, file_with_checksum
from subwords import registry
from subwords.errors import InputError, check_known

#: Every column. The keys (corpus … seed) are those of scores.csv and of the published files.
COLUMNS: dict[str, str] = {
    "metric": "what was measured: a metric of scores.csv, a column of it (`RUN_FACTS`), or any other name",
    "corpus": "name of the corpus in the paper's experiment, whatever the scale",
    "direction": "source-target, as in en-de",
    "model": "name of the model recipe",
    "segmentation": "name of the segmentation in the paper's experiment",
    "algorithm": "name of the algorithm in `subwords list`",
    "size": "size that the paper asked for; smaller scales ask for less and keep this label",
    "seed": "seed of the training run",
    "split": "train, dev or test, where a corpus is counted",
    "testset": "name of the test set, where something is measured on one",
    "selection": "what checkpoints were chosen on: dev, or test where a paper chose on its test set",
    "row": "label of the published row, where the keys do not tell which cell is meant",
    "x": "abscissa of a curve: a rank, a merge, the symbols of a token",
    "value": "the number, in base units: a share for %, ones for K and M",
    "error": "standard error, where there is one",
    "freedom": "degrees of freedom of the standard error: runs less one",
    "text": "what was measured, where it is no number (the pieces of a word)",
}
#: What a published file has besides, with its name in a frame.
PRINTED: dict[str, str] = {
    "column": "label of the column as printed; labels above it come first",
    "printed": "`value` as printed, with its digits, without separators of thousands; empty: lost in the text",
    "printed_error": "`error` as printed: what follows ±",
    "unit": "%, K (thousands), M (millions) or h (hours), where the number has one",
    "mark": "what else stands at the number: bold, *, ** or ✓, separated by spaces",
}
NUMBERS = ("x", "value", "error", "freedom")
WHOLE_NUMBERS = ("size", "seed")
#: What identifies a run and its score, here, in scores.csv and in the published files.
KEYS = ("metric", "corpus", "direction", "model", "segmentation", "algorithm", "size", "seed")
#: The texts that were translated.
PLACE = ("corpus", "direction")
#: Columns of scores.csv that are facts about a run. Each is a metric by its name.
RUN_FACTS = (
    *("parameters", "gpu_hours", "train_seconds", "tokens_per_second", "updates"),
    *("vocabulary_source", "vocabulary_target", "pieces_per_word_source", "pieces_per_word_target"),
    *("pieces_per_sentence_source", "pieces_per_sentence_target"),
)
UNITS = {"": Decimal(1), "%": Decimal("0.01"), "K": Decimal(1000), "M": Decimal(1_000_000), "h": Decimal(1)}
#: A metric as similar as this (difflib's ratio) to a score is that score, misspelled: blue, belu, comte.
MISSPELLED = 0.75


def frame(rows: Iterable[Mapping[str, Any]], columns: Collection[str] = COLUMNS) -> DataFrame:
    """Return measurements as a frame with every column: numbers as floats, size and seed as Int64, the rest as text,
    empty where it does not apply. Raises InputError for an unknown column or a number that is none."""
    rows = list(rows)
    check_known("column of a measurement", {name: None for row in rows for name in row}, columns)
    table = pandas.DataFrame(rows, columns=list(columns), dtype=object)
    for name in columns:
        if name not in (*NUMBERS, *WHOLE_NUMBERS):
            table[name] = table[name].fillna("").astype(str)
            continue
        try:
            numbers = pandas.to_numeric(table[name].replace("", None))
            table[name] = numbers.astype(float) if name in NUMBERS else numbers.astype("Int64")
        except (ValueError, TypeError) as error:
            allowed = "a number as in 0.95" if name in NUMBERS else "a whole number"
            raise InputError(f"{name} of a measurement: {error}", allowed=f"{allowed}, or nothing") from None
    return table


def records(table: DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def together(frames: Iterable[DataFrame]) -> DataFrame:
    """Return several frames of measurements as one."""
    empty = frame([])
    found = [each[list(COLUMNS)] for each in frames]
    return pandas.concat([empty, *found], ignore_index=True).astype(empty.dtypes.to_dict())


def from_scores(rows: Sequence[Mapping[str, Any]], sizes: Mapping[str, int | None]) -> DataFrame:
    """Return the rows of scores.csv as measurements: scores, their 95% intervals (`bleu_ci95`), facts about runs, and
    `learned_nothing` where that is so.

    `sizes` gives the paper's size of its segmentations. In a group of corpora every test set has its own direction.
    """
    measured: list[dict[str, Any]] = []
    known_runs = set()
    for row in rows:
        run = {name: row[name] for name in KEYS if name != "metric"}
        run["size"] = sizes.get(row["segmentation"], row["size"])
        keys = run | {"testset": row["testset"], "direction": scored_direction(row["direction"], row["testset"])}
        measured.append(keys | {"metric": row["metric"], "value": row["score"], "selection": "dev"})
        if row.get("ci95") is not None:
            measured.append(keys | {"metric": f"{row['metric']}_ci95", "value": row["ci95"], "selection": "dev"})
        measured.append(keys | {"metric": "test_sentences", "value": row["sentences"]})
        if learned_nothing(row):
            measured.append(keys | {"metric": "learned_nothing", "value": 1})
        if tuple(run.values()) not in known_runs:
            known_runs.add(tuple(run.values()))
            measured += [run | {"metric": n, "value": row[n]} for n in RUN_FACTS if row.get(n) is not None]
    return frame(measured)


def write(path: str | Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write measurements as CSV, numbers in full, with its checksum. Raises InputError for an unknown column."""
    with file_with_checksum(path) as stream:
        frame(rows).to_csv(stream, index=False, lineterminator="\n")


def read(path: str | Path) -> DataFrame:
    """Return the measurements in a CSV file. Raises InputError when it is missing, changed, or has other columns."""
    check_checksum(path)
    table = _read_csv(path, next_step="run scripts/measure.py")
    if not {"metric", "value"} <= set(table):
        raise InputError(f"{path} has the columns {list(table)}", allowed=", ".join(COLUMNS))
    return frame(records(table))


def _read_csv(path: str | Path, next_step: str) -> DataFrame:
    """Return a CSV file as text. Raises InputError for one that cannot be read."""
    try:
        table = pandas.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", next_step=next_step) from error
    except ValueError as error:  # pandas' own errors, and those of UTF-8
        raise InputError(f"{path} is not CSV in UTF-8: {error}", next_step="correct it") from error
    if not isinstance(table.index, pandas.RangeIndex) or table.isna().any(axis=None):
        raise InputError(f"{path} has rows with more or fewer cells than the first", next_step="correct it")
    return table


# ---- what is made of measurements


@dataclass(frozen=True)
class Made:
    """A table, figure or claim of a paper: its title, the sources of its numbers, and the function that makes it."""

    title: str
    needs: tuple[str, ...]  # names of measures, or `scores`
    make: Callable[..., Any]
    said: str = ""

    def __call__(self, *given: Any) -> Any:
        return self.make(*given)

    @property
    def note(self) -> str:
        """The sentences that are shown with it: what is said of it, or else the function's docstring."""
        return " ".join((self.said or self.make.__doc__ or "").split())


# ---- what a paper printed

#: Columns of a published file: those that have to be there, and all.
NEEDED = ("row", "column", "value", "metric")
PUBLISHED = (*NEEDED, "error", "freedom", "unit", "mark", "text", *KEYS[1:], "split", "testset")
#: Column of a published file -> what it may hold, and that in words.
_RULES = {
    "row": (r"(?s).*\S.*", "the label as printed"),
    "column": (r"(?s).*\S.*", "the label as printed"),
    "metric": (r"[a-z0-9_+]+", "what was measured, in small letters, as in bleu"),
    "value": (r"(-?\d+(\.\d+)?)?", "digits with a decimal point, as in 24.40"),
    "error": (r"(\d+(\.\d+)?)?", "digits with a decimal point, as in 0.07"),
    "freedom": (r"([1-9]\d*)?", "a whole number above 0"),
    "direction": (r"(\w+-\w+)?", "source and target language, as in en-de"),
    "size": (r"([1-9]\d*)?", "a whole number above 0"),
    "seed": (r"\d*", "a whole number"),
    "unit": ("|".join(UNITS), ", ".join(filter(None, UNITS))),
    "mark": (r"((bold|\*\*?|✓)( |$))*", "bold, *, ** and ✓, separated by spaces"),
    "split": ("(train|dev|test)?", "train, dev or test"),
}


def read_printed(path: Path) -> DataFrame:
    """Return a published table: measurements, with the columns of `PRINTED`, a row per cell in the file's order.

    A cell without value and text cannot be read in the paper's text at hand: its place in the table is kept. Raises
    InputError with the row that breaks a rule.
    """
    table = _read_csv(path, next_step="correct it")
    check_known(f"column in {path}:", table, PUBLISHED, next_step="correct the first row")
    if missing := [name for name in NEEDED if name not in table]:
        raise InputError(f"the first row of {path} lacks {', '.join(missing)}", allowed=", ".join(PUBLISHED))
    table = table.reindex(columns=list(PUBLISHED), fill_value="")
    for name, (pattern, allowed) in _RULES.items():
        for number in table.index[~table[name].str.fullmatch(pattern)]:
            text = table.at[number, name]
            raise InputError(f"{path}, row {number + 2}: {name} {text!r} cannot be read", allowed=allowed)
    rules = {
        "the row and column of a cell above": table.duplicated(["row", "column"]),
        "both a value and a text": (table["text"] != "") & (table["value"] != ""),
        "an error without a value": (table["error"] != "") & (table["value"] == ""),
    }
    for what, wrong in rules.items():
        for number in table.index[wrong]:
            raise InputError(f"{path}, row {number + 2} has {what}", next_step="correct it")
    for name in set(table["metric"]) - {*METRICS}:
        if near := get_close_matches(name, METRICS, 1, MISSPELLED):
            raise InputError(
                f"{path}: unknown metric {name!r}: did you mean {near[0]!r}?",
                allowed=f"{', '.join(METRICS)}; or, of a measure, a name that is not nearly one of these",
            )
    check_known(f"algorithm in {path}:", filter(None, table["algorithm"]), registry.names())
    units = table["unit"].map(UNITS)
    printed = table.assign(printed=table["value"], printed_error=table["error"], selection="dev")
    for name in ("value", "error"):
        texts = zip(table[name], units, strict=True)
        printed[name] = [float(Decimal(text) * unit) if text else None for text, unit in texts]
    return frame(records(printed), [*COLUMNS, *PRINTED])


def half_interval(error: Any, freedom: Any) -> Any:
    """Return half of the 95% t intervals of standard errors: one of them, or a column.

    Without degrees of freedom, by the normal distribution.
    """
    from scipy.stats import t

    known = numpy.asarray(freedom, dtype=float)
    return error * t.ppf(0.975, numpy.where(numpy.isnan(known), numpy.inf, known))


def without_size(segmentations: Series[str]) -> Series[str]:
    """Return the names of segmentations without the size at their end: bpe-32k is bpe."""
    return segmentations.str.replace(r"-\d+[kK]?$", "", regex=True)


# ---- which measurements: a column with a value, a list of values, or a condition


class Condition(NamedTuple):
    """What values of a column have to fulfil. Two that were made alike are equal."""

    kind: str
    bound: Any

    def __call__(self, column: Series[Any]) -> Series[bool]:
        if self.kind == "other than":
            return ~column.isin(self.bound)
        return (column >= self.bound if self.kind == "at least" else column <= self.bound).fillna(False)


def other_than(*values: Any) -> Condition:
    """Return the condition "none of these values"."""
    return Condition("other than", values)


def at_least(bound: float) -> Condition:
    """Return the condition "this number or more"; false where there is no number."""
    return Condition("at least", bound)


def at_most(bound: float) -> Condition:
    """Return the condition "this number or less"; false where there is no number."""
    return Condition("at most", bound)


def listed(wanted: Any) -> list[Any]:
    """Return a value, a list or nothing as a list."""
    return [] if wanted is None else list(wanted) if isinstance(wanted, list | tuple) else [wanted]


def filled(keys: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the keys that are not empty."""
    return {key: value for key, value in keys.items() if not (pandas.isna(value) or value == "")}


def matching(measured: DataFrame, or_empty: bool = False, **where: Any) -> DataFrame:
    """Return the measurements whose columns have what is wanted; with `or_empty` also those to which a column does not
    apply (a corpus has no model). Raises InputError for an unknown column."""
    check_known("column of measurements", where, COLUMNS)
    for column, wanted in where.items():
        values = measured[column]
        chosen = wanted(values) if isinstance(wanted, Condition) else values.isin(listed(wanted))
        if or_empty:
            chosen = chosen | values.isna() | (values == "").fillna(False)
        measured = measured[chosen]
    return measured


def comparable(measured: DataFrame, named: Collection[str] = ()) -> DataFrame:
    """Return the measurements without points of curves and without what was selected on a test set, unless the columns
    x and selection are named."""
    if "selection" not in named:
        measured = measured[measured["selection"] != "test"]
    if "x" not in named:
        measured = measured[measured["x"].isna()]
    return measured
