"""Steps 2 and 3: whole tables, made by the workflow as a user would, several trainings sharing the card."""

from __future__ import annotations

import shutil
import statistics
from pathlib import Path
from typing import Any

from experiment.scoring.scorebook import read_scores

from . import record, sample
from .call import ROOT, Call

HFT = ROOT / "config" / "papers" / "hft.yaml"
EXPERIMENTS = ROOT / "config" / "experiments"


def run_paper(call: Call) -> None:
    """HFT's Table 1: 4 directions, 2 tokenizers, 5 seeds; at scale cpu of a small model."""
    folder = ROOT / "results" / "papers" / "hft" / call.scale
    table = folder / "table1.md"
    wanted = [str(path.relative_to(ROOT)) for path in (table, folder / "scores.csv")]
    call.snakemake(HFT, *wanted, sharing=call.jobs, config=[f"scale={call.scale}"])
    _write(call, "HFT, Table 1", folder, [table])


def run_experiment(call: Call) -> None:
    """All segmentations under one recipe, or the experiment file that was given."""
    import yaml

    default = EXPERIMENTS / ("all-segmentations-cpu.yaml" if call.scale == "cpu" else "all-segmentations.yaml")
    path = (call.experiment or (sample.experiment_file(call) if call.smoke else default)).resolve()
    settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    call.snakemake(path, "all", sharing=call.jobs)
    folder = ROOT / "results" / settings["experiment"]
    _write(call, settings.get("title", settings["experiment"]), folder, [folder / "table.md"])


def _write(call: Call, title: str, folder: Path, tables: list[Path]) -> None:
    """Copy tables and scores, and add up what they cost."""
    call.record_folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(folder / "scores.csv", call.record_folder / "scores.csv")
    costs = _costs(read_scores(folder / "scores.csv"))
    call.remember()
    costs["pieces_per_second_of_all"] = costs["pieces"] / sum(past["seconds"] for past in call.memory["calls"])
    sharing = f"up to {call.jobs} at a time on one card" if call.device == "cuda" else "on a CPU"
    body = [
        f"{costs['runs']} trainings, {sharing}: {costs['train_hours']:.2f} hours of training"
        + (f" ({costs['gpu_hours']:.2f} GPU-hours)" if call.device == "cuda" else "")
        + (f" ({costs['cpu_hours']:.2f} of processor time)" if call.device == "cpu" else "")
        + f"; {costs['pieces_per_second']:,.0f} target pieces per second in a training (median), "
        f"{costs['pieces_per_second_of_all']:,.0f} in all, everything else included.",
        "",
        *(line for path in tables for line in [*_demoted(path), ""]),
    ]
    record.write(call, title, body, {"device": call.device, "jobs": call.jobs, "costs": costs})


def _costs(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the runs of scores.csv cost together."""
    names = ("corpus", "direction", "segmentation", "model", "seed")
    runs = list({tuple(row[name] for name in names): row for row in rows}.values())
    speeds = [row["tokens_per_second"] for row in runs if row["tokens_per_second"]]
    return {
        "runs": len(runs),
        "train_hours": round(sum(row["train_seconds"] for row in runs) / 3600, 4),
        "cpu_hours": round(sum(row["cpu_seconds"] or 0.0 for row in runs) / 3600, 4),
        "gpu_hours": round(sum(row["gpu_hours"] or 0.0 for row in runs), 4),
        "pieces": round(sum((row["tokens_per_second"] or 0.0) * row["train_seconds"] for row in runs)),
        "pieces_per_second": statistics.median(speeds) if speeds else 0.0,
    }


def _demoted(path: Path) -> list[str]:
    """Return a Markdown file's lines, its headings one level down."""
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    return [f"#{line}" if line.startswith("#") else line for line in lines]
