"""scores.csv: long and tidy, one row per run, test set and metric. Every table is made from it and nothing else."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json
from experiment.manifest import Manifest
from experiment.provenance import commit_label, versions_label
from experiment.runs import Run, TestSet
from experiment.scoring.blocks import compare_block
from experiment.scoring.piece_statistics import PieceStatistics
from experiment.store.checksums import check_checksum, file_with_checksum
from experiment.store.making import RECORD
from subwords.errors import InputError

#: Every column, with its kind and what it holds. Empty where a value does not exist or was not measured.
with (Path(__file__).parent / "columns.csv").open(encoding="utf-8", newline="") as _stream:
    _COLUMNS = {row["column"]: row for row in csv.DictReader(_stream)}
COLUMNS = {name: row["description"] for name, row in _COLUMNS.items()}
#: How a value is read from text, by its kind.
_KINDS: dict[str, Callable[[str], Any]] = {"text": str, "integer": int, "number": float}
_KINDS["truth"] = {"true": True, "false": False}.__getitem__

#: Without these there is no table; other columns may be absent from files of earlier versions.
REQUIRED = ("experiment", "corpus", "direction", "model", "segmentation", "seed", "testset", "metric", "score")

#: Columns that a run, a side's statistics and a run.json have under the same names.
RUN_COLUMNS = ("corpus", "direction", "model", "segmentation", "algorithm", "size", "seed")
SIDE_COLUMNS = ("vocabulary", "pieces_per_sentence", "pieces_per_word", "renyi_efficiency", "boundary_f1")
RECORD_COLUMNS = (
    *("updates", "epochs", "sentences_seen", "pieces_seen", "stopped_early", "train_seconds", "cpu_seconds", "gpus"),
    *("runs_per_gpu", "energy_kwh", "tokens_per_second", "peak_memory_mib", "device", "precision"),
    *("dev_sentences_skipped",),
)
#: The shape of fairseq's `transformer`, where a recipe does not say otherwise.
BASE = {"layers": 6, "embed-dim": 512, "ffn-embed-dim": 2048}

Row = dict[str, Any]


def score_rows(manifest: Manifest) -> list[Row]:
    """Compare the systems, and return the rows of scores.csv in the manifest's order of runs."""
    blocks: dict[tuple[str, str, str], list[Run]] = {}
    for run in manifest.runs:
        blocks.setdefault(run.block, []).append(run)
    compared = {
        (block, testset): compare_block(manifest, [run for run in runs if testset in run.testsets], testset)
        for block, runs in blocks.items()
        for testset in dict.fromkeys(name for run in runs for name in run.testsets)
    }
    rows: list[Row] = []
    for run in manifest.runs:
        facts = _run_facts(run)
        own = run.segmentation if run.segmentation in manifest.baselines else manifest.baseline_of(run.segmentation)
        for name, files in run.testsets.items():
            for metric, score, facts_here in _scores(manifest, run, name, files):
                columns = compared[run.block, name].get((run.segmentation, run.seed, metric), {})
                _check_score(columns.get("score", score), score, files)
                rows.append(
                    dict.fromkeys(COLUMNS)
                    | {"experiment": manifest.experiment, "baseline": own}
                    | facts
                    | columns
                    | {"testset": name, "metric": metric, "score": score}
                    | facts_here
                )
    _add_deltas(rows)
    return rows


def _check_score(compared: float, score: float, files: TestSet) -> None:
    if abs(compared - score) > 1e-6:
        raise InputError(
            f"{files.hypothesis} has a score of {compared}, and {files.scores} says {score}",
            next_step=f"delete {files.scores} and run again: they belong to other translations",
        )


def _run_facts(run: Run) -> Row:
    """Return the columns that are the same for all scores of a run."""
    record, pieces = read_json(run.run_json), PieceStatistics.read(run.stats_json, run.direction)
    beside = Path(run.stats_json).with_name("definition.json") if run.stats_json else None
    segmentation = read_json(beside) if beside and beside.exists() else {}
    source, target = pieces.sides.values()
    seen, seconds, gpus = record.get("sentences_seen"), record.get("train_seconds"), record.get("gpus")
    source_pieces = seen and source.pieces_per_sentence and seen * source.pieces_per_sentence
    recipe = record.get("definition", {}).get("recipe", {})
    return {
        **{name: getattr(run, name) for name in RUN_COLUMNS},
        **{name: segmentation.get(name) for name in ("text", "joint")},
        **{f"{name}_{side}": getattr(found, name) for side, found in pieces.sides.items() for name in SIDE_COLUMNS},
        **{name: record.get(name) for name in RECORD_COLUMNS},
        "vocabulary": pieces.entries,
        "vocabulary_overlap": pieces.overlap,
        "parameters": record.get("model_parameters"),
        "training_flops": training_flops(recipe, target.vocabulary, source_pieces, record.get("pieces_seen")),
        "gpu_hours": None if None in (seconds, gpus) else seconds * gpus / (record.get("runs_per_gpu") or 1) / 3600,
        "commit": commit_label(record.get("git") or {}),
        "versions": versions_label(record.get("versions", {})),
        "text_made_by": _made_by(Path(run.text, RECORD)) if run.text else None,
        "pieces_made_by": _made_by(Path(run.segmented, RECORD)) if run.segmented else None,
    }


