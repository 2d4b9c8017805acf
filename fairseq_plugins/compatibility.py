"""fairseq 0.12.2 (2022) on Python 3.11 and 3.12, torch >= 2.6, NumPy >= 1.24 and hydra-core 1.3.

`prepare_imports()` comes before anything imports fairseq or hydra, `prepare_fairseq()` after. Each function mends one
incompatibility or one hazard, and says which. Nothing in the installed packages is changed.
"""

from __future__ import annotations

import dataclasses
import functools
import shutil
from pathlib import Path
from typing import Any


def prepare_imports() -> None:
    """Mend what stops fairseq from being imported. Calling it again does nothing."""
    if not getattr(dataclasses, "_hashes_defaults", False):
        _hash_dataclass_defaults()
        dataclasses._hashes_defaults = True  # type: ignore[attr-defined]
    _name_numpy_types()


def prepare_fairseq() -> None:
    """Mend what goes wrong once fairseq runs. Calling it again does nothing."""
    import fairseq

    if not getattr(fairseq, "_prepared", False):
        _load_whole_checkpoints()
        _copy_whole_checkpoints()
        _leave_encoder_fastpath()
        _save_master_weights()
        _leave_compiler_out()
        fairseq._prepared = True


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
    import numpy

    for name, kind in (("float", float), ("int", int)):
        if name not in vars(numpy):
            setattr(numpy, name, kind)


def _load_whole_checkpoints() -> None:
    """torch 2.6 loads weights only by default; fairseq's checkpoints, the user's own, also hold their settings."""
    import fairseq.checkpoint_utils
    import torch

    class Torch:
        """torch as that one module sees it: only `load` differs."""

        def __getattr__(self, name: str) -> Any:
            return getattr(torch, name)

        @staticmethod
        def load(*args: Any, **kwargs: Any) -> Any:
            return torch.load(*args, **{"weights_only": False, **kwargs})

    fairseq.checkpoint_utils.torch = Torch()


def _copy_whole_checkpoints() -> None:
    """fairseq copies checkpoint7.pt onto checkpoint_last.pt in place: a kill meanwhile leaves nothing to go on from."""
    from fairseq.file_io import PathManager

    def copy(source: str, target: str, overwrite: bool = False) -> bool:
        if Path(target).exists() and not overwrite:
            return False
        temporary = f"{target}.part"
        shutil.copyfile(source, temporary)
        Path(temporary).replace(target)
        return True

    PathManager.copy = staticmethod(copy)


def _save_master_weights() -> None:
    """In bf16 and fp16 fairseq trains fp32 copies of the weights, and saves the model's rounded ones alone.

    A resumed training would go on from other weights than it left off with. The copies are saved with the optimizer's
    state, which only checkpoint_last.pt has.
    """
    from fairseq.optim.fp16_optimizer import FP16Optimizer

    save, load = FP16Optimizer.state_dict, FP16Optimizer.load_state_dict

    def masters(optimizer: Any) -> list[Any]:
        copies = optimizer.fp32_params
        return [copy.data for copy in (copies.values() if isinstance(copies, dict) else copies)]

    def state_dict(self: Any) -> dict[str, Any]:
        return {**save(self), "master_weights": masters(self)}

    def load_state_dict(self: Any, state: dict[str, Any], overrides: Any = None) -> None:
        load(self, {key: value for key, value in state.items() if key != "master_weights"}, overrides)
        for own, saved in zip(masters(self), state.get("master_weights", []), strict=False):
            own.copy_(saved)

    FP16Optimizer.state_dict = state_dict
    FP16Optimizer.load_state_dict = load_state_dict


#: What an encoder layer keeps a second time for the fused layer of torch 1.12: weights that no training moves, a
#: quarter of a Transformer base, which would be counted, saved and given optimizer states like the others.
FASTPATH_COPIES = [f"{part}_{kind}" for part in ("in_proj", "out_proj", "fc1", "fc2") for kind in ("weight", "bias")]


def _leave_encoder_fastpath() -> None:
    """At inference fairseq calls torch 1.12's fused encoder layer, whose signature has changed since.

    Without it the layer needs no copies of its weights; checkpoints that have them are loaded without.
    """
    import torch
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


def _leave_compiler_out() -> None:
    """torch's optimizers import its compiler, a second of work, so that it leaves them alone; nothing here compiles."""
    import inspect

    import torch

    for _, method in inspect.getmembers(torch.optim.Optimizer, inspect.isfunction):
        if method.__code__.co_filename == torch._compile.__file__:
            original = vars(method)["__wrapped__"]
            original.__dynamo_disable = original
