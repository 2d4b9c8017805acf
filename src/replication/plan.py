"""What a paper will take before anything starts, and which published scores will have none of ours beside them."""

from __future__ import annotations

import argparse

from experiment.plan.costs import ParameterCount, Part, costs
from experiment.scoring.metrics import METRICS
from replication.measurements import frame, matching, records, together
from replication.paper import SCORES, Paper
from replication.sources import Sources
from replication.tables import of_value


def plan(paper: Paper, count: ParameterCount, device: str, rate: float | None = None) -> list[Part]:
    """Return the parts of a paper's trainings. `device` is gpu or cpu; `rate` its operations per second."""
    return costs(paper.experiment, count, device, rate, lambda corpus: printed_pairs(paper, corpus)) * paper.uses_scores


def printed_pairs(paper: Paper, corpus: str) -> int | None:
    """Return a corpus's training pairs as the paper's file says, or as the paper prints them."""
    if (found := paper.pairs.get(corpus)) or corpus in paper.experiment.group_names:
        return found
    printed = matching(together(paper.printed.values()), metric="sentences", corpus=corpus, split="train")["value"]
    return None if printed.dropna().empty else int(printed.max())


def unmeasured(paper: Paper) -> dict[str, list[str]]:
    """Return, by table, the published scores that will have none of ours beside them, as "row, column".

    A system that the file does not name, or not in a grid (a typing error, or a row that was left out), is not trained.
    """
    translations = Sources(paper, SCORES).translations()
    metrics = paper.experiment.settings["metrics"]
    trained = frame(keys | {"metric": name, "value": 0} for _, _, keys in translations for name in metrics)
    found = {}
    for name, table in paper.tables.items():
        if SCORES in table.needs and (table.shows or name) in paper.printed:
            scores = records(matching(paper.printed[table.shows or name], metric=list(METRICS)))
            missing = [score for score in scores if of_value({**score, "seed": None}, trained).empty]
            found[name] = [f"{score['row']}, {score['column']}" for score in missing]
    return {name: missing for name, missing in found.items() if missing}


def paper_command(program: str, description: str | None) -> argparse.ArgumentParser:
    """Return the command line of a program that takes a paper and a scale."""
    command = argparse.ArgumentParser(prog=program, description=description)
    command.add_argument("--paper", required=True, metavar="NAME", help="a folder of papers/, or its experiment.yaml")
    command.add_argument("--scale", help="default: the file's")
    command.add_argument("--parts", nargs="+", default=[], metavar="NAME", help="only what needs no other source")
    return command
