"""FILE.json beside a model: which algorithm it is of, and the options that it was learned with.

A file that an option names, as `vocabulary` does, is written as seen from the folder of FILE.json, with its digest.

Model files have the formats of their papers and peers, which have no room for that. A file without a description,
made by another program or an earlier version, is loaded as the caller says.
"""

from __future__ import annotations

import inspect
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subwords.errors import InputError
from subwords.files import FileRead, write_whole
from subwords.version import __version__

if TYPE_CHECKING:
    from subwords.segmenter import Segmenter

#: How the modules of files of one's own are named, before digests.
FILE_MODULE = "subwords_file_"


def path_of(model: Path) -> Path:
    """Return where the description of a model file is."""
    return model.with_name(f"{model.name}.json")


def check_place(path: Path) -> None:
    """Raise InputError where the description of a model file would take the place of another file."""
    beside = path_of(path)
    with suppress(OSError, ValueError, RecursionError):
        if not beside.exists() or _is_description(json.loads(beside.read_text("utf-8"))):
            return
    raise InputError(
        f"{beside} is there, and describes no model; the description of {path} would be written to it",
        next_step="another name for the model",
    )


def digest_of(cls: type) -> str:
    """Return the digest of the file that defines a class; "unknown" where there is none, as for one typed in."""
    with suppress(TypeError, OSError):
        if (source := inspect.getsourcefile(cls)) and Path(source).is_file():
            return FileRead.of(source).digest
    return "unknown"


def file_name(cls: type, folder: Path) -> str | None:
    """Return FILE.py:CLASS of a class of one's own, with the file as seen from `folder`; None for any other class.

    The folder is named without links.
    """
    source = inspect.getsourcefile(cls) if cls.__module__.startswith(FILE_MODULE) else None
    return source and f"{os.path.relpath(source, folder)}:{cls.__qualname__}"


def _is_description(content: Any) -> bool:
    return isinstance(content, dict) and {"algorithm", "options", "sha256"} <= content.keys()


def of(model: Segmenter, path: Path) -> dict[str, Any]:
    """Return the description of a model that will be written to `path`, all but the digest of what is written.

    Raises InputError where the model would take the place of a file that it names.
    """
    folder = path_of(path).resolve().parent
    own = file_name(type(model), folder)
    options = model.applied_with() | model.learned_with() | getattr(model, "options", {})
    named = {p.name for p in model.parameters if p.is_file and p.stage != "learn"}  # files that are read to apply it
    files = {name: model.files_read.get(name) or FileRead.of(value) for name, value in options.items() if name in named}
    for name, file in files.items():
        if file.path.resolve() == path.resolve():
            raise InputError(f"{path} is the {name} of the model", next_step="another name for the model")
    return {
        "algorithm": model.algorithm,
        **({"file": own} if own else {}),
        "options": options | {name: os.path.relpath(file.path.resolve(), folder) for name, file in files.items()},
        **({"files": {name: file.digest for name, file in files.items()}} if files else {}),
        "size": model.reached(),
        **({"letters": model.learned_letters} if model.learned_letters else {}),
        "subwords": __version__,
    }


def write(described: dict[str, Any], path: Path) -> None:
    """Write the description of a model that has been written to `path`."""
    content = json.dumps(described | {"sha256": FileRead.of(path).digest}, ensure_ascii=False, indent=2)
    write_whole(path_of(path), content + "\n")


def folder_with(model: Path, file: str) -> Path:
    """Return the folder from which a file is named: of the model or, where FILE.json is a link, what it links to."""
    folders = (model.parent, path_of(model).resolve().parent)
    return next((folder for folder in folders if (folder / file).is_file()), folders[0])


def read(path: Path) -> dict[str, Any] | None:
    """Return the description of a model file, or None where it has none.

    Raises InputError when there is no model, and when the description is of another one, or cannot be read.
    """
    if path.is_dir() or not path.exists():
        raise InputError(f"cannot read {path}: no such file", next_step="check the path, or learn the model")
    beside = path_of(path)
    try:
        described = json.loads(beside.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"cannot read {beside}: {error}", next_step="remove it, or learn the model again") from error
    if not _is_description(described):
        return None  # a file of that name that has nothing to do with models
    kinds = {"options": dict, "files": dict, "letters": str}
    for name, value in described.items():
        if not isinstance(value, kinds.get(name, object)):
            raise InputError(f"{beside} is damaged: {name}={value!r}", next_step="learn the model again")
    if described["sha256"] != FileRead.of(path).digest:
        raise InputError(
            f"{beside} describes another model than {path} has now",
            next_step=f"remove {beside} if {path} comes from elsewhere",
        )
    return described


def options_for(
    cls: type[Segmenter], path: Path, described: dict[str, Any], given: dict[str, Any], parsed: dict[str, Any]
) -> dict[str, Any]:
    """Return the options of a model file: those given, and those of its description (empty where it has none).

    `parsed` has all options of the class, with the given values in their types, as the answer has them.

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
        return {name: parsed[name] for name in given}
    if described["algorithm"] not in (cls.algorithm, *cls.applies):
        raise InputError(
            f"{path} is a model of {described['algorithm']}, not of {cls.algorithm}",
            next_step=f"load it as {described['algorithm']}",
        )
    recorded = {name: value for name, value in described["options"].items() if name in stages}
    learned = {p.name: p.default for p in cls.parameters if p.stage == "both"} | recorded
    for name in given:
        if stages[name] == "both" and described["algorithm"] == cls.algorithm and parsed[name] != learned[name]:
            raise InputError(
                f"{path} was learned with {name}={learned[name]}, and {name}={given[name]} would apply it differently",
                next_step=f"leave {name} out, or learn the model again with {name}={given[name]}",
            )
    for name in described.get("files", {}).keys() & recorded.keys() - given.keys():
        seen = str(recorded[name])
        file = folder_with(path, seen) / seen
        if not file.is_file() or FileRead.of(file).digest != described["files"][name]:
            raise InputError(
                f"{path} was saved with {name}={file}, which is gone or was changed", next_step=f"name {name} once more"
            )
        recorded[name] = str(file)
    return recorded | {name: parsed[name] for name in given}
