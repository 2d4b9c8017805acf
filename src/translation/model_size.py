"""How many parameters a recipe's model has: counted in fairseq's own model, built without memory for its weights."""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Mapping
from typing import Any

from experiment.training.fairseq_flags import arguments


def count_parameters(flags: Mapping[str, Any], joint: bool, source: int, target: int) -> int:
    """Return the number of trained parameters of a recipe's model for vocabularies of these sizes.

    With `joint`, both sides have one vocabulary, of `source` pieces.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sum(parameter.numel() for parameter in _model(flags, joint, source, target).parameters())


@functools.cache
def _counted(flags: str, joint: bool, source: int, target: int) -> int:
    return count_parameters(json.loads(flags), joint, source, target)


def interpolated(flags: Mapping[str, Any], joint: bool, source: int, target: int) -> int:
    """Return the same, quickly: parameters are linear in the vocabularies' sizes, so three small models are enough."""
    small = functools.partial(_counted, json.dumps(flags), joint)
    base = small(10, 10)
    return base + (source - 10) * (small(11, 10) - base) + (0 if joint else (target - 10) * (small(10, 11) - base))


def _model(flags: Mapping[str, Any], joint: bool, source: int, target: int) -> Any:
    import torch
    from fairseq_plugins.compatibility import prepare_fairseq

    prepare_fairseq()
    from fairseq import models, options
    from fairseq.dataclass.utils import convert_namespace_to_omegaconf

    words = ["data", "--task", "translation", *arguments(flags, joint)]
    parsed = options.parse_args_and_arch(options.get_training_parser(), input_args=words)
    settings = convert_namespace_to_omegaconf(parsed)
    first = _dictionary(source)
    task = _Task(first, first if joint else _dictionary(target))
    with torch.device("meta"):
        return models.build_model(settings.model, task)


class _Task:
    """The part of a translation task that models are built from."""

    def __init__(self, source: Any, target: Any) -> None:
        self.source_dictionary, self.target_dictionary = source, target


def _dictionary(size: int) -> Any:
    from fairseq.data import Dictionary

    dictionary = Dictionary()
    for number in range(size):
        dictionary.add_symbol(f"piece{number}")
    return dictionary
