"""Step 4: target pieces per second of transformer-base, from fairseq's own flags to the best, one change at a time.

Every rung is a training by scripts/train.py on the same data with the same seed and the same pieces per update, so that
loss curves can be laid over each other; the last rung has larger updates and counts for its throughput alone. The data
is the sample's, repeated, because an epoch of Multi30k is over in twenty updates.

The fraction of the card's matrix rate is 6 N t / R: N parameters (the shared embedding once, as the output's matrix),
t target pieces per second without padding (about as many pass the encoder), R the rate of a large matrix product,
measured in the same calls.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from experiment.config import MODELS
from experiment.jsonfiles import read_json, read_json_lines
from experiment.training import recipes
from subwords.files import read_lines, whole_file

from . import record, sample
from .call import Call
from .loss_curves import draw

#: Target pieces per update: Vaswani et al.'s 25,000, in batches that a card holds in fp32.
SMALL_BATCH, BATCHES = 4096, 6


@dataclass(frozen=True)
class Rung:
    """One setting: what changed since the one before, and its flags on top of the recipe."""

    name: str
    flags: dict[str, Any] = field(default_factory=dict)
    precision: str = "bf16"
    compared: bool = False  # trained for longer, for the loss curves


def ladder(smoke: bool) -> list[Rung]:
    """Return the rungs, each with the flags of those before it."""
    small, large = (64, 384) if smoke else (SMALL_BATCH, SMALL_BATCH * BATCHES)
    stock = {"arch": "transformer", "optimizer": "adam", "max-tokens": small, "update-freq": BATCHES, "num-workers": 1}
    steps: list[tuple[str, dict[str, Any]]] = [
        ("bf16", {}),
        ("one batch per update", {"max-tokens": large, "update-freq": 1}),
        ("fused AdamW", {"optimizer": "adamw_fused"}),
        ("attention without masks", {"arch": "transformer_sdpa"}),
        ("four data workers", {"num-workers": 4}),
    ]
    rungs, flags = [Rung("fairseq's own flags, fp32", stock, "fp32", compared=True)], stock
    for number, (name, change) in enumerate(steps, 1):
        flags = {**flags, **change}
        rungs.append(Rung(f"+ {name}", flags, compared=number == len(steps)))
    rungs.append(Rung("+ four times the pieces per update", {**flags, "max-tokens": 4 * large}))
    return [rungs[0], rungs[-2], rungs[-1]] if smoke else rungs


def run(call: Call) -> None:
    """Measure every rung that has not been measured, and write the record with the figure."""
    system = sample.make(call, "{segmented}/binarized")
    data = _repeated(call, system)
    rates = call.memory["done"].setdefault("matrix_rates", [])
    rates.append(matrix_rate(call.device, 512 if call.smoke else 8192))
    rungs = ladder(call.smoke)
    for number, rung in enumerate(rungs):
        if f"rung{number}" not in call.memory["done"]:
            call.remember(**{f"rung{number}": _train(call, system, data, rung, number)})
    measured = [{"name": rung.name, **call.memory["done"][f"rung{number}"]} for number, rung in enumerate(rungs)]
    rate = statistics.median(rates)
    for found in measured:
        found["fraction_of_matrix_rate"] = 6 * found["parameters"] * found["pieces_per_second"] / rate
    curves = {rung.name: _curve(call, number) for number, rung in enumerate(rungs) if rung.compared}
    draw(curves, call.record_folder)
    record.write(
        call,
        "Throughput of transformer-base",
        _body(call, measured, rate, _pieces_per_sentence(system.segmented / f"train.{system.run.target}")),
        {"matrix_flops_per_second": rate, "rungs": measured, "curves": curves},
    )


def matrix_rate(device: str, size: int, seconds: float = 2.0) -> float:
    """Return floating-point operations per second of a square matrix product: bf16 on a card, fp32 on a CPU."""
    import torch

    kind = torch.bfloat16 if device == "cuda" else torch.float32
    one, other = (torch.randn(size, size, device=device, dtype=kind) for _ in range(2))

    def wait() -> None:
        if device == "cuda":
            torch.cuda.synchronize()

    for _ in range(3):
        one @ other
    wait()
    began, count = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        for _ in range(10):
            one @ other
        wait()
        count += 10
    return 2 * size**3 * count / (time.perf_counter() - began)


def _repeated(call: Call, system: sample.Sample) -> Path:
    """Return binarized data whose train part is the sample's, several times over."""
    target = call.folder / "binarized"
    if target.exists():
        return target
    times = 4 if call.smoke else 20
    languages = system.run.pair.split("-")
    for language in languages:
        text = (system.segmented / f"train.{language}").read_bytes()
        with whole_file(call.folder / f"train.{language}", "wb") as stream:
            for _ in range(times):
                stream.write(text)
    words: list[str | Path] = [sys.executable, "scripts/binarize.py", "--pair", system.run.pair, "--joint"]
    words += ["--train", call.folder / "train", "--dev", system.segmented / "dev"]
    words += ["--workers", str(min(8, call.cores)), "--output", target]
    call.run(words, "binarize")
    return target


