"""A text in pieces: learn a segmentation on train, encode train and dev, measure the pieces.

An algorithm that samples segments train several times at random (subword regularization). An epoch of a training reads
one of these draws, the next epoch the next one; dev and test text has the one best segmentation.
"""

from __future__ import annotations

import shutil
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from experiment.jsonfiles import read_json, write_json
from experiment.scoring.piece_statistics import vocabulary_overlap
from experiment.segmentation.entries import GOLD
from experiment.store.checksums import file_sha256
from experiment.text.lines import rewrite
from subwords import registry
from subwords.errors import InputError, Shortfall
from subwords.files import read_lines, write_lines
from subwords.frequencies import by_frequency
from subwords.segmenter import Segmenter, warn_of_fewer
from subwords.statistics import Segmented, describe
from subwords.vocabulary import count_pieces


def own_copy(job: Mapping[str, Any], folder: Path) -> str:
    """Return the name of the algorithm; a class of the user's own is first copied into a folder, to be found there.

    Raises InputError where its source is not what the experiment was planned with.
    """
    name: str = job["algorithm"]
    if registry.is_file(name):
        file, cls = registry.split_file(name)
        name = f"{shutil.copy(file, folder)}:{cls}"
    if job["source"] and registry.source_digest(name) != job["source"]:
        raise InputError(f"{job['algorithm']} was changed after the experiment had been planned", next_step="run again")
    return name


def check_files(job: Mapping[str, Any], cls: type[Segmenter]) -> None:
    """Raise InputError where a file that an option names is not what the experiment was planned with."""
    options, planned = {**job["learn"], **job["encode"]}, job.get("definition", {}).get("options", {})
    for name in (parameter.name for parameter in cls.parameters if parameter.is_file):
        if name in planned and file_sha256(options[name]) != planned[name]:
            raise InputError(
                f"{name}: {options[name]} was changed after the experiment had been planned", next_step="run again"
            )


def learn(job: Mapping[str, Any], cls: type[Segmenter], train: Path, folder: Path, scratch: Path) -> dict[str, Any]:
    """Learn the model or models on TRAIN.{language}, save them as FOLDER/model.{language}; return what was learned.

    A joint model is learned on both sides together; the two model files are then the same.
    """
    options, size = dict(job["learn"]), job["size"]
    languages = job["pair"].split("-")
    began = time.process_time()
    reports = any(parameter.name == "report" for parameter in cls.parameters)
    for group in [languages] if job["joint"] else [[language] for language in languages]:
        if reports:  # how the size was chosen, or what each merge gained
            options["report"] = str(folder / f"report.{'-'.join(group)}.json")
        if GOLD in options and job["learn"][GOLD] is None:
            options[GOLD] = str(gold_of(group, job["gold"], scratch))
        model = _learned(cls, [Path(f"{train}.{language}") for language in group], size, options)
        for language in group:
            model.save(folder / f"model.{language}")
    seconds = round(time.process_time() - began, 2)
    return {name: job[name] for name in ("size", "joint", "learn_pairs")} | {
        "algorithm": Path(job["algorithm"]).name,
        "text": job["form"],
        "options": {name: value for name, value in job["learn"].items() if name != "report"},
        "learn_cpu_seconds": seconds,
    }


def _learned(cls: type[Segmenter], texts: Sequence[Path], size: int | str | None, options: dict[str, Any]) -> Segmenter:
    """Learn a model. Raise InputError where the texts offer less than `size`: comparisons at equal size would mislead.

    One that chooses its size may still keep less by its own rule, as VOLT does; tables have the entries really there.
    """
    try:
        with warnings.catch_warnings(action="error", category=Shortfall):
            model = cls.learn(texts, size, **options)
            reached = model.reached()
            if isinstance(size, int) and reached is not None and not cls.chooses_size:
                warn_of_fewer(cls, reached, size, "the model has no more")
            return model
    except Shortfall as shortfall:
        raise InputError(
            f"size={size} is more than the text offers: {shortfall}",
            next_step="ask for a smaller size in the experiment file",
        ) from None


def gold_of(languages: Sequence[str], gold: Mapping[str, str], folder: Path) -> Path:
    """Write the gold morphemes of some languages into one file in a folder; return its path."""
    files = [gold[language] for language in languages if language in gold]
    if not files:
        raise InputError(
            f"there are no gold morphemes of {', '.join(languages)}",
            allowed=f"languages with gold morphemes: {', '.join(gold)}",
            next_step="joint: true learns one model for both languages",
        )
    path = folder / f"gold.{'-'.join(languages)}"
    path.write_bytes(b"".join(Path(file).read_bytes() for file in files))
    return path


def draw_pairs(train: Path, languages: Sequence[str], pairs: int, folder: Path) -> Path:
    """Write `pairs` of the sentence pairs of train, in their order, into a folder; return the prefix of the files.

    Drawn by a fixed seed, the same for every algorithm, so that all are learned on the same text.
    """
    number = sum(1 for _ in read_lines(f"{train}.{languages[0]}"))
    if pairs >= number:
        return train
    chosen = set(Random("learn").sample(range(number), pairs))
    for language in languages:
        lines = enumerate(read_lines(f"{train}.{language}"))
        write_lines(folder / f"train.{language}", (line for place, line in lines if place in chosen))
    return folder / "train"


