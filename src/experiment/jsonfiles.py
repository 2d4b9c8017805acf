"""JSON files, read strictly and written whole. A seal, a digest of the content, shows flipped bits."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from subwords.errors import InputError
from subwords.files import read_lines, write_whole

#: The key of a digest of all other keys.
SEAL = "seal"


def read_json(path: str | Path) -> Any:
    """Return the content of a JSON file, without its seal.

    Raises InputError when it cannot be read, is not JSON, or has a seal that its content does not fit.
    """
    rebuild = f"restore it; or delete {path} and run again to rebuild it"
    try:
        value = json.loads(Path(path).read_bytes().decode("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", next_step="run the step that makes it") from error
    except ValueError as error:  # JSON and UTF-8 errors are both ValueErrors
        raise InputError(f"{path} is not JSON: {error}", next_step=rebuild) from error
    if isinstance(value, dict) and SEAL in value and value.pop(SEAL) != _seal(value):
        raise InputError(
            f"{path} has changed since it was written: its content does not match its checksum (the key `seal`)",
            next_step=rebuild,
        )
    return value


def _seal(value: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:16]


def read_json_lines(path: str | Path) -> list[Any]:
    """Return one value per line that is not blank. Raises InputError with the line that is not JSON."""
    values = []
    for number, line in enumerate(read_lines(path), 1):
        if line.strip():
            try:
                values.append(json.loads(line))
            except ValueError as error:
                raise InputError(f"{path}, line {number} is not JSON: {error}") from error
    return values


def write_json(path: str | Path, value: Any, *, sealed: bool = False) -> None:
    """Write `value` as indented JSON, whole or not at all. Keys keep the order they have.

    A sealed file, of a mapping, has a digest of its content, which `read_json` compares.
    """
    if sealed:  # as it is read again: keys are text, tuples are lists
        value = json.loads(json.dumps(value, ensure_ascii=False))
        value = {**value, SEAL: _seal(value)}
    write_whole(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")
