"""S-BPE's Table 6: blind sheets are made from the translations, and what judges answered on them is scored."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replication.sources import Rows, Sources, measure
from subwords.errors import InputError

from ..best_bpe import BEST, best_segmentations
from . import sheets
from .answers import Outcome, score_files

if TYPE_CHECKING:
    from experiment.runs import Run


@measure("texts", "runs", "scores", "files")
def human(
    sources: Sources,
    systems: Mapping[str, str],
    sentences: Mapping[str, int],
    judges: Mapping[str, int] | None = None,
    seed: int = 1,
) -> Rows:
    """Yield wins, p-values and numbers of judged sentences of every direction that has answers (the measure's files).

    systems      {name: segmentation}, two; `best bpe` is the BPE with the best BLEU of that direction
    sentences    {direction: number of sentences}; directions that are not named have no sheets
    judges       {direction: number of sheets} [1]
    seed         of all that is drawn

    Sheets go to results/papers/sbpe/{scale}/human_evaluation/sheets, keys beside them; README.md shows the way.
    """
    home = Path("results", sources.paper.folder, "human_evaluation")
    for label, path in sources.files.items():
        if path.resolve().is_relative_to((home / "sheets").resolve()):
            where = f"{sources.paper.where}: measures.human.files.{label}"
            raise InputError(f"{where}: {path} is where new sheets are put", next_step="copy it to another folder")
    shutil.rmtree(home / "sheets", ignore_errors=True)  # keys stay: judges may have the old sheets
    (home / "sheets").mkdir(parents=True)
    best = best_segmentations(sources.scores())
    keys: list[Path] = []
    corpora: dict[str, str] = {}
    trained = {run.direction for run in sources.runs}
    for direction in sentences:
        if direction in trained:  # a scale may leave it out
            runs = chosen_runs(sources, direction, systems, best)
            corpora[direction] = next(iter(runs.values())).corpus
            keys += _make_sheets(sources, runs, sentences[direction], (judges or {}).get(direction, 1), seed, home)
    if not sources.files:
        print("no answers are given (measures.human.files): see papers/sbpe/human/README.md", file=sys.stderr)
        return
    for direction, (_, outcomes) in score_files(keys, sources.files.values()).items():
        for row in of_outcomes(outcomes):
            yield {"corpus": corpora[direction], "direction": direction} | row


def chosen_runs(
    sources: Sources, direction: str, systems: Mapping[str, str], best: Mapping[tuple[str, str], str]
) -> dict[str, Run]:
    """Return name -> run of the systems to compare, those of the first seed. Raises InputError where one is not run."""
    runs = [run for run in sources.runs if run.direction == direction]
    found: dict[str, Run] = {}
    for name, wanted in systems.items():
        for run in runs:
            place = (run.corpus, direction)
            if run.segmentation == (best.get(place) if wanted == BEST else wanted):
                found.setdefault(name, run)
        if name not in found:
            raise InputError(
                f"{sources.paper.where}: measures.human: no run of {wanted} in {direction}",
                allowed=", ".join(dict.fromkeys(run.segmentation for run in runs)) or "directions of its grids",
            )
    return found


def _make_sheets(
    sources: Sources, runs: Mapping[str, Run], number: int, judges: int, seed: int, home: Path
) -> list[Path]:
    """Make the sheets of one direction; return the path of their key, or nothing where there is nothing to judge."""
    first = next(iter(runs.values()))
    testset = sources.test_sets(first.corpus, first.direction)[0]
    form = sources.experiment.segmentations[first.segmentation].text
    texts = {
        "train": sources.text_folder(first.corpus, first.pair, form) / f"train.{first.source}",
        "test": sources.test_text(first, testset, first.source, as_it_came=False),
        "source": sources.test_text(first, testset, first.source),
    }
    outputs = {name: sources.hypotheses(run, testset) for name, run in runs.items()}
    _, paths = sheets.sheets_from_files(home, first.direction, texts, outputs, number, judges, seed=seed)
    if not paths:
        print(f"{first.direction}: no sentence with an unknown word has two different outputs", file=sys.stderr)
    return paths[-1:]


def of_outcomes(outcomes: Sequence[Outcome]) -> Iterator[dict[str, Any]]:
    """Yield the measurements of one direction: shares of the sentences with an answer to that question."""
    for outcome in outcomes:
        if not outcome.evaluated:
            continue
        yield {"metric": f"answers_{outcome.question}", "value": outcome.evaluated}
        for place, system in enumerate(outcome.systems):
            keys = {"segmentation": system, "algorithm": system}
            yield keys | {"metric": f"wins_{outcome.question}", "value": outcome.share(place)}
            if place:  # tests and marks belong to the second system, as in the paper
                yield keys | {"metric": f"p_{outcome.question}", "value": outcome.p_value}
                yield keys | {"metric": f"p_{outcome.question}_one_sided", "value": outcome.p_one_sided}
    if any(outcome.evaluated for outcome in outcomes):
        yield {"metric": "evaluated_sentences", "value": max(outcome.evaluated for outcome in outcomes)}
