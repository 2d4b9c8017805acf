"""Compare the systems of one test set with the baseline: each seed by a paired test, and all seeds together.

With --source, systems are compared with the copied source, too, and those that are not clearly better have learned
nothing. With --round-trip, the references as they come back from a segmentation are scored.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from experiment.jsonfiles import read_json, write_json
from experiment.programs import program
from experiment.scoring.comparison import LEARNED_NOTHING, compare, have_learned
from experiment.scoring.metrics import DEFAULT_METRICS, METRICS, check_metrics, read_parallel
from experiment.scoring.sentence_statistics import SentenceStatistics, mean_statistics
from experiment.scoring.significance import (
    TESTS,
    check_test,
    count_sentences,
    outcomes,
    resampling_seed,
    test_signature,
)
from subwords.errors import InputError, unknown

#: Seed -> segmentation -> what belongs to the run, the baseline first.
Seeds = dict[int, dict[str, Any]]
COPY = "copied source"


class Counted(NamedTuple):
    """One metric: its signature, the statistics of each run, and those of the bounds by name."""

    signature: str
    runs: Seeds
    bounds: dict[str, SentenceStatistics]


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(
        prog="compare_systems.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("corpus", "direction", "model", "testset"):
        command.add_argument(f"--{name}", required=True, help="only written into the result")
    command.add_argument("--baseline", required=True, metavar="SEGMENTATION")
    command.add_argument(
        "--against",
        action="append",
        default=[],
        nargs=2,
        metavar=("SEGMENTATION", "BASELINE"),
        help="repeat for each system that is compared with another than --baseline; the others are compared with none",
    )
    command.add_argument("--reference", required=True, metavar="FILE", help="raw references")
    command.add_argument("--metrics", nargs="+", default=DEFAULT_METRICS, metavar="M", help="may include comet")
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
    command.add_argument("--source", metavar="FILE", help="raw source: what has not learned more than to copy it")
    command.add_argument(
        "--round-trip",
        action="append",
        default=[],
        nargs=2,
        metavar=("SEGMENTATION", "FILE"),
        help="repeat for each segmentation: the references as scripts/round_trip.py gives them back",
    )
    command.add_argument("--test", default="bootstrap", help=f"{' or '.join(TESTS)} (default: %(default)s)")
    command.add_argument("--samples", type=int, default=1000, metavar="N", help="resamples (default: %(default)s)")
    command.add_argument(
        "--margin",
        action="append",
        default=[],
        nargs=2,
        metavar=("METRIC", "DIFFERENCE"),
        help="repeat: a smaller difference counts as none (default: 0.5 BLEU, chrF or TER, 0.005 COMET, 1 otherwise)",
    )
    command.add_argument("--output", required=True, metavar="FILE", help="JSON to write")
    return command


def by_seed(systems: Sequence[Sequence[str]], baseline: str) -> Seeds:
    """Return seed -> segmentation -> file, with the baseline first within each seed."""
    segmentations = list(dict.fromkeys(name for name, _, _ in systems))
    if baseline not in segmentations:
        raise unknown("baseline", baseline, segmentations, next_step="name one of the experiment's segmentations")
    found: Seeds = {}
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


def pairs(given: Sequence[Sequence[str]], baseline: str, segmentations: Sequence[str]) -> dict[str, str]:
    """Return system -> its baseline."""
    found = {each[0]: each[1] for each in given} or {name: baseline for name in segmentations if name != baseline}
    for name in [*found, *found.values()]:
        if name not in segmentations:
            raise unknown("segmentation in --against", name, segmentations)
    if chained := [name for name, other in found.items() if other in found]:
        raise InputError(f"--against {chained[0]} {found[chained[0]]}: a baseline is compared with nothing itself")
    return found


def margins(given: Sequence[Sequence[str]], metrics: Sequence[str]) -> dict[str, float]:
    """Return metric -> the largest difference that counts as none."""
    found = {name: METRICS[name].margin for name in metrics}
    for name, text in given:
        check_metrics([name])
        try:
            found[name] = float(text)
        except ValueError:
            raise InputError(f"margin {text!r} of {name} is no number", allowed="a number above 0") from None
        if not found[name] > 0:
            raise InputError(f"margin {text} of {name}", allowed="a number above 0")
    return found


def count_texts(
    metric: str, references: Sequence[str], hypotheses: Seeds, bounds: Mapping[str, Sequence[str]], **options: Any
) -> Counted:
    """Count the translations of each run and the bounds' texts as a metric does."""
    texts: dict[Any, Sequence[str]] = {
        (s, name): lines for s, runs in hypotheses.items() for name, lines in runs.items()
    }
    signature, found = count_sentences(metric, {**texts, **bounds}, references, **options)
    runs = {seed: {name: found[seed, name] for name in systems} for seed, systems in hypotheses.items()}
    return Counted(signature, runs, {name: found[name] for name in bounds})


