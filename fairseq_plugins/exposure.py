"""What a training has seen and used, over all its attempts: sentences, target pieces, the cards' energy.

The counts are in every checkpoint, so that a training that continues from a checkpoint continues its counts.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

from fairseq.trainer import Trainer

JOULES_PER_KWH = 3.6e6


class Exposure:
    """Counts what a process trains on from now on; `cards` are its GPUs, as CUDA_VISIBLE_DEVICES names them.

    Energy is measured for the whole card. Where `sharing` jobs use it, each counts its share.
    """

    def __init__(self, cards: Sequence[str], sharing: int = 1) -> None:
        self._cards, self._sharing = cards, sharing
        self._counts: dict[str, int] | None = {"sentences_seen": 0, "pieces_seen": 0}
        self._energy_before: float | None = 0.0
        self._began = joules(cards)

    def facts(self) -> dict[str, float | None]:
        """Return sentences_seen, pieces_seen and energy_kwh; None for what is not known of all attempts."""
        now = joules(self._cards)
        energy = None
        if now is not None and self._began is not None and self._energy_before is not None:
            energy = self._energy_before + (now - self._began) / JOULES_PER_KWH / self._sharing
        return {**(self._counts or dict.fromkeys(("sentences_seen", "pieces_seen"))), "energy_kwh": energy}

    def take_up(self, facts: Mapping[str, Any]) -> None:
        """Continue from the counts in a checkpoint; a count that it lacks stays unknown."""
        known = facts.get("sentences_seen") is not None and facts.get("pieces_seen") is not None
        self._counts = {name: facts[name] for name in ("sentences_seen", "pieces_seen")} if known else None
        self._energy_before = facts.get("energy_kwh")

    def count(self, logging_outputs: Sequence[Mapping[str, Any]]) -> None:
        """Add one update, from the loss function's logs of its batches on all cards."""
        if self._counts is not None:
            sentences = sum(int(output["nsentences"]) for output in logging_outputs)
            ends = sentences  # fairseq counts the end of each sentence as a token, too
            self._counts["sentences_seen"] += sentences
            self._counts["pieces_seen"] += sum(int(output["ntokens"]) for output in logging_outputs) - ends

    def watch(self) -> None:
        """Make fairseq's trainer count, and keep the counts in its checkpoints."""
        reduce, state_dict, load = Trainer._reduce_and_log_stats, Trainer.state_dict, Trainer.load_checkpoint

        def counted(trainer: Any, outputs: Any, sample_size: Any, grad_norm: Any = None) -> Any:
            if grad_norm is not None:  # an update, and not a look at the dev set
                self.count(outputs)
            return reduce(trainer, outputs, sample_size, grad_norm)

        def with_counts(trainer: Any) -> dict[str, Any]:
            state: dict[str, Any] = state_dict(trainer)
            state["extra_state"]["exposure"] = self.facts()
            return state

        def taken_up(trainer: Any, filename: str, reset_optimizer: bool = False, *args: Any, **options: Any) -> Any:
            extra = load(trainer, filename, reset_optimizer, *args, **options)
            if reset_optimizer:  # --finetune-from-model: what another training saw and took is not of this one
                trainer._previous_training_time = 0
            elif extra is not None:
                self.take_up(extra.get("exposure") or {})
            return extra

        Trainer._reduce_and_log_stats, Trainer.state_dict, Trainer.load_checkpoint = counted, with_counts, taken_up


def joules(cards: Sequence[str]) -> float | None:
    """Return the energy that cards have used since their driver was loaded; None without cards that report it.

    NVML has the card's own counter, in millijoules (from Volta on). nvidia-smi does not print it.
    """
    if not cards:
        return None
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
        if nvml.nvmlInit_v2():
            return None
        total = 0
        for card in cards:
            handle, used = ctypes.c_void_p(), ctypes.c_ulonglong()
            find, name = (
                (nvml.nvmlDeviceGetHandleByIndex_v2, ctypes.c_uint(int(card)))
                if card.isdecimal()
                else (nvml.nvmlDeviceGetHandleByUUID, card.encode())
            )
            if find(name, ctypes.byref(handle)) or nvml.nvmlDeviceGetTotalEnergyConsumption(handle, ctypes.byref(used)):
                return None
            total += used.value
        return total / 1000
    except (OSError, AttributeError):  # no driver, or one that is too old
        return None
