"""Four things to do when there is a GPU, in this order; each leaves a record with hardware, versions, time and command.

python -m benchmarks.gpu --step 1     does it translate as the CPU does? (same weights, beam 5, 200 sentences, fp32)
python -m benchmarks.gpu --step 2     HFT's Table 1 in full: 4 directions, 2 tokenizers, 5 seeds
python -m benchmarks.gpu --step 3     all twelve segmentations (config/experiments/all-segmentations.yaml)
python -m benchmarks.gpu --step 4     throughput of transformer-base: fairseq's own flags against the best ones here

Each call takes at most --minutes and ends with status 3 when there is more to do: the same command again goes on.
Records go to docs/reproductions/. Without a GPU, `--scale cpu` runs steps 1 to 3 as large as one core can in an hour or
two, and `--scale smoke --output DIR` goes through all four in minutes.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from experiment.programs import program
from subwords.errors import InputError

from . import experiments, speed, translations
from .call import ROOT, Call, OutOfTime

SCALES = ("full", "cpu", "smoke")
STEPS = {
    1: ("translations", translations.run),
    2: ("hft-table1", experiments.run_paper),
    3: ("all-segmentations", experiments.run_experiment),
    4: ("throughput", speed.run),
}


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.add_argument("--step", type=int, choices=STEPS, required=True)
    command.add_argument("--minutes", type=float, default=9.0, help="of this call (9)")
    command.add_argument("--output", type=Path, default=ROOT / "docs" / "reproductions", help="where records go")
    command.add_argument(
        "--scale", choices=SCALES, default="full", help="cpu: steps 1 to 3 in an hour or two of a core; smoke: tiny"
    )
    command.add_argument("--device", choices=["auto", "cuda", "cpu"], default="auto")
    command.add_argument(
        "--jobs", type=int, metavar="N", help="trainings that share the card, steps 2 and 3 (half the cores)"
    )
    command.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)), help="processor cores (all)")
    command.add_argument("--mirror", metavar="DIR", help="folder that downloads are taken from")
    command.add_argument("--experiment", type=Path, metavar="FILE", help="another experiment file for step 3")
    return command


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run one step for as long as it may take."""
    arguments = parser().parse_args(argv)
    if "cpu" in (arguments.device, arguments.scale):
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # before torch looks for a card
    import torch

    if arguments.scale == "cpu" and arguments.step == 4:
        raise InputError("step 4 has no scale cpu: it is about a card", allowed="--scale full or smoke")
    if arguments.experiment and arguments.step != 3:
        raise InputError(f"--experiment with step {arguments.step}", allowed="step 3")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if arguments.device == "cuda" and device == "cpu":
        raise InputError("--device cuda: torch sees no GPU", allowed="a CUDA build of torch, and a card")
    name, step = STEPS[arguments.step]
    numbered = f"{name}-cpu" if arguments.scale == "cpu" else f"{arguments.step}-{name}"  # beside the card's records
    call = Call(
        step=arguments.experiment.stem if arguments.experiment else numbered,
        command=["python", "-m", "benchmarks.gpu", *(argv if argv is not None else sys.argv[1:])],
        deadline=time.monotonic() + 60 * arguments.minutes,
        output=arguments.output.resolve(),
        scale=arguments.scale,
        device=device,
        jobs=arguments.jobs or (max(1, arguments.cores // 2) if device == "cuda" else 1),
        cores=arguments.cores,
        mirror=arguments.mirror,
        experiment=arguments.experiment,
    )
    try:
        with call:
            step(call)
    except OutOfTime as found:
        print(f"not finished ({found}): the same command again goes on from here", file=sys.stderr)
        return 3
    print(f"finished: {call.record_folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
