"""What the words of a call of snakemake mean: a target `paper_NAME` is that paper's file, `seeds=[1,2]` are numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

#: Jobs that run in processes of their own do not see the targets; they find the paper's name here.
VARIABLE = "SNAKEMAKE_PAPER"


def configuration(words: Sequence[str]) -> str:
    """Return the file that the command line means, and remember it for the processes that it starts.

    >>> configuration(["snakemake", "--cores", "2", "all"])
    'config/config.yaml'
    """
    for word in words[1:]:
        if word.startswith("paper_"):
            os.environ[VARIABLE] = word.removeprefix("paper_")
    return f"config/papers/{os.environ[VARIABLE]}.yaml" if VARIABLE in os.environ else "config/config.yaml"


def typed(value: Any) -> Any:
    """Return what a list or mapping on Snakemake's command line means: in `seeds=[1,2]`, 1 and 2 arrive as words.

    >>> typed(["1", "two", {"average": "3", "on": "dev"}])
    [1, 'two', {'average': 3, 'on': 'dev'}]
    >>> typed("*: more than chance")
    '*: more than chance'
    """
    if isinstance(value, Mapping):
        return {key: typed(part) for key, part in value.items()}
    if isinstance(value, list):
        return [typed(part) for part in value]
    try:
        meant = yaml.safe_load(value) if isinstance(value, str) else value
    except yaml.YAMLError:  # a sentence
        return value
    return meant if isinstance(meant, bool | int | float) or value == "null" else value
