"""How many parameters a recipe's model has: counted in fairseq's own model, built without memory for its weights."""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import fairseq_plugins  # noqa: F401  (before fairseq: mends it)
import torch
from fairseq import models, options
from fairseq.data import Dictionary
from fairseq.dataclass.utils import convert_namespace_to_omegaconf

from experiment.segmentation.binarizing import PADDING
from experiment.training.fairseq_flags import arguments


def count_parameters(flags: Mapping[str, Any], joint: bool, source: int, target: int) -> int:
    """Return the number of parameters of a recipe's model for vocabularies of so many pieces.

    With `joint`, both sides have one vocabulary, of `source` pieces. Dictionaries are filled up as for training.
    """
    return _counted(json.dumps(flags), joint, source, target)


@functools.cache
def _counted(flags: str, joint: bool, source: int, target: int) -> int:
    first = _dictionary(source)
    task = SimpleNamespace(source_dictionary=first, target_dictionary=first if joint else _dictionary(target))
    with warnings.catch_warnings(action="ignore"), torch.device("meta"):  # Hydra's, of how fairseq calls it
        model = models.build_model(_settings(flags, joint), task)
    return sum(parameter.numel() for parameter in model.parameters())


@functools.cache
def _settings(flags: str, joint: bool) -> Any:
    words = ["data", "--task", "translation", *arguments(json.loads(flags), joint)]
    parsed = options.parse_args_and_arch(options.get_training_parser(), input_args=words)
    return convert_namespace_to_omegaconf(parsed).model


def _dictionary(size: int) -> Any:
    dictionary = Dictionary()
    dictionary.symbols += [""] * size  # a model asks for their number alone
    dictionary.pad_to_multiple_(PADDING)
    return dictionary
