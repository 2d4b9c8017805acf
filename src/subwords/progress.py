"""A progress line for work that takes long."""

from __future__ import annotations

import sys
import time
from typing import Any, Self

#: Seconds before a line appears: most work is done by then.
PATIENCE = 5.0


class Progress:
    """Shows on standard error how many of `total` steps are done, once the work has taken a few seconds."""

    def __init__(self, steps: str, total: int | None) -> None:
        self._steps, self._total = steps, total
        self._start = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def show(self, done: int) -> None:
        """Say that `done` steps are done."""
        if self._bar is None and time.monotonic() - self._start > PATIENCE:
            from tqdm import tqdm

            often = 0.5 if sys.stderr.isatty() else 20.0  # a log file wants a line now and then
            self._bar = tqdm(total=self._total, unit=f" {self._steps}", mininterval=often)
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
