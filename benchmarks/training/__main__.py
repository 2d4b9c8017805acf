"""Training speed: fairseq 0.12.2 as it comes beside this project's model, loss, optimizer and precision.

python -m benchmarks.training --output FILE [--mirror DIR | --data FOLDER] [--model NAME]

On a CPU: transformer-small and a larger model, seconds of processor time. On a GPU: transformer-base with batches of
25,000 pieces, one change at a time from fairseq in fp16, seconds of a clock. All variants train in turn, update by
update, in one process, on the same batches, of Multi30k if --data names no other text; a batch is an update, whatever
the recipe's update-freq. A ratio is the median over updates. Of the first pass through the text, when every batch has a
new shape, the milliseconds are beside them on a GPU. The dev loss after the last update, over seeds, says whether they
learn the same, and the gradient without dropout whether they compute the same. On a GPU, after the warm-up, eight
updates are timed together: the processor launches one while another is computed. The last column is what one look at
dev takes after these updates: its loss, and its translation with a beam of 1.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from experiment.config import load
from experiment.jsonfiles import write_json
from experiment.programs import command_line, program
from experiment.provenance import commit_label, processor, software, versions
from experiment.training.gpu import driver_versions
from subwords.errors import InputError, check_known
from subwords.files import write_whole

from . import ROOT, variants
from .trainings import compare

#: The experiment whose text the trainings have.
TEXT: dict[str, Any] = {
    "experiment": "training-speed",
    "corpora": ["multi30k"],
    "directions": ["de-en"],
    "testsets": ["test2016"],
    "segmentations": {"bpe": {"algorithm": "bpe", "size": 4000, "joint": True, "text": "raw"}},
    "baseline": "bpe",
    "models": ["transformer-small"],
    "seeds": [1],
}


def multi30k(folder: Path, mirror: Path | None) -> Path:
    """Return Multi30k English-German as fairseq reads it, in pieces; the workflow makes it once."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "experiment.yaml"
    file.write_text(yaml.safe_dump(TEXT), encoding="utf-8")
    command = [sys.executable, "-m", "snakemake", "segmentation", "--cores", "all", "--configfile", str(file)]
    subprocess.run([*command, *(["--config", f"mirror={mirror}"] if mirror else [])], check=True, cwd=ROOT)
    (done,) = load(file).plan.marks["segmented"]
    return ROOT / Path(done).parent / "binarized"


def table(results: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Return what was measured as Markdown."""
    names = ["training", "ms an update", "times as fast", "dev loss (bits)", "gradient error"]
    measured = {name for found in results.values() for entry in found for name in entry}
    if has_first_pass := "first_pass" in measured:
        names.insert(2, "ms in the first pass")
    if has_dev := "dev_loss_seconds" in measured:
        names.append("dev: loss + translation (s)")
    heading = [f"| {' | '.join(names)} |", f"|---|{'--:|' * (len(names) - 1)}"]
    lines: list[str] = []
    for model, found in results.items():
        lines += [f"## {model}", "", *heading]
        for entry in found:
            error, losses = entry["gradient_error"], entry["dev_loss"]
            spread = f" ± {statistics.stdev(losses):.3f}" if len(losses) > 1 else ""
            cells = [entry["name"], f"{1000 * statistics.median(entry['seconds']):,.0f}"]
            cells += [f"{1000 * statistics.median(entry['first_pass']):,.0f}"] if has_first_pass else []
            cells += [f"{statistics.median(entry['ratios']):.2f}", f"{statistics.mean(losses):.3f}{spread}"]
            cells.append("–" if error is None else f"{error:.1e}")
            if has_dev:
                both = (statistics.median(entry[f"dev_{part}_seconds"]) for part in ("loss", "translation"))
                cells.append(" + ".join(f"{seconds:.1f}" for seconds in both))
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    return lines


def machine() -> dict[str, Any]:
    """Return processor, memory and, where there is one, the card with its driver."""
    import torch

    found: dict[str, Any] = {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
    }
    if torch.cuda.is_available():
        card = torch.cuda.get_device_properties(0)
        found |= {"card": card.name, "card_memory_gib": round(card.total_memory / 2**30, 1)}
        found |= {"driver": driver_versions() or None, "cuda": torch.version.cuda}
    return found


@program
def main(argv: list[str] | None = None) -> None:
    """Measure, print and write the table."""
    import torch

    command = command_line(__doc__, "python -m benchmarks.training")
    command.add_argument("--output", type=Path, required=True, help="Markdown to write; data goes beside it as .json")
    command.add_argument("--device", choices=["auto", "cuda", "cpu"], default="auto")
    command.add_argument("--data", type=Path, help="binarized data (default: Multi30k, BPE of 4,000 merges)")
    command.add_argument("--mirror", type=Path, help="folder that downloads are taken from")
    command.add_argument("--model", help="only this model: a name in the table, or a recipe of config/models.yaml")
    command.add_argument("--variants", nargs="+", help="only these beside the first, by their names in the table")
    command.add_argument("--seeds", type=int, default=3)
    command.add_argument("--updates", type=int, help="of each training (80; 100 on a GPU)")
    untimed = "updates whose time does not count: each shape has to come, on a GPU twice (40; 64 on a GPU)"
    command.add_argument("--warmup", type=int, help=untimed)
    arguments = command.parse_args(argv)
    git = software()["git"]  # the code as it is now: it may change before the end
    device = arguments.device if arguments.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":  # on a GPU the processor computes the oracle of the gradients alone
        torch.set_num_threads(1)
    wanted = variants.models(device)
    if arguments.model is not None:
        further = (variants.Model(name, like=name) for name in variants.recipes())
        known = {model.name: model for model in [*further, *wanted, variants.TINY]}
        check_known("model", [arguments.model], known)
        wanted = [known[arguments.model]]
    data = arguments.data or multi30k(ROOT / "results" / "benchmarks" / "training", arguments.mirror)
    updates, warmup = (100, 64) if device == "cuda" else (80, 40)
    updates = updates if arguments.updates is None else arguments.updates
    warmup = warmup if arguments.warmup is None else arguments.warmup
    if not 0 <= warmup < updates:
        raise InputError(f"--warmup {warmup} of {updates} updates", allowed=f"0 to {updates - 1}")
    counted = {"seeds": arguments.seeds, "updates": updates, "warmup": warmup}
    first, *others = variants.variants(device)
    if arguments.variants is not None:
        check_known("variant", arguments.variants, [variant.name for variant in others])
        others = [variant for variant in others if variant.name in arguments.variants]
    results = {model.name: compare(data, model, [first, *others], device, **counted) for model in wanted}
    commit = commit_label(git) or "unknown"
    facts: dict[str, Any] = {"machine": machine(), "versions": versions("snakemake", "triton"), "commit": commit}
    write_json(arguments.output.with_suffix(".json"), {**facts, **counted, "device": device, "results": results})
    how = f"{arguments.seeds} seeds, {updates} updates each; the first {warmup} are not timed."
    hardware = [f"{name.replace('_', ' ')} {value}" for name, value in facts["machine"].items() if value is not None]
    packages = [f"{name} {version}" for name, version in facts["versions"].items()]
    lines = ["# Training speed", "", how, "", *table(results), f"Machine: {', '.join(hardware)}.", ""]
    lines.append(f"Software: {', '.join(packages)}; commit {commit}.")
    write_whole(arguments.output, "\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    from train import ENVIRONMENT  # as scripts/train.py runs

    if not os.environ.keys() >= ENVIRONMENT.keys():
        command = [sys.executable, "-m", "benchmarks.training", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, **ENVIRONMENT})
    raise SystemExit(main())
