"""The flags that recipes give to fairseq-train: inherited, checked, and written as its command line.

The recipes are in config/models.yaml and in experiment files, the flags that fairseq takes in fairseq_flags.json.
"""

from __future__ import annotations

import ast
import functools
import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from experiment.schema import SCHEMAS
from experiment.store.checksums import file_sha256
from experiment.yamlfiles import read_mapping
from subwords.errors import InputError, check_known, unknown

#: The value of a flag that holds only where source and target share one vocabulary.
WHEN_JOINT = "when-joint"

_TREATED = read_mapping(SCHEMAS / "pipeline_flags.yaml", next_step="restore it")
#: Flags that the pipeline sets -> the setting that they follow from.
PIPELINE_FLAGS = {flag: setting for setting, flags in _TREATED["pipeline"].items() for flag in flags}
#: Flags about the machine and the log: they are in no key, and a run may change them.
RUNTIME_FLAGS = {*_TREATED["runtime"]}
#: Flags whose value is a file, which counts by its content.
FILE_FLAGS: list[str] = _TREATED["files"]

#: Batches of dev where it is translated greedily, on all cards together: pieces, and sentences.
_DEV_BATCH = {"max-tokens-valid": 16000, "batch-size-valid": 1000}
#: The smallest numbers of flags that fairseq takes with any. Of the ends of a training 0 is never, and -1 its start.
_AT_LEAST = {"max-epoch": 0, "max-update": 0, "save-interval": 1, "validate-interval": 1, "update-freq": 1, "lr": 0}
#: Flags that may have a number for each epoch, and the kind of these.
_OF_EPOCHS = {"update-freq": "int", "lr": "float"}


@functools.cache
def _known_flags() -> dict[str, Any]:
    return json.loads((SCHEMAS / "fairseq_flags.json").read_text(encoding="utf-8"))


def resolve(name: str, recipes: Mapping[str, Any]) -> dict[str, Any]:
    """Return recipe `name` with what it inherits through `like` filled in (its own flags win). Raises InputError."""
    recipe, seen = dict(_named(name, recipes)), [name]
    while parent := recipe.pop("like", None):
        if parent in seen:
            raise InputError(f"models: {' like '.join([*seen, parent])} is circular")
        seen.append(parent)
        inherited = _named(parent, recipes)
        flags = {**inherited.get("flags", {}), **recipe.get("flags", {})}
        recipe = {**inherited, **{key: value for key, value in recipe.items() if key != "flags"}, "flags": flags}
    recipe["flags"] = without_nulls(recipe.get("flags", {}))
    check_flags(name, recipe["flags"])
    return recipe


