"""fairseq 0.12.2 (2022) on Python 3.11 and 3.12, torch >= 2.6, NumPy >= 1.24 and hydra-core 1.3.

To import `fairseq_plugins` is enough: it calls `prepare_imports()` before anything imports fairseq or hydra, and
`prepare_fairseq()` after. Each function mends one incompatibility or one hazard, and says which. Nothing in the
installed packages is changed.
"""

from __future__ import annotations

import dataclasses
import functools
import gc
import inspect
import logging
import os
import re
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import torch


def prepare_imports() -> None:
    """Mend what stops fairseq from being imported."""
    _hash_dataclass_defaults()
    _name_numpy_types()


def prepare_fairseq() -> None:
    """Mend what goes wrong once fairseq runs."""
    _let_checkpoints_be_loaded()
    _leave_encoder_fastpath()
    _save_master_weights()
    _leave_compiler_out()
    _log_lines_once()
    _understand_versions()
    _collect_nothing_of_the_parent()
    torch.backends.cuda.enable_cudnn_sdp(False)  # plans each new shape of attention anew: 6 ms a call on an H200


def _hash_dataclass_defaults() -> None:
    """Python 3.11 refuses a default that has no hash, as fairseq's nested configurations have none.

    The refusal happens while a class's fields are collected, so their type gets a hash for just that long. (A
    default_factory would not do: fairseq and hydra read `Field.default` later.)
    """
    collect = dataclasses._get_field  # type: ignore[attr-defined]

    @functools.wraps(collect)
    def collect_with_hash(cls: type, name: str, kind: Any, *rest: Any) -> Any:
        default = getattr(cls, name, dataclasses.MISSING)
        if isinstance(default, dataclasses.Field):
            default = default.default
        owner = type(default)
        if not dataclasses.is_dataclass(owner) or owner.__hash__ is not None:
            return collect(cls, name, kind, *rest)
        owner.__hash__ = object.__hash__  # type: ignore[assignment, method-assign]
        try:
            return collect(cls, name, kind, *rest)
        finally:
            owner.__hash__ = None  # type: ignore[assignment]

    dataclasses._get_field = collect_with_hash  # type: ignore[attr-defined]


def _name_numpy_types() -> None:
    """NumPy 1.24 dropped `np.float` and `np.int`, which fairseq's data code still names."""
    for name, kind in (("float", float), ("int", int)):
        if name not in vars(numpy):
            setattr(numpy, name, kind)


def _let_checkpoints_be_loaded() -> None:
    """torch 2.6 loads weights and plain values only; a fairseq checkpoint's settings can also be a Namespace.

    Nothing else is allowed: a checkpoint from elsewhere cannot run code when it is loaded.
    """
    torch.serialization.add_safe_globals([Namespace])


def _save_master_weights() -> None:
    """In bf16 and fp16 fairseq trains fp32 copies of the weights, and saves the model's rounded ones alone.

    The model that is kept should be the one that was trained, and a resumed training should go on from the weights that
    it left off with. So checkpoints hold the fp32 copies: as the model's weights, which fairseq rounds again when it
    loads them, and with the optimizer's state, which only checkpoint_last.pt has.
    """
    from fairseq.optim.fp16_optimizer import FP16Optimizer
    from fairseq.trainer import Trainer

    save, load, save_all = FP16Optimizer.state_dict, FP16Optimizer.load_state_dict, Trainer.state_dict

    def masters(optimizer: Any) -> list[Any]:
        copies = optimizer.fp32_params
        return [copy.data for copy in (copies.values() if isinstance(copies, dict) else copies)]

    def state_dict(self: Any) -> dict[str, Any]:
        return {**save(self), "master_weights": masters(self)}

    def load_state_dict(self: Any, state: dict[str, Any], overrides: Any = None) -> None:
        load(self, {key: value for key, value in state.items() if key != "master_weights"}, overrides)
        for own, saved in zip(masters(self), state.get("master_weights", []), strict=False):
            own.copy_(saved)

    def trainer_state(self: Any) -> dict[str, Any]:
        state: dict[str, Any] = save_all(self)
        if isinstance(self.optimizer, FP16Optimizer):
            copies = fp32_copies(self.optimizer.fp16_params, masters(self.optimizer))
            state["model"] = {name: copies.get(weight.data_ptr(), weight) for name, weight in state["model"].items()}
        return state

    FP16Optimizer.state_dict = state_dict
    FP16Optimizer.load_state_dict = load_state_dict
    Trainer.state_dict = trainer_state


