"""What we measured for a paper, in one tidy table whose columns are those of the published values.

Every table, figure and claim of a paper is made from such tables and from the published values, and from nothing else.
They come from scores.csv (`from_scores`) and from measuring programs (`write`), one file each.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.corpora.corpus_groups import scored_direction
from experiment.scoring.scorebook import Row, read_scores
from papers.published import KEYS, Value
from subwords.errors import InputError, unknown
from subwords.files import whole_file

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    from papers.paper import Paper

#: Every column, with what it holds. Keys (corpus … seed) are as in scores.csv and in the published files.
COLUMNS: dict[str, str] = {
    "metric": "what was measured: a key of `papers.published.METRICS` where a paper reports it, else any name",
    "corpus": "name of the corpus in the paper's file, whatever the scale",
    "direction": "source-target, as in en-de",
    "model": "name of the model recipe",
    "segmentation": "name of the segmentation in the paper's file",
    "algorithm": "name of the algorithm in `subwords list`",
    "size": "size that the paper asked for; other scales ask for less and keep this label",
    "seed": "seed of the training run",
    "split": "train, dev or test, where a corpus is counted",
    "testset": "name of the test set, where something is measured on one",
    "selection": "what checkpoints were chosen on: dev (everywhere but where a paper chose on its test set) or test",
    "row": "label of the published row, where the keys above do not tell which cell is meant",
    "x": "abscissa of a curve: rank, merge, symbols of a token, …",
    "value": "the number, in base units: a share for %, ones for K and M",
    "error": "standard error, or half an interval, where there is one",
    "text": "what was measured, where it is no number (the pieces of a word)",
}
NUMBERS = ("x", "value", "error")
WHOLE_NUMBERS = ("size", "seed")

#: Columns of scores.csv that are facts about a run. Each is a metric by its name.
RUN_FACTS = (
    "parameters",
    "gpu_hours",
    "train_seconds",
    "tokens_per_second",
    "updates",
    "vocabulary_source",
    "vocabulary_target",
    "pieces_per_word_source",
    "pieces_per_word_target",
    "pieces_per_sentence_source",
    "pieces_per_sentence_target",
)


def frame(rows: Iterable[Mapping[str, Any]]) -> DataFrame:
    """Return measurements as a table with every column of `COLUMNS`: numbers as floats (size, seed as Int64), the rest
    as text, empty where it does not apply. Raises InputError for a column that does not exist, and for a number that is
    none.
    """
    import pandas

    table = pandas.DataFrame([_checked(row) for row in rows], columns=list(COLUMNS), dtype=object)
    for name in COLUMNS:
        if name in (*NUMBERS, *WHOLE_NUMBERS):
            allowed = "a number as in 0.95" if name in NUMBERS else "a whole number"
            try:
                numbers = pandas.to_numeric(table[name].replace("", None))
                table[name] = numbers.astype(float) if name in NUMBERS else numbers.astype("Int64")
            except (ValueError, TypeError, OverflowError) as error:
                raise InputError(f"{name} of a measurement: {error}", allowed=f"{allowed}, or nothing") from None
        else:
            table[name] = table[name].fillna("").astype(str)
    return table


def _checked(row: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in row:
        if name not in COLUMNS:
            raise unknown("column of a measurement", name, COLUMNS)
    return row


def published_frame(values: Iterable[Value]) -> DataFrame:
    """Return published values as measurements: what a claim is computed from when it is held against the paper.

    Cells that the text at hand has lost are there, without a value.
    """
    return frame(
        {
            **{name: getattr(value, name) for name in (*KEYS, "split", "testset", "row", "text")},
            "value": value.number,
            "error": value.error_number,
            "selection": "dev",
        }
        for value in values
    )


def from_scores(rows: Sequence[Row], sizes: Mapping[str, int | None], corpora: Mapping[str, str]) -> DataFrame:
    """Return the scores and facts of scores.csv as measurements.

    `sizes` gives the paper's size of its segmentations (others keep their own), `corpora` the paper's name of corpora.
    A corpus that is a group (many-en, its members in test sets that are called by their language) is measured in each
    member's direction.
    """
    measured: list[dict[str, Any]] = []
    known_runs = set()
    for row in rows:
        keys = {name: row[name] for name in KEYS if name != "metric"}
        name = row["segmentation"]
        size = sizes[name] if name in sizes else row["size"]
        keys |= {"corpus": corpora.get(row["corpus"], row["corpus"]), "size": size}
        direction = scored_direction(row["direction"], row["testset"])
        scored = {"metric": row["metric"], "value": row["score"], "testset": row["testset"], "selection": "dev"}
        measured.append(keys | scored | {"direction": direction})
        tested = {"metric": "test_sentences", "value": row["sentences"], "testset": row["testset"]}
        measured.append(keys | tested | {"direction": direction})
        if tuple(keys.values()) not in known_runs:
            known_runs.add(tuple(keys.values()))
            facts = {name: row[name] for name in RUN_FACTS if row[name] is not None}
            measured += [keys | {"metric": name, "value": value} for name, value in facts.items()]
    return frame(measured)


def of_paper(scores: str | Path, paper: Paper) -> DataFrame:
    """Return a paper's scores.csv as measurements, under the paper's names and sizes."""
    rows = read_scores(scores)
    return from_scores(rows, paper.sizes_of_paper, {row["corpus"]: paper.paper_corpus(row["corpus"]) for row in rows})


def write(path: str | Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write measurements as CSV, numbers in full. Raises InputError for a column that does not exist."""
    with whole_file(path) as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n", restval="")
        writer.writeheader()
        for row in rows:
            writer.writerow({name: "" if value is None else value for name, value in _checked(row).items()})


def read(path: str | Path) -> DataFrame:
    """Return the measurements of a CSV file. Raises InputError when it is missing or has other columns."""
    try:
        with open(path, encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream)
            if list(reader.fieldnames or ()) != list(COLUMNS):
                raise InputError(f"{path} has the columns {reader.fieldnames}", allowed=", ".join(COLUMNS))
            return frame({name: text or None for name, text in row.items()} for row in reader)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", next_step="run scripts/measure.py") from error


def without_size(segmentations: Series[str]) -> Series[str]:
    """Return what segmentations are called without the size at their end: bpe-32k is bpe."""
    return segmentations.str.replace(r"-\d+[kK]?$", "", regex=True)


def together(tables: Iterable[DataFrame]) -> DataFrame:
    """Return several tables of measurements as one."""
    import pandas

    return pandas.concat([frame([]), *tables], ignore_index=True).astype(frame([]).dtypes.to_dict())