def count_segments(seeds: Seeds) -> Counted:
    """Return COMET's segment scores of each run, from files of score_comet.py."""
    contents = {seed: {name: read_json(path) for name, path in files.items()} for seed, files in seeds.items()}
    signatures = {content["signature"] for systems in contents.values() for content in systems.values()}
    if len(signatures) > 1:
        raise InputError(
            f"COMET scores of different models or versions: {', '.join(sorted(signatures))}",
            next_step="score all systems again with one model",
        )
    segments = {s: {n: mean_statistics(c["segments"]) for n, c in systems.items()} for s, systems in contents.items()}
    return Counted(signatures.pop(), segments, {})


def of_each_seed(metric: str, seeds: Seeds, against: Mapping[str, str], **options: Any) -> list[dict[str, Any]]:
    """Return the paired tests of a metric: every run against its baseline's run with the same seed."""
    found = []
    for seed, systems in seeds.items():
        for baseline in dict.fromkeys(against.get(name, name) for name in systems):
            group = [name for name in systems if name != baseline and against.get(name, name) == baseline]
            tested = outcomes({name: systems[name] for name in (baseline, *group)}, **options)
            for name, outcome in tested.items():
                delta = outcome.score - tested[baseline].score
                found.append({"segmentation": name, "seed": seed, "metric": metric, **asdict(outcome), "delta": delta})
    return found


def by_segmentation(seeds: Seeds) -> dict[str, list[SentenceStatistics]]:
    """Return segmentation -> its runs."""
    found: dict[str, list[SentenceStatistics]] = {}
    for systems in seeds.values():
        for name, counted in systems.items():
            found.setdefault(name, []).append(counted)
    return found


def read_texts(args: argparse.Namespace, seeds: Seeds) -> tuple[list[str], Seeds, dict[str, list[str]]]:
    """Return the references, the hypotheses of each run, and the texts of the bounds."""
    bounds = {f"round trip {name}": path for name, path in args.round_trip}
    bounds |= {COPY: args.source} if args.source else {}
    files = [path for systems in seeds.values() for path in systems.values()]
    references, *texts = read_parallel(args.reference, *files, *bounds.values())
    lines = iter(texts)
    hypotheses = {seed: {name: next(lines) for name in systems} for seed, systems in seeds.items()}
    return references, hypotheses, dict(zip(bounds, lines, strict=True))


def of_all_seeds(
    metric: str,
    counted: Counted,
    against: Mapping[str, str],
    margin: float,
    learned: Mapping[str, bool],
    **options: Any,
) -> list[dict[str, Any]]:
    """Return what a metric says of each system over its seeds, and the bounds of its score."""
    systems, kind = by_segmentation(counted.runs), METRICS[metric]
    found = compare(systems, against, margin=margin, higher_is_better=kind.higher_is_better, **options)
    entries = []
    for name in systems:
        baseline = against.get(name, name if name in against.values() else None)
        entry: dict[str, Any] = {"segmentation": name, "metric": metric, "baseline": baseline}
        entry |= {"margin": margin, "learned": learned.get(name), "verdict": None}
        entry |= asdict(found[name]) if name in found else {}
        if learned.get(name) is False:
            entry["verdict"] = LEARNED_NOTHING
        for bound, key in ((COPY, "copied_source"), (f"round trip {name}", "round_trip")):
            entry[key] = counted.bounds[bound].score if bound in counted.bounds else None
        entries.append(entry)
    return entries


@program
def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    args = parser().parse_args(argv)
    metrics = check_metrics(args.metrics)
    margin, seeds = margins(args.margin, metrics), by_seed(args.system, args.baseline)
    against = pairs(args.against, args.baseline, list(dict.fromkeys(name for name, _, _ in args.system)))
    check_test(args.test, args.samples)
    options = {"test": args.test, "samples": args.samples}
    if "comet" in metrics and not args.comet:
        raise InputError("metric comet without --comet files", next_step="score with scripts/score_comet.py first")

    texts, count = read_texts(args, seeds), {"target": args.target, "tokenizer": args.bleu_tokenizer}
    of_texts = [metric for metric in metrics if metric != "comet"] + ["bleu"] * bool(args.source)
    counted = {metric: count_texts(metric, *texts, **count) for metric in dict.fromkeys(of_texts)}
    learned: dict[str, bool] = {}
    if args.source:
        runs, copy = by_segmentation(counted["bleu"].runs), counted["bleu"].bounds[COPY]
        learned = have_learned(runs, copy, samples=args.samples)
    if "comet" in metrics:
        counted["comet"] = count_segments(by_seed(args.comet, args.baseline))

    comparisons: list[dict[str, Any]] = []
    systems: list[dict[str, Any]] = []
    for metric in metrics:
        comparisons += of_each_seed(metric, counted[metric].runs, against, **options)
        systems += of_all_seeds(metric, counted[metric], against, margin[metric], learned, **options)
    identity = {name: getattr(args, name) for name in ("corpus", "direction", "model", "testset", "baseline")}
    signatures = {metric: test_signature(counted[metric].signature, **options) for metric in metrics}
    tests = {"seed": resampling_seed(), "signatures": signatures, "comparisons": comparisons, "systems": systems}
    write_json(args.output, identity | options | tests, sealed=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
