"""With CUDA graphs the processor works ahead of the card, by one update.

fairseq's trainer reads numbers back from the card in every update: the norm of its gradients, to stop where that is not
finite, and losses, which it rounds for a value that nobody reads. Each time the card has nothing to do until the
processor has launched what comes next: in a quarter of the time of a Transformer base's updates on an H200.
"""

from __future__ import annotations

from typing import Any

import torch
from fairseq.logging.meters import MetersDict
from fairseq.trainer import Trainer

by_fairseq = Trainer._reduce_and_log_stats


def log_without_reading(trainer: Any, *given: Any, **named: Any) -> dict[str, float]:
    """Log as fairseq does, and return nothing: its loop reads the meters, every log-interval updates."""
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
        there = torch.cuda.Event() if number.is_cuda else None
        copy = number.to("cpu", non_blocking=True)  # into memory that the card reaches by itself
        if there is not None:
            there.record()
        (found, arrived), self._last = self._last or (copy, there), (copy, there)
        if arrived is not None:
            arrived.synchronize()
        return found


Trainer._reduce_and_log_stats = log_without_reading
