"""JSON files: read strictly, written whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from subwords.errors import InputError
from subwords.files import whole_file


def read_json(path: str | Path) -> Any:
    """Return the content of a JSON file. Raises InputError when it cannot be read or is not JSON."""
    try:
        return json.loads(Path(path).read_bytes().decode("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", next_step="run the step that makes it") from error
    except ValueError as error:  # JSON and UTF-8 errors are both ValueErrors
        raise InputError(
            f"{path} is not JSON: {error}", next_step="delete it and run the step that makes it"
        ) from error


def read_json_lines(path: str | Path) -> list[Any]:
    """Return one value per line that is not blank. Raises InputError with the line that is not JSON."""
    from subwords.files import read_lines

    values = []
    for number, line in enumerate(read_lines(path), 1):
        if line.strip():
            try:
                values.append(json.loads(line))
            except ValueError as error:
                raise InputError(f"{path}, line {number} is not JSON: {error}") from error
    return values


def write_json(path: str | Path, value: Any) -> None:
    """Write `value` as indented JSON, whole or not at all. Keys keep the order they have."""
    with whole_file(path) as stream:
        json.dump(value, stream, ensure_ascii=False, indent=1)
        stream.write("\n")
