"""Print what a paper will take before anything starts: runs, what is done, hours and disk. Starts nothing."""

from __future__ import annotations

import logging
import sys

from experiment.plan import costs
from experiment.programs import program
from experiment.training import gpu
from replication import paper, plan
from replication.plan import paper_command
from translation.model_size import interpolated


@program
def main(argv: list[str] | None = None) -> int:
    parser = paper_command("plan_paper.py", __doc__)
    parser.add_argument("--device", choices=["gpu", "cpu"], help="default: what is here")
    parser.add_argument("--at-once", type=int, metavar="N", help="trainings at once (default: what fits here)")
    arguments = parser.parse_args(argv)
    logging.disable(logging.INFO)  # fairseq's, of what it lacks
    found = paper.read(arguments.paper, arguments.scale, arguments.parts)
    device = arguments.device or ("gpu" if gpu.visible_gpus() else "cpu")
    parts = plan.plan(found, interpolated, device)
    print(f"{found.name} at scale {found.scale}: {found.title}\n")
    for table, cells in plan.unmeasured(found).items():
        few = "; ".join(cells[:3]) + ("; …" if cells[3:] else "")
        print(f"{table}: {len(cells)} published scores will have no score of ours: {few}", file=sys.stderr)
    if not parts:
        print(f"no trainings; measured: {', '.join(found.needed_measures) or 'nothing'}")
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
    trainings = arguments.at_once or costs.at_once(found.experiment.settings["runtime"], device)
    print(f"\n{costs.summary(parts, device, trainings)}")
    if any(part.hours is None for part in parts):
        print("?: nothing says how many pairs the corpus has; name them under `pairs` in the paper's file")
    print(f"measured besides the trainings: {', '.join(found.needed_measures) or 'nothing'}")
    print(costs.assumptions(device))
    return 0


if __name__ == "__main__":
    sys.exit(main())
