"""YAML files that people write, read strictly: a key that occurs twice is an error, where YAML keeps the last one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from subwords.errors import InputError


def read_mapping(path: str | Path, next_step: str) -> dict[str, Any]:
    """Return a file's keys and values. Raises InputError where it is unreadable, is not a mapping, or repeats a key."""
    try:
        with open(path, encoding="utf-8") as stream:  # PyYAML's messages name it
            document = yaml.load(stream, Loader=_StrictLoader)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", next_step=next_step) from error
    except (ValueError, yaml.YAMLError) as error:
        raise InputError(f"cannot read {path}: {error}", next_step=next_step) from error
    if not isinstance(document, dict):
        raise InputError(f"{path} is not a mapping of keys to values", next_step=next_step)
    return document


class _StrictLoader(yaml.SafeLoader):
    """PyYAML's safe loader silently takes the last of equal keys."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"{key.value} occurs twice", key.start_mark)
                seen.add(key.value)
        return node
