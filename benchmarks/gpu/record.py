"""What a step leaves behind: result.json and README.md, with everything that a figure depends on."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiment.jsonfiles import write_json
from experiment.provenance import commit_label, git_state, versions
from subwords.files import whole_file

from .call import Call


def machine() -> dict[str, Any]:
    """Return processor, memory and, where there is one, the card with its driver."""
    import torch

    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text("utf-8").split("\n") if cpuinfo.exists() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    found: dict[str, Any] = {
        "processor": names[0] if names else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
    }
    if torch.cuda.is_available():
        card = torch.cuda.get_device_properties(0)
        found |= {
            "card": card.name,
            "card_memory_gib": round(card.total_memory / 2**30, 1),
            "driver": _driver(),
            "cuda": torch.version.cuda,
        }
    return found


def _driver() -> str | None:
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(query, capture_output=True, text=True, check=True).stdout.split("\n")[0]
    except (OSError, subprocess.CalledProcessError):
        return None


def software() -> dict[str, str]:
    """Return the versions of what takes part."""
    found = versions()
    for package in ("snakemake", "triton"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def write(call: Call, title: str, body: Sequence[str], results: dict[str, Any]) -> None:
    """Write the record of a step: `body` is Markdown, `results` what it says as data."""
    call.remember()
    calls = call.memory["calls"]
    record = {
        "step": call.step,
        "title": title,
        "scale": call.scale,
        "calls": calls,
        "seconds": round(sum(made["seconds"] for made in calls), 1),
        "machine": machine(),
        "versions": software(),
        "commit": commit_label(git_state()) or "unknown",
        **results,
    }
    write_json(call.record_folder / "result.json", record)
    with whole_file(call.record_folder / "README.md") as stream:
        stream.write("\n".join([f"# {title}", "", *body, "", *_provenance(record)]) + "\n")


def _provenance(record: dict[str, Any]) -> list[str]:
    commands = list(dict.fromkeys(call["command"] for call in record["calls"]))
    facts = [f"{name.replace('_', ' ')} {value}" for name, value in record["machine"].items() if value is not None]
    packages = [f"{name} {version}" for name, version in record["versions"].items()]
    count = len(record["calls"])
    return [
        "## How",
        "",
        "```",
        *commands,
        "```",
        "",
        f"- Time: {record['seconds'] / 60:.1f} minutes in {count} call{'s' if count > 1 else ''}, "
        f"the first on {record['calls'][0]['started']}.",
        f"- Machine: {', '.join(facts)}.",
        f"- Software: {', '.join(packages)}; commit {record['commit']}.",
    ]


def table(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return Markdown lines: the first row is the heading, columns after the first are aligned to the right."""
    head, *body = [[str(cell) for cell in row] for row in rows]
    rule = ["---", *["--:"] * (len(head) - 1)]
    return [f"| {' | '.join(row)} |" for row in (head, rule, *body)]
