"""What a scale changes of a paper's file: keys one by one, corpora by other names, so that two scales never mix."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from experiment.corpora.catalogue import read_catalogue
from experiment.corpora.corpus import Corpus
from subwords.errors import unknown

#: Keys that a scale may change, beside `sizes`.
SCALED = ("experiment", "grids", "texts", "measures")
#: Keys of an experiment that are a list of names, or name -> description (null: the catalogue's).
NAMED = ("corpora", "models")


@cache
def catalogue() -> dict[str, Corpus]:
    """Return the corpora of config/corpora.yaml, read once."""
    return read_catalogue()


def check_changes(document: Mapping[str, Any], change: Mapping[str, Any], where: str) -> None:
    """Raise InputError where a scale changes what is not there: a typing error would add a model in place of one."""
    for key in change:
        if key not in SCALED:
            raise unknown(f"key in {where}", key, [*SCALED, "sizes"], next_step="see docs/new-paper.md")
    places = [(key, document.get(key) or {}, change.get(key) or {}) for key in SCALED if key != "experiment"]
    base, changed = document["experiment"], change.get("experiment") or {}
    parts = ("corpora", "segmentations", "models")
    places += [(f"experiment.{key}", base.get(key) or {}, changed.get(key) or {}) for key in parts]
    for place, known, names in places:
        for name in names:
            if name not in known:
                raise unknown(f"name in {where}.{place}", name, known, next_step=f"add it to `{place}`, or correct it")


def changed_experiment(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return the experiment at a scale.

    A change of one corpus or model keeps the others; a list of them takes these alone, as the file describes them.
    """
    base = with_mappings(base)
    changed = with_mappings(merged(base, change))
    chosen = [key for key in NAMED if isinstance(change.get(key), list) and isinstance(base[key], Mapping)]
    return changed | {key: {name: base[key].get(name) for name in changed[key]} for key in chosen}


def with_mappings(experiment: Mapping[str, Any]) -> dict[str, Any]:
    """Return an experiment whose corpora and models are mappings. What is no list of names is left to the schema."""
    lists = {key: experiment[key] for key in NAMED if isinstance(experiment.get(key), list)}
    named = {key: dict.fromkeys(names) for key, names in lists.items() if all(isinstance(name, str) for name in names)}
    return {**experiment, **named}


def merged(base: Any, change: Any) -> Any:
    """Return `base` changed by `change`: mappings key by key, everything else replaced."""
    if not isinstance(base, Mapping) or not isinstance(change, Mapping):
        return change
    # A corpus that is described again is another one: none of its keys stay, and of a group no member.
    if "generated" in change or "local" in change or "into" in change:
        return dict(change)
    return {**base, **{key: merged(base.get(key), value) for key, value in change.items()}}


def scaled_name(name: str, scale: str) -> str:
    return name if scale == "full" else f"{name}.{scale}"


def scaled_corpora(corpora: Mapping[str, Any], scale: str) -> dict[str, Any]:
    """Return the corpora under the names that they have at this scale, so that runs of two scales never mix."""
    if scale == "full":
        return dict(corpora)
    known = catalogue()
    found = {}
    for name, given in corpora.items():
        if given is None and name not in known:
            raise unknown("corpus", name, known, next_step="describe it in the paper's file")
        definition = dict(known[name].definition if given is None else given)
        if "group" in definition:
            definition["group"] = {
                language: scaled_name(member, scale) if member in corpora else member
                for language, member in definition["group"].items()
            }
        found[scaled_name(name, scale)] = definition
    return found


def scaled_grid(grid: Mapping[str, Any], scale: str) -> dict[str, Any]:
    if "corpora" not in grid:
        return dict(grid)
    return {**grid, "corpora": [scaled_name(name, scale) for name in grid["corpora"]]}
