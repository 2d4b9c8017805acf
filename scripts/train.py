"""Train one system with fairseq: binarized data and a recipe in, checkpoints and learning curve out.

Killed at any moment and started again with the same arguments, it goes on from its last checkpoint and ends with the
same model; started with other arguments, it starts afresh. On a GPU when there is one, else on the CPU with the number
of threads in OMP_NUM_THREADS.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import platform
import resource
import shutil
import sys
from pathlib import Path
from typing import Any

from experiment.jsonfiles import read_json, write_json
from experiment.programs import program
from experiment.training import curves, gpu, recipes
from experiment.training.dev_scores import read_record
from subwords.errors import InputError
from subwords.files import whole_file

ROOT = Path(__file__).resolve().parent.parent
#: glibc returns every large tensor's memory to the system and asks for it again: 15 % of a CPU training's time.
MALLOC = {"MALLOC_TOP_PAD_": str(2**28), "MALLOC_MMAP_THRESHOLD_": str(2**32), "MALLOC_TRIM_THRESHOLD_": str(2**33)}


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="binarized data (scripts/binarize.py)")
    parser.add_argument("--direction", required=True, metavar="SRC-TGT", help="for instance en-de")
    parser.add_argument("--recipe", required=True, metavar="JSON", help="the recipe's fairseq flags")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--joint", action="store_true", help="source and target share one vocabulary")
    parser.add_argument("--select", required=True, metavar="JSON", help='{"metric", "keep", "beam"}')
    parser.add_argument("--algorithm", required=True, help="segmentation algorithm of the target side")
    parser.add_argument("--segmenter", type=Path, required=True, help="its model file")
    parser.add_argument("--text", choices=["raw", "moses"], required=True, help="the text it reads")
    parser.add_argument("--references", type=Path, required=True, help="raw dev references")
    parser.add_argument("--gpus", type=int, default=1, help="cards to use when there are any (default 1)")
    parser.add_argument("--precision", choices=["auto", "fp32", "fp16", "bf16"], default="auto", help="on a GPU")
    parser.add_argument("--checkpoints", type=Path, required=True, help="folder for checkpoints, kept between attempts")
    parser.add_argument("--curve", type=Path, required=True, help="learning curve to write, JSON lines")
    parser.add_argument("--report", type=Path, required=True, help="what was trained and what it cost, JSON")
    return parser.parse_args(argv)


def fingerprint(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return everything that shapes the model: trainings with equal fingerprints are the same training."""
    digest = hashlib.sha256()
    for path in sorted(arguments.data.iterdir()):
        if path.suffix in (".bin", ".txt"):
            digest.update(path.name.encode() + path.read_bytes())
    return {
        "data": digest.hexdigest(),
        "direction": arguments.direction,
        "recipe": json.loads(arguments.recipe),
        "seed": arguments.seed,
        "joint": arguments.joint,
        "select": json.loads(arguments.select),
        "segmentation": [arguments.algorithm, arguments.text],
        "precision": arguments.precision,
        "gpus": arguments.gpus,
    }


def prepare(arguments: argparse.Namespace) -> None:
    """Lock the checkpoint folder for this process, and empty it when it belongs to another training."""
    folder = arguments.checkpoints
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR)
    os.set_inheritable(lock, True)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"another process is training in {folder}; waiting for it to end", file=sys.stderr, flush=True)
        fcntl.flock(lock, fcntl.LOCK_EX)
    wanted, path = fingerprint(arguments), folder / "training.json"
    if not path.exists() or read_json(path) != wanted:
        others = [old for old in folder.iterdir() if old.name != "lock"]
        if others:
            print(f"{folder} holds another training (its recipe or data differ): starting afresh", file=sys.stderr)
        for old in sorted(others, key=lambda old: old == path):  # the one that says what the others are goes last
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    write_json(path, wanted)


def fairseq_arguments(arguments: argparse.Namespace, cuda: bool) -> list[str]:
    source, target = arguments.direction.split("-")
    select = json.loads(arguments.select)
    flags = recipes.arguments(json.loads(arguments.recipe), arguments.joint)
    words = [str(arguments.data), "--user-dir", str(ROOT / "fairseq_plugins"), "--task", "translation_text_bleu"]
    words += ["--source-lang", source, "--target-lang", target, "--seed", str(arguments.seed), *flags]
    words += ["--save-dir", str(arguments.checkpoints), "--log-file", str(arguments.checkpoints / "fairseq.log")]
    words += ["--log-format", "json", "--log-interval", "50", "--no-progress-bar"]
    words += ["--skip-invalid-size-inputs-valid-test", "--best-checkpoint-metric", select["metric"]]
    if select["metric"] == "bleu":
        words += ["--maximize-best-checkpoint-metric", "--dev-references", str(arguments.references)]
        words += ["--dev-algorithm", arguments.algorithm, "--dev-segmenter", str(arguments.segmenter)]
        words += ["--dev-text", arguments.text, "--dev-beam", str(select.get("beam", 1))]
    return words + precision_flags(arguments.precision, cuda)