def _recipe(call: Call, rung: Rung) -> dict[str, Any]:
    updates = (100 if rung.compared else 50) if call.smoke else (1000 if rung.compared else 250)
    sizes: dict[str, Any] = {}
    if call.smoke:
        sides = {"layers": 1, "embed-dim": 16, "ffn-embed-dim": 32, "attention-heads": 2}
        sizes = {f"{side}-{name}": value for side in ("encoder", "decoder") for name, value in sides.items()}
    flags = {
        **rung.flags,
        **sizes,
        "max-update": updates,
        "warmup-updates": 400,  # so that a thousand updates show learning
        "save-interval-updates": 250,
        "validate-interval-updates": 250,
        "validate-interval": 1000000,
        "save-interval": 1000000,
    }
    catalogue = yaml.safe_load(MODELS.read_text(encoding="utf-8"))
    described = {**catalogue, "rung": {"like": "transformer-base", "flags": flags}}
    found: dict[str, Any] = recipes.resolve("rung", described)["flags"]
    return found


def _train(call: Call, system: sample.Sample, data: Path, rung: Rung, number: int) -> dict[str, Any]:
    """Train one rung (going on where a call before was interrupted) and return what it cost."""
    place = call.folder / f"rung{number}"
    run = system.run
    words: list[str | Path] = [sys.executable, "scripts/train.py", "--data", data, "--direction", run.direction]
    words += ["--recipe", json.dumps(_recipe(call, rung)), "--seed", "1", "--joint"]
    words += ["--select", '{"metric": "loss", "keep": 1, "beam": 1}', "--precision", rung.precision]
    words += ["--algorithm", system.segmentation.algorithm, "--text", system.segmentation.text]
    words += ["--segmenter", system.segmented / f"model.{run.target}"]
    words += ["--references", system.reference(run.target), "--checkpoints", place / "checkpoints"]
    words += ["--curve", place / "log.jsonl", "--report", place / "training.json"]
    call.run(words, f"rung{number}", {"OMP_NUM_THREADS": "1"})
    report, curve = read_json(place / "training.json"), read_json_lines(place / "log.jsonl")
    speeds = [point["pieces_per_second"] for point in curve if point["split"] == "train"]
    return {
        "pieces_per_second": statistics.median(speeds[1:] or speeds),  # the first holds the start
        "parameters": report["model_parameters"],
        "precision": report["precision"],
        "updates": report["updates"],
        "seconds": report["train_seconds"],
        "peak_gpu_memory_mib": report["peak_gpu_memory_mib"],
        "flags": rung.flags,
    }


def _curve(call: Call, number: int) -> list[dict[str, Any]]:
    points = read_json_lines(call.folder / f"rung{number}" / "log.jsonl")
    wanted = ("split", "update", "loss", "nll_loss", "seconds", "pieces_per_second")
    return [{name: point[name] for name in wanted if name in point} for point in points]


def _body(call: Call, measured: list[dict[str, Any]], rate: float, length: float) -> list[str]:
    first = measured[0]["pieces_per_second"]
    rows = [["setting", "target pieces per second", "times", "of the matrix rate", "GPU memory (GiB)"]]
    for found in measured:
        memory = found["peak_gpu_memory_mib"]
        rows.append(
            [
                found["name"],
                f"{found['pieces_per_second']:,.0f}",
                f"{found['pieces_per_second'] / first:.2f}",
                f"{found['fraction_of_matrix_rate']:.1%}",
                "–" if memory is None else f"{memory / 1024:.1f}",
            ]
        )
    kind = "bf16" if call.device == "cuda" else "fp32"
    return [
        f"Each row has what the rows above have. {measured[0]['parameters']:,} parameters; {length:.1f} target pieces "
        f"a sentence; matrix rate {rate / 1e12:,.2f} TFLOP/s ({kind}, measured in the same calls); the fraction is "
        "6 · parameters · pieces per second by that rate, padding not counted.",
        "",
        *record.table(rows),
        "",
        "![loss curves](loss_curves.svg)",
    ]


def _pieces_per_sentence(text: Path) -> float:
    return statistics.mean(len(line.split(" ")) for line in read_lines(text))