def training_flops(
    flags: Mapping[str, Any], entries: int | None, source: float | None, target: float | None
) -> float | None:
    """Return an estimate: 6 x weights x pieces, for the weights of the matrices that each piece is multiplied by.

    `source` and `target` are the pieces that the training saw, `entries` is the size of the target vocabulary. None
    where one of them or the shape of the model is not known.

    Kaplan et al. 2020, section 2.1: 2 operations a weight forward and 4 backward; attention's products of pieces with
    pieces, norms and embeddings are left out. A source piece passes the encoder (4 d² + 2 d f a layer), a target piece
    the decoder (8 d² + 2 d f, of which 2 d² belong to source pieces) and the output layer (d x vocabulary).
    """
    arch = str(flags.get("arch", ""))
    if not (source and target) or not arch.startswith("transformer"):
        return None
    base = BASE if arch in ("transformer", "transformer_fast") else dict.fromkeys(BASE)
    shape = {side: [flags.get(f"{side}-{key}", own) for key, own in base.items()] for side in ("encoder", "decoder")}
    if any(value is None for values in shape.values() for value in values) or entries is None:
        return None
    (layers, d, f), (decoder_layers, e, g) = shape["encoder"], shape["decoder"]
    of_source = layers * (4 * d * d + 2 * d * f) + decoder_layers * 2 * d * e
    of_target = decoder_layers * (6 * e * e + 2 * e * g) + e * entries
    return 6.0 * (source * of_source + target * of_target)


def _made_by(record: Path) -> str | None:
    """Return the commit and the versions that a record names."""
    made = read_json(record).get("made", {})
    commit = commit_label(made.get("git", {}))
    return versions_label(({"commit": commit} if commit else {}) | made.get("versions", {}))


def _scores(manifest: Manifest, run: Run, name: str, files: TestSet) -> Iterator[tuple[str, float, Row]]:
    """Yield metric, score and the columns that belong to it."""
    lexical = read_json(files.scores)
    translation = read_json(files.translation) if files.translation else {}
    unknown = translation.get("unknown_words") or {}
    common = {
        "sentences": lexical["sentences"],
        "unseen_recall": ((lexical.get("words_by_frequency") or {}).get("0") or {}).get("recall"),
        "empty_hypotheses": lexical["empty_hypotheses"],
        "unknown_pieces": translation.get("unknown_pieces"),
        "translation_made_by": _made_by(Path(files.translation)) if files.translation else None,
        "cut_sources": translation.get("sources_cut"),
        "segmentation_signature": " / ".join(dict.fromkeys((translation.get("segmentations") or {}).values())) or None,
        **{f"unknown_words_{side}": unknown.get(side) for side in ("source", "target")},
    }
    for metric in manifest.metrics:
        if metric == "comet" and not files.comet:
            raise InputError(f"{run.segmentation} seed {run.seed}, {name}: metric comet without a COMET file")
        found = read_json(files.comet) if metric == "comet" and files.comet else lexical["metrics"].get(metric)
        if found is None:
            raise InputError(
                f"{files.scores} has no {metric}", next_step="score again with all metrics of the experiment"
            )
        yield metric, found["score"], common | {"signature": found["signature"]}


def _add_deltas(rows: list[Row]) -> None:
    place = itemgetter("corpus", "direction", "model", "seed", "testset", "metric")
    scores = {(place(row), row["segmentation"]): row["score"] for row in rows}
    for row in rows:
        if (place(row), row["baseline"]) in scores:
            row["delta"] = row["score"] - scores[place(row), row["baseline"]]


def by_algorithm(rows: Iterable[Row]) -> dict[Any, dict[str, list[Row]]]:
    """Return algorithm -> segmentation -> its rows, in the order given."""
    found: dict[Any, dict[str, list[Row]]] = {}
    for row in rows:
        found.setdefault(row["algorithm"], {}).setdefault(row["segmentation"], []).append(row)
    return found


def write_scores(path: str | Path, rows: Iterable[Row]) -> None:
    """Write scores.csv. Numbers are written in full, so that reading them back gives the same numbers.

    PATH.sha256 has its checksum, in the form of `sha256sum`.
    """
    with file_with_checksum(path) as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({name: _text(value) for name, value in row.items()})


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def read_scores(path: str | Path) -> list[Row]:
    """Return the rows of a scores.csv with their types.

    Raises InputError when it is missing, empty or has no score, or is not what its checksum says.
    """
    try:
        check_checksum(path)
        with open(path, encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"cannot read {path}: {error}", next_step="run scripts/collect_scores.py") from error
    if not rows or not set(REQUIRED) <= set(rows[0]):
        missing = ", ".join(sorted(set(REQUIRED) - set(rows[0] if rows else ())))
        raise InputError(f"{path} lacks columns or rows: {missing}", next_step="run scripts/collect_scores.py")
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values() or not all(row[name] for name in REQUIRED):
            raise InputError(
                f"{path}: line {number} has more or fewer cells than the first line, or lacks a value that is needed",
                allowed=f"a value in each of {', '.join(REQUIRED)}",
                next_step="run scripts/collect_scores.py",
            )
    return [{name: _value(name, row.get(name, ""), path) for name in COLUMNS} for row in rows]


def _value(name: str, text: str, path: str | Path) -> Any:
    if text == "":
        return None
    try:
        return _KINDS[_COLUMNS[name]["kind"]](text)
    except (ValueError, KeyError):
        raise InputError(f"{path}: {name} is {text!r}", allowed=COLUMNS[name]) from None
