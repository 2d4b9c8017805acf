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
from .programs import BASELINE, ENCODE_TARGET, Program

PACKAGES = ["subwords", "numpy", "numba", "subword-nmt", "sentencepiece", "tokenizers"]


@dataclass
class Measured:
    """The runs of one program on one text for one step ("learn" or "encode")."""

    program: Program
    step: str
    cold: Usage | None = None  # with nothing compiled; None where that is not measured
    warm: list[Usage] = field(default_factory=list)

    def median(self, figure: str) -> float:
        """Return the median of a figure of the runs with compiled code in place."""
        return median(getattr(usage, figure) for usage in self.warm)

    @property
    def target(self) -> float | None:
        """The share of the baseline's CPU time that is to be reached, where there is one."""
        if not self.program.ours:
            return None
        return self.program.learn_target if self.step == "learn" else ENCODE_TARGET


def machine() -> str:
    """Return what the figures depend on, in one paragraph."""
    packages = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    load = " ".join(f"{average:.1f}" for average in os.getloadavg())
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, {packages}. Load average before the run: {load}."
    )


def _processor() -> str:
    """Return the processor's name."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text("utf-8").split("\n") if information.exists() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


HEADER = ["", "step", "CPU", "wall", "cold CPU", "cold wall", "MiB", "CPU ratio", "wall ratio", "MiB ratio", "runs"]
LEGEND = """\
Ours are bold. Seconds of CPU outside the kernel and of wall time, of whole processes, medians of the runs; cold: with
nothing compiled yet. MiB: peak memory. Ratios are to subword-nmt's row of the same step, memory's to its learn-bpe."""


def as_markdown(rows: Sequence[Measured], *, targets: bool) -> str:
    """Return one line per row. With `targets`, say what is to be reached and whether it is."""
    header = [*HEADER, "target"] if targets else HEADER
    baselines = {row.step: row for row in rows if row.program.name == BASELINE}
    cells = [_cells(row, baselines, targets) for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, ["---"] * len(header), *cells])


def _cells(row: Measured, baselines: dict[str, Measured], targets: bool) -> list[str]:
    base, learned = baselines.get(row.step), baselines.get("learn")
    cpu = row.median("user") / base.median("user") if base else None
    wall = row.median("wall") / base.median("wall") if base else None
    memory = row.median("peak") / learned.median("peak") if learned else None
    cells = [
        f"**{row.program.name}**" if row.program.ours else row.program.name,
        row.step,
        f"{row.median('user'):.2f}",
        f"{row.median('wall'):.2f}",
        f"{row.cold.user:.2f}" if row.cold else "",
        f"{row.cold.wall:.2f}" if row.cold else "",
        f"{row.median('peak') / 2**20:.0f}",
        *map(_ratio, (cpu, wall, memory)),
        str(len(row.warm)),
    ]
    return [*cells, _verdict(row.target, cpu, memory)] if targets else cells


def _verdict(target: float | None, cpu: float | None, memory: float | None) -> str:
    """Return the target, and whether CPU time and memory keep it."""
    if target is None or cpu is None or memory is None:
        return ""
    missed = [name for name, value, most in (("CPU", cpu, target), ("memory", memory, 1.0)) if value > most]
    return f"{target:.2f} **missed: {', '.join(missed)}**" if missed else f"{target:.2f} met"


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}" if value < 1 else f"{value:.2f}"
