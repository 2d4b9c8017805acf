"""The results in Markdown."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from statistics import median

from experiment.provenance import processor

from .measure import Usage
from .programs import BASELINES, Program

PACKAGES = ["subwords", "numpy", "subword-nmt", "sentencepiece", "tokenizers"]
RATIOS = ["of subword-nmt", "of sentencepiece bpe", "MiB of sentencepiece bpe"]
HEADER = ["", "step", "CPU", "wall", "MiB", *RATIOS, "runs"]
LEGEND = """\
Ours are bold. Seconds of CPU outside the kernel and of wall time, of whole processes, medians of the runs; MiB: peak
memory. Ratios are of CPU time, and of peak memory, to the peer's row of the same step, with one thread."""


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
        f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, {packages}. Load average before the run: {load}."
    )


def as_markdown(rows: Sequence[Measured]) -> str:
    """Return one line per row."""
    measured = {(row.program.name, row.step): row for row in rows}
    lines = [HEADER, ["---"] * len(HEADER)]
    for row in rows:
        nmt, sentencepiece = (measured.get((name, row.step)) for name in BASELINES)
        name = f"**{row.program.name}**" if row.program.ours else row.program.name
        figures = [f"{row.median('user'):.2f}", f"{row.median('wall'):.2f}", f"{row.median('peak') / 2**20:.0f}"]
        ratios = [_ratio(row, nmt, "user"), _ratio(row, sentencepiece, "user"), _ratio(row, sentencepiece, "peak")]
        lines.append([name, row.step, *figures, *ratios, str(len(row.runs))])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _ratio(row: Measured, other: Measured | None, figure: str) -> str:
    """Return the ratio of two medians; nothing where the other is 0: a process too short for the system to count."""
    if other is None or not other.median(figure):
        return ""
    value = row.median(figure) / other.median(figure)
    return f"{value:.3f}" if value < 1 else f"{value:.2f}"
