"""Print what an experiment or a paper will take: trainings, what is done, hours, disk. Starts nothing.

Of an experiment, also how its systems differ besides the segmentation; of a paper, also the published scores beside
which there will be none of ours.
"""

from __future__ import annotations

import logging
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.filesize import decimal as size_label
from tabulate import tabulate

from experiment.config import Experiment
from experiment.plan import costs
from experiment.programs import command_line, program
from experiment.reporting.like_for_like import differing, planned, warnings
from experiment.scoring.metrics import METRICS
from experiment.training import gpu
from replication.measurements import frame, matching, records, together
from replication.paper import SCORES, Paper, experiment_or_paper
from replication.sources import Sources
from replication.tables import of_value

#: Return rows as text, each column as wide as its widest cell.
columns = partial(tabulate, tablefmt="plain", disable_numparse=True)


def show_costs(parts: Sequence[costs.Part]) -> None:
    rows = [["corpus", "pair", "model", "runs", "done", "params", "hours", "stays"]]
    for part in parts:
        size = [f"{part.parameters / 1e6:.1f} M", costs.hours_label(part.hours), size_label(int(part.stays))]
        rows.append([part.corpus, part.direction, part.model, str(part.runs), str(part.done), *size])
    print(f"\n{columns(rows)}")
    if any(part.hours is None for part in parts):
        print("?: the corpus's number of pairs is unknown; a paper's file names them under `pairs`")


def show_differences(experiment: Experiment, file: Path, settings: Sequence[str], count: costs.ParameterCount) -> None:
    """Print what differs between systems besides the segmentation; `file` and `settings` are those of the call."""
    alike: dict[str, list[str]] = {}
    for block, systems in planned(experiment, count).items():
        found = differing(systems)
        rows = [["", *found], *([name, *(texts[n] for texts in found.values())] for n, name in enumerate(systems))]
        described = columns(rows) if found else "  nothing that is known before training"
        alike.setdefault(described, []).append(", ".join(block))
    for described, blocks in alike.items():
        print("", *blocks, f"what differs besides the segmentation:\n{described}", sep="\n")
    for name, recipe in experiment.recipes.items():
        for warning in warnings(recipe["flags"]):
            print(f"\n{name}: {warning}")
    if any(not Path(run.stats_json or "").is_file() for run in experiment.runs):
        print("\nThe entries really in the vocabularies, and parameters, are known after this command:")
        config = f" --config {shlex.join(settings)}" if settings else ""
        print(f"  .venv/bin/snakemake --cores 2 segmentation --configfile {shlex.quote(str(file))}{config}")


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
            if missing := [score for score in scores if of_value({**score, "seed": None}, trained).empty]:
                found[name] = [f"{score['row']}, {score['column']}" for score in missing]
    return found


@program
def main(argv: list[str] | None = None) -> None:
    command = command_line(__doc__)
    command.add_argument(
        "--configfile", type=Path, default=Path("config/config.yaml"), help="the experiment's or paper's file"
    )
    command.add_argument("--config", nargs="+", default=[], metavar="KEY=VALUE", help="settings in place of the file's")
    command.add_argument("--device", choices=["gpu", "cpu"], help="default: what is here")
    command.add_argument("--at-once", type=int, metavar="N", help="trainings at once (default: what fits here)")
    arguments = command.parse_args(argv)
    logging.disable(logging.INFO)  # fairseq's, of what it lacks
    from translation.model_size import count_parameters  # imports fairseq: not where the call has a mistake

    found = experiment_or_paper(arguments.configfile, arguments.config)
    paper, experiment = (None, found) if isinstance(found, Experiment) else (found, found.experiment)
    device = arguments.device or ("gpu" if gpu.visible_gpus() else "cpu")
    known = partial(printed_pairs, paper) if paper else costs.nothing_known
    parts = costs.costs(experiment, count_parameters, device, known=known) if not paper or paper.uses_scores else []
    for table, cells in unmeasured(paper).items() if paper else ():
        few = "; ".join(cells[:3]) + ("; …" if cells[3:] else "")
        print(f"{table}: {len(cells)} published scores will have no score of ours: {few}", file=sys.stderr)
    name = f"{paper.name} at scale {paper.scale}" if paper else experiment.name
    trainings = arguments.at_once or costs.at_once(experiment.settings["runtime"], device)
    print(f"{name}: {costs.summary(parts, device, trainings) if parts else 'no trainings'}")
    if parts:
        show_costs(parts)
    if paper:
        print(f"\nmeasured besides the trainings: {', '.join(paper.needed_measures) or 'nothing'}")
    if parts:
        show_differences(experiment, arguments.configfile, arguments.config, count_parameters)
        print(f"\n{costs.assumptions(device)}")


if __name__ == "__main__":
    raise SystemExit(main())
