"""Tables of an experiment, made from scores.csv and nothing else: what each cell says (`table_formats` writes it).

Of each corpus, direction and model there are four: the scores, each system against the baseline, what differs between
the systems besides the segmentation, and their pieces, sizes and costs. A sweep of sizes has a fifth: which measure of
the pieces predicts the score.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from experiment.reporting.like_for_like import FACTS, SAME_SIZE, TOLERANCE, differing, same_size
from experiment.reporting.sizes_and_costs import Property, is_baseline, sizes_and_costs
from experiment.reporting.table import Cell, Line, Table
from experiment.scoring.comparison import BLEU_FLOOR, DIFFERENT, LEARNED_NOTHING
from experiment.scoring.contrasts import Interval
from experiment.scoring.metrics import METRICS
from experiment.scoring.prediction import FEWEST_ALGORITHMS, MEASURES, predict, swept_systems
from experiment.scoring.scorebook import Row, by_algorithm
from experiment.scoring.significance import ALPHA, mean_and_interval

#: Columns that say how systems were made, and how a warning calls their differences.
MAKING = {
    "commit": "commits of this project",
    "versions": "versions of packages",
    "precision": "precisions of training",
    "text_made_by": "programs for their texts",
    "pieces_made_by": "programs for their pieces",
    "translation_made_by": "programs for their translations",
}
#: The sign at a score: this system differs from the baseline.
DIFFERS = "†"


@dataclass(frozen=True)
class Block:
    """The tables of one corpus, direction and model."""

    corpus: str
    direction: str
    model: str
    tables: list[Table]
    signatures: list[tuple[str, str]]  # metric as it is printed, signature

    @property
    def name(self) -> str:
        return f"{self.corpus}, {self.direction}, {self.model}"


Systems = dict[str, list[Row]]
Column = tuple[str, str]  # test set, metric


def blocks(rows: Sequence[Row]) -> list[Block]:
    """Return the tables of each corpus, direction and model, in the order of `rows`."""
    keys = list(dict.fromkeys((row["corpus"], row["direction"], row["model"]) for row in rows))
    return [_block(key, [r for r in rows if (r["corpus"], r["direction"], r["model"]) == key]) for key in keys]


def _distinct(rows: Iterable[Row], name: str) -> list[Any]:
    return list(dict.fromkeys(row[name] for row in rows))


def _block(key: tuple[str, str, str], rows: list[Row]) -> Block:
    # In the order given, but all sizes of an algorithm together
    systems = {name: mine for sizes in by_algorithm(rows).values() for name, mine in sizes.items()}
    metrics = _distinct(rows, "metric")
    columns = [(testset, metric) for testset in _distinct(rows, "testset") for metric in metrics]
    tables = [_scores(systems, columns, rows), _comparison(systems, columns, rows), differences(systems)]
    tables += [sizes_and_costs(systems), _prediction(columns, rows)]
    return Block(*key, [table for table in tables if table.lines], _signatures(rows))


def _heading(column: Column) -> str:
    return f"{column[0]} {METRICS[column[1]].label}"


def _of(rows: Sequence[Row], column: Column) -> list[Row]:
    return [row for row in rows if (row["testset"], row["metric"]) == column]


# ---- scores


def _scores(systems: Systems, columns: Sequence[Column], rows: Sequence[Row]) -> Table:
    seeds = {name: len(_distinct(mine, "seed")) for name, mine in systems.items()}
    testsets = _distinct(rows, "testset")
    unseen = [Property(f"{name} unseen recall", "unseen_recall", "{:.1f}", testset=name) for name in testsets]
    recalls = [recall for recall in unseen if any(recall.value(mine) is not None for mine in systems.values())]
    several = len(set(seeds.values())) > 1
    lines = []
    for name, mine in systems.items():
        cells = [Cell(str(seeds[name]), seeds[name])] if several else []
        cells += [_score(systems, name, column) for column in columns] + [recall.cell(mine) for recall in recalls]
        lines.append(Line(name, cells, baseline=is_baseline(mine)))
    before, after = [Cell("")] * several, [Cell("")] * len(recalls)
    for bound, title in (("copied_source", "Copied source"), ("round_trip", "Reference, round trip")):
        cells = [_bound([row[bound] for row in _of(rows, column)], column[1]) for column in columns]
        if any(cell.text for cell in cells):
            lines.append(Line(title, before + cells + after, bound=True))
    headings = ["Seeds"] * several + [_heading(column) for column in columns] + [recall.heading for recall in recalls]
    signs = {cell.sign for line in lines for cell in line.cells}
    notes = _notes(systems, rows, sorted(set(seeds.values())), signs)
    return Table("scores", "Scores", headings, lines, notes)


def _score(systems: Systems, name: str, column: Column) -> Cell:
    rows = _of(systems[name], column)
    if not rows:
        return Cell("–")
    decimals = METRICS[column[1]].decimals
    mean, width = mean_and_interval([row["score"] for row in rows])
    text = _number(mean, decimals) + ("" if width is None else f" ± {width:.{decimals}f}")
    if rows[0]["verdict"] not in DIFFERENT:
        return Cell(text, mean)
    return Cell(text, mean, _bracketed_if_sizes_differ(DIFFERS, systems, rows[0]))


def _bracketed_if_sizes_differ(said: str, systems: Systems, row: Row) -> str:
    """Return what is said of a difference from the baseline, in brackets where the vocabularies differ in size."""
    sizes = [_entries(systems.get(row[each], [])) for each in ("segmentation", "baseline")]
    return said if same_size(*sizes) else f"({said})"


def _entries(rows: Sequence[Row]) -> float | None:
    """Return the entries of a system's vocabulary: of both sides where that was measured, else of the target."""
    return Property("", "vocabulary").value(rows) or Property("", "vocabulary_target").value(rows)


