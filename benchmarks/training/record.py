"""What figures depend on: machine, versions, commit; and Markdown tables."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from typing import Any

from experiment.provenance import processor
from experiment.training.gpu import driver_versions


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


def provenance(facts: Mapping[str, Any]) -> list[str]:
    """Return machine, versions and commit as Markdown."""
    machine = [f"{name.replace('_', ' ')} {value}" for name, value in facts["machine"].items() if value is not None]
    packages = [f"{name} {version}" for name, version in facts["versions"].items()]
    return [f"Machine: {', '.join(machine)}.", "", f"Software: {', '.join(packages)}; commit {facts['commit']}."]


def table(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return Markdown lines: the first row is the heading, columns after the first are aligned to the right."""
    head, *body = [[str(cell) for cell in row] for row in rows]
    rule = ["---", *["--:"] * (len(head) - 1)]
    return [f"| {' | '.join(row)} |" for row in (head, rule, *body)]