def precision_flags(precision: str, cuda: bool) -> list[str]:
    """Return fairseq's flags: bf16 on cards that have it, fp16 on older ones, fp32 on a CPU."""
    if not cuda:
        return ["--cpu"]
    import torch

    if precision == "auto":
        precision = "bf16" if torch.cuda.get_device_capability()[0] >= 8 else "fp16"
    return {"fp32": [], "fp16": ["--fp16"], "bf16": ["--bf16"]}[precision]


def train(arguments: argparse.Namespace) -> None:
    """Run fairseq's training in this process."""
    import fairseq_plugins
    import torch
    from fairseq_plugins import checkpoints
    from fairseq_plugins.compatibility import prepare_fairseq

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    prepare_fairseq()
    from fairseq import options
    from fairseq.dataclass.utils import convert_namespace_to_omegaconf
    from fairseq.distributed import utils as distributed
    from fairseq_cli.train import main as fairseq_train

    assert fairseq_plugins.text_bleu  # registered
    select = json.loads(arguments.select)
    maximize = select["metric"] == "bleu"
    if checkpoints.resume(arguments.checkpoints, json.loads(arguments.recipe), maximize):
        return
    checkpoints.watch(arguments.checkpoints, select["keep"], maximize)
    words = fairseq_arguments(arguments, torch.cuda.is_available())
    parsed = options.parse_args_and_arch(options.get_training_parser(), input_args=words)
    parsed.tpu = False  # fairseq thinks that whoever asks for bf16 has a TPU
    distributed.call_main(convert_namespace_to_omegaconf(parsed), fairseq_train)


def processor_seconds() -> float:
    """Return the processor time of this process and its data workers: unlike wall time, the same on a busy machine."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def report(arguments: argparse.Namespace, cards: list[str]) -> None:
    """Write the learning curve and the report."""
    import torch
    from fairseq_plugins import checkpoints

    record = read_record(arguments.checkpoints)
    if not record:
        raise InputError("training ended without a dev score", next_step="lower validate-interval in the recipe")
    curve = curves.read_curve(arguments.checkpoints / "fairseq.log")
    state = torch.load(arguments.checkpoints / checkpoints.LAST, map_location="cpu", weights_only=False)
    weights = {weight.data_ptr(): weight.numel() for weight in state["model"].values() if weight.is_floating_point()}
    speeds = sorted(point["pieces_per_second"] for point in curve if point["split"] == "train")
    cuda = torch.cuda.is_available()
    write_json(
        arguments.report,
        {
            "fingerprint": read_json(arguments.checkpoints / "training.json"),
            "model_parameters": sum(weights.values()),
            "updates": record[-1]["updates"],
            "epochs": record[-1]["epoch"],
            "cpu_seconds": round(processor_seconds(), 1),  # of this attempt
            "train_seconds": round(state["extra_state"]["previous_training_time"], 1),  # of all attempts
            "tokens_per_second": speeds[len(speeds) // 2] if speeds else None,
            "peak_memory_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
            "peak_gpu_memory_mib": round(torch.cuda.max_memory_allocated() / 2**20, 1) if cuda else None,
            "gpus": len(cards) if cuda else 0,
            "runs_per_gpu": gpu.runs_per_gpu() if cuda else None,
            "device": torch.cuda.get_device_name() if cuda else f"CPU, {platform.machine()}",
            "threads": torch.get_num_threads(),
            "precision": next((f[2:] for f in precision_flags(arguments.precision, cuda) if f != "--cpu"), "fp32"),
            "dev": record,
        },
    )
    with whole_file(arguments.curve) as stream:
        stream.writelines(json.dumps(point) + "\n" for point in curve)


@program
def main(argv: list[str] | None = None) -> int:
    arguments = parse(argv)
    worker = "LOCAL_RANK" in os.environ  # one of several processes, one per card, started below
    cards = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if worker else gpu.take(arguments.gpus)
    if not worker:
        prepare(arguments)
        if len(cards) > 1:
            launch = ["-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={len(cards)}"]
            os.execv(sys.executable, [sys.executable, *launch, *sys.argv])
    train(arguments)
    if os.environ.get("RANK", "0") == "0":
        report(arguments, cards)
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    if not os.environ.keys() >= MALLOC.keys():
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **MALLOC})
    sys.exit(main())
