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


def hours(number: float | None) -> str:
    return "?" if number is None else f"{number:,.1f}" if number >= 0.1 else f"{number:.2f}"


@program
def main(argv: list[str] | None = None) -> int:
    parser = paper_command("plan_paper.py", __doc__)
    parser.add_argument("--device", choices=["gpu", "cpu"], help="default: what is here")
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
            f"  {part.parameters / 1e6:6.1f} M  {hours(part.hours):>9}  {part.stays / 1e9:5.1f} GB"
        )
    known = [part.hours for part in parts if part.hours is not None]
    unknown = len(parts) - len(known)
    total = f"about {hours(sum(known))}" if known else "an unknown number of"
    print(
        f"\n{sum(part.runs for part in parts)} trainings, {sum(part.done for part in parts)} of them done; {total}"
        f" {device.upper()}-hours for the rest{f' (without {unknown} lines marked ?)' if known and unknown else ''},"
        f" {costs.disk(parts)}"
    )
    if unknown:
        print("?: nothing says how many pairs the corpus has; name them under `pairs` in the paper's file")
    print(f"measured besides the trainings: {', '.join(found.needed_measures) or 'nothing'}")
    print(
        f"assumed: {costs.RATE[device] / 1e12:g} TFLOP/s on a {device.upper()}, 6 operations per parameter and token,\n"
        f"{costs.PIECES_PER_SENTENCE} pieces a sentence, {costs.OVERHEAD_SECONDS[device]} s a training besides its"
        " updates"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
