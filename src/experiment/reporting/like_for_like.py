"""What differs between compared systems besides the segmentation. The plan, tables and report show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.scoring.piece_statistics import PieceStatistics
from experiment.training.fairseq_flags import update_frequencies

if TYPE_CHECKING:
    from experiment.config import Experiment
    from experiment.plan.costs import ParameterCount

#: Column of scores.csv -> how it is printed. What a plan knows of a system has the same names.
FACTS = {
    "text": "Text form",
    "joint": "Joint",
    "vocabulary": "Vocabulary",
    "vocabulary_source": "Vocabulary src",
    "vocabulary_target": "Vocabulary tgt",
    "parameters": "Parameters",
    "updates": "Updates",
    "sentences_seen": "Sentences seen",
    "pieces_seen": "Target pieces seen",
    "stopped_early": "Stopped early",
}
#: Numbers that differ by less than this share count as equal.
TOLERANCE = 0.02
#: Vocabularies that differ by a larger factor make two systems different in size.
SAME_SIZE = 1.25


def differing(systems: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[str]]:
    """Return heading -> a text for each system, of the facts in which the systems are not alike.

    `systems` maps a name to facts by the names of `FACTS`, one mapping for each run (a plan has one). A fact that one
    system lacks is compared between the others.

    >>> differing({"bpe": [{"text": "moses", "joint": True}], "unigram": [{"text": "raw", "joint": True}]})
    {'Text form': ['moses', 'raw']}
    """
    found = {}
    for name, heading in FACTS.items():
        values = [_value([run.get(name) for run in runs]) for runs in systems.values()]
        known = [value for value in values if value is not None]
        if known and not _alike(known):
            found[heading] = [_text(value) for value in values]
    return found


Planned = dict[str, list[dict[str, Any]]]


def planned(experiment: Experiment, count: ParameterCount) -> dict[tuple[str, str, str], Planned]:
    """Return what is known of the systems of each corpus, direction and model before they are trained.

    Entries of vocabularies, and parameters, are known where the segmentation has been learned; updates and sentences
    where the recipe says them, and not where batches are measured in pieces or where training may stop early. (Where
    the pieces have a mark that is a symbol of fairseq's own, `<unk>`, its dictionary may be eight entries smaller.)
    """
    found: dict[tuple[str, str, str], Planned] = {}
    for run in experiment.runs:
        entry, flags = experiment.segmentations[run.segmentation], experiment.recipes[run.model]["flags"]
        learned = run.stats_json if Path(run.stats_json or "").is_file() else None
        pieces = PieceStatistics.read(learned, run.direction)
        facts = {"text": entry.text, "joint": entry.joint, **planned_exposure(flags)}
        sizes = {side: statistics.vocabulary for side, statistics in pieces.sides.items()}
        facts |= {f"vocabulary_{side}": size for side, size in sizes.items()} | {"vocabulary": pieces.entries}
        source, target = (pieces.entries,) * 2 if entry.joint else sizes.values()
        facts["parameters"] = count(flags, entry.joint, source, target) if source and target else None
        found.setdefault(run.block, {}).setdefault(run.segmentation, []).append(facts)
    return found


def planned_exposure(flags: Mapping[str, Any]) -> dict[str, int | None]:
    """Return the updates and sentences that a recipe names for every system; None for what depends on the system."""
    updates = flags.get("max-update") if not stops_early(flags) else None
    by_sentences = flags.get("batch-size") and not flags.get("max-tokens")
    summed = update_frequencies(flags)
    batch = flags["batch-size"] * summed[0] if by_sentences and len(summed) == 1 else None
    return {"updates": updates, "sentences_seen": updates and batch and updates * batch}


def stops_early(flags: Mapping[str, Any]) -> bool:
    """Return whether a recipe has early stopping; fairseq's patience of -1 is none."""
    return (flags.get("patience") or 0) > 0


def warnings(flags: Mapping[str, Any]) -> list[str]:
    """Return how a recipe lets the segmentation decide how long a system is trained, in words."""
    found = []
    if flags.get("max-tokens"):
        found.append(
            f"batches of {flags['max-tokens']} pieces (max-tokens) hold fewer sentences the more pieces a sentence has;"
            " batch-size counts sentences"
        )
    if stops_early(flags):
        found.append(f"early stopping (patience {flags['patience']}) gives each system a length of its own")
    if not flags.get("max-update") and flags.get("max-tokens"):
        found.append("without max-update, a system has the more updates the more pieces a sentence has")
    return found


def same_size(one: float | None, other: float | None) -> bool:
    """Return whether two vocabularies are about equally large; unknown sizes count as equal."""
    return not (one and other) or max(one, other) <= SAME_SIZE * min(one, other)


def _value(values: Sequence[Any]) -> Any:
    """Return what several runs have in common: the mean of numbers, `some` where only some runs are true."""
    given = [value for value in values if value is not None]
    if not given:
        return None
    if isinstance(given[0], bool):
        return given[0] if len(set(given)) == 1 else "some"
    if isinstance(given[0], int | float):
        return sum(given) / len(given)
    return ", ".join(dict.fromkeys(map(str, given)))


def _alike(values: Sequence[Any]) -> bool:
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return max(values) - min(values) <= TOLERANCE * max(values)
    return len(set(values)) == 1


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.0f}" if isinstance(value, int | float) else str(value)