def encode(segmenter: Segmenter, text: Path, pieces: Path, draw: int | None = None) -> None:
    """Segment a file, at random where a draw is given."""
    rewrite(text, pieces, segmenter.encode_lines if draw is None else lambda lines: segmenter.sample_lines(lines, draw))


def restricted(
    cls: type[Segmenter], options: Mapping[str, Any], folder: Path, language: str, text: Path
) -> Path | None:
    """Return the vocabulary file of one side: a copy of the user's, which may be changed or moved before the last test
    set is segmented; or, where there is a vocabulary threshold, one made by counting the pieces.

    subword-nmt's joint BPE practice (Sennrich et al. 2017): a merge is used on one side only where that side's train
    text makes its result often enough.
    """
    path = folder / f"vocabulary.{language}"
    if options.get("vocabulary"):
        return shutil.copyfile(options["vocabulary"], path)
    if options.get("vocabulary_threshold", 1) <= 1:
        return None
    unrestricted = {key: value for key, value in options.items() if key != "vocabulary_threshold"}
    segmenter = cls.load(folder / f"model.{language}", **unrestricted)
    write_counts(path, count_pieces(segmenter.encode_lines(read_lines(text)))[1])
    return path


def write_counts(path: Path, counts: Mapping[str, int]) -> None:
    """Write `piece count` lines, the most frequent first."""
    write_lines(path, (f"{piece} {count}" for piece, count in by_frequency(counts)))


def read_counts(path: Path) -> dict[str, int]:
    """Return the pieces of a file of `piece count` lines."""
    return {piece: int(count) for piece, _, count in (line.rpartition(" ") for line in read_lines(path))}


def load_segmenter(folder: Path, language: str, algorithm: str) -> Segmenter:
    """Return the segmenter of a side, with the options that it is applied with."""
    options = read_json(folder / f"encode.{language}.json")
    if options.get("vocabulary") == f"vocabulary.{language}":  # beside it
        options["vocabulary"] = str(folder / options["vocabulary"])
    return registry.find(algorithm).load(folder / f"model.{language}", **options)


def segment(job: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Make everything but the binarized data in a folder; return what segmentation.json says.

    model.LANG and encode.LANG.json (the options that the model is applied with), train.LANG and dev.LANG (pieces),
    pieces.LANG (each piece of train and its count), stats.json. Further draws of train are train.2.LANG, ... Their
    pieces count in pieces.LANG, too, and among the types of stats.json, which otherwise describes the first draw.
    """
    languages, text = job["pair"].split("-"), Path(job["text"])
    algorithm = own_copy(job, folder)
    cls = registry.find(algorithm)
    check_files(job, cls)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".learn.") as scratch:
        pairs, train = job["learn_pairs"], text / "train"
        source = draw_pairs(train, languages, pairs, Path(scratch)) if pairs else train
        record = learn(job, cls, source, folder, Path(scratch))
    began = time.process_time()
    counts: dict[str, Any] = {}
    statistics: dict[str, Any] = {}
    sampling: dict[str, Any] = {}
    record["signatures"] = {}
    for language in languages:
        options = dict(job["encode"])
        if vocabulary := restricted(cls, options, folder, language, text / f"train.{language}"):
            options["vocabulary"] = vocabulary.name
        write_json(folder / f"encode.{language}.json", options)
        segmenter = load_segmenter(folder, language, algorithm)
        record["signatures"][language] = segmenter.signature()
        files = {}
        for name in (f"train.{language}", f"dev.{language}"):
            encode(segmenter, text / name, folder / name)
            files[name.split(".")[0]] = Segmented(folder / name, text / name)
            counts[name] = segmenter.counts()
        found = count_pieces(read_lines(files["train"].pieces))[1]
        if job["draws"]:
            sampling[language], found = sample(segmenter, files["train"], job["draws"], sum(found.values()))
        gold = Path(job["gold"][language]) if language in job["gold"] else None
        statistics[language] = describe(files["train"], {"dev": files["dev"]}, segmenter=segmenter, gold=gold)
        statistics[language]["types"] = len(found)
        write_counts(folder / f"pieces.{language}", found)
    sides = [read_counts(folder / f"pieces.{language}") for language in languages]
    statistics["vocabulary_overlap"] = vocabulary_overlap(*sides)
    write_json(folder / "stats.json", statistics, sealed=True)
    record |= {"encode_cpu_seconds": round(time.process_time() - began, 2), "counts": counts}
    if sampling:
        record["sampling"] = sampling
    write_json(folder / "segmentation.json", record)
    return record


def draws_of(train: Path, draws: int) -> list[Path]:
    """Return the files of all draws of train.LANG: itself, then train.2.LANG, ..."""
    return [train, *(train.with_name(f"train.{draw}{train.suffix}") for draw in range(2, draws + 1))]


def sample(segmenter: Segmenter, train: Segmented, draws: int, encoded: int) -> tuple[dict[str, Any], Counter[str]]:
    """Segment train at random `draws` times; return what that costs and the counts of the pieces of all draws.

    `encoded` is the number of pieces of the best segmentation: a training on random ones reads more.
    """
    assert train.text is not None
    began, counts, running = time.process_time(), Counter[str](), []
    for draw, path in enumerate(draws_of(train.pieces, draws), 1):
        encode(segmenter, train.text, path, draw)
        found = count_pieces(read_lines(path))[1]
        running.append(sum(found.values()))
        counts += found
    seconds = round(time.process_time() - began, 2)
    return {"cpu_seconds": seconds, "pieces_encoded": encoded, "pieces_of_draws": running}, counts
