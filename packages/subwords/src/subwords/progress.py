"""A line on standard error for work that takes long."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Seconds before a line appears: most work is done by then. Seconds between two lines, on a terminal and in a log file.
PATIENCE, ON_TERMINAL, IN_LOG = 5.0, 0.5, 20.0


@contextmanager
def progress(steps: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Give a function that shows how many of `total` steps are done, once the work has taken a few seconds."""
    due, shown = time.monotonic() + PATIENCE, False

    def show(done: int) -> None:
        nonlocal due, shown
        if time.monotonic() < due:
            return
        terminal = sys.stderr.isatty()
        due, shown = time.monotonic() + (ON_TERMINAL if terminal else IN_LOG), True
        of = f" of {total:,}" if total else ""
        print(f"subwords: {done:,}{of} {steps}", end="\r" if terminal else "\n", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if shown and sys.stderr.isatty():
            print(file=sys.stderr)
