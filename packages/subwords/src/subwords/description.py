"""FILE.json beside a model: which algorithm it is of, and the options that it was learned with.

Model files have the formats of their papers and peers, which have no room for that. A file without a description,
made by another program or an earlier version, is loaded as the caller says.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subwords.errors import InputError
from subwords.files import whole_file
from subwords.sources import file_name
from subwords.version import __version__

if TYPE_CHECKING:
    from subwords.segmenter import Segmenter


def path_of(model: Path) -> Path:
    """Return where the description of a model file is."""
    return model.with_name(f"{model.name}.json")


def check_place(path: Path) -> None:
    """Raise InputError where the description of a model file would take the place of another file."""
    beside = path_of(path)
    if not beside.exists():
        return
    try:
        described = _is_description(json.loads(beside.read_text("utf-8")))
    except (OSError, ValueError):
        described = False
    if not described:
        raise InputError(
            f"{beside} is there, and describes no model; the description of {path} would be written to it",
            next_step="another name for the model",
        )


def _is_description(content: Any) -> bool:
    return isinstance(content, dict) and {"algorithm", "options", "sha256"} <= content.keys()


def write(model: Segmenter, path: Path) -> None:
    """Write the description of a model that has been written to `path`."""
    own = file_name(type(model), path.parent)
    described = {
        "algorithm": model.algorithm,
        **({"file": own} if own else {}),
        "options": model.applied_with() | model.learned_with() | getattr(model, "options", {}),
        "size": model.reached(),
        **({"letters": model.learned_letters} if model.learned_letters else {}),
        "subwords": __version__,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    with whole_file(path_of(path)) as stream:
        json.dump(described, stream, ensure_ascii=False, indent=2)
        stream.write("\n")


def read(path: Path) -> dict[str, Any] | None:
    """Return the description of a model file, or None where it has none.

    Raises InputError when the description is of another file, or cannot be read.
    """
    beside = path_of(path)
    try:
        described = json.loads(beside.read_text("utf-8"))
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {beside}: {error}", next_step="remove it, or learn the model again") from error
    if not _is_description(described):
        return None  # a file of that name that has nothing to do with models
    if described["sha256"] != digest:
        raise InputError(
            f"{beside} describes another model than {path} has now",
            next_step=f"remove {beside} if {path} comes from elsewhere",
        )
    return described


def options_for(
    cls: type[Segmenter], path: Path, described: dict[str, Any], given: dict[str, Any], parsed: dict[str, Any]
) -> dict[str, Any]:
    """Return the options of a model file: those given, and those of its description (empty where it has none).

    `parsed` has all options of the class, with the given values in their types.

    Raises InputError for an option that does nothing when a model is applied, for a model of another algorithm, and for
    an option that contradicts what the model was learned with.
    """
    stages = {parameter.name: parameter.stage for parameter in cls.parameters}
    for name in given:
        if stages.get(name) == "learn":
            raise InputError(
                f"{name} is an option of learning and does nothing when a model of {cls.algorithm} is applied",
                allowed=", ".join(name for name, stage in stages.items() if stage != "learn") or "(no option)",
            )
    if not described:
        return given
    if described["algorithm"] not in (cls.algorithm, *cls.applies):
        raise InputError(
            f"{path} is a model of {described['algorithm']}, not of {cls.algorithm}",
            next_step=f"load it as {described['algorithm']}",
        )
    recorded = {name: value for name, value in described["options"].items() if name in stages}
    learned = {
        parameter.name: parameter.default for parameter in cls.parameters if parameter.stage == "both"
    } | recorded
    for name in given:
        if stages[name] == "both" and described["algorithm"] == cls.algorithm and parsed[name] != learned[name]:
            raise InputError(
                f"{path} was learned with {name}={learned[name]}, and {name}={given[name]} applies it otherwise",
                next_step=f"leave {name} out, or learn the model again with {name}={given[name]}",
            )
    return recorded | given
