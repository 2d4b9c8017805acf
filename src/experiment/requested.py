"""Which configuration a call of snakemake means when it names none: a target `paper_NAME` means that paper's."""

from __future__ import annotations

import os
from collections.abc import Sequence

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
