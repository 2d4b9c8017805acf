"""The entries of `segmentations` in an experiment file, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiment.schema import defaults
from subwords import registry
from subwords.errors import InputError, unknown
from subwords.segmenter import Segmenter, read_options

#: The option of algorithms that learn from gold morphemes; left out, it is the corpus's own.
GOLD = "gold"


@dataclass(frozen=True)
class Segmentation:
    """One entry of `segmentations`: what is learned, and how it is applied."""

    name: str
    algorithm: str  # as the experiment names it
    cls: type[Segmenter]
    size: int | str | None
    joint: bool
    text: str
    per_seed: bool
    learn: dict[str, Any]  # the algorithm's learn options, defaults filled in
    encode: dict[str, Any]  # its encode options
    learn_pairs: int | None = None  # of train, where it is not learned on all
    draws: int | None = None  # random segmentations of train, where the algorithm samples
    file: Path | None = None  # of a class of the user's own
    source: str | None = None  # digest of what defines an algorithm that is none of the library's

    @property
    def needs_gold(self) -> bool:
        """Whether it learns from gold morphemes, and the experiment file names none: they are then the corpus's."""
        return GOLD in self.learn and self.learn[GOLD] is None

    def label(self, seed: int) -> str:
        """Return its name, with the seed where it is learned for each."""
        return f"{self.name}.seed{seed}" if self.per_seed else self.name


def with_sizes(entries: Mapping[str, Mapping[str, Any]], where: str) -> dict[str, Mapping[str, Any]]:
    """Return `segmentations` with each sweep written out: `sizes: [500, 1000]` of bpe becomes bpe-500 and bpe-1000.

    Raises InputError for an entry with both `size` and `sizes`, or when a name occurs twice.

    >>> with_sizes({"bpe": {"algorithm": "bpe", "sizes": [500, 1000]}}, "e.yaml")
    {'bpe-500': {'algorithm': 'bpe', 'size': 500}, 'bpe-1000': {'algorithm': 'bpe', 'size': 1000}}
    """
    found: dict[str, Mapping[str, Any]] = {}
    for name, given in entries.items():
        if "sizes" in given and "size" in given:
            raise InputError(f"{where}: segmentations.{name} has both size and sizes", next_step="leave one out")
        rest = {key: value for key, value in given.items() if key != "sizes"}
        written = {f"{name}-{size}": {**rest, "size": size} for size in given.get("sizes", [])} or {name: rest}
        for own, entry in written.items():
            if own in found:
                raise InputError(f"{where}: segmentations.{own} is defined twice", next_step="rename one of them")
            found[own] = entry
    return found


