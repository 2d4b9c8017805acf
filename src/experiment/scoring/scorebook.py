"""scores.csv: long and tidy, one row per run, test set and metric. Every table is made from it and nothing else."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json
from experiment.manifest import Manifest, Run, TestSet
from experiment.provenance import commit_label
from experiment.scoring.piece_statistics import side_statistics
from experiment.scoring.significance import ALPHA
from subwords.errors import InputError
from subwords.files import whole_file

#: Every column, with what it holds. Empty where a value does not exist or was not measured.
COLUMNS: dict[str, str] = {
    "experiment": "name of the experiment",
    "corpus": "name in the catalogue of corpora",
    "direction": "source-target, as in en-de",
    "model": "name of the model recipe",
    "segmentation": "name in the experiment file",
    "algorithm": "name of the algorithm in `subwords list`",
    "size": "size asked for; what it counts depends on the algorithm",
    "vocabulary_source": "types of pieces on the source side of the training text",
    "vocabulary_target": "types of pieces on the target side of the training text",
    "seed": "seed of the training run",
    "testset": "name of the test set",
    "metric": "bleu, chrf, chrf++, ter or comet",
    "score": "corpus score: 0 to 100; COMET on its model's own scale",
    "signature": "how the score was computed",
    "ci95": "half the width of the score's 95% bootstrap confidence interval",
    "baseline": "segmentation that the system is compared with",
    "delta": "score minus the baseline's score with the same seed",
    "p_value": "of the paired test against the baseline with the same seed",
    "significant": "true when p_value is below 0.05",
    "test": "signature of the paired test",
    "sentences": "sentences in the test set",
    "empty_hypotheses": "translations without any text",
    "unknown_pieces": "<unk> among the pieces of the translations",
    "cut_sources": "source sentences that were cut to the longest that the model takes",
    "unknown_words_source": "share of the test set's source words with a piece that training has not seen",
    "unknown_words_target": "share of the reference's words with a piece that training has not seen",
    "pieces_per_sentence_source": "mean over the source sentences of the training text",
    "pieces_per_sentence_target": "mean over the target sentences of the training text",
    "pieces_per_word_source": "mean over the space-separated words of the source side of the training text",
    "pieces_per_word_target": "mean over the space-separated words of the target side of the training text",
    "renyi_efficiency_source": "of the pieces of the source side of the training text",
    "renyi_efficiency_target": "of the pieces of the target side of the training text",
    "boundary_f1_source": "agreement with gold morpheme boundaries, macro-averaged over source words, 0 to 1",
    "boundary_f1_target": "agreement with gold morpheme boundaries, macro-averaged over target words, 0 to 1",
    "parameters": "trained parameters of the model",
    "updates": "optimizer steps until training stopped",
    "epochs": "passes over the training text",
    "train_seconds": "wall-clock seconds of training",
    "cpu_seconds": "processor seconds of training (of its last attempt, when it was interrupted)",
    "gpus": "GPUs used for training; 0 is CPU",
    "runs_per_gpu": "jobs that were allowed to share one GPU",
    "gpu_hours": "train_seconds x gpus / runs_per_gpu / 3600",
    "tokens_per_second": "target pieces per second of training",
    "peak_memory_mib": "largest memory in use during training, in MiB",
    "device": "processor or GPU",
    "commit": "git commit of the project, with + when files were changed",
}

Row = dict[str, Any]


def score_rows(manifest: Manifest) -> list[Row]:
    """Return the rows of scores.csv, in the manifest's order of runs."""
    tested = _read_tests(manifest)
    rows: list[Row] = []
    for run in manifest.runs:
        facts = _run_facts(run)
        for name, files in run.testsets.items():
            for metric, score, facts_here in _scores(manifest, run, name, files):
                key = (*run.block, run.segmentation, run.seed, name, metric)
                rows.append(
                    dict.fromkeys(COLUMNS)
                    | {"experiment": manifest.experiment, "baseline": manifest.baseline}
                    | facts
                    | {"testset": name, "metric": metric, "score": score}
                    | facts_here
                    | _test_facts(tested.get(key), score, key)
                )
    _add_deltas(rows)
    return rows


def _run_facts(run: Run) -> Row:
    """Return the columns that are the same for all scores of a run."""
    record = read_json(run.run_json)
    seconds, gpus = record.get("train_seconds"), record.get("gpus")
    sharing = record.get("runs_per_gpu")
    git = record.get("git") or {}
    return {
        "corpus": run.corpus,
        "direction": run.direction,
        "model": run.model,
        "segmentation": run.segmentation,
        "algorithm": run.algorithm,
        "size": run.size,
        "seed": run.seed,
        **_segmentation_facts(run),
        "parameters": record.get("model_parameters"),
        **{name: record.get(name) for name in ("updates", "epochs", "train_seconds", "cpu_seconds")},
        **{name: record.get(name) for name in ("gpus", "tokens_per_second")},
        "gpu_hours": None if seconds is None or gpus is None else seconds * gpus / (sharing or 1) / 3600,
        "runs_per_gpu": sharing,
        "peak_memory_mib": record.get("peak_memory_mib"),
        "device": record.get("device"),
        "commit": commit_label(git),
    }


