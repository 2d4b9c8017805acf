"""The processor works ahead of the card, with CUDA graphs by one update.

fairseq's trainer reads numbers back from the card in every update: the norm of its gradients, to stop where that is not
finite, and losses, which it rounds for a value that nobody reads. Each time the card has nothing to do until the
processor has launched what comes next. (With graphs, an H200 was idle for 23% of the time of a Transformer base.)
"""

from __future__ import annotations

from typing import Any

import torch
from fairseq.logging.meters import MetersDict
from fairseq.trainer import Trainer

by_fairseq = Trainer._reduce_and_log_stats


def log_without_reading(trainer: Any, *given: Any, **named: Any) -> dict[str, float]:
    """Log as fairseq does, and return no rounded values: its loop reads the meters, every log-interval updates.

    What is returned must not be None: then fairseq would not log.
    """
    read = MetersDict.get_smoothed_values
    MetersDict.get_smoothed_values = lambda meters: {}
    try:
        logged: dict[str, float] = by_fairseq(trainer, *given, **named)
    finally:
        MetersDict.get_smoothed_values = read
    return logged


class Earlier:
    """Hands out each number of the card when the next one comes; the first, at once."""

    def __init__(self) -> None:
        self._last: tuple[torch.Tensor, Any] | None = None

    def exchange(self, number: torch.Tensor) -> torch.Tensor:
        """Return the number given before, on the processor. It waits until that one is there, not for this one."""
        before, copy = self._last, number.to("cpu", non_blocking=True)  # into memory that the card reaches by itself
        there = torch.cuda.Event() if number.is_cuda else None
        if there is not None:
            there.record()
        self._last = (copy, there)
        return _wait(*(before or self._last))

    def last(self) -> torch.Tensor | None:
        """Return the number given last, on the processor, as soon as it is there; None before the first."""
        return _wait(*self._last) if self._last else None


def _wait(number: torch.Tensor, there: Any) -> torch.Tensor:
    if there is not None:
        there.synchronize()
    return number


Trainer._reduce_and_log_stats = log_without_reading
