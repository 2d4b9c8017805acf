"""Print what a paper will take before anything starts: runs, what is done, hours and disk. Starts nothing."""

from __future__ import annotations

import logging
import sys
from functools import partial

from experiment.plan import costs
from experiment.programs import program
from experiment.scoring.metrics import METRICS
from experiment.training import gpu
from replication.measurements import frame, matching, records, together
from replication.paper import SCORES, Paper, command_line, read
from replication.sources import Sources
from replication.tables import of_value
from translation.model_size import interpolated


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


@program
def main(argv: list[str] | None = None) -> int:
    parser = command_line("plan_paper.py", __doc__)
    parser.add_argument("--device", choices=["gpu", "cpu"], help="default: what is here")
    parser.add_argument("--at-once", type=int, metavar="N", help="trainings at once (default: what fits here)")
    arguments = parser.parse_args(argv)
    logging.disable(logging.INFO)  # fairseq's, of what it lacks
    paper = read(arguments.paper, arguments.scale, arguments.parts)
    device = arguments.device or ("gpu" if gpu.visible_gpus() else "cpu")
    known = partial(printed_pairs, paper)
    parts = costs.costs(paper.experiment, interpolated, device, known=known) if paper.uses_scores else []
    print(f"{paper.name} at scale {paper.scale}: {paper.title}\n")
    for table, cells in unmeasured(paper).items():
        few = "; ".join(cells[:3]) + ("; …" if cells[3:] else "")
        print(f"{table}: {len(cells)} published scores will have no score of ours: {few}", file=sys.stderr)
    if not parts:
        print(f"no trainings; measured: {', '.join(paper.needed_measures) or 'nothing'}")
        return 0
    wide = max([6, *(len(part.corpus) for part in parts)])
    model = max([5, *(len(part.model) for part in parts)])
    names = f"{'corpus':{wide}}  {'pair':7}  {'model':{model}}"
    print(f"{names}  {'runs':>5}  {'done':>5}  {'params':>8}  {'hours':>9}  {'stays':>8}")
    for part in parts:
        print(
            f"{part.corpus:{wide}}  {part.direction:7}  {part.model:{model}}  {part.runs:5}  {part.done:5}"
            f"  {part.parameters / 1e6:6.1f} M  {costs.hours_label(part.hours):>9}  {part.stays / 1e9:5.1f} GB"
        )
    trainings = arguments.at_once or costs.at_once(paper.experiment.settings["runtime"], device)
    print(f"\n{costs.summary(parts, device, trainings)}")
    if any(part.hours is None for part in parts):
        print("?: nothing says how many pairs the corpus has; name them under `pairs` in the paper's file")
    print(f"measured besides the trainings: {', '.join(paper.needed_measures) or 'nothing'}")
    print(costs.assumptions(device))
    return 0


if __name__ == "__main__":
    sys.exit(main())
