"""Train a system with fairseq in this process, and write down what it cost (of a job of scripts/train.py)."""

from __future__ import annotations

import json
import os
import platform
import resource
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from experiment.jsonfiles import write_json
from experiment.programs import Job
from experiment.schema import ROOT
from experiment.training import curves, fairseq_flags, gpu
from experiment.training.dev_scores import patience_is_over, read_dev_scores
from experiment.training.precision import precision_flags, training_precision
from subwords.errors import InputError
from subwords.files import read_lines, write_lines

#: Entries of a model's state that are no parameters.
BUFFERS = ("version", "_float_tensor")


def checkpoint_folder(job: Job) -> Path:
    return Path(job["folder"], "checkpoints")


def fairseq_arguments(job: Job, processes: int, cuda: bool) -> list[str]:
    """Return the command line of fairseq-train for a job, of so many processes, on cards or on the CPU."""
    source, target = job["direction"].split("-")
    select, folder = job["select"], checkpoint_folder(job)
    precision, flags = precision_flags(job["precision"], cuda), dict(job["recipe"])
    searched = select["metric"] == "bleu" and select["beam"] > 1  # by fairseq, whose hypotheses depend on their batch
    if not searched and "--fp16" not in precision:  # in fp16 the loss needs the scores of a whole batch in memory
        flags = {**fairseq_flags.dev_batch(flags, processes), **flags}
    given = fairseq_flags.arguments(fairseq_flags.on_cards("of this job", flags, processes), job["joint"])
    words = [job["data"], "--user-dir", str(ROOT / "fairseq_plugins"), "--task", "translation_text_bleu"]
    words += ["--source-lang", source, "--target-lang", target, "--seed", str(job["seed"]), *given]
    words += ["--save-dir", str(folder), "--log-file", str(folder / "fairseq.log")]
    words += ["--log-format", "json", "--log-interval", "50", "--no-progress-bar"]
    words += ["--skip-invalid-size-inputs-valid-test", "--best-checkpoint-metric", select["metric"]]
    if select["metric"] == "bleu":
        words += ["--maximize-best-checkpoint-metric", "--dev-references", job["references"]]
        words += ["--dev-algorithm", job["algorithm"], "--dev-segmenter", job["segmenter"]]
        words += ["--dev-text", job["form"], "--dev-beam", str(select["beam"])]
    return words + precision + gpu.process_group_flags(processes, cuda)


def check_logging(recipe: Mapping[str, Any]) -> None:
    """Raise InputError where TensorBoard's log cannot be written: fairseq would train on without it."""
    if recipe.get("tensorboard-logdir") and not any(map(find_spec, ("tensorboardX", "tensorboard"))):
        raise InputError(
            "tensorboard-logdir: this Python lacks tensorboardX",
            next_step="make env; or take the flag out of `runtime: {flags: …}`",
        )


def train(job: Job, cards: list[str], processes: int) -> None:
    """Run fairseq's training in this process, one of `processes`; the first of them writes the report."""
    import fairseq_plugins  # noqa: F401  (before fairseq: mends it, and registers model, loss, optimizer and task)
    import torch
    from fairseq import options
    from fairseq.dataclass.utils import convert_namespace_to_omegaconf
    from fairseq.distributed import utils as distributed
    from fairseq_cli.train import main as fairseq_train
    from fairseq_plugins import checkpoints
    from fairseq_plugins.exposure import Exposure

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    gpu.check_usable(cards, int(os.environ["LOCAL_RANK"]) if processes > 1 else 0)
    gpu.keep_peak_memory()
    folder, maximize = checkpoint_folder(job), job["select"]["metric"] == "bleu"
    if not checkpoints.go_on(folder, job["recipe"], maximize):
        checkpoints.watch(folder, job["select"]["keep"], maximize)
        Exposure(cards, job["runs_per_gpu"]).watch()
        words = fairseq_arguments(job, processes, bool(cards))
        parsed = options.parse_args_and_arch(options.get_training_parser(), input_args=words)
        distributed.call_main(convert_namespace_to_omegaconf(parsed), fairseq_train)
    if os.environ.get("RANK", "0") == "0":
        report(job, cards, processes)


def skipped_on_dev(job: Job, state: dict[str, Any]) -> int:
    """Return how many dev sentences are too long for the model; fairseq leaves them out of every dev score."""
    limits = [getattr(state["cfg"]["model"], f"max_{side}_positions", None) or 1024 for side in ("source", "target")]
    sides = [[line.count(" ") + 2 for line in read_lines(path)] for path in job["dev"]]
    return sum(any(n > limit for n, limit in zip(pair, limits, strict=True)) for pair in zip(*sides, strict=True))


def report(job: Job, cards: list[str], processes: int) -> None:
    """Write the learning curve and training.json."""
    import torch
    from fairseq_plugins import checkpoints

    record = read_dev_scores(checkpoint_folder(job))
    if not record:
        raise InputError("training ended without a dev score", next_step="lower validate-interval in the recipe")
    curve = curves.read_curve(checkpoint_folder(job) / "fairseq.log")
    state = checkpoints.load(checkpoint_folder(job) / checkpoints.LAST)
    of_model = {name: weight for name, weight in state["model"].items() if name.split(".")[-1] not in BUFFERS}
    parameters = sum(of_model[name].numel() for name in {*checkpoints.names_of_weights(of_model).values()})
    speeds = sorted(point["pieces_per_second"] for point in curve if point["split"] == "train")
    skipped, folder = skipped_on_dev(job, state), Path(job["folder"])
    alone = processes == 1
    if skipped:
        print(f"{skipped} dev sentences are longer than the model takes: no dev score has them", file=sys.stderr)
    write_json(
        folder / "training.json",
        {
            "definition": job["definition"],
            "seed": job["seed"],
            "model_parameters": parameters,
            "updates": record[-1]["updates"],
            "epochs": record[-1]["epoch"],
            "stopped_early": patience_is_over(record, job["recipe"], job["select"]["metric"] == "bleu"),
            **state["extra_state"].get("exposure", {}),  # sentences_seen, pieces_seen, energy_kwh: of all attempts
            # of this attempt, with its data workers: unlike wall time, the same on a busy machine. Of one process among
            # several it would be a part.
            "cpu_seconds": round(sum(os.times()[:4]), 1) if alone else None,
            "train_seconds": round(float(state["extra_state"]["previous_training_time"]), 1),  # of all attempts
            "tokens_per_second": speeds[len(speeds) // 2] if speeds else None,
            "peak_memory_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1) if alone else None,
            "peak_gpu_memory_mib": gpu.peak_memory_mib(),
            "gpus": len(cards),
            "processes": processes,
            "runs_per_gpu": job["runs_per_gpu"] if cards else None,
            "device": torch.cuda.get_device_name() if cards else f"CPU, {platform.machine()}",
            "threads": torch.get_num_threads(),
            "precision": training_precision(job["precision"], bool(cards)),
            "dev_sentences_skipped": skipped,
            "dev": record,
        },
        sealed=True,
    )
    write_lines(folder / "log.jsonl", map(json.dumps, curve))
