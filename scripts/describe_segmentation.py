"""Measure a segmentation on both sides of a corpus: stats.json, one entry a language (subwords.statistics.describe)."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json, write_json
from experiment.programs import program
from subwords import registry
from subwords.files import read_lines, whole_file
from subwords.segmenter import Segmenter
from subwords.statistics import Segmented, describe


def describe_side(folder: Path, language: str, texts: list[Path], gold: Path | None) -> dict[str, Any]:
    """Return the statistics of one language: train, and what of dev and the test sets train has not seen."""
    record = read_json(folder / "segmentation.json")
    segmenter = registry.find(record["algorithm"]).load(
        folder / f"model.{language}", **read_json(folder / f"encode.{language}.json")
    )
    with tempfile.TemporaryDirectory() as scratch:
        files = {}
        for text in texts:
            split = text.name.removesuffix(f".{language}")
            pieces = folder / text.name
            if not pieces.exists():  # a test set: segmented here only to be measured
                pieces = Path(scratch) / text.name
                _encode(segmenter, text, pieces)
            files[split] = Segmented(pieces, text)
        train = files.pop("train")
        return describe(train, files, segmenter=segmenter, gold=gold)


def _encode(segmenter: Segmenter, text: Path, pieces: Path) -> None:
    with whole_file(pieces) as stream:
        stream.writelines(line + "\n" for line in segmenter.encode_lines(read_lines(text)))


def of_language(paths: list[Path], language: str) -> list[Path]:
    return [path for path in paths if path.name.endswith(f".{language}")]


@program
def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pair", required=True, metavar="L1-L2")
    parser.add_argument("--segmented", type=Path, required=True, help="scripts/segment.py's folder")
    parser.add_argument("--texts", type=Path, nargs="+", required=True, help="SPLIT.LANG: train, dev and test sets")
    parser.add_argument("--gold", type=Path, nargs="*", default=[], help="gold.LANG (word<TAB>morphs)")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args(argv)
    result = {}
    for language in arguments.pair.split("-"):
        gold = next(iter(of_language(arguments.gold, language)), None)
        result[language] = describe_side(arguments.segmented, language, of_language(arguments.texts, language), gold)
    write_json(arguments.output, result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
