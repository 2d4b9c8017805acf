"""What `subwords list` says of an algorithm."""

from __future__ import annotations

from typing import Any

from subwords.segmenter import Segmenter


def describe_algorithm(algorithm: type[Segmenter]) -> dict[str, Any]:
    """Return what `subwords list --json` shows of an algorithm."""
    return {
        "algorithm": algorithm.algorithm,
        "summary": algorithm.summary,
        "size": algorithm.size_counts,
        "reads": algorithm.reads,
        "parameters": [
            {
                "name": parameter.name,
                "default": parameter.default,
                "choices": list(parameter.choices),
                "stage": parameter.stage,
                "help": parameter.help,
            }
            for parameter in algorithm.parameters
        ],
    }


def as_text(described: dict[str, Any]) -> str:
    """Return the same for a person to read."""
    size = f"--size counts {described['size']}" if described["size"] else "takes no --size"
    lines = [f"{described['algorithm']}: {described['summary']}", f"    {size}; reads {described['reads']} text"]
    for parameter in described["parameters"]:
        choices = f" ({' | '.join(map(str, parameter['choices']))})" if parameter["choices"] else ""
        default = "none" if parameter["default"] is None else parameter["default"]
        lines.append(f"    --set {parameter['name']}={default}{choices}  [{parameter['stage']}] {parameter['help']}")
    return "\n".join(lines)