def fp32_copies(weights: Sequence[Any], masters: Sequence[Any]) -> dict[int, Any]:
    """Return the fp32 copy of each weight, by the address of the weight's data.

    `masters` has a tensor for each weight, or one flat tensor that holds all of them one after the other.
    """
    if len(masters) == 1 and masters[0].dim() == 1:
        masters = masters[0].split([weight.numel() for weight in weights])
    pairs = zip(weights, masters, strict=True)
    return {weight.data_ptr(): master.view(weight.shape) for weight, master in pairs}


#: What an encoder layer keeps a second time for the fused layer of torch 1.12: weights that no training moves, a
#: quarter of a Transformer base, which would be counted, saved and given optimizer states like the others.
FASTPATH_COPIES = [f"{part}_{kind}" for part in ("in_proj", "out_proj", "fc1", "fc2") for kind in ("weight", "bias")]


def _leave_encoder_fastpath() -> None:
    """At inference fairseq calls torch 1.12's fused encoder layer, whose signature has changed since.

    Without it the layer needs no copies of its weights; checkpoints that have them are loaded without.
    """
    from fairseq.modules.transformer_layer import TransformerEncoderLayerBase

    initialize = TransformerEncoderLayerBase.__init__

    @functools.wraps(initialize)
    def without_fastpath(self: Any, *args: Any, **kwargs: Any) -> None:
        initialize(self, *args, **kwargs)
        self.can_use_fastpath = False
        for name in FASTPATH_COPIES:
            delattr(self, name)

    def load(self: Any, state: dict[str, Any], prefix: str, *rest: Any) -> None:
        for name in FASTPATH_COPIES:
            state.pop(prefix + name, None)
        torch.nn.Module._load_from_state_dict(self, state, prefix, *rest)

    TransformerEncoderLayerBase.__init__ = without_fastpath
    TransformerEncoderLayerBase._load_from_state_dict = load


def _understand_versions() -> None:
    """fairseq computes with the parts of torch's version and cannot read 2.7.0a0, as NVIDIA's containers have it."""
    numbers = re.match(r"\d+\.\d+\.\d+", torch.__version__)
    if numbers and numbers[0] != torch.__version__.split("+")[0]:
        torch.__version__ = type(torch.__version__)(numbers[0])


def _collect_nothing_of_the_parent() -> None:
    """A data worker is forked from a process that has used a GPU, and dies where it frees a tensor that is there.

    Its garbage collector would find those that its parent had not yet collected.
    """
    os.register_at_fork(after_in_child=gc.freeze)


def _log_lines_once() -> None:
    """fairseq opens the log file once more in each epoch, and in epoch 100 writes each line a hundred times."""
    from fairseq.logging import progress_bar as module

    make_bar = module.progress_bar

    @functools.wraps(make_bar)
    def make_bar_with_one_log(*given: Any, log_file: str | None = None, **named: Any) -> Any:
        handlers = [handler for handler in module.logger.handlers if isinstance(handler, logging.FileHandler)]
        is_open = log_file and Path(log_file).absolute() in [Path(handler.baseFilename) for handler in handlers]
        return make_bar(*given, log_file=None if is_open else log_file, **named)

    module.progress_bar = make_bar_with_one_log


def _leave_compiler_out() -> None:
    """torch's optimizers import its compiler, a second of work, so that it leaves them alone; nothing here compiles."""
    for _, method in inspect.getmembers(torch.optim.Optimizer, inspect.isfunction):
        if method.__code__.co_filename == torch._compile.__file__:
            original = vars(method)["__wrapped__"]
            original.__dynamo_disable = original
    # Its wrapper only sets whether the step has gradients, and it has none.
    torch.optim.Adam.step = torch.no_grad()(vars(torch.optim.Adam.step)["__wrapped__"])  # type: ignore[method-assign]
