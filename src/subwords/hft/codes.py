"""Lines of text as one array of code points, with LF between the lines, for compiled code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint32]


def text_codes(text: str) -> Codes:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def codes_text(codes: Codes) -> str:
    """Return the text of code points."""
    return codes.tobytes().decode("utf-32-le", "surrogatepass")


def to_codes(lines: Sequence[str]) -> Codes:
    """Return the code points of lines with LF between them. Raises ValueError when a line holds a LF itself."""
    text = "\n".join(lines)
    if text.count("\n") >= max(len(lines), 1):
        raise ValueError("a line holds a line feed")
    return text_codes(text)


def to_lines(codes: Codes) -> list[str]:
    """Return the lines of an array of code points."""
    return codes_text(codes).split("\n")