def _segmentation_facts(run: Run) -> Row:
    facts: Row = {}
    for side, found in side_statistics(run.stats_json, run.direction).items():
        for name in ("vocabulary", "pieces_per_sentence", "pieces_per_word", "renyi_efficiency", "boundary_f1"):
            facts[f"{name}_{side}"] = getattr(found, name)
    return facts


def _scores(manifest: Manifest, run: Run, name: str, files: TestSet) -> Iterator[tuple[str, float, Row]]:
    """Yield metric, score and the columns that belong to it."""
    lexical = read_json(files.scores)
    translation = read_json(files.translation) if files.translation else {}
    statistics = side_statistics(run.stats_json, run.direction)
    common = {
        "sentences": lexical["sentences"],
        "empty_hypotheses": lexical["empty_hypotheses"],
        "unknown_pieces": translation.get("unknown_pieces"),
        "cut_sources": translation.get("sources_cut"),
        **{f"unknown_words_{side}": found.unknown_words.get(name) for side, found in statistics.items()},
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


def _read_tests(manifest: Manifest) -> dict[tuple[Any, ...], Row]:
    """Return the outcome of each comparison by corpus, direction, model, segmentation, seed, test set and metric."""
    tested = {}
    for path in manifest.significance:
        content = read_json(path)
        if content["baseline"] != manifest.baseline:
            raise InputError(
                f"{path} compares with {content['baseline']!r}, the experiment with {manifest.baseline!r}",
                next_step="run scripts/compare_systems.py again",
            )
        for outcome in content["comparisons"]:
            key = (
                *(content[name] for name in ("corpus", "direction", "model")),
                *(outcome["segmentation"], outcome["seed"], content["testset"], outcome["metric"]),
            )
            tested[key] = outcome | {"signature": content["signatures"][outcome["metric"]], "path": path}
    return tested


def _test_facts(outcome: Row | None, score: float, key: tuple[Any, ...]) -> Row:
    if outcome is None:
        return {}
    if abs(outcome["score"] - score) > 1e-6:
        raise InputError(
            f"{outcome['path']} tested a score of {outcome['score']} where {score} was measured "
            f"({', '.join(map(str, key))})",
            next_step="run scripts/compare_systems.py again: it read other translations",
        )
    p_value = outcome["p_value"]
    return {
        "ci95": outcome["ci95"],
        "p_value": p_value,
        "significant": None if p_value is None else p_value < ALPHA,
        "test": outcome["signature"],
    }


def _add_deltas(rows: list[Row]) -> None:
    def place(row: Row) -> tuple[Any, ...]:
        return tuple(row[name] for name in ("corpus", "direction", "model", "seed", "testset", "metric"))

    baseline = {place(row): row["score"] for row in rows if row["segmentation"] == row["baseline"]}
    for row in rows:
        if place(row) in baseline:
            row["delta"] = row["score"] - baseline[place(row)]


def write_scores(path: str | Path, rows: Iterable[Row]) -> None:
    """Write scores.csv. Numbers are written in full, so that reading them back gives the same numbers."""
    with whole_file(path) as stream:
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
    """Return the rows of a scores.csv with their types. Raises InputError when it is missing, empty or has no score."""
    try:
        with open(path, encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"cannot read {path}: {error}", next_step="run scripts/collect_scores.py") from error
    if not rows or not set(COLUMNS) <= set(rows[0]):
        missing = sorted(set(COLUMNS) - set(rows[0] if rows else ()))
        raise InputError(
            f"{path} lacks columns or rows: {', '.join(missing)}", next_step="run scripts/collect_scores.py"
        )
    return [{name: _value(name, row[name], path) for name in COLUMNS} for row in rows]


_TEXTS = {"experiment", "corpus", "direction", "model", "segmentation", "algorithm", "testset", "metric"} | {
    "signature",
    "baseline",
    "test",
    "device",
    "commit",
}
_INTEGERS = {"size", "vocabulary_source", "vocabulary_target", "seed", "sentences", "empty_hypotheses"} | {
    "unknown_pieces",
    "cut_sources",
    "parameters",
    "updates",
    "gpus",
    "runs_per_gpu",
}


def _value(name: str, text: str, path: str | Path) -> Any:
    if text == "":
        return None
    try:
        if name == "significant":
            return {"true": True, "false": False}[text]
        return text if name in _TEXTS else int(text) if name in _INTEGERS else float(text)
    except (ValueError, KeyError):
        raise InputError(f"{path}: {name} is {text!r}", allowed=COLUMNS[name]) from None
