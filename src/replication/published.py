"""The numbers that a paper printed: papers/NAME/published/{table}.csv, one row per cell.

A file has the columns of `COLUMNS` that it needs: what the paper shows (`row`, `column`, `value`, `error`, `unit`,
`mark`,
`text`), what was measured (`metric`), and which of our runs it is compared with (the keys, named and filled as in
scores.csv; an empty one does not distinguish). A cell without value and text cannot be read in the paper's text at
hand: its place in the table is kept.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from replication.measurements import KEYS, frame
from subwords import registry
from subwords.errors import InputError, unknown

if TYPE_CHECKING:
    from pandas import DataFrame

#: Every column of a file, with what it holds.
COLUMNS: dict[str, str] = {
    "row": "label of the row as printed; labels above it come first",
    "column": "label of the column as printed; labels above it come first",
    "value": "number as printed, with its digits and without separators of thousands",
    "error": "what follows ±; a standard error unless the table's caption says otherwise",
    "unit": "%, K (thousands), M (millions) or h (hours), where the number has one",
    "mark": "what else stands at the number: bold, *, ** or ✓, separated by spaces",
    "text": "the cell, where it is not a number",
    "metric": "what was measured: a key of `METRICS`",
    "corpus": "name of the corpus in the paper's configuration",
    "direction": "source-target, as in en-de",
    "model": "name of the model recipe; empty: the one that the paper uses throughout",
    "segmentation": "name of the segmentation in the paper's configuration",
    "algorithm": "name of the algorithm in `subwords list`",
    "size": "size asked for; empty: found by the algorithm, or not said",
    "seed": "number of the training run; empty: the mean over runs, or the only one",
    "split": "train, dev or test",
    "testset": "name of the test set, where systems are scored on several",
}
REQUIRED = ("row", "column", "value", "metric")
#: What the papers report, in the units of `Value.number`.
METRICS: dict[str, str] = {
    "bleu": "BLEU, 0 to 100",
    "chrf": "chrF, 0 to 100",
    "comet": "COMET, on its model's scale",
    "chrf++": "chrF++, 0 to 100",
    "ter": "TER, 0 and more, lower is better",
    "bleu_increment": "difference of two BLEU scores",
    "bleu_percent_of_bpe": "score of a system over that of BPE, as a share",
    "chrf_percent_of_bpe": "score of a system over that of BPE, as a share",
    "comet_percent_of_bpe": "score of a system over that of BPE, as a share",
    "boundary_f1": "agreement with gold morpheme boundaries, as a share",
    "sentences": "lines of one side of a corpus",
    "sentences_with_unknown_words": "those with a word that train does not have",
    "share_of_sentences_with_unknown_words": "the same as a share",
    "tokens_source": "words of the source side",
    "tokens_target": "words of the target side",
    "types_source": "distinct words of the source side",
    "types_target": "distinct words of the target side",
    "type_token_ratio_source": "types over tokens",
    "type_token_ratio_target": "types over tokens",
    "unknown_source_tokens": "share of the test set's source tokens that train does not have",
    "undecodable_output": "share of the output's tokens whose code belongs to no word",
    "pieces": "the pieces of a word, separated by spaces",
    "merges": "number of merges learned",
    "symbols_most": "symbols of the word that has the most, in any of an algorithm's sizes",
    "vocabulary": "size of the vocabulary",
    "parameters": "trained parameters of the model",
    "updates": "updates of the training",
    "train_seconds": "seconds of the training",
    "tokens_per_second": "target pieces that a training processes in a second",
    "vocabulary_source": "pieces of the source vocabulary",
    "vocabulary_target": "pieces of the target vocabulary",
    "pieces_per_word_source": "pieces of the training text's source side over its words",
    "pieces_per_word_target": "pieces of the training text's target side over its words",
    "pieces_per_sentence_source": "pieces of the training text's source side over its lines",
    "pieces_per_sentence_target": "pieces of the training text's target side over its lines",
    "f95": "frequency of the token at 95 % of the ranks",
    "mu": "mean number of pieces of a line",
    "nu": "rank-weighted mean frequency",
    "spearman": "rank correlation, -1 to 1",
    "wins_word": "share of sentences in which the system's translation of the unknown word was preferred",
    "wins_sentence": "share of sentences in which the system's translation was preferred",
    "evaluated_sentences": "sentences that people judged",
    "effect_mean": "posterior mean of an effect, in BLEU points",
    "effect_hdi_lower": "lower end of the 94 % highest density interval, in BLEU points",
    "effect_hdi_upper": "upper end of the 94 % highest density interval, in BLEU points",
    "effect_includes_zero": "1 when the interval includes zero, else 0",
    "cpu_hours": "hours on one CPU core",
    "gpu_hours": "hours on one GPU",
    "sentences_per_second": "speed",
}
UNITS = {"": Decimal(1), "%": Decimal("0.01"), "K": Decimal(1000), "M": Decimal(1_000_000), "h": Decimal(1)}
MARKS = ("bold", "*", "**", "✓")
SPLITS = ("train", "dev", "test")
_PATTERNS = {
    "value": (re.compile(r"-?\d+(\.\d+)?"), "digits with a decimal point, as in 24.40"),
    "error": (re.compile(r"\d+(\.\d+)?"), "digits with a decimal point, as in 0.07"),
    "direction": (re.compile(r"[A-Za-z0-9_]+-[A-Za-z0-9_]+"), "source and target language, as in en-de"),
    "size": (re.compile(r"[1-9]\d*"), "a whole number above 0"),
    "seed": (re.compile(r"\d+"), "a whole number"),
}


@dataclass(frozen=True)
class Value:
    """One cell of a published table. Fields are the columns of `COLUMNS`; empty where the file leaves them out."""

    row: str
    column: str
    value: str
    metric: str
    error: str = ""
    unit: str = ""
    mark: str = ""
    text: str = ""
    corpus: str = ""
    direction: str = ""
    model: str = ""
    segmentation: str = ""
    algorithm: str = ""
    size: str = ""
    seed: str = ""
    split: str = ""
    testset: str = ""

    @property
    def known(self) -> bool:
        """Whether the cell can be read in the paper's text at hand."""
        return bool(self.value or self.text)

    @property
    def number(self) -> float | None:
        """The value in base units: a share for %, ones for K and M. None when there is no number."""
        return float(Decimal(self.value) * UNITS[self.unit]) if self.value else None

    @property
    def error_number(self) -> float | None:
        """What follows ± in base units, as `number`. None when there is none."""
        return float(Decimal(self.error) * UNITS[self.unit]) if self.error else None

    @property
    def decimals(self) -> int:
        """Digits after the decimal point as printed: what a difference to the value may be given to."""
        return len(self.value.partition(".")[2])

    @property
    def marks(self) -> tuple[str, ...]:
        """What else stands at the number."""
        return tuple(self.mark.split())


