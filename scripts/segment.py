"""Learn a segmentation on the train text of both sides and segment train and dev with it.

Writes, into one folder: model.LANG and encode.LANG.json (the options the model is applied with) for both languages,
train.LANG and dev.LANG (pieces), and segmentation.json (what was learned, its signature, times). A joint model is
learned on both sides together; the two model files are then the same.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from experiment.jsonfiles import write_json
from experiment.programs import program
from subwords import registry
from subwords.errors import InputError
from subwords.files import read_lines, whole_file
from subwords.segmenter import Segmenter


def learn(arguments: argparse.Namespace, train: Path) -> dict[str, Any]:
    """Learn the model or models on TRAIN.LANG, save them, and return what segmentation.json says of it."""
    cls, options = registry.find(arguments.algorithm), json.loads(arguments.options)
    size = json.loads(arguments.size)
    languages = arguments.pair.split("-")
    groups = [languages] if arguments.joint else [[language] for language in languages]
    signatures, began = {}, time.process_time()
    reports = any(parameter.name == "report" for parameter in cls.parameters) and not options.get("report")
    for group in groups:
        if reports:  # how the size was chosen, or what each merge gained
            options["report"] = str(arguments.output / f"report.{'-'.join(group)}.json")
        model = cls.learn([Path(f"{train}.{language}") for language in group], size, **options)
        reached = model.reached()
        if isinstance(size, int) and reached is not None and reached < size:
            raise InputError(
                f"size={size} is more than the text offers: {cls.algorithm} reaches {reached} {cls.size_counts}",
                allowed=f"1 to {reached}",
                next_step="ask for a smaller size in the experiment file",
            )
        for language in group:
            model.save(arguments.output / f"model.{language}")
            signatures[language] = model.signature()
    return {
        "algorithm": arguments.algorithm,
        "size": size,
        "joint": arguments.joint,
        "text": arguments.text,
        "learn_pairs": arguments.learn_pairs,
        "options": options,
        "signatures": signatures,
        "learn_cpu_seconds": round(time.process_time() - began, 2),
    }


def draw(train: Path, languages: list[str], pairs: int, folder: Path) -> Path:
    """Write `pairs` of the sentence pairs of train, in their order, into a folder; return the prefix of the files.

    Drawn by a fixed seed, the same for every algorithm, so that all are learned on the same text.
    """
    number = sum(1 for _ in read_lines(f"{train}.{languages[0]}"))
    if pairs >= number:
        return train
    chosen = set(Random("learn").sample(range(number), pairs))
    for language in languages:
        with whole_file(folder / f"train.{language}") as stream:
            lines = enumerate(read_lines(f"{train}.{language}"))
            stream.writelines(f"{line}\n" for place, line in lines if place in chosen)
    return folder / "train"


def encode(segmenter: Segmenter, text: Path, pieces: Path) -> None:
    """Segment a file; both have the same number of lines, which is checked."""
    before = 0

    def counted() -> Any:
        nonlocal before
        for line in read_lines(text):
            before += 1
            yield line

    after = 0
    with whole_file(pieces) as stream:
        for line in segmenter.encode_lines(counted()):
            stream.write(line + "\n")
            after += 1
        if before != after:
            raise InputError(f"{text} has {before} lines and its pieces {after}", allowed="equal numbers")


def restricted(
    cls: type[Segmenter], options: dict[str, Any], folder: Path, language: str, text: Path
) -> dict[str, Any]:
    """Return the encode options of one side; with a vocabulary threshold, after counting that side's pieces.

    subword-nmt's joint BPE practice (Sennrich et al. 2017): a merge is used on one side only where that side's train
    text makes its result often enough.
    """
    if options.get("vocabulary_threshold", 1) <= 1 or options.get("vocabulary"):
        return options
    unrestricted = {key: value for key, value in options.items() if key != "vocabulary_threshold"}
    segmenter = cls.load(folder / f"model.{language}", **unrestricted)
    counts = Counter(piece for line in segmenter.encode_lines(read_lines(text)) for piece in line.split(" ") if piece)
    path = folder / f"vocabulary.{language}"
    with whole_file(path) as stream:
        stream.writelines(f"{piece} {count}\n" for piece, count in sorted(counts.items(), key=lambda x: (-x[1], x[0])))
    return {**options, "vocabulary": str(path)}


@program
def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pair", required=True, metavar="L1-L2")
    parser.add_argument("--algorithm", required=True, help="see: subwords list")
    parser.add_argument("--size", default="null", metavar="JSON", help='a number, null or "auto"')
    parser.add_argument("--joint", action="store_true", help="one model for both languages")
    parser.add_argument("--learn-pairs", type=int, metavar="N", help="learn on N pairs of train, drawn at random [all]")
    parser.add_argument("--text", choices=["raw", "moses"], required=True, help="which text this is (for the record)")
    parser.add_argument("--options", default="{}", metavar="JSON", help="the algorithm's learn options")
    parser.add_argument("--encode-options", default="{}", metavar="JSON", help="its encode options")
    parser.add_argument("--train", type=Path, required=True, metavar="PREFIX", help="text: PREFIX.L1, PREFIX.L2")
    parser.add_argument("--dev", type=Path, required=True, metavar="PREFIX")
    parser.add_argument("--output", type=Path, required=True, help="folder to write into")
    arguments = parser.parse_args(argv)

    arguments.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=arguments.output, prefix=".learn.") as folder:
        languages, pairs = arguments.pair.split("-"), arguments.learn_pairs
        record = learn(arguments, draw(arguments.train, languages, pairs, Path(folder)) if pairs else arguments.train)
    cls, began, counts = registry.find(arguments.algorithm), time.process_time(), {}
    for language in arguments.pair.split("-"):
        train = Path(f"{arguments.train}.{language}")
        options = restricted(cls, json.loads(arguments.encode_options), arguments.output, language, train)
        write_json(arguments.output / f"encode.{language}.json", options)
        segmenter = cls.load(arguments.output / f"model.{language}", **options)
        for split, text in (("train", train), ("dev", Path(f"{arguments.dev}.{language}"))):
            encode(segmenter, text, arguments.output / f"{split}.{language}")
            counts[f"{split}.{language}"] = segmenter.counts()
    record |= {"encode_cpu_seconds": round(time.process_time() - began, 2), "counts": counts}
    write_json(arguments.output / "segmentation.json", record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
