"""FILE.json beside a model: which algorithm it is of, and the options that it was learned with.

A file that an option names, as `vocabulary` does, is written as seen from the model's folder, with its digest.

Model files have the formats of their papers and peers, which have no room for that. A file without a description,
made by another program or an earlier version, is loaded as the caller says.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subwords.errors import InputError
from subwords.files import whole_file
from subwords.sources import digest, file_name
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
    options = model.applied_with() | model.learned_with() | getattr(model, "options", {})
    files = {name: digest(Path(options[name])) for name in _files(type(model)) if name in options}
    folder = path.parent.resolve()
    described = {
        "algorithm": model.algorithm,
        **({"file": own} if own else {}),
        "options": options | {name: os.path.relpath(Path(options[name]).resolve(), folder) for name in files},
        **({"files": files} if files else {}),
        "size": model.reached(),
        **({"letters": model.learned_letters} if model.learned_letters else {}),
        "subwords": __version__,
        "sha256": digest(path),
    }
    with whole_file(path_of(path)) as stream:
        json.dump(described, stream, ensure_ascii=False, indent=2)
        stream.write("\n")


def _files(cls: type[Segmenter]) -> list[str]:
    """Return the options of a class that name a file which is read when a model is applied."""
    return [parameter.name for parameter in cls.parameters if parameter.is_file and parameter.stage != "learn"]


def read(path: Path) -> dict[str, Any] | None:
    """Return the description of a model file, or None where it has none.

    Raises InputError when the description is of another file, or cannot be read.
    """
    beside = path_of(path)
    try:
        described = json.loads(beside.read_text("utf-8"))
        now = digest(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {beside}: {error}", next_step="remove it, or learn the model again") from error
    if not _is_description(described):
        return None  # a file of that name that has nothing to do with models
    if not isinstance(described["options"], dict) or not isinstance(described.get("letters", ""), str):
        raise InputError(
            f"{beside} is damaged: options={described['options']!r}, letters={described.get('letters')!r}",
            allowed="an object of options, and the characters as one string",
            next_step="learn the model again",
        )
    if described["sha256"] != now:
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

    Raises InputError for an option that does nothing when a model is applied, for a model of another algorithm, for an
    option that contradicts what the model was learned with, and for a file of an option that is not what it was.
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
    for name in described.get("files", {}).keys() & recorded.keys() - given.keys():
        file = path.parent / recorded[name]
        if not file.is_file() or digest(file) != described["files"][name]:
            raise InputError(
                f"{path} was saved with {name}={file}, which is gone or was changed", next_step=f"name {name} once more"
            )
        recorded[name] = str(file)
    return recorded | given
