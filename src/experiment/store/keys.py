"""The key of a result: a short digest of its definition, which has the keys of what it was made from.

A definition is plain data with everything that shapes the content of a folder, and nothing else. Equal definitions have
equal keys, whatever the result is called and wherever it was made. The first entry of each definition names the step
and its version, as in `{"step": "corpus 1"}`. A change in what a step makes of the same definition needs a higher
number, so that old results keep their meaning. Definitions are built in `experiment.plan`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from subwords.errors import InputError

#: 40 bits: among a million folders, two have the same key with a probability of 0.4. That is an error (`results`).
KEY_LENGTH = 10


def canonical(definition: Any) -> str:
    """Return the one way to write a definition: JSON, keys sorted, no spaces, whole numbers without a decimal point.

    Raises ValueError for what is not plain data, and for numbers that are not finite.

    >>> canonical({"b": [1.0, 0.5], "a": None})
    '{"a":null,"b":[1,0.5]}'
    """
    return json.dumps(_plain(definition), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def key(definition: Mapping[str, Any]) -> str:
    """Return the key of a definition: the first hexadecimal digits of the SHA-256 of its canonical form."""
    return hashlib.sha256(canonical(definition).encode()).hexdigest()[:KEY_LENGTH]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise ValueError(f"names in a definition are text: {list(value)}")
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{value} is not a finite number", next_step="write a large number, or leave the key out")
        return int(value) if value.is_integer() else value
    if value is None or isinstance(value, str | bool | int):
        return value
    raise ValueError(f"{value!r} cannot be part of a definition: it is not plain data")
