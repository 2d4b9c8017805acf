"""What a paper will take before anything starts, and which published scores will have none of ours beside them."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from experiment.plan.costs import ParameterCount, Part, costs
from experiment.runs import Run
from experiment.scoring.metrics import METRICS
from replication.measurements import KEYS, filled, matching, records, together
from replication.paper import SCORES, Paper


def plan(paper: Paper, count: ParameterCount, device: str, rate: float | None = None) -> list[Part]:
    """Return the parts of a paper's trainings. `device` is gpu or cpu; `rate` its operations per second."""
    return costs(paper.experiment, count, device, rate, lambda corpus: printed_pairs(paper, corpus)) * paper.uses_scores


def printed_pairs(paper: Paper, corpus: str) -> int | None:
    """Return a corpus's training pairs as the paper's file says, or as the paper prints them."""
    if (found := paper.pairs.get(corpus)) or corpus in paper.experiment.group_names:
        return found
    printed = matching(together(paper.printed.values()), metric="sentences", corpus=corpus, split="train")["value"]
    return None if printed.dropna().empty else int(printed.max())


def unmeasured(paper: Paper) -> dict[str, Counter[str]]:
    """Return, by table, why published scores will have none of ours beside them, and how many each reason concerns.

    A system that the file does not name, or not in a grid (a typing error, or a row that was left out), is not trained.
    """
    found: dict[str, Counter[str]] = {}
    trained = [_described(paper, run) for run in paper.experiment.runs]
    for name, table in paper.tables.items():
        shown = paper.printed.get(table.shows or name)
        if shown is None or SCORES not in table.needs:
            continue
        scores = matching(shown, metric=list(METRICS))
        reasons = Counter(_why_unmeasured(paper, cell, trained) for cell in records(scores))
        del reasons[""]
        if reasons:
            found[name] = reasons
    return found


def _described(paper: Paper, run: Run) -> dict[str, Any]:
    """Return what published values may say of a run. A group is scored in the directions of its members."""
    group = run.corpus in paper.experiment.group_names
    algorithm = paper.experiment.segmentations[run.segmentation].algorithm
    keys = ("corpus", "direction", "model", "segmentation", "algorithm", "size")
    values = (run.corpus, "" if group else run.direction, run.model, run.segmentation, algorithm)
    return dict(zip(keys, (*values, paper.sizes[run.segmentation] or ""), strict=True))


def _why_unmeasured(paper: Paper, cell: Mapping[Any, Any], trained: Sequence[Mapping[str, Any]]) -> str:
    """Return why no run has a published score: what no run has, else what no run has together; empty if one has it."""
    metrics = paper.experiment.settings["metrics"]
    if cell["metric"] not in metrics:
        return f"{cell['metric']} is not among `metrics` ({', '.join(metrics)})"
    given = filled({key: cell[key] for key in KEYS if key not in ("metric", "seed")})
    asked = paper.sizes.get(cell["segmentation"])
    if asked and given.get("size", asked) != asked:
        return f"{cell['segmentation']} asks for {asked} and not for {given['size']}"
    if any(all(run[key] in ("", wanted) for key, wanted in given.items()) for run in trained):
        return ""
    alone = [key for key, wanted in given.items() if all(run[key] != wanted for run in trained)]
    return "no training with " + ", ".join(f"{key} {given[key]}" for key in alone or given)


def paper_command(program: str, description: str | None) -> argparse.ArgumentParser:
    """Return the command line of a program that takes a paper and a scale."""
    command = argparse.ArgumentParser(prog=program, description=description)
    command.add_argument("--paper", required=True, metavar="NAME", help="a folder of papers/, or its experiment.yaml")
    command.add_argument("--scale", help="default: the file's")
    command.add_argument("--parts", nargs="+", default=[], metavar="NAME", help="only what needs no other source")
    return command
