"""S-BPE's Table 6: blind sheets are made from the translations, and what judges answered on them is scored."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pandas import DataFrame

from replication.sources import Rows, Sources, measure
from subwords.errors import InputError, check_known

from ..best_bpe import BEST, best_segmentations
from .answers import score_files
from .sheets import write_sheets


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
    for direction in sentences:
        runs = {run.segmentation: run for run in reversed(sources.runs) if run.direction == direction}
        if not runs:
            continue  # a scale may leave it out
        first = next(iter(runs.values()))
        corpora[direction] = first.corpus
        names = [best[first.corpus, direction] if name == BEST else name for name in systems.values()]
        check_known(f"segmentation of measures.human in {direction}:", names, runs)
        testset = sources.test_sets(first.corpus, direction)[0]
        test = sources.test_text(first, testset, first.source, as_it_came=False)
        texts = {
            "train": test.with_name(f"train.{first.source}"),
            "test": test,
            "source": sources.test_text(first, testset, first.source),
        }
        outputs = {name: sources.hypotheses(runs[wanted], testset) for name, wanted in zip(systems, names, strict=True)}
        key = write_sheets(
            home, direction, texts, outputs, sentences[direction], (judges or {}).get(direction, 1), seed
        )
        if key is None:
            print(f"{direction}: no sentence with an unknown word has two different outputs", file=sys.stderr)
        keys += [key] if key else []
    if not sources.files:
        print("no answers are given (measures.human.files): see papers/sbpe/human/README.md", file=sys.stderr)
        return
    outcomes = score_files(keys, sources.files.values())
    for direction, corpus in corpora.items():
        for row in of_outcomes(outcomes[outcomes["direction"] == direction]):
            yield {"corpus": corpus, "direction": direction} | row


def of_outcomes(outcomes: DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the measurements of one direction: shares of the sentences with an answer to that question.

    Tests and marks belong to the second system, as in the paper.
    """
    for found in outcomes[outcomes["evaluated"] > 0].to_dict("records"):
        question, evaluated = found["question"], found["evaluated"]
        yield {"metric": f"answers_{question}", "value": evaluated}
        for place in (1, 2):
            system = found[f"system_{place}"]
            keys = {"segmentation": system, "algorithm": system}
            yield keys | {"metric": f"wins_{question}", "value": found[f"wins_{place}"] / evaluated}
        yield keys | {"metric": f"p_{question}", "value": found["p_value"]}
        yield keys | {"metric": f"p_{question}_one_sided", "value": found["p_one_sided"]}
    if outcomes["evaluated"].any():
        yield {"metric": "evaluated_sentences", "value": outcomes["evaluated"].max()}
