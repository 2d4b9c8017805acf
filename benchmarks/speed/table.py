"""The results in Markdown."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from statistics import median

from .measure import Usage
from .programs import BASELINE, MERGES_TARGET, SENTENCEPIECE, Program

PACKAGES = ["subwords", "numpy", "subword-nmt", "sentencepiece", "tokenizers"]


@dataclass
class Measured:
    """The runs of one program on one text for one step ("learn", "encode" or "decode")."""

    program: Program
    step: str
    runs: list[Usage] = field(default_factory=list)

    def median(self, figure: str) -> float:
        """Return the median of a figure of the runs."""
        return median(getattr(usage, figure) for usage in self.runs)


def machine() -> str:
    """Return what the figures depend on, in one paragraph."""
    packages = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    load = " ".join(f"{average:.1f}" for average in os.getloadavg())
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, {packages}. Load average before the run: {load}."
    )


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    lines = information.read_text("utf-8").split("\n") if information.exists() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


HEADER = [
    "",
    "step",
    "CPU",
    "wall",
    "MiB",
    "of subword-nmt",
    "of sentencepiece bpe",
    "MiB of sentencepiece bpe",
    "runs",
]
LEGEND = """\
Ours are bold. Seconds of CPU outside the kernel and of wall time, of whole processes, medians of the runs; MiB: peak
memory. Ratios are of CPU time, and of peak memory, to the peer's row of the same step, with one thread."""


def as_markdown(rows: Sequence[Measured], *, targets: bool) -> str:
    """Return one line per row. With `targets`, say what is to be reached, whether it is, and why where it is not."""
    header = [*HEADER, "target"] if targets else HEADER
    measured = {(row.program.name, row.step): row for row in rows}
    cells = [_cells(row, measured, targets) for row in rows]
    lines = ["| " + " | ".join(line) + " |" for line in [header, ["---"] * len(header), *cells]]
    if targets:
        lines += ["", *(_why(row, line[-1]) for row, line in zip(rows, cells, strict=True) if "missed" in line[-1])]
    return "\n".join(lines)


def _why(row: Measured, verdict: str) -> str:
    """Return what takes the time and memory where a target is missed."""
    missed = verdict.strip("*").partition("**")[2]
    return f"- `{row.program.name}`, {row.step}, {missed}: {row.program.costs[row.step]}."


def _cells(row: Measured, rows: dict[tuple[str, str], Measured], targets: bool) -> list[str]:
    base, peer = rows.get((BASELINE, row.step)), rows.get((SENTENCEPIECE, row.step))
    cpu = row.median("user") / base.median("user") if base else None
    of_peer = row.median("user") / peer.median("user") if peer else None
    memory = row.median("peak") / peer.median("peak") if peer else None
    cells = [
        f"**{row.program.name}**" if row.program.ours else row.program.name,
        row.step,
        f"{row.median('user'):.2f}",
        f"{row.median('wall'):.2f}",
        f"{row.median('peak') / 2**20:.0f}",
        *map(_ratio, (cpu, of_peer, memory)),
        str(len(row.runs)),
    ]
    return [*cells, _verdict(row, cpu, of_peer, memory)] if targets else cells


def _verdict(row: Measured, cpu: float | None, of_peer: float | None, memory: float | None) -> str:
    """Return the targets, and whether CPU time and memory keep them."""
    target = row.program.targets.get(row.step)
    if target is None or cpu is None:
        return ""
    asked = [("of subword-nmt", cpu, target), ("memory", memory, 1.0)]
    if row.program.merges and row.step == "learn":
        asked.append(("of sentencepiece", of_peer, MERGES_TARGET))
    missed = [name for name, value, most in asked if value is not None and value > most]
    return f"{target:.3f} **missed: {', '.join(missed)}**" if missed else f"{target:.3f} met"


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}" if value < 1 else f"{value:.2f}"
