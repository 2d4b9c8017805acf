"""The entries of `segmentations` in an experiment file, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from subwords import registry
from subwords.errors import InputError
from subwords.segmenter import read_options


@dataclass(frozen=True)
class Segmentation:
    """One entry of `segmentations`: what is learned, and how it is applied."""

    name: str
    algorithm: str
    size: int | str | None
    joint: bool
    text: str
    per_seed: bool
    learn: dict[str, Any]  # the algorithm's learn options, defaults filled in
    encode: dict[str, Any]  # its encode options
    learn_pairs: int | None = None  # of train, where it is not learned on all

    def folder(self, seed: int) -> str:
        """Return the name of its folder: its own name, with the seed where it is learned for each."""
        return f"{self.name}.seed{seed}" if self.per_seed else self.name


def described_segmentation(name: str, given: Mapping[str, Any], where: str) -> Segmentation:
    """Return a checked entry of `segmentations`."""
    ours = ("algorithm", "size", "joint", "text", "per_seed", "learn_pairs")
    own = {key: value for key, value in given.items() if key not in ours}
    try:
        algorithm = registry.find(given["algorithm"])
        options = read_options(algorithm, own)
        size = given.get("size")
        size = int(size) if isinstance(size, float) else size
        if isinstance(size, str) and size != "auto":
            raise InputError(f"size={size!r} is not a whole number", allowed="a whole number >= 1, null, or auto")
        if isinstance(size, int) and size < 1:
            raise InputError(f"size={size} is too small", allowed="a whole number >= 1")
        if algorithm.size_counts is None and size is not None:
            raise InputError(f"size={size}: {given['algorithm']} takes no size", next_step="leave `size` out")
        if algorithm.size_counts is not None and not isinstance(size, int) and not algorithm.chooses_size:
            raise InputError(f"{given['algorithm']} needs a size", allowed=f"a number of {algorithm.size_counts}")
    except InputError as error:
        raise InputError(f"{where}: segmentations.{name}: {error}") from None
    stages = {parameter.name: parameter.stage for parameter in algorithm.parameters}
    per_seed = given.get("per_seed", False)
    if per_seed and "seed" not in stages:
        raise InputError(f"{where}: segmentations.{name}: per_seed, but {given['algorithm']} takes no seed")
    return Segmentation(
        name=name,
        algorithm=given["algorithm"],
        size=size,
        joint=given.get("joint", False),
        text=given.get("text", algorithm.reads),
        per_seed=per_seed,
        learn={key: value for key, value in options.items() if stages[key] in ("learn", "both")},
        encode={key: value for key, value in options.items() if stages[key] in ("encode", "both")},
        learn_pairs=given.get("learn_pairs"),
    )
