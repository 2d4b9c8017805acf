"""Table 6 of S-BPE: blind sheets are made from the translations, and what judges answered on them is scored.

Sheets go to results/papers/{paper}/{scale}/human_evaluation/sheets, keys beside them; docs/human-evaluation.md shows
the way. Answers are given as the analysis's `files` (any label); without any, nothing is measured.

Options:

    systems       {name: segmentation}, two; `best bpe` is the BPE with the best BLEU of that direction
    sentences     {direction: number of sentences}; directions that are not named have no sheets
    judges        {direction: number of sheets} [1]
    seed          of all that is drawn [1]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.layout import reference, text_folder
from experiment.runs import Run
from papers.measures.segmenters import BEST, best_segmentations
from papers.measures.unknown_words import words_of
from papers.people import sheets
from papers.people.answers import Outcome, score_files
from subwords.errors import InputError
from subwords.files import read_lines

if TYPE_CHECKING:
    from papers.inputs import Inputs

METRICS = {"word": "wins_word", "sentence": "wins_sentence"}


def measure(inputs: Inputs, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield wins, p-values and numbers of judged sentences of every direction that has answers."""
    best = best_segmentations(inputs.scores())
    (home(inputs) / "sheets").mkdir(parents=True, exist_ok=True)
    keys: list[Path] = []
    corpora: dict[str, str] = {}
    trained = {run.direction for run in inputs.runs}
    for direction, number in options["sentences"].items():
        if direction not in trained:  # a scale may leave it out
            continue
        systems = chosen_runs(inputs, direction, options["systems"], best)
        corpora[direction] = inputs.paper.paper_corpus(next(iter(systems.values())).corpus)
        key = make_sheets(inputs, systems, number, options.get("judges", {}).get(direction, 1), options.get("seed", 1))
        keys += [key] if key else []
    if not inputs.files:
        print(f"no answers are given (analyses.{inputs.name}.files): see docs/human-evaluation.md", file=sys.stderr)
        return
    for direction, (_, outcomes) in score_files(keys, inputs.files.values()).items():
        for row in of_outcomes(outcomes):
            yield {"corpus": corpora[direction], "direction": direction} | row


def home(inputs: Inputs) -> Path:
    """Return the folder of sheets and keys. Keys stay when sheets are made anew: judges may have the old ones."""
    return Path("results", inputs.paper.folder, "human_evaluation")


def chosen_runs(
    inputs: Inputs, direction: str, systems: Mapping[str, str], best: Mapping[tuple[str, str], str]
) -> dict[str, Run]:
    """Return name -> run of the systems to compare, those of the first seed. Raises InputError where one is not run."""
    runs = [run for run in inputs.runs if run.direction == direction]
    found: dict[str, Run] = {}
    for name, wanted in systems.items():
        for run in runs:
            place = (inputs.paper.paper_corpus(run.corpus), direction)
            if run.segmentation == (best.get(place) if wanted == BEST else wanted):
                found.setdefault(name, run)
        if name not in found:
            raise InputError(
                f"{inputs.paper.where}: analyses.{inputs.name}: no run of {wanted} in {direction}",
                allowed=", ".join(dict.fromkeys(run.segmentation for run in runs)) or "directions of its grids",
            )
    return found


def make_sheets(inputs: Inputs, systems: Mapping[str, Run], number: int, judges: int, seed: int) -> Path | None:
    """Make the sheets of one direction; return the path of their key, or None where there is nothing to judge."""
    first = next(iter(systems.values()))
    (testset,) = inputs.experiment.test_sets(first.corpus, first.direction)[:1]
    folder = text_folder(first.corpus, first.pair, inputs.experiment.segmentations[first.segmentation].text)
    paths = {
        "train": f"{folder}/train.{first.source}",
        "test": f"{folder}/{testset}.{first.source}",
        "source": reference(first.corpus, first.pair, testset, first.source),
        **{name: f"{run.folder}/{testset}.hyp" for name, run in systems.items()},
    }
    source, test, *outputs = (list(read_lines(paths[name])) for name in ("source", "test", *systems))
    found = sheets.candidates(source, test, words_of(Path(paths["train"])), (outputs[0], outputs[1]), seed)
    if not found.items:
        print(f"{first.direction}: no sentence with an unknown word has two different outputs", file=sys.stderr)
        return None
    made = sheets.make_sheets(first.direction, sheets.draw(found.items, number, seed), judges, seed=seed)
    names = tuple(systems)
    key = sheets.key(made, (names[0], names[1]), found, direction=first.direction, seed=seed, files=paths)
    return sheets.write_sheets(home(inputs), made, key, first.source, first.target)[-1]


def of_outcomes(outcomes: Sequence[Outcome]) -> Iterator[dict[str, Any]]:
    """Yield the measurements of one direction: shares of the sentences with an answer to that question."""
    for outcome in outcomes:
        if not outcome.evaluated:
            continue
        yield {"metric": f"answers_{outcome.question}", "value": outcome.evaluated}
        for place, system in enumerate(outcome.systems):
            keys = {"segmentation": system, "algorithm": system}
            yield keys | {"metric": f"wins_{outcome.question}", "value": outcome.share(place)}
            if place:  # tests and marks stand at the second system, as in the paper
                yield keys | {"metric": f"p_{outcome.question}", "value": outcome.p_value}
                yield keys | {"metric": f"p_{outcome.question}_one_sided", "value": outcome.p_one_sided}
    if any(outcome.evaluated for outcome in outcomes):
        yield {"metric": "evaluated_sentences", "value": max(outcome.evaluated for outcome in outcomes)}
