"""Score translations with COMET (unbabel-comet), from the hub or from a local checkpoint.

One test set by the options below, or with --manifest all of an experiment, by its own model, in fp32: the model is
loaded once, and not at all where every translation has its scores already.
"""

from __future__ import annotations

import sys
from pathlib import Path

from experiment.jsonfiles import read_json, write_json
from experiment.manifest import Manifest, manifest_options, read_manifest
from experiment.programs import command_line, program
from experiment.provenance import software
from experiment.runs import TestSet
from experiment.scoring.comet_model import DEFAULT_MODEL, CometScorer, check_comet_model, comet_key, fetch_comet_model
from experiment.scoring.metrics import count_empty, read_parallel
from experiment.store.checksums import file_sha256
from experiment.store.making import check_inputs, locked
from experiment.store.results import Results
from experiment.training import gpu
from subwords.errors import InputError


def texts_of(files: TestSet) -> dict[str, str]:
    """Return the checksums of the texts that a score belongs to."""
    texts = {"source": files.source, "hypothesis": files.hypothesis, "reference": files.reference}
    return {name: file_sha256(Path(str(path))) for name, path in texts.items()}


def has_score(files: TestSet) -> bool:
    """Return whether a translation has a score of these texts."""
    return Path(str(files.comet)).exists() and bool(read_json(str(files.comet))["texts"] == texts_of(files))


def translations(manifest: Manifest, on_test: bool) -> list[TestSet]:
    """Return the translations of an experiment; `on_test`: those of checkpoints chosen on test, where there are any."""
    every = [files for run in manifest.runs for files in run.testsets.values() if files.comet]
    if not on_test:
        return every
    return [chosen for files in every if Path(str((chosen := files.chosen_on_test).translation)).exists()]


def check_planned(every: list[TestSet], model: str) -> None:
    """Raise InputError where the model is not the one that scores are named after: a local file may have changed."""
    own = f".comet.{comet_key(model, Results().checksums)}.json"
    if not all(str(files.comet).endswith(own) for files in every):
        raise InputError(f"{model} is not the COMET model that was planned", next_step="start snakemake again")


def score_all(every: list[TestSet], model: str, device: str, sharing: int) -> int:
    """Score each of these translations that has no score of its texts yet; return how many."""
    missing = [files for files in every if not has_score(files)]
    scored = 0
    if missing:
        gpu.check_usable(gpu.take(1, device, sharing))
        scorer = CometScorer(model)
        for files in missing:
            # Not the lock of the evaluation: its holder may be waiting for the card that we have.
            with locked(Path(str(files.comet)).parent / ".comet"):
                if has_score(files):  # another experiment has scored it meanwhile
                    continue
                records = filter(None, (files.translation, files.text_record))
                check_inputs({record: ["*.hyp", "references/*"] for record in records})
                texts = texts_of(files)
                lines = read_parallel(str(files.source), str(files.hypothesis), str(files.reference))
                found = scorer.score(*lines) | {"empty_hypotheses": count_empty(lines[1]), "texts": texts}
                if texts_of(files) != texts:
                    raise InputError(f"{files.hypothesis} was made again meanwhile", next_step="run again")
                write_json(str(files.comet), found | {"made": software()}, sealed=True)
                scored += 1
    return scored


@program
def main(argv: list[str] | None = None) -> None:
    command = command_line(__doc__)
    command.add_argument("--source", metavar="FILE", help="raw source sentences")
    command.add_argument("--hypothesis", metavar="FILE", help="detokenized translations")
    command.add_argument("--reference", metavar="FILE", help="raw references")
    command.add_argument("--model", default=DEFAULT_MODEL, metavar="M", help="hub name or .ckpt (default: %(default)s)")
    command.add_argument("--precision", default="fp32", metavar="P", help="fp32 or fp16 (default: %(default)s)")
    command.add_argument("--device", choices=["auto", "gpu", "cpu"], default="auto")
    command.add_argument("--runs-per-gpu", type=int, default=1, metavar="N", help="jobs that may share a card")
    command.add_argument("--output", metavar="FILE", help="JSON to write")
    manifest_options(command, required=False)
    command.add_argument("--chosen-on-test", action="store_true", help="with --manifest: what was chosen on test sets")
    command.add_argument("--fetch", action="store_true", help="only download the model, where it is missing")
    command.add_argument("--check", action="store_true", help="only check, in seconds, whether the model is available")
    args = command.parse_args(argv)
    software()  # what the scores will name: the code as it is now
    if args.check:
        print(f"{args.model}: {check_comet_model(args.model)}")
    elif args.fetch:
        print(fetch_comet_model(args.model))
    elif args.manifest:
        manifest = read_manifest(args.manifest, args.key)
        every, model = translations(manifest, args.chosen_on_test), manifest.parameters.get("comet_model", args.model)
        check_planned(every, model)
        scored = score_all(every, model, args.device, args.runs_per_gpu)
        print(f"{scored} of {len(every)} test sets scored; the others had their scores")
    elif args.source and args.hypothesis and args.reference and args.output:
        gpu.check_usable(gpu.take(1, args.device, args.runs_per_gpu))
        lines = read_parallel(args.source, args.hypothesis, args.reference)
        scores = CometScorer(args.model, args.precision).score(*lines) | {"empty_hypotheses": count_empty(lines[1])}
        if empty := scores["empty_hypotheses"]:
            print(f"{args.hypothesis}: {empty} are empty; COMET does not score them 0", file=sys.stderr)
        write_json(args.output, scores | {"made": software()}, sealed=True)
    else:
        command.error("--source, --hypothesis, --reference and --output are required (or --manifest, --fetch, --check)")


if __name__ == "__main__":
    raise SystemExit(main())
