"""Score a test set with COMET (unbabel-comet), from the hub or from a local checkpoint."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from experiment.jsonfiles import write_json
from experiment.programs import program
from experiment.scoring.comet_model import DEFAULT_MODEL, check_comet_model, score_with_comet
from experiment.scoring.metrics import count_empty, read_parallel
from experiment.training import gpu


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(prog="score_comet.py", description=__doc__)
    command.add_argument("--source", metavar="FILE", help="raw source sentences")
    command.add_argument("--hypothesis", metavar="FILE", help="detokenized translations")
    command.add_argument("--reference", metavar="FILE", help="raw references")
    command.add_argument("--model", default=DEFAULT_MODEL, metavar="M", help="hub name or .ckpt (default: %(default)s)")
    command.add_argument("--batch", type=int, default=16, metavar="N", help="sentences a batch (default: %(default)s)")
    command.add_argument("--precision", default="fp32", metavar="P", help="fp32 or fp16 (default: %(default)s)")
    command.add_argument("--output", metavar="FILE", help="JSON to write")
    command.add_argument("--check", action="store_true", help="only say whether the model can be had, in seconds")
    return command


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    command = parser()
    args = command.parse_args(argv)
    if args.check:
        print(f"{args.model}: {check_comet_model(args.model)}")
        return 0
    if not (args.source and args.hypothesis and args.reference and args.output):
        command.error("--source, --hypothesis, --reference and --output are required (or --check)")
    gpu.take(1)
    sources, hypotheses, references = read_parallel(args.source, args.hypothesis, args.reference)
    scores = score_with_comet(sources, hypotheses, references, args.model, batch=args.batch, precision=args.precision)
    scores["empty_hypotheses"] = count_empty(hypotheses)
    if scores["empty_hypotheses"]:
        print(
            f"{args.hypothesis}: {scores['empty_hypotheses']} are empty; COMET does not score them 0", file=sys.stderr
        )
    write_json(args.output, scores)
    return 0


if __name__ == "__main__":
    sys.exit(main())
