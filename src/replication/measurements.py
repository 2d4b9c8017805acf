"""Measurements: one tidy frame, a row per number, for what we measured and for what a paper printed.

Every table, figure and claim is made from such frames. They come from scores.csv (`from_scores`) and from a paper's
measures (`write`, `read`), one CSV file each.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subwords.errors import InputError, unknown
from subwords.files import whole_file

if TYPE_CHECKING:
    from pandas import DataFrame, Series

#: Every column. The keys (corpus … seed) are those of scores.csv and of the published files.
COLUMNS: dict[str, str] = {
    "metric": "what was measured: a key of `published.METRICS` where a paper reports it, else any name",
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
    "error": "standard error, or half an interval, where there is one",
    "text": "what was measured, where it is no number (the pieces of a word)",
}
NUMBERS = ("x", "value", "error")
WHOLE_NUMBERS = ("size", "seed")
#: What identifies a run and its score, here, in scores.csv and in the published files.
KEYS = ("metric", "corpus", "direction", "model", "segmentation", "algorithm", "size", "seed")
#: Columns of scores.csv that are facts about a run. Each is a metric by its name.
RUN_FACTS = (
    *("parameters", "gpu_hours", "train_seconds", "tokens_per_second", "updates"),
    *("vocabulary_source", "vocabulary_target", "pieces_per_word_source", "pieces_per_word_target"),
    *("pieces_per_sentence_source", "pieces_per_sentence_target"),
)
#: Differences of floating-point numbers are not exact: 0.3 - 0.2 is not above 0.1.
SLACK = 1e-9


def frame(rows: Iterable[Mapping[str, Any]]) -> DataFrame:
    """Return measurements as a frame with every column of `COLUMNS`: numbers as floats, size and seed as Int64, the
    rest as text, empty where it does not apply. Raises InputError for an unknown column or a number that is none.
    """
    import pandas

    table = pandas.DataFrame([_checked(row) for row in rows], columns=list(COLUMNS), dtype=object)
    for name in COLUMNS:
        if name not in (*NUMBERS, *WHOLE_NUMBERS):
            table[name] = table[name].fillna("").astype(str)
            continue
        try:
            numbers = pandas.to_numeric(table[name].replace("", None))
            table[name] = numbers.astype(float) if name in NUMBERS else numbers.astype("Int64")
        except (ValueError, TypeError, OverflowError) as error:
            allowed = "a number as in 0.95" if name in NUMBERS else "a whole number"
            raise InputError(f"{name} of a measurement: {error}", allowed=f"{allowed}, or nothing") from None
    return table


def _checked(row: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in row:
        if name not in COLUMNS:
            raise unknown("column of a measurement", name, COLUMNS)
    return row


def together(frames: Iterable[DataFrame]) -> DataFrame:
    """Return several frames of measurements as one."""
    import pandas

    empty = frame([])
    return pandas.concat([empty, *frames], ignore_index=True).astype(empty.dtypes.to_dict())


def from_scores(
    rows: Sequence[Mapping[str, Any]],
    sizes: Mapping[str, int | None],
    scored_direction: Callable[[str, str], str] = lambda direction, _: direction,
) -> DataFrame:
    """Return the rows of scores.csv as measurements: scores, their 95% intervals (`bleu_ci95`), facts about runs.

    `sizes` gives the paper's size of its segmentations, `scored_direction` the direction of a test set: in a group of
    corpora every test set has its own.
    """
    measured: list[dict[str, Any]] = []
    known_runs = set()
    for row in rows:
        keys = {name: row[name] for name in KEYS if name != "metric"}
        keys["size"] = sizes.get(row["segmentation"], row["size"])
        place = {"testset": row["testset"], "direction": scored_direction(row["direction"], row["testset"])}
        measured.append(keys | place | {"metric": row["metric"], "value": row["score"], "selection": "dev"})
        if row.get("ci95") is not None:
            interval = {"metric": f"{row['metric']}_ci95", "value": row["ci95"], "selection": "dev"}
            measured.append(keys | place | interval)
        measured.append(keys | place | {"metric": "test_sentences", "value": row["sentences"]})
        if tuple(keys.values()) not in known_runs:
            known_runs.add(tuple(keys.values()))
            facts = {name: row[name] for name in RUN_FACTS if row.get(name) is not None}
            measured += [keys | {"metric": name, "value": value} for name, value in facts.items()]
    return frame(measured)


def write(path: str | Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write measurements as CSV, numbers in full. Raises InputError for an unknown column."""
    with whole_file(path) as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n", restval="")
        writer.writeheader()
        for row in rows:
            writer.writerow({name: "" if value is None else value for name, value in _checked(row).items()})


def read(path: str | Path) -> DataFrame:
    """Return the measurements in a CSV file. Raises InputError when it is missing or has other columns."""
    try:
        with open(path, encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream)
            if list(reader.fieldnames or ()) != list(COLUMNS):
                raise InputError(f"{path} has the columns {reader.fieldnames}", allowed=", ".join(COLUMNS))
            return frame({name: text or None for name, text in row.items()} for row in reader)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", next_step="run scripts/measure.py") from error


def without_size(segmentations: Series[str]) -> Series[str]:
    """Return the names of segmentations without the size at their end: bpe-32k is bpe."""
    return segmentations.str.replace(r"-\d+[kK]?$", "", regex=True)


# ---- which measurements: a column with a value, a list of values, or a predicate


def other_than(*values: Any) -> Callable[[Series[Any]], Series[bool]]:
    """Return the predicate "none of these values"."""
    return lambda column: ~column.isin(values)


def at_least(bound: float) -> Callable[[Series[Any]], Series[bool]]:
    """Return the predicate "this number or more"; false where there is no number."""
    return lambda column: (column >= bound - SLACK).fillna(False)


def at_most(bound: float) -> Callable[[Series[Any]], Series[bool]]:
    """Return the predicate "this number or less"; false where there is no number."""
    return lambda column: (column <= bound + SLACK).fillna(False)


def listed(wanted: Any) -> list[Any]:
    """Return a value, a list or nothing as a list."""
    return [] if wanted is None else list(wanted) if isinstance(wanted, list | tuple) else [wanted]


def fits(column: Series[Any], wanted: Any) -> Series[bool]:
    """Return where a column has what is wanted: a value, one of several values, or what a predicate accepts."""
    return wanted(column) if callable(wanted) else column.isin(listed(wanted))


def matching(measured: DataFrame, or_empty: bool = False, **where: Any) -> DataFrame:
    """Return the measurements whose columns have what is wanted; with `or_empty` also those to which a column does not
    apply (a corpus has no model). Raises InputError for an unknown column."""
    for column, wanted in where.items():
        if column not in COLUMNS:
            raise unknown("column of measurements", column, COLUMNS)
        values = measured[column]
        chosen = fits(values, wanted)
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
