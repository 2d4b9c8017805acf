"""A text in pieces: learn a segmentation on train, encode train and dev, measure the pieces, binarize them."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from experiment.jsonfiles import write_json
from experiment.scoring.piece_statistics import vocabulary_overlap
from subwords import registry
from subwords.errors import InputError
from subwords.files import read_lines, whole_file
from subwords.segmenter import Segmenter
from subwords.statistics import Segmented, count_pieces, describe


def learn(job: Mapping[str, Any], train: Path, folder: Path) -> dict[str, Any]:
    """Learn the model or models on TRAIN.{language}, save them as FOLDER/model.{language}; return what was learned.

    A joint model is learned on both sides together; the two model files are then the same.
    """
    cls, options, size = registry.find(job["algorithm"]), dict(job["learn"]), job["size"]
    languages = job["pair"].split("-")
    signatures, began = {}, time.process_time()
    reports = any(parameter.name == "report" for parameter in cls.parameters)
    for group in [languages] if job["joint"] else [[language] for language in languages]:
        if reports:  # how the size was chosen, or what each merge gained
            options["report"] = str(folder / f"report.{'-'.join(group)}.json")
        model = cls.learn([Path(f"{train}.{language}") for language in group], size, **options)
        reached = model.reached()
        if isinstance(size, int) and reached is not None and reached < size:
            raise InputError(
                f"size={size} is more than the text offers: {cls.algorithm} reaches {reached} {cls.size_counts}",
                allowed=f"1 to {reached}",
                next_step="ask for a smaller size in the experiment file",
            )
        for language in group:
            model.save(folder / f"model.{language}")
            signatures[language] = model.signature()
    asked = {name: job[name] for name in ("algorithm", "size", "joint", "learn_pairs")}
    seconds = round(time.process_time() - began, 2)
    options = {name: value for name, value in options.items() if name != "report"}
    return asked | {
        "text": job["form"],
        "options": options,
        "signatures": signatures,
        "learn_cpu_seconds": seconds,
    }


def draw(train: Path, languages: Sequence[str], pairs: int, folder: Path) -> Path:
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
    before = after = 0

    def counted() -> Iterable[str]:
        nonlocal before
        for line in read_lines(text):
            before += 1
            yield line

    with whole_file(pieces) as stream:
        for line in segmenter.encode_lines(counted()):
            stream.write(line + "\n")
            after += 1
    if before != after:
        raise InputError(f"{text} has {before} lines and its pieces {after}", allowed="equal numbers")


def restricted(
    cls: type[Segmenter], options: Mapping[str, Any], folder: Path, language: str, text: Path
) -> Path | None:
    """Return the vocabulary file of one side where there is a vocabulary threshold, after counting its pieces.

    subword-nmt's joint BPE practice (Sennrich et al. 2017): a merge is used on one side only where that side's train
    text makes its result often enough.
    """
    if options.get("vocabulary_threshold", 1) <= 1 or options.get("vocabulary"):
        return None
    unrestricted = {key: value for key, value in options.items() if key != "vocabulary_threshold"}
    segmenter = cls.load(folder / f"model.{language}", **unrestricted)
    counts = Counter(piece for line in segmenter.encode_lines(read_lines(text)) for piece in line.split(" ") if piece)
    path = folder / f"vocabulary.{language}"
    write_counts(path, counts)
    return path


def write_counts(path: Path, counts: Mapping[str, int]) -> None:
    """Write `piece count` lines, the most frequent first."""
    with whole_file(path) as stream:
        stream.writelines(f"{piece} {count}\n" for piece, count in sorted(counts.items(), key=lambda x: (-x[1], x[0])))


def read_counts(path: Path) -> dict[str, int]:
    """Return the pieces of a file of `piece count` lines."""
    return {piece: int(count) for piece, _, count in (line.rpartition(" ") for line in read_lines(path))}


def load_segmenter(folder: Path, language: str, algorithm: str) -> Segmenter:
    """Return the segmenter of a side, with the options that it is applied with."""
    import json

    options = json.loads((folder / f"encode.{language}.json").read_text(encoding="utf-8"))
    if options.get("vocabulary") == f"vocabulary.{language}":  # made with the segmentation
        options["vocabulary"] = str(folder / options["vocabulary"])
    return registry.find(algorithm).load(folder / f"model.{language}", **options)


def segment(job: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Make everything but the binarized data in a folder; return what segmentation.json says.

    model.LANG and encode.LANG.json (the options that the model is applied with), train.LANG and dev.LANG (pieces),
    pieces.LANG (each piece of train and its count), stats.json.
    """
    languages, text = job["pair"].split("-"), Path(job["text"])
    with tempfile.TemporaryDirectory(dir=folder, prefix=".learn.") as scratch:
        pairs = job["learn_pairs"]
        record = learn(job, draw(text / "train", languages, pairs, Path(scratch)) if pairs else text / "train", folder)
    cls, began, counts = registry.find(job["algorithm"]), time.process_time(), {}
    statistics: dict[str, Any] = {}
    for language in languages:
        options = dict(job["encode"])
        if vocabulary := restricted(cls, options, folder, language, text / f"train.{language}"):
            options["vocabulary"] = vocabulary.name
        write_json(folder / f"encode.{language}.json", options)
        segmenter = load_segmenter(folder, language, job["algorithm"])
        files = {}
        for name in (f"train.{language}", f"dev.{language}"):
            encode(segmenter, text / name, folder / name)
            files[name.split(".")[0]] = Segmented(folder / name, text / name)
            counts[name] = segmenter.counts()
        gold = Path(job["gold"][language]) if language in job["gold"] else None
        statistics[language] = describe(files["train"], {"dev": files["dev"]}, segmenter=segmenter, gold=gold)
        write_counts(folder / f"pieces.{language}", count_pieces(files["train"].pieces)[1])
    sides = [read_counts(folder / f"pieces.{language}") for language in languages]
    statistics["vocabulary_overlap"] = vocabulary_overlap(*sides)
    write_json(folder / "stats.json", statistics, sealed=True)
    record |= {"encode_cpu_seconds": round(time.process_time() - began, 2), "counts": counts}
    write_json(folder / "segmentation.json", record)
    return record
