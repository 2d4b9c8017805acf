"""What is measured for the Huffman paper beyond scores: symbols per token, codes that belong to no word."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from papers.huffman import paper as paper_module

from experiment.runs import TestSet
from experiment.text.postprocessing import ToText
from replication import measurements
from replication import tables as selection
from replication.measurements import matching
from replication.paper import read
from replication.sources import Sources
from subwords.huffman import Huffman


@pytest.fixture
def huffman(tmp_path: Path) -> Path:
    codes = {"一": "the", "丁": "house", "七一": "hill"}
    Huffman(codes).save(tmp_path / "model")
    return tmp_path / "model"


def test_codes_of_no_word_are_skipped_and_counted(huffman: Path) -> None:
    to_text = ToText(Huffman.load(huffman), "raw", "en")
    assert to_text("一 ␠ 七 一 ␠ 七") == "the hill"
    assert to_text("") == ""
    assert to_text("七 七 ␠ 七 丁") == ""
    assert to_text("丁") == "house"
    assert to_text.words == 3
    assert to_text.lost() == {"unknown codes": 3}
    assert to_text.lost() == {}


class Inputs(SimpleNamespace):
    """What an analysis asks of its inputs, without a workflow."""

    def keys(self, run: Any, testset: str = "") -> dict[str, Any]:
        named = {"corpus": run.corpus, "direction": run.direction, "algorithm": run.algorithm, "segmentation": run.name}
        return named | {"testset": testset, "seed": run.seed}

    def translations(self) -> Any:
        return [(run, "test", self.keys(run, "test")) for run in self.runs]

    on_test = Sources.on_test

    def report(self, run: Any, testset: str, kind: str) -> Any:
        return json.loads(Path(run.folder, f"{testset}.{kind}.json").read_text())


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    def run(name: str, algorithm: str, corpus: str = "huffman-cs-de") -> Any:
        folder = str(tmp_path / corpus / name)
        Path(folder).mkdir(parents=True)
        files = TestSet("", hypothesis=f"{folder}/test.hyp", comet=f"{folder}/test.comet.abc.json")
        names = {"name": name, "algorithm": algorithm, "corpus": corpus, "direction": corpus[8:], "seed": 1}
        return SimpleNamespace(folder=folder, testsets={"test": files}, **names)

    experiment = SimpleNamespace(test_sets=lambda corpus, direction: ["test"], settings={"metrics": ["bleu", "comet"]})
    runs = [run("huffman-2k", "huffman"), run("huffman-4k", "huffman"), run("bpe", "spm-bpe")]
    return Inputs(experiment=experiment, runs=[*runs, run("huffman-8k", "huffman", "huffman-en-de")])


def test_undecodable_output_is_joined_with_the_published_shares(inputs: Inputs) -> None:
    reports = [
        {"words": 990, "lost_in_decoding": {"unknown codes": 10}},
        {"words": 3000, "lost_in_decoding": {}},
        {"words": 5, "lost_in_decoding": {}},
        {"words": 0, "lost_in_decoding": {}},
    ]
    for run, report in zip(inputs.runs, reports, strict=True):
        Path(run.folder, "test.translation.json").write_text(json.dumps(report))
    measured = measurements.frame(paper_module.undecodable.measure(inputs))
    found = {
        value["corpus"]: list(selection.of_value(value, measured)["value"])
        for value in read("huffman").printed["text"].to_dict("records")
        if value["metric"] == "undecodable_output"
    }
    assert found == {"huffman-cs-de": [10 / 4000], "huffman-en-de": [0.0], "huffman-en-fr": []}
    alone = measured[measured["metric"] == "undecodable_output_of_system"]
    assert dict(zip(alone["segmentation"], alone["value"], strict=True)) == {
        "huffman-2k": 0.01,
        "huffman-4k": 0.0,
        "huffman-8k": 0.0,
    }
    inputs.runs[1].seed = 2  # a share for each seed: their spread gives an interval
    measured = matching(measurements.frame(paper_module.undecodable.measure(inputs)), metric="undecodable_output")
    assert list(zip(measured["corpus"], measured["seed"], measured["value"], strict=True)) == [
        ("huffman-cs-de", 1, 0.01),
        ("huffman-cs-de", 2, 0.0),
        ("huffman-en-de", 1, 0.0),
    ]


def test_what_was_chosen_on_the_test_set_is_never_compared_unasked(inputs: Inputs) -> None:
    for run in inputs.runs:
        report = {"scores": {"bleu": {"score": 19.6}}, "chosen": {"updates": 300}}
        Path(run.folder, "test.chosen-on-test.json").write_text(json.dumps(report))
        Path(run.folder, "test.chosen-on-test.comet.abc.json").write_text(json.dumps({"score": 0.5}))
    measured = measurements.frame(paper_module.on_test.measure(inputs))
    assert set(measured["selection"]) == {"test"}
    assert Counter(measured["metric"]) == {"bleu": 4, "comet": 4, "updates_chosen": 4}
    assert all(
        selection.of_value(value, measured).empty for value in read("huffman").printed["table5"].to_dict("records")
    )


def test_symbols_of_one_side_in_the_order_of_the_file() -> None:
    known = {name: SimpleNamespace(name=name, joint=name == "char") for name in ("huffman-2k", "huffman-16k", "char")}
    side = {"pieces_per_word_histogram": {"1": 30, "2": 10}, "size_reached": 485}
    other = {"pieces_per_word_histogram": {"9": 1}, "size_reached": 1}
    texts = [
        SimpleNamespace(segmentation=known[name], pair="cs-de", statistics={"cs": side, "de": other})
        for name in sorted(known)
    ]
    inputs = SimpleNamespace(
        segmented=texts,
        experiment=SimpleNamespace(segmentations=known),
        directions=lambda pair: ["cs-de"],
        text_keys=lambda text: {
            "corpus": "huffman-cs-de",
            "segmentation": text.segmentation.name,
            "algorithm": text.segmentation.name[:4],
        },
    )
    measured = measurements.frame(paper_module.symbols.measure(inputs, language="cs"))
    shares = measured[measured["metric"] == "symbols_share"]
    assert list(dict.fromkeys(shares["segmentation"])) == list(known)
    assert list(shares["value"]) == [0.75, 0.25] * 3
    assert list(shares["x"]) == [1, 2] * 3
    most = measured[measured["metric"] == "symbols_most"]  # of either side of an algorithm's sizes
    assert dict(zip(most["algorithm"], most["value"], strict=True)) == {"huff": 2, "char": 2}
    printed = matching(read("huffman").printed["text"], metric="vocabulary").iloc[0]
    assert list(selection.of_value(printed, measured)["value"]) == [485]


def test_shares_of_words_by_symbols() -> None:
    words = Counter(len(code) for code in ["一", "丁", "七一", "七七一一", "一"])
    shares = paper_module.shares({str(length): count for length, count in words.items()})
    assert shares == {1: 3 / 5, 2: 1 / 5, 3: 0, 4: 1 / 5}
    assert paper_module.shares({}) == {}


def test_cost_of_padding_by_hand() -> None:
    """Five words, four symbols. Unpadded, four rare words are joined first, and the root has two children: 18 / 12
    symbols a word. Padded, a root of four joins the two rarest: 14 / 12. Two words more would have filled that node."""
    counts = {"a": 6, "b": 2, "c": 2, "d": 1, "e": 1}
    assert paper_module.cost_of_padding(counts, 4) == pytest.approx(
        {
            "words": 5,
            "words_padded": 2,
            "symbols_per_word": 18 / 12,
            "one_symbol_words": 1,
            "symbols_per_word_padded": 14 / 12,
            "one_symbol_words_padded": 3,
            "symbols_saved": 4 / 18,
        }
    )


def test_no_word_is_added_where_the_tree_is_full() -> None:
    """Seven words, four symbols: 7 - 1 is a multiple of 3."""
    found = paper_module.cost_of_padding(dict.fromkeys("abcdefg", 1), 4)
    assert (found["words_padded"], found["symbols_saved"]) == (0, 0.0)


def test_padding_is_measured_for_each_side_of_huffman_alone(tmp_path: Path) -> None:
    for language, text in (("cs", "a a a b"), ("de", "a b c")):
        (tmp_path / f"train.{language}").write_text(f"{text}\n")
    texts = [
        SimpleNamespace(
            corpus="c",
            pair="cs-de",
            languages=["cs", "de"],
            segmentation=SimpleNamespace(name=name, algorithm=name, size=2),
        )
        for name in ("huffman", "spm-bpe")
    ]
    inputs = SimpleNamespace(
        segmented=texts,
        experiment=SimpleNamespace(segmentations=["huffman", "spm-bpe"]),
        read_by=lambda text: [tmp_path / "train.cs", tmp_path / "train.de"],
        text_keys=lambda text: {"algorithm": text.segmentation.algorithm},
    )
    rows = list(paper_module.padding.measure(inputs))
    assert {row["algorithm"] for row in rows} == {"huffman"}
    lengths = {row["row"]: row["value"] for row in rows if row["metric"] == "symbols_per_word"}
    assert lengths == pytest.approx({"cs": 1.0, "de": 5 / 3})
