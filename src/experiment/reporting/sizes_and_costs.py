"""The table of what systems are besides their scores: their pieces, their sizes, and what their training cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from experiment.reporting.table import Cell, Line, Table
from experiment.scoring.scorebook import Row


@dataclass(frozen=True)
class Property:
    """A column that describes a system: the mean over its seeds of one column of scores.csv."""

    heading: str
    column: str
    style: str = "{:,.0f}"
    scale: float = 1.0
    on_gpu: bool | None = None  # only of runs on a GPU, or only of others
    testset: str | None = None  # only of this one, where a column has a value for each

    def value(self, rows: Sequence[Row]) -> float | None:
        mine = [row for row in rows if self.on_gpu in (None, bool(row["gpus"]))]
        by_seed = {row["seed"]: row[self.column] for row in mine if self.testset in (None, row["testset"])}
        values = [value * self.scale for value in by_seed.values() if value is not None]
        return sum(values) / len(values) if values else None

    def cell(self, rows: Sequence[Row]) -> Cell:
        value = self.value(rows)
        return Cell("–" if value is None else self.style.format(value), value)


_PROPERTIES = [
    Property("Vocab", "vocabulary"),
    Property("Vocab src", "vocabulary_source"),
    Property("Vocab tgt", "vocabulary_target"),
    Property("Pieces/sent src", "pieces_per_sentence_source", "{:.1f}"),
    Property("Pieces/sent tgt", "pieces_per_sentence_target", "{:.1f}"),
    Property("Boundary F1", "boundary_f1_target", "{:.1f}", 100),
    Property("Overlap", "vocabulary_overlap", "{:.2f}"),
    Property("Params (M)", "parameters", "{:.2f}", 1e-6),
    Property("Train (min)", "train_seconds", "{:.1f}", 1 / 60),
    Property("Train CPU (min)", "cpu_seconds", "{:.1f}", 1 / 60, on_gpu=False),
    Property("GPU-hours", "gpu_hours", "{:.2f}", on_gpu=True),
    Property("Train PFLOP", "training_flops", "{:.3g}", 1e-15),
    Property("kWh", "energy_kwh", "{:.3g}"),
]


def sizes_and_costs(systems: Mapping[str, Sequence[Row]]) -> Table:
    """Return the table; without a line where nothing of it is known."""
    rows = [row for mine in systems.values() for row in mine]
    shown = [column for column in _PROPERTIES if any(column.value(mine) is not None for mine in systems.values())]
    if all(row["joint"] and row["vocabulary"] for row in rows):  # those of each side are among what differs
        shown = [column for column in shown if column.column not in ("vocabulary_source", "vocabulary_target")]
    lines = [Line(name, [column.cell(mine) for column in shown], is_baseline(mine)) for name, mine in systems.items()]
    headings = [column.heading for column in shown]
    return Table("costs", "Pieces, sizes and costs", headings, lines if shown else [], _notes(rows))


def is_baseline(rows: Sequence[Row]) -> bool:
    """Whether these rows of one system are a baseline's."""
    return bool(rows[0]["segmentation"] == rows[0]["baseline"])


def _notes(rows: Sequence[Row]) -> list[str]:
    known = {column for column in rows[0] if any(row[column] is not None for row in rows)}
    devices = ", ".join(dict.fromkeys(str(row["device"]) for row in rows if row["device"]))
    sharing = max(row["runs_per_gpu"] or 1 for row in rows)
    said = {
        "Vocab: types of pieces in the training text, both sides together unless it says otherwise. Pieces/sent: mean "
        "pieces of a sentence of that text.": "pieces_per_sentence_target" in known,
        "Overlap: share of the types of pieces that are in both sides of training.": "vocabulary_overlap" in known,
        f"Trained on {devices}. Train (min): wall-clock time of one training.": bool(devices),
        "Train PFLOP: 10^15 floating-point operations, estimated as 6 x weights x pieces.": "training_flops" in known,
        f"Up to {sharing} jobs shared a GPU, which lengthens Train (min); GPU-hours are divided by {sharing}.": sharing
        > 1,
    }
    return [sentence for sentence, so in said.items() if so]
