"""Adam in one kernel: torch's fused AdamW as a fairseq optimizer, `--optimizer adamw_fused`.

fairseq's own `adam` is AdamW, too (decoupled weight decay), and takes a dozen passes over every weight; its fused one
needs apex, which is rarely installed. The update is the same except for epsilon: torch adds it to the root of the
second moment after the correction for the first steps, fairseq before. With gradients far above 1e-8 they
agree.
"""

# (no `from __future__ import annotations`: fairseq reads the types of the configuration below)

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from fairseq.dataclass import FairseqDataclass
from fairseq.optim import FairseqOptimizer, register_optimizer
from omegaconf import II

from fairseq_plugins.ahead import Earlier


@dataclass
class FusedAdamWConfig(FairseqDataclass):
    adam_betas: Any = field(default=(0.9, 0.999), metadata={"help": "decay of the first and of the second moment"})
    adam_eps: float = field(default=1e-8, metadata={"help": "added to the root of the second moment"})
    weight_decay: float = field(default=0.0, metadata={"help": "share of a weight taken off, by learning rate"})
    lr: list[float] = II("optimization.lr")  # noqa: RUF009


@register_optimizer("adamw_fused", dataclass=FusedAdamWConfig)
class FusedAdamW(FairseqOptimizer):
    """torch.optim.AdamW(fused=True), on CPU and GPU, under fairseq's learning rate schedules and mixed precision."""

    def __init__(self, cfg: Any, params: Any) -> None:
        super().__init__(cfg)
        self.flat_gradients: torch.Tensor | None = None  # all in one, where CUDA graphs add to them
        self._optimizer = torch.optim.AdamW(params, fused=True, **self.optimizer_config)
        self._norms = Earlier()

    @property
    def optimizer_config(self) -> dict[str, Any]:
        """What overrides a checkpoint's settings on resuming."""
        betas = ast.literal_eval(self.cfg.adam_betas) if isinstance(self.cfg.adam_betas, str) else self.cfg.adam_betas
        lr = self.cfg.lr
        return {
            "lr": lr[0] if isinstance(lr, Sequence) else lr,
            "betas": tuple(betas),
            "eps": self.cfg.adam_eps,
            "weight_decay": self.cfg.weight_decay,
        }

    def zero_grad(self) -> None:
        if self.flat_gradients is None:
            super().zero_grad()
        else:
            self.flat_gradients.zero_()

    def multiply_grads(self, c: Any) -> None:
        """Scale all gradients, in one call for all weights."""
        torch._foreach_mul_(self._gradients(), c)

    def clip_grad_norm(self, max_norm: float, aggregate_norm_fn: Any = None) -> torch.Tensor:
        """Return the norm of all gradients together (fp32), and scale them down to `max_norm` if that is above 0.

        With CUDA graphs it is the norm of the update before (the first time, its own), so that the card is not waited
        for. An update whose norm is not finite changes no weight, and stops the training when its norm is there: in the
        next update, or before a checkpoint is written. Raises FloatingPointError then.
        """
        gradients = self._gradients()
        norm = torch.nn.utils.get_total_norm([gradient.float() for gradient in gradients])
        if aggregate_norm_fn is not None:
            norm = aggregate_norm_fn(norm)
        if max_norm > 0:
            torch._foreach_mul_(gradients, (max_norm / (norm + 1e-6)).clamp(max=1))
        if self.flat_gradients is None:
            return norm
        # where this is not 0, torch's kernel leaves the weights as they are
        self._optimizer.found_inf = (~norm.isfinite()).float()  # type: ignore[attr-defined]
        return self._checked(self._norms.exchange(norm))

    def state_dict(self) -> dict[str, Any]:
        """Return the optimizer's state, for a checkpoint. Raises FloatingPointError, as `clip_grad_norm`."""
        if (last := self._norms.last()) is not None:
            self._checked(last)
        state: dict[str, Any] = super().state_dict()
        return state

    def _checked(self, norm: torch.Tensor) -> torch.Tensor:
        if not norm.isfinite():
            self._norms = Earlier()  # fairseq saves a checkpoint of what it has before it stops
            raise FloatingPointError(f"the norm of the gradients is {norm.item()} in this update or the one before")
        return norm

    def _gradients(self) -> list[torch.Tensor]:
        if self.flat_gradients is not None:
            return [self.flat_gradients]
        return [weight.grad for weight in self.params if weight.grad is not None]

    @property
    def supports_flat_params(self) -> bool:
        """One tensor of all weights is as good as many: the update looks at each weight alone."""
        return True