def without_nulls(flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the flags that are given: null takes away what a recipe would have."""
    return {flag: value for flag, value in flags.items() if value is not None}


def _named(name: str, recipes: Mapping[str, Any]) -> Mapping[str, Any]:
    check_known("model", [name], recipes, next_step="choose one, or describe it in config/models.yaml")
    return recipes[name]


def check_flags(name: str, flags: Mapping[str, Any]) -> None:
    """Raise InputError for the first flag of a recipe that fairseq does not take, or not with such a value."""
    known = _known_flags()
    owners = [f"{kind}:{flags[kind]}" for kind in ("arch", "criterion", "optimizer", "lr-scheduler") if kind in flags]
    for owner in owners:
        if owner not in known["components"]:
            kind = owner.split(":")[0]
            choices = [key.split(":")[1] for key in known["components"] if key.startswith(f"{kind}:")]
            raise unknown(f"{kind} of model {name}", flags[kind], choices)
    taken = dict(known["core"])
    for owner in [*owners, "task:translation_text_bleu"]:
        taken.update(known["components"][owner])
    for flag, value in flags.items():
        if flag in PIPELINE_FLAGS:
            raise InputError(
                f"model {name}: the flag {flag!r} is set by the pipeline",
                next_step=f"take it out; it follows from `{PIPELINE_FLAGS[flag]}`",
            )
        if flag not in taken:
            other = [owner for owner, brings in known["components"].items() if flag in brings]
            hint = f"it belongs to {', '.join(other[:3])}" if other else "flags are fairseq-train's, without the dashes"
            problem = str(unknown("fairseq flag", flag, taken)).split("\n")[0]
            raise InputError(f"model {name}: {problem}", allowed=hint, next_step="fairseq-train --help")
        for part in _of_epochs(value) if flag in _OF_EPOCHS else [value]:
            _check_value(name, flag, part, {"kind": _OF_EPOCHS[flag]} if flag in _OF_EPOCHS else taken[flag])
    if not any((flags.get(flag) or 0) > 0 for flag in ("batch-size", "max-tokens")):
        step = "give one of them: `batch-size: 64` counts sentences, `max-tokens: 4096` pieces"
        raise InputError(f"model {name}: neither batch-size nor max-tokens says how large a batch is", next_step=step)


def _check_value(name: str, flag: str, value: Any, entry: Mapping[str, Any]) -> None:
    kind = entry["kind"]
    if kind == "bool":
        if not (isinstance(value, bool) or value == WHEN_JOINT):
            raise InputError(f"model {name}: {flag}={value!r}", allowed=f"true, false or {WHEN_JOINT}")
    elif kind in ("int", "float"):
        number = int if kind == "int" else (int, float)
        if isinstance(value, bool) or not isinstance(value, number):
            exponent = isinstance(value, str) and re.fullmatch(r"[+-]?\d+e[+-]?\d+", value)
            hint = " (YAML reads 1e-3 as text: write 0.001 or 1.0e-3)" if exponent else ""
            raise InputError(f"model {name}: {flag}={value!r} is not a number{hint}", allowed=f"a value of type {kind}")
        if value < _AT_LEAST.get(flag, -math.inf):
            step = f"correct it; or take it out: `{flag}: null`"
            raise InputError(f"model {name}: {flag}={value}", allowed=f"at least {_AT_LEAST[flag]}", next_step=step)
        if "drop" in flag and not 0 <= value <= 1:
            raise InputError(f"model {name}: {flag}={value}", allowed="a share from 0 to 1: 10 % is 0.1")
    elif isinstance(value, bool):
        raise InputError(f"model {name}: {flag}={value}", allowed=f'text, in quotes: {flag}: "{value}"')
    elif entry.get("choices") and str(value) not in entry["choices"]:
        raise unknown(f"value of model {name} for {flag}", value, entry["choices"])


def arguments(flags: Mapping[str, Any], joint: bool) -> list[str]:
    """Return a recipe's flags as fairseq-train takes them.

    >>> arguments({"lr": 0.001, "share-all-embeddings": "when-joint", "cross-self-attention": False}, joint=True)
    ['--lr', '0.001', '--share-all-embeddings']
    """
    words: list[str] = []
    for flag, value in flags.items():
        if value == WHEN_JOINT:
            value = joint
        if value is True:
            words.append(f"--{flag}")
        elif value is not False:
            words += [f"--{flag}", str(value)]
    return words


def dev_batch(flags: Mapping[str, Any], processes: int) -> dict[str, int]:
    """Return flags for large batches of dev, at least as large as those of training.

    Other models and losses get none, because they would take much memory, nor do recipes that count dev's batches.

    >>> ours = {"arch": "transformer_fast", "criterion": "label_smoothed_cross_entropy_blocks"}
    >>> dev_batch({**ours, "max-tokens": 9600}, 2)
    {'max-tokens-valid': 9600, 'batch-size-valid': 500}
    """
    ours = flags.get("arch") == "transformer_fast" and str(flags.get("criterion")).endswith("_blocks")
    if not ours or flags.get("max-valid-steps"):
        return {}
    own = {flag: int(flags.get(flag.removesuffix("-valid")) or 0) for flag in _DEV_BATCH}
    return {flag: max(count // processes, own[flag]) for flag, count in _DEV_BATCH.items()}


def content(flags: Mapping[str, Any], checksums: Any) -> dict[str, Any]:
    """Return what of a recipe shapes the model, with the checksums (`store.checksums`) of files that it names."""
    kept = {flag: value for flag, value in flags.items() if flag not in RUNTIME_FLAGS}
    return kept | {flag: _checksum(flag, kept[flag], checksums.of) for flag in FILE_FLAGS if flag in kept}


def check_files(flags: Mapping[str, Any], planned: Mapping[str, Any]) -> None:
    """Raise InputError where a file that a recipe names is not what it was when `content` returned `planned`."""
    for flag in FILE_FLAGS:
        if flag in planned and (found := _checksum(flag, flags[flag], file_sha256)) != planned[flag]:
            raise InputError(
                f"{flag}: {flags[flag]} has changed since this training was planned: its SHA-256 is {found}",
                allowed=f"{planned[flag]}, which is in the training's key",
                next_step="restore it; or start snakemake again: with the new file it is a training of its own",
            )


def _checksum(flag: str, path: str, of: Callable[[Path], str]) -> str:
    try:
        return of(Path(str(path)))  # YAML may read its name as a number
    except (InputError, OSError) as error:
        raise InputError(f"{flag}: {error}") from error


def update_frequencies(flags: Mapping[str, Any]) -> list[int]:
    """Return how many batches an update sums, in the first epoch, the second, ...; the last number is that of the rest.

    >>> update_frequencies({"update-freq": "4,8"})
    [4, 8]
    """
    return _of_epochs(flags.get("update-freq", 1))


def _of_epochs(value: Any) -> list[Any]:
    """Return the values for each epoch as fairseq reads them, of 4, "4,8" and [4, 8]; text that is none as it is."""
    try:
        found = ast.literal_eval(str(value))
    except (SyntaxError, ValueError):
        return [value]
    return (list(found) if isinstance(found, list | tuple) else [found]) or [value]


def on_cards(name: str, flags: Mapping[str, Any], cards: int) -> dict[str, Any]:
    """Return the flags for a training on several cards, with the batches of one: each card takes its part of them.

    An update sums `update-freq` batches; N cards take one Nth of them each. Raises InputError where they cannot.

    >>> on_cards("base", {"update-freq": 8, "lr": 0.001}, 4)
    {'update-freq': '2', 'lr': 0.001}
    """
    if cards == 1:
        return dict(flags)
    given, parts = flags.get("update-freq", 1), update_frequencies(flags)
    if any(part % cards for part in parts):
        raise InputError(
            f"model {name}, runtime.gpus={cards}: update-freq={given} cannot be divided among {cards} cards",
            allowed="numbers that divide update-freq, so that batches, and with them the result, stay the same",
            next_step=f"divide max-tokens (or batch-size) by {cards} and multiply update-freq by it in the recipe",
        )
    return {**flags, "update-freq": ",".join(str(part // cards) for part in parts)}


def check_end(name: str, flags: Mapping[str, Any]) -> None:
    """Raise InputError for a recipe without an end, or whose checkpoints would never have a dev score.

    A checkpoint is scored where saving and validation meet: at the end of epochs that both intervals divide, in the
    middle of an epoch after updates that save-interval-updates names, and always when max-update is reached, but not
    when max-epoch is (fairseq_cli.train.validate_and_save). How many updates an epoch has is not known here.
    """
    epochs, updates = (int(flags.get(flag) or 0) for flag in ("max-epoch", "max-update"))
    first = int(flags.get("validate-after-updates") or 0)
    ends = ("max-epoch", "max-update", "patience", "stop-time-hours", "stop-min-lr")
    if not any(float(flags.get(flag) or 0) > 0 for flag in ends):  # -1 is never
        raise InputError(f"model {name}: the training has no end", next_step="give max-update, max-epoch or patience")
    if 0 < updates < first:
        raise InputError(
            f"model {name}: validate-after-updates={first} is after the last update",
            allowed=f"at most max-update, {updates}",
        )
    ends_by_updates = 0 < updates <= epochs or not epochs
    if first and not ends_by_updates:
        raise InputError(
            f"model {name}: validate-after-updates={first}: training ends by epochs, perhaps before that many updates",
            allowed="validate-after-updates with max-update alone",
            next_step="take the flag out; or `max-epoch: null`",
        )
    every = math.lcm(int(flags.get("validate-interval", 1)), int(flags.get("save-interval", 1)))
    if 0 < epochs < every and not ends_by_updates:
        raise InputError(
            f"model {name}: training ends after {epochs} epochs, perhaps before any checkpoint is scored"
            f" on dev: validate-interval and save-interval meet at epoch {every}",
            allowed="intervals with a common multiple up to max-epoch",
            next_step="lower validate-interval or save-interval; or `max-epoch: null`, where max-update is the end",
        )