def sizes_of(names: Iterable[str], entries: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return names of segmentations with each sweep's name written out; others stay as they are.

    >>> sizes_of(["bpe", "char"], {"bpe": {"sizes": [500, 1000]}, "char": {}})
    ['bpe-500', 'bpe-1000', 'char']
    """
    return [own for name in names for own in (with_sizes({name: entries[name]}, "") if name in entries else [name])]


def baselines(sizes: Mapping[str, int | str | None], baseline: str | Mapping[str, str]) -> dict[str, str]:
    """Return the baseline of each other segmentation; `sizes` maps their names to the sizes asked for.

    A baseline that is a sweep is one for each size: a system is compared with the one of its own size, or with none.
    A mapping gives the systems that are compared, each with its own baseline; a sweep stands for its sizes, each
    compared with the same size of the other sweep, or with the one system that is named. Raises InputError for an
    unknown name, and for a baseline that has a baseline.

    >>> baselines({"bpe-500": 500, "bpe-1000": 1000, "hft-500": 500, "char": None}, "bpe")
    {'hft-500': 'bpe-500'}
    >>> baselines({"bpe-500": 500, "bpe-1000": 1000, "char": None}, "bpe-500")
    {'bpe-1000': 'bpe-500', 'char': 'bpe-500'}
    >>> baselines({"bpe-2k": 2000, "hft-2k": 2000, "bpe-3k": 3000, "hft-3k": 3000}, {"hft-2k": "bpe-2k"})
    {'hft-2k': 'bpe-2k'}
    >>> baselines({"bpe-500": 500, "bpe-1000": 1000, "hft-500": 500, "hft-1000": 1000}, {"hft": "bpe"})
    {'hft-500': 'bpe-500', 'hft-1000': 'bpe-1000'}
    """
    if not isinstance(baseline, str):
        named = {
            one: other if other in sizes else other + one.removeprefix(name)
            for name, other in baseline.items()
            for one in ([name] if name in sizes else _of_sweep(name, sizes) or [name])
        }
        for name in (*named, *named.values()):
            if name not in sizes:
                raise unknown("baseline", name, sizes, next_step="name segmentations, or sweeps with the same sizes")
        if same := [name for name, other in named.items() if name == other]:
            raise InputError(f"baseline: {same[0]} is compared with itself", next_step="leave it out")
        if both := [name for name in named if name in named.values()]:
            raise InputError(
                f"baseline: {both[0]} is compared with {named[both[0]]}, but is itself a baseline of others",
                allowed="baselines that are compared with nothing",
                next_step=f"compare the others with {named[both[0]]}, too",
            )
        return named
    if baseline in sizes:
        return {name: baseline for name in sizes if name != baseline}
    own = _of_sweep(baseline, sizes)
    if not own:
        raise unknown("baseline", baseline, sizes, next_step="name a segmentation, or one with `sizes`")
    return {name: f"{baseline}-{size}" for name, size in sizes.items() if name not in own and size in own.values()}


def _of_sweep(name: str, sizes: Mapping[str, int | str | None]) -> dict[str, int | str | None]:
    """Return the systems of a sweep; none if there is no such sweep."""
    return {f"{name}-{size}": size for size in sizes.values() if f"{name}-{size}" in sizes}


def described_segmentation(name: str, given: Mapping[str, Any], where: str) -> Segmentation:
    """Return a checked entry of `segmentations`. Its files are searched in the folder of the experiment file."""
    given = defaults("experiment", entries_of="segmentations") | dict(given)
    ours = ("algorithm", "size", "joint", "text", "per_seed", "learn_pairs", "draws")
    own = {key: value for key, value in given.items() if key not in ours}
    beside = Path(where).resolve().parent if Path(where).is_file() else Path.cwd()
    file = source = None
    try:
        algorithm = registry.find(given["algorithm"], beside)
        if registry.is_file(given["algorithm"]):
            file, _ = registry.split_file(given["algorithm"], beside)
        if given["algorithm"] not in registry.ALGORITHMS:
            source = registry.source_digest(given["algorithm"], beside)
        options = _with_files(algorithm, read_options(algorithm, own), beside)
        _check_draws(algorithm, given.get("draws"))
        size = given.get("size")
        if algorithm.size_counts is None and size is not None:
            raise InputError(f"size={size}: {given['algorithm']} takes no size", next_step="leave `size` out")
        if algorithm.size_counts is not None and not isinstance(size, int) and not algorithm.chooses_size:
            raise InputError(f"{given['algorithm']} needs a size", allowed=f"a number of {algorithm.size_counts}")
    except InputError as error:
        raise InputError(f"{where}: segmentations.{name}: {error}") from None
    stages = {parameter.name: parameter.stage for parameter in algorithm.parameters}
    if given["per_seed"] and "seed" not in stages:
        raise InputError(f"{where}: segmentations.{name}: per_seed, but {given['algorithm']} takes no seed")
    return Segmentation(
        name=name,
        algorithm=given["algorithm"],
        cls=algorithm,
        size=size,
        joint=given["joint"],
        text=given.get("text", algorithm.reads),
        per_seed=given["per_seed"],
        learn={key: value for key, value in options.items() if stages[key] in ("learn", "both")},
        encode={key: value for key, value in options.items() if stages[key] in ("encode", "both")},
        learn_pairs=given["learn_pairs"],
        draws=given.get("draws"),
        file=file,
        source=source,
    )


def _with_files(algorithm: type[Segmenter], options: dict[str, Any], beside: Path) -> dict[str, Any]:
    """Return options with absolute paths of files. Raises InputError for a missing file."""
    for parameter in algorithm.parameters:
        value = options[parameter.name]
        if parameter.is_file and value is not None:
            path = beside / value
            if not path.is_file():
                raise InputError(f"{parameter.name}: no such file: {path}", allowed=f"a path from {beside}")
            options[parameter.name] = str(path)
        elif parameter.required and value is None and parameter.name != GOLD:
            raise InputError(f"{algorithm.algorithm} needs {parameter.name}: {parameter.help}")
    return options


def _check_draws(algorithm: type[Segmenter], draws: int | None) -> None:
    """Raise InputError where a number of draws is missing, or does nothing."""
    if algorithm.samples and draws is None:
        raise InputError(
            f"{algorithm.algorithm} segments train at random, and draws is missing",
            allowed="draws: N, how many segmentations of train; each epoch reads the next one",
            next_step="draws: 1, or as many as the training has epochs",
        )
    if draws is not None and not algorithm.samples:
        raise InputError(f"draws: {algorithm.algorithm} segments a line in one way only", next_step="leave it out")
