"""Compare the systems of one test set with the baseline: paired bootstrap or approximate randomization, per seed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from experiment.jsonfiles import read_json, write_json
from experiment.programs import program
from experiment.scoring.metrics import check_metrics, read_parallel
from experiment.scoring.significance import TESTS, check_test, paired_segment_tests, paired_tests, resampling_seed
from subwords.errors import InputError, unknown


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(prog="compare_systems.py", description=__doc__)
    for name in ("corpus", "direction", "model", "testset"):
        command.add_argument(f"--{name}", required=True, help="only written into the result")
    command.add_argument("--baseline", required=True, metavar="SEGMENTATION")
    command.add_argument("--reference", required=True, metavar="FILE", help="raw references")
    command.add_argument("--metrics", nargs="+", default=["bleu", "chrf"], metavar="M", help="may include comet")
    command.add_argument("--target", default="", metavar="LANG", help="target language, for BLEU's tokenizer")
    command.add_argument("--bleu-tokenizer", metavar="NAME")
    command.add_argument(
        "--system",
        action="append",
        required=True,
        nargs=3,
        metavar=("SEGMENTATION", "SEED", "HYPOTHESES"),
        help="repeat for each segmentation and seed, the baseline among them",
    )
    command.add_argument(
        "--comet",
        action="append",
        default=[],
        nargs=3,
        metavar=("SEGMENTATION", "SEED", "JSON"),
        help="repeat for each system, when comet is among the metrics",
    )
    command.add_argument("--test", default="bootstrap", help=f"{' or '.join(TESTS)} (default: %(default)s)")
    command.add_argument("--samples", type=int, default=1000, metavar="N", help="resamples (default: %(default)s)")
    command.add_argument("--output", required=True, metavar="FILE", help="JSON to write")
    return command


def by_seed(systems: Sequence[Sequence[str]], baseline: str) -> dict[int, dict[str, str]]:
    """Return seed -> segmentation -> file, with the baseline first within each seed."""
    segmentations = list(dict.fromkeys(name for name, _, _ in systems))
    if baseline not in segmentations:
        raise unknown("baseline", baseline, segmentations, next_step="name one of the experiment's segmentations")
    found: dict[int, dict[str, str]] = {}
    for name, seed, path in systems:
        if not seed.isdecimal():
            raise InputError(f"seed {seed!r} of {name} is no integer", allowed="0, 1, 2, ...")
        files = found.setdefault(int(seed), {})
        if name in files:
            raise InputError(f"{name} seed {seed} is given twice ({files[name]} and {path})")
        files[name] = path
    without = [str(seed) for seed, files in found.items() if baseline not in files]
    if without:
        raise InputError(
            f"the baseline {baseline} has no output for seed {', '.join(without)}",
            allowed="the same seeds for the baseline as for the systems compared with it",
            next_step="run the baseline with these seeds",
        )
    return {seed: {baseline: files[baseline], **files} for seed, files in sorted(found.items())}


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    args = parser().parse_args(argv)
    metrics = check_metrics(args.metrics)
    check_test(args.test, args.samples)
    lexical = [name for name in metrics if name != "comet"]
    options = {"test": args.test, "samples": args.samples}
    signatures: dict[str, str] = {}
    comparisons: list[dict[str, Any]] = []

    def add(seed: int, metric: str, outcomes: dict[str, Any]) -> None:
        reference = outcomes[args.baseline].score
        for segmentation, outcome in outcomes.items():
            fields = asdict(outcome) | {"delta": outcome.score - reference}
            comparisons.append({"segmentation": segmentation, "seed": seed, "metric": metric} | fields)

    for seed, files in by_seed(args.system, args.baseline).items():
        if lexical:
            references, *outputs = read_parallel(args.reference, *files.values())
            signed, tested = paired_tests(
                dict(zip(files, outputs, strict=True)),
                references,
                lexical,
                **options,
                target=args.target,
                tokenizer=args.bleu_tokenizer,
            )
            signatures |= signed
            for metric, outcomes in tested.items():
                add(seed, metric, outcomes)
    if "comet" in metrics:
        if not args.comet:
            raise InputError("metric comet without --comet files", next_step="score with scripts/score_comet.py first")
        short = {"bootstrap": "bs", "randomization": "ar"}[args.test]
        for seed, files in by_seed(args.comet, args.baseline).items():
            scored = {name: read_json(path) for name, path in files.items()}
            kinds = {content["signature"] for content in scored.values()}
            if len(kinds) > 1:
                raise InputError(
                    f"COMET scores of different models or versions: {', '.join(sorted(kinds))}",
                    next_step="score all systems again with one model",
                )
            signatures["comet"] = f"{kinds.pop()}|{short}:{args.samples}|seed:{resampling_seed()}"
            add(seed, "comet", paired_segment_tests({n: c["segments"] for n, c in scored.items()}, **options))
    identity = {name: getattr(args, name) for name in ("corpus", "direction", "model", "testset", "baseline")}
    write_json(
        args.output,
        identity | options | {"seed": resampling_seed(), "signatures": signatures, "comparisons": comparisons},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
