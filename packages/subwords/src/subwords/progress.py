"""A line on standard error for work that takes long."""

from __future__ import annotations

import sys
import time
from typing import Self

#: Seconds before a line appears: most work is done by then. Seconds between two lines, on a terminal and in a log file.
PATIENCE, ON_TERMINAL, IN_LOG = 5.0, 0.5, 20.0


class Progress:
    """Shows how many of `total` steps are done, once the work has taken a few seconds."""

    def __init__(self, steps: str, total: int | None) -> None:
        self._steps, self._total = steps, total
        self._next = time.monotonic() + PATIENCE
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown and sys.stderr.isatty():
            print(file=sys.stderr)

    def show(self, done: int) -> None:
        """Say that `done` steps are done."""
        if time.monotonic() < self._next:
            return
        terminal = sys.stderr.isatty()
        self._next = time.monotonic() + (ON_TERMINAL if terminal else IN_LOG)
        self._shown = True
        of = f" of {self._total:,}" if self._total else ""
        print(f"subwords: {done:,}{of} {self._steps}", end="\r" if terminal else "\n", file=sys.stderr, flush=True)
