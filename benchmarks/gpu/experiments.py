"""Steps 2 and 3: whole tables, made by the workflow as a user would, several trainings sharing the card."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from experiment.scorebook import read_scores

from . import record
from .session import ROOT, Session

HFT = ROOT / "config" / "papers" / "hft.yaml"
ALL_SEGMENTATIONS = ROOT / "config" / "experiments" / "all-segmentations.yaml"


def run_paper(session: Session) -> None:
    """HFT's Table 1: 4 directions, 2 tokenizers, 5 seeds at full scale."""
    folder = ROOT / "results" / "papers" / "hft" / session.scale
    table = folder / "table1.md"
    wanted = [str(path.relative_to(ROOT)) for path in (table, folder / "scores.csv")]
    session.snakemake(HFT, *wanted, sharing=session.jobs, config=[f"scale={session.scale}"])
    _write(session, "HFT, Table 1", folder, [table])


def run_experiment(session: Session) -> None:
    """All segmentations under one recipe, or the experiment file that was given."""
    import yaml

    path = (session.experiment or ALL_SEGMENTATIONS).resolve()
    settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    session.snakemake(path, "all", sharing=session.jobs)
    folder = ROOT / "results" / settings["experiment"]
    _write(session, settings.get("title", settings["experiment"]), folder, [folder / "table.md"])


def _write(session: Session, title: str, folder: Path, tables: list[Path]) -> None:
    """Copy tables and scores, and add up what they cost."""
    session.record_folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(folder / "scores.csv", session.record_folder / "scores.csv")
    costs = _costs(read_scores(folder / "scores.csv"))
    session.remember()
    costs["pieces_per_second_of_all"] = costs["pieces"] / sum(call["seconds"] for call in session.memory["calls"])
    sharing = f"up to {session.jobs} at a time on one card" if session.device == "cuda" else "on a CPU"
    body = [
        f"{costs['runs']} trainings, {sharing}: {costs['train_hours']:.2f} hours of training"
        + (f" ({costs['gpu_hours']:.2f} GPU-hours)" if session.device == "cuda" else "")
        + (f" ({costs['cpu_hours']:.2f} of processor time)" if session.device == "cpu" else "")
        + f"; {costs['pieces_per_second']:,.0f} target pieces per second in a training (median), "
        f"{costs['pieces_per_second_of_all']:,.0f} in all, everything else included.",
        "",
        *(line for path in tables for line in [*_demoted(path), ""]),
    ]
    record.write(session, title, body, {"device": session.device, "jobs": session.jobs, "costs": costs})


def _costs(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the runs of scores.csv cost together."""
    names = ("corpus", "direction", "segmentation", "model", "seed")
    runs = list({tuple(row[name] for name in names): row for row in rows}.values())
    speeds = sorted(row["tokens_per_second"] for row in runs if row["tokens_per_second"])
    return {
        "runs": len(runs),
        "train_hours": round(sum(row["train_seconds"] for row in runs) / 3600, 4),
        "cpu_hours": round(sum(row["cpu_seconds"] or 0.0 for row in runs) / 3600, 4),
        "gpu_hours": round(sum(row["gpu_hours"] or 0.0 for row in runs), 4),
        "pieces": round(sum((row["tokens_per_second"] or 0.0) * row["train_seconds"] for row in runs)),
        "pieces_per_second": speeds[len(speeds) // 2] if speeds else 0.0,
    }


def _demoted(path: Path) -> list[str]:
    """Return a Markdown file's lines, its headings one level down."""
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    return [f"#{line}" if line.startswith("#") else line for line in lines]
