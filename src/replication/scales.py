"""What a scale changes of a paper's file, key by key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subwords.errors import unknown

#: Keys that a scale may change, beside `sizes`.
SCALED = ("experiment", "grids", "texts", "measures")
#: Keys of an experiment that are a list of names, or name -> description (null: the catalogue's).
NAMED = ("corpora", "models")


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
