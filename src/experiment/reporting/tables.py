"""Tables of an experiment, made from scores.csv and nothing else: what each cell says (`table_formats` writes it)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from experiment.scoring.metrics import METRICS
from experiment.scoring.scorebook import Row
from experiment.scoring.significance import ALPHA, mean_and_error, welch_p_value

BETTER, WORSE, OVER_SEEDS = "↑", "↓", "†"


@dataclass(frozen=True)
class Cell:
    """One value of a table: its text, and how it compares."""

    text: str
    value: float | None = None  # for sorting
    error: float | None = None
    marks: str = ""
    best: bool = False
    score: bool = False  # not a fact about the system, but a result


@dataclass(frozen=True)
class Line:
    """One system of a table."""

    segmentation: str
    baseline: bool
    seeds: int
    cells: list[Cell]


@dataclass(frozen=True)
class Block:
    """The table of one corpus, direction and model."""

    corpus: str
    direction: str
    model: str
    headings: list[str]
    lines: list[Line]
    notes: list[str]
    signatures: list[tuple[str, str]]  # metric as it is printed, signature

    @property
    def name(self) -> str:
        return f"{self.corpus}, {self.direction}, {self.model}"


def blocks(rows: Sequence[Row]) -> list[Block]:
    """Return one table for each corpus, direction and model, in the order of `rows`."""
    keys = list(dict.fromkeys((row["corpus"], row["direction"], row["model"]) for row in rows))
    return [_block(key, [r for r in rows if (r["corpus"], r["direction"], r["model"]) == key]) for key in keys]


def _distinct(rows: Iterable[Row], name: str) -> list[Any]:
    return list(dict.fromkeys(row[name] for row in rows))


def _block(key: tuple[str, str, str], rows: list[Row]) -> Block:
    segmentations = _distinct(rows, "segmentation")
    baseline = rows[0]["baseline"]
    present = {row["metric"] for row in rows}
    scored = [(testset, metric) for testset in _distinct(rows, "testset") for metric in METRICS if metric in present]
    systems = {name: [row for row in rows if row["segmentation"] == name] for name in segmentations}
    seeds = {name: len(_distinct(systems[name], "seed")) for name in segmentations}
    facts = [fact for fact in _FACTS if any(fact.value(systems[name]) is not None for name in segmentations)]
    columns = [[fact.cell(systems[name]) for name in segmentations] for fact in facts]
    columns += [_score_column(systems, baseline, testset, metric) for testset, metric in scored]
    headings = [fact.heading for fact in facts]
    headings += [f"{testset} {METRICS[metric].label}" for testset, metric in scored]
    if len(set(seeds.values())) > 1:
        headings.insert(0, "Seeds")
        columns.insert(0, [Cell(str(seeds[name]), seeds[name]) for name in segmentations])
    lines = [
        Line(name, name == baseline, seeds[name], [column[index] for column in columns])
        for index, name in enumerate(segmentations)
    ]
    return Block(*key, headings, lines, _notes(rows, sorted(set(seeds.values()))), _signatures(rows))


# ---- columns of facts


@dataclass(frozen=True)
class _Fact:
    """A column that describes a system: the mean over its seeds of one column of scores.csv."""

    heading: str
    column: str
    style: str = "{:,.0f}"
    scale: float = 1.0

    def value(self, rows: Sequence[Row]) -> float | None:
        by_seed = {row["seed"]: row[self.column] for row in rows}
        values = [value * self.scale for value in by_seed.values() if value is not None]
        return sum(values) / len(values) if values else None

    def cell(self, rows: Sequence[Row]) -> Cell:
        value = self.value(rows)
        return Cell("–" if value is None else self.style.format(value), value)


class _OnGpu(_Fact):
    """What costs on a GPU: nothing to show where there was none."""

    def value(self, rows: Sequence[Row]) -> float | None:
        return super().value([row for row in rows if row["gpus"]])


class _OnCpu(_Fact):
    """What costs without a GPU, where wall time depends on who else is there."""

    def value(self, rows: Sequence[Row]) -> float | None:
        return super().value([row for row in rows if not row["gpus"]])


_FACTS = [
    _Fact("Vocab src", "vocabulary_source"),
    _Fact("Vocab tgt", "vocabulary_target"),
    _Fact("Pieces/sent src", "pieces_per_sentence_source", "{:.1f}"),
    _Fact("Pieces/sent tgt", "pieces_per_sentence_target", "{:.1f}"),
    _Fact("Boundary F1", "boundary_f1_target", "{:.1f}", 100),
    _Fact("Params (M)", "parameters", "{:.2f}", 1e-6),
    _Fact("Train (min)", "train_seconds", "{:.1f}", 1 / 60),
    _OnCpu("Train CPU (min)", "cpu_seconds", "{:.1f}", 1 / 60),
    _OnGpu("GPU-hours", "gpu_hours", "{:.2f}"),
]


# ---- columns of scores


def _score_column(systems: dict[str, list[Row]], baseline: str, testset: str, metric: str) -> list[Cell]:
    kind = METRICS[metric]
    found = {
        name: [row for row in rows if row["testset"] == testset and row["metric"] == metric]
        for name, rows in systems.items()
    }
    base = [row["score"] for row in found.get(baseline, [])]
    cells = []
    for name, rows in found.items():
        if not rows:
            cells.append(Cell("–", score=True))
            continue
        scores = [row["score"] for row in rows]
        mean, error = mean_and_error(scores)
        text = f"{mean:.{kind.decimals}f}" + ("" if error is None else f" ± {error:.{kind.decimals}f}")
        marks = "" if name == baseline else significance_marks(rows, base, kind.higher_is_better)
        cells.append(Cell(text, mean, error, marks, score=True))
    return _with_best(cells, kind.decimals, kind.higher_is_better)


def _with_best(cells: list[Cell], decimals: int, higher_is_better: bool) -> list[Cell]:
    """Mark the best means as they are printed, so that what looks equal is treated as equal."""
    shown = [round(cell.value, decimals) for cell in cells if cell.value is not None]
    if len(shown) < 2:
        return cells
    best = max(shown) if higher_is_better else min(shown)
    return [replace(cell, best=cell.value is not None and round(cell.value, decimals) == best) for cell in cells]


def significance_marks(rows: Sequence[Row], baseline_scores: Sequence[float], higher_is_better: bool) -> str:
    """Return the marks of a system's cell.

    An arrow when the paired tests against the baseline are significant in the same direction for more than half of
    the seeds (better: up, worse: down); a star when Welch's t test over at least three seeds a side has p < 0.05.
    """
    sign = 1 if higher_is_better else -1
    gains = [row["delta"] * sign for row in rows if row["significant"]]
    marks = ""
    if 2 * sum(gain > 0 for gain in gains) > len(rows):
        marks = BETTER
    elif 2 * sum(gain < 0 for gain in gains) > len(rows):
        marks = WORSE
    p_value = welch_p_value([row["score"] for row in rows], baseline_scores)
    return marks + (OVER_SEEDS if p_value is not None and p_value < ALPHA else "")


# ---- notes


def _notes(rows: list[Row], seeds: list[int]) -> list[str]:
    if len(seeds) > 1:
        notes = ["Mean ± standard error over each system's seeds; no ± where there is one seed."]
    elif seeds[0] > 1:
        notes = [f"Mean ± standard error over {seeds[0]} seeds."]
    else:
        notes = ["One seed a system: no standard error, and nothing is known about the variance of training."]
    baseline = rows[0]["baseline"]
    if any(row["p_value"] is not None for row in rows):
        kinds = {"bs:": "paired bootstrap", "ar:": "paired approximate randomization"}
        used = [name for key, name in kinds.items() if any(key in (row["test"] or "") for row in rows)]
        notes.append(
            f"{BETTER} better, {WORSE} worse than {baseline}: {' and '.join(used)} significant (p < {ALPHA}) "
            f"{'in the same direction for more than half of the seeds' if seeds[-1] > 1 else 'for the one seed'}; "
            "not corrected for multiple comparisons."
        )
    if seeds[-1] >= 3:
        notes.append(f"{OVER_SEEDS} differs from {baseline} over seeds (Welch's t test, p < {ALPHA}).")
    notes.append("Bold: best of the column.")
    if any(row["pieces_per_sentence_target"] is not None for row in rows):
        notes.append("Vocab: types of pieces in the training text. Pieces/sent: mean pieces of a sentence of it.")
    devices = ", ".join(str(device) for device in _distinct(rows, "device") if device)
    if devices:
        notes.append(f"Trained on {devices}. Train (min): wall-clock time of one training.")
    sharing = max((row["runs_per_gpu"] or 1 for row in rows), default=1)
    if sharing > 1:
        notes.append(
            f"Up to {sharing} jobs shared a GPU, which lengthens Train (min); GPU-hours are divided by {sharing}."
        )
    notes += _count_note(rows, "empty_hypotheses", "Empty translations")
    notes += _count_note(rows, "unknown_pieces", "Unknown pieces in translations")
    notes += _count_note(rows, "cut_sources", "Source sentences cut to the model's longest")
    return notes


def _signatures(rows: list[Row]) -> list[tuple[str, str]]:
    found = {metric: _distinct((row for row in rows if row["metric"] == metric), "signature") for metric in METRICS}
    return [(METRICS[metric].label, signature) for metric, signatures in found.items() for signature in signatures]


def _count_note(rows: list[Row], column: str, what: str) -> list[str]:
    """Return a note on what went wrong in translating, per system, when something did."""
    # A run's count stands in the row of every metric: take it once.
    counts = {(row["segmentation"], row["seed"], row["testset"]): row[column] or 0 for row in rows}
    totals: dict[str, int] = {}
    for (name, _, _), count in counts.items():
        totals[name] = totals.get(name, 0) + count
    listed = ", ".join(f"{name} {count}" for name, count in totals.items() if count)
    return [f"{what}, all test sets and seeds together: {listed}."] if listed else []
