"""Sizes of corpora: against counts made by hand, and joined with the published values that they stand beside."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from replication import measurements
from replication import tables as selection
from replication.corpus_counts import of_direction, of_parts
from replication.paper import read

TEXTS = {
    "train.cs": "a b a\nc a\n\n",
    "train.de": "x y\nz\n\n",
    "dev.cs": "a\n",
    "dev.de": "x x\n",
    "news.cs": "a b d\nc\n",
    "news.de": "x\ny\n",
    "talks.cs": "d e  d\n",
    "talks.de": "x w\n",
}
SPLITS = {"train": ["train"], "dev": ["dev"], "test": ["news", "talks"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_counts_of_every_split(folder: Path) -> None:
    found = {(row["split"], row["metric"]): row["value"] for row in of_direction(folder, "cs-de", SPLITS)}
    for split, names in SPLITS.items():
        for side, language in (("source", "cs"), ("target", "de")):
            words = Counter(word for name in names for word in TEXTS[f"{name}.{language}"].split())
            assert found[split, f"tokens_{side}"] == words.total()
            assert found[split, f"types_{side}"] == len(words)
            assert found[split, f"type_token_ratio_{side}"] == len(words) / words.total()
    assert [found[split, "sentences"] for split in SPLITS] == [3, 1, 3]
    assert found["test", "unknown_source_tokens"] == 4 / 7  # d, d, e, d of a b d c d e d
    assert found["test", "sentences_with_unknown_words"] == 2
    assert found["test", "share_of_sentences_with_unknown_words"] == 2 / 3
    assert not [metric for split, metric in found if "unknown" in metric and split != "test"]


def test_the_other_direction_swaps_the_sides(folder: Path) -> None:
    there, back = (
        {(row["split"], row["metric"]): row["value"] for row in of_direction(folder, direction, SPLITS)}
        for direction in ("cs-de", "de-cs")
    )
    assert there["train", "types_source"] == back["train", "types_target"] == 3
    assert back["test", "unknown_source_tokens"] == 1 / 4  # w


def joined(paper: str, table: str, rows: list[dict[str, object]]) -> dict[str, list[float]]:
    measured = measurements.frame(rows)
    return {
        f"{value['row']}, {value['column']}": list(selection.of_value(value, measured)["value"])
        for value in read(paper).printed[table].to_dict("records")
    }


@pytest.mark.parametrize("table", ["table1", "table2", "table3"])
def test_huffman_tables_find_their_counts(table: str) -> None:
    """Given parts and splits of the printed sizes, every cell finds the printed number, and nothing else."""
    printed = {value.row: value for value in read("huffman").printed[table].itertuples()}
    corpus = next(iter(printed.values())).corpus
    labels = [label for label in printed if label not in ("Total", "Train", "Test")]
    parts = [{"part": f"id {label}", "pairs": printed[label].value} for label in labels]
    rows = [
        {"corpus": corpus, "direction": corpus.removeprefix("huffman-"), **row}
        for row in of_parts(parts, {f"id {label}": label for label in labels})
    ]
    for split in ("train", "dev", "test"):
        count = printed[split.title()].value if split != "dev" else 7
        rows.append({"corpus": corpus, "direction": "", "split": split, "metric": "sentences", "value": count})
    assert joined("huffman", table, rows) == {
        f"{row}, Number of lines": [value.value] for row, value in printed.items()
    }


@pytest.mark.parametrize(("paper", "table"), [("sbpe", "table2"), ("sbpe", "text"), ("random-bpe", "table3")])
@pytest.mark.slow
def test_other_papers_tables_find_their_counts(paper: str, table: str, folder: Path) -> None:
    def find(value: Any) -> dict[str, object]:
        source, target = value.direction.split("-")
        for name in TEXTS:
            split, language = name.split(".")
            (folder / f"{split}.{ {'cs': source, 'de': target}[language] }").write_text(TEXTS[name])
        rows = of_direction(folder, value.direction, SPLITS)
        return {(row["split"], row["metric"]): row["value"] for row in rows}[value.split, value.metric]

    cells = list(read(paper).printed[table].itertuples())
    places = dict.fromkeys((value.corpus, value.direction) for value in cells)
    expected = {f"{value.row}, {value.column}": [find(value)] for value in cells}
    rows = [
        {"corpus": corpus, "direction": direction, **row}
        for corpus, direction in places
        for row in of_direction(folder, direction, SPLITS)
    ]
    assert joined(paper, table, rows) == expected


def test_parts_without_a_label_count_in_the_total() -> None:
    parts = [{"part": "a", "lines": 9, "pairs": 7}, {"part": "b", "lines": 5, "pairs": 5}]
    assert [(row["row"], row["value"]) for row in of_parts(parts, {"b": "B"})] == [("B", 5), ("Total", 12)]