def _bound(values: Sequence[float | None], metric: str) -> Cell:
    """Return a bound that is the same for all systems, or from the lowest to the highest."""
    known = [value for value in values if value is not None]
    if not known:
        return Cell("")
    ends = dict.fromkeys(_number(value, METRICS[metric].decimals) for value in (min(known), max(known)))
    return Cell(" to ".join(ends), max(known))


def _number(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".replace("-", "−")


def _notes(systems: Systems, rows: Sequence[Row], seeds: list[int], signs: set[str]) -> list[str]:
    if len(seeds) > 1:
        notes = ["Mean ± half of its 95% t interval over each system's seeds; no ± where there is one seed."]
    elif seeds[0] > 1:
        notes = [f"Mean ± half of its 95% t interval over {seeds[0]} seeds."]
    else:
        notes = ["One seed a system: nothing is known about the variance of training."]
    known = {column for column in rows[0] if any(row[column] is not None for row in rows)}
    tested = "effect_p_holm" in known
    said = {
        _explained(signs, rows): tested,
        "These scores come without a comparison, so there is no sign at any of them.": not tested and len(systems) > 1,
        **dict.fromkeys(_untrained(systems, rows), True),
        "Copied source: the source sentences, scored as translations.": "copied_source" in known,
        _round_trips(systems): "round_trip" in known,
        "Unseen recall: % of the reference's words that are not in training that the translation has.": "unseen_recall"
        in known,
    }
    notes += [sentence for sentence, so in said.items() if so]
    notes += _count_note(rows, "empty_hypotheses", "Empty translations")
    notes += _count_note(rows, "unknown_pieces", "Unknown pieces in translations")
    notes += _count_note(rows, "cut_sources", "Source sentences cut to the model's longest")
    return notes + _versions(rows)


def _explained(signs: set[str], rows: Sequence[Row]) -> str:
    """Return the line that explains the sign."""
    others = len({row["segmentation"] for row in rows if row["effect"] is not None})
    over = "seeds and sentences" if any(row["over_seeds"] for row in rows) else "the sentences of the test set"
    corrected = f", corrected for comparing {others} systems" if others > 1 else ""
    text = f"{DIFFERS} differs from {_baseline(rows)} (p < {ALPHA} over {over}{corrected})"
    other_size = f"; ({DIFFERS}) the same of a system whose vocabulary is more than {SAME_SIZE} times larger or smaller"
    return f"{text}{other_size if f'({DIFFERS})' in signs else ''}."


def _untrained(systems: Systems, rows: Sequence[Row]) -> list[str]:
    nothing = [
        f"{name} ({testset})"
        for name, mine in systems.items()
        for testset in _distinct(rows, "testset")
        if any(row["verdict"] == LEARNED_NOTHING for row in mine if row["testset"] == testset)
    ]
    rule = (
        f"Their BLEU is not above twice the copied source's, not above {BLEU_FLOOR:g}, or neither significantly higher"
        " nor clearly above both in each training alone."
    )
    return [f"Learned nothing: {', '.join(nothing)}. {rule}"] if nothing else []


def _round_trips(systems: Systems) -> str:
    """Return which references do not come back as they were, by system: the lowest score of any metric."""
    lowest = {
        name: min((row["round_trip"] for row in rows if _lossy(row)), default=None) for name, rows in systems.items()
    }
    lossy = ", ".join(f"{name} {_number(value, 1)}" for name, value in lowest.items() if value is not None)
    text = "Reference, round trip: the score of the references after text form, segmentation and back"
    return text + (f"; lowest by system: {lossy}." if lossy else ".")


def _lossy(row: Row) -> bool:
    return row["round_trip"] is not None and METRICS[row["metric"]].higher_is_better and row["round_trip"] < 99.95


def _versions(rows: Sequence[Row]) -> list[str]:
    """Return a warning where compared systems were made by different versions of programs, or in another precision."""
    found = []
    for column, what in MAKING.items():
        made: dict[str, dict[str, None]] = {}
        given = [str(row[column]).split(", ") for row in rows if row.get(column)]
        common = set.intersection(*map(set, given)) if given else set()
        for row in rows:
            if row.get(column):
                own = ", ".join(part for part in str(row[column]).split(", ") if part not in common)
                made.setdefault(own or "without these", {})[row["segmentation"]] = None
        if len(made) > 1:
            listed = "; ".join(f"{version}: {', '.join(names)}" for version, names in made.items())
            found.append(f"Warning: the systems were made with different {what} ({listed}).")
    return found


def _count_note(rows: Sequence[Row], column: str, what: str) -> list[str]:
    """Return a note on what went wrong in translating, per system, when something did."""
    # A run's count is in the row of every metric: take it once.
    counts = {(row["segmentation"], row["seed"], row["testset"]): row[column] or 0 for row in rows}
    totals: dict[str, int] = {}
    for (name, _, _), count in counts.items():
        totals[name] = totals.get(name, 0) + count
    listed = ", ".join(f"{name} {count}" for name, count in totals.items() if count)
    return [f"{what}, all test sets and seeds together: {listed}."] if listed else []


# ---- against the baseline


def _comparison(systems: Systems, columns: Sequence[Column], rows: Sequence[Row]) -> Table:
    others = {name: mine for name, mine in systems.items() if any(row["effect"] is not None for row in mine)}
    lines = [Line(name, [_effect(systems, _of(mine, column)) for column in columns]) for name, mine in others.items()]
    margins = {METRICS[row["metric"]].label: row["margin"] for row in rows if row["margin"] is not None}
    listed = ", ".join(f"{margin:g} {label}" for label, margin in margins.items())
    notes = [
        f"Difference of means from {_baseline(rows)} and its 95% interval. Better, worse: p < {ALPHA}, corrected for "
        f"the number of systems (Holm), as intervals are not. Same: the interval lies within ± {listed}. Open: neither."
    ]
    if any(f"({verdict})" in cell.text for line in lines for cell in line.cells for verdict in DIFFERENT):
        notes.append(f"In brackets: one vocabulary is more than {SAME_SIZE} times as large as the other.")
    if any(row["over_seeds"] is False for row in rows):
        notes.append(
            "Differences with one seed are about these trained systems and the choice of test sentences. They say "
            "nothing about training again."
        )
    return Table("comparison", f"Against {_baseline(rows)}", [_heading(column) for column in columns], lines, notes)


def _baseline(rows: Sequence[Row]) -> str:
    """Return the baseline, what the baselines of a sweep are, or each system's own."""
    pairs = {row["segmentation"]: row["baseline"] for row in rows if row["effect"] is not None}
    names = set(pairs.values()) or {rows[0]["baseline"]}
    if len(names) == 1:
        return names.pop()
    sizes = {row["segmentation"]: row["size"] for row in rows}
    if len({sizes[name] for name in names}) == len(names) and all(sizes[one] == sizes[pairs[one]] for one in pairs):
        algorithms = {str(row["algorithm"]) for row in rows if row["segmentation"] in names}
        return f"{' or '.join(sorted(algorithms))} of the same size"
    return f"its baseline ({', '.join(f'{one}: {other}' for one, other in pairs.items())})"


def _effect(systems: Systems, rows: Sequence[Row]) -> Cell:
    if not rows or rows[0]["effect"] is None:
        return Cell("–")
    row = rows[0]
    effect = Interval.effect(row).text(METRICS[row["metric"]].decimals)
    verdict = row["verdict"]
    said = _bracketed_if_sizes_differ(verdict, systems, row) if verdict in DIFFERENT else verdict
    return Cell(f"{effect} {said}", row["effect"])


# ---- what differs besides the segmentation


def differences(systems: Systems) -> Table:
    """Return the facts in which the systems differ; without a line where there are none, or where one system is."""
    found, rows = differing(systems), [row for mine in systems.values() for row in mine]
    lines = [Line(name, [Cell(texts[index]) for texts in found.values()]) for index, name in enumerate(systems)]
    recorded = {heading: any(row[name] is not None for row in rows) for name, heading in FACTS.items()}
    equal = ", ".join(heading.lower() for heading, known in recorded.items() if known and heading not in found)
    unknown = ", ".join(heading.lower() for heading, known in recorded.items() if not known)
    notes = [f"Equal (numbers within {TOLERANCE:.0%}): {equal}."] if equal else []
    notes += [f"Not recorded: {unknown}."] if unknown else []
    return Table("differences", "What differs besides the segmentation", list(found), lines if found else [], notes)


# ---- what predicts the score


def _prediction(columns: Sequence[Column], rows: Sequence[Row]) -> Table:
    """Return how well each measure predicts the score; without a line where fewer than two algorithms have sizes."""
    found = {column: predict(swept_systems(rows, *column)) for column in columns}
    known = {column: prediction for column, prediction in found.items() if prediction}
    lines = []
    for measure, label in MEASURES.items():
        cells = [
            _correlation(interval)
            for prediction in known.values()
            for interval in (prediction.rho.get(measure), prediction.beyond_size.get(measure))
        ]
        if any(cell.value is not None for cell in cells):
            lines.append(Line(label[0].upper() + label[1:], cells))
    headings = [f"{_heading(column)}: {what}" for column in known for what in ("ρ", "ρ given entries")]
    notes = []
    for prediction in list(known.values())[:1]:
        without = f", without {prediction.untrained} that learned nothing" if prediction.untrained else ""
        notes.append(
            f"ρ: Spearman's correlation with the score, over the {prediction.systems} systems of the "
            f"{prediction.algorithms} algorithms with several sizes{without}. Given entries: the partial "
            "correlation, what a measure says beyond the entries in the vocabulary. In brackets, 95% intervals "
            "of a bootstrap of algorithms, with all their sizes, and of seeds."
        )
        if prediction.algorithms < FEWEST_ALGORITHMS:
            few = f"{prediction.algorithms} algorithms are too few for these intervals to mean anything"
            notes.append(f"{few}: take {FEWEST_ALGORITHMS} or more.")
    return Table("prediction", "What predicts the score", headings, lines, notes, "Measure")


def _correlation(interval: Interval | None) -> Cell:
    if interval is None or isnan(interval.value):
        return Cell("–")
    return Cell(interval.text(), interval.value)


def _signatures(rows: list[Row]) -> list[tuple[str, str]]:
    found = {metric: _distinct((row for row in rows if row["metric"] == metric), "signature") for metric in METRICS}
    return [(METRICS[metric].label, signature) for metric, signatures in found.items() for signature in signatures]