def tables(folder: Path) -> dict[str, list[Value]]:
    """Return the published values of a paper's folder by table, figure or appendix; `text` has those of running
    text."""
    return {path.stem: read(path) for path in sorted((folder / "published").glob("*.csv"))}


def as_measurements(values: Iterable[Value]) -> DataFrame:
    """Return published values as measurements: what a claim is judged by on the paper's own numbers.

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


def read(path: Path) -> list[Value]:
    """Return the values of one file, in its order. Raises InputError with the line that breaks a rule."""
    try:
        lines = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), strict=True))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is not CSV in UTF-8: {error}", next_step="correct it") from error
    header = lines[0] if lines else []
    for name in header:
        if name not in COLUMNS:
            raise unknown(f"column in {path}:", name, COLUMNS, next_step="correct the first row")
    missing = [name for name in REQUIRED if name not in header]
    if missing or len(set(header)) != len(header):
        problem = f"lacks {', '.join(missing)}" if missing else "names a column twice"
        raise InputError(f"the first row of {path} {problem}", allowed=f"{', '.join(REQUIRED)} and others, once each")
    found: dict[tuple[str, str], int] = {}
    values = []
    for number, cells in enumerate(lines[1:], 2):
        where = f"{path}, row {number}"
        if len(cells) != len(header):
            raise InputError(f"{where} has {len(cells)} cells", allowed=f"{len(header)}, as in the first row")
        value = Value(**dict(zip(header, cells, strict=True)))
        _check(value, where)
        first = found.setdefault((value.row, value.column), number)
        if first != number:
            raise InputError(f"{where}: {value.row!r}, {value.column!r} is already in row {first}")
        values.append(value)
    return values


def _check(value: Value, where: str) -> None:
    """Raise InputError for the first rule that a row breaks."""
    for field in ("row", "column"):
        if not getattr(value, field).strip():
            raise InputError(f"{where} has no {field}", allowed="the label as printed")
    for field, (pattern, allowed) in _PATTERNS.items():
        content = getattr(value, field)
        if content and not pattern.fullmatch(content):
            raise InputError(f"{where}: {field} {content!r} cannot be read", allowed=allowed)
    choices = {
        "metric": list(METRICS),
        "unit": list(UNITS),
        "split": ["", *SPLITS],
        "algorithm": ["", *registry.names()],
    }
    for field, names in choices.items():
        if getattr(value, field) not in names:
            raise unknown(f"{field} in {where}:", getattr(value, field), filter(None, names))
    for mark in value.marks:
        if mark not in MARKS:
            raise unknown(f"mark in {where}:", mark, MARKS)
    if value.text and value.value:
        raise InputError(f"{where} has both a value and a text", allowed="one of them")
    if value.error and not value.value:
        raise InputError(f"{where} has an error without a value")
