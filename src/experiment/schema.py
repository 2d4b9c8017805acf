"""Checks by JSON schemas, with readable errors: the key, the value, what is allowed, the nearest name."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from subwords.errors import InputError, unknown

#: The repository: catalogues and schemas are found from here, wherever a program is started.
ROOT = Path(__file__).resolve().parent.parent.parent
#: What JSON's types are called in messages.
KINDS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "nothing",
    "number": "a number",
    "object": "a mapping of keys to values",
    "string": "text",
}
SCHEMAS = ROOT / "config" / "schemas"
#: Where the keys of each schema are explained.
EXPLAINED = {
    "corpora": "config/corpora.yaml",
    "experiment": "config/config.yaml",
    "models": "config/models.yaml",
    "paper": "docs/new-paper.md",
}


@functools.cache
def _validator(name: str) -> Any:
    from jsonschema import Draft202012Validator, validators

    # JSON Schema takes 2.0 for whole; a folder best-2.0 would be another than best-2.
    whole = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    text = (SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")
    # In JSON schemas $ is the end of a text; in Python's expressions also the place before a final line feed.
    return validators.extend(Draft202012Validator, type_checker=whole)(json.loads(text.replace('$"', r'(?!\\n)$"')))


def defaults(name: str, entries_of: str = "") -> dict[str, Any]:
    """Return the defaults of a schema's keys, or of the keys of each entry of the mapping `entries_of`.

    A key that is a mapping has those of its own keys.
    """

    def given(properties: dict[str, Any]) -> dict[str, Any]:
        known = {key: about for key, about in properties.items() if about.keys() & {"default", "properties"}}
        return {key: own["default"] if "default" in own else given(own["properties"]) for key, own in known.items()}

    properties = _validator(name).schema["properties"]
    return given(properties[entries_of]["additionalProperties"]["properties"] if entries_of else properties)


def check(document: Any, schema: str, where: str) -> None:
    """Raise InputError for the first violation of config/schemas/{schema}.schema.json in `document`.

    `where` is what the document is called in the message, usually its file.
    """
    if schema != "paper":  # its sizes are numbers -> numbers; the experiment in it is checked as one, too
        _check_keys(document, where)
    if errors := sorted(_validator(schema).iter_errors(document), key=lambda error: [str(part) for part in error.path]):
        from jsonschema.exceptions import best_match

        raise _as_input_error(best_match([errors[0]]), where, f"see {EXPLAINED[schema]}")


def _check_keys(document: Any, where: str) -> None:
    """Raise InputError for a key that YAML does not read as text: `no` is false, `500` is a number."""
    for key, part in document.items() if isinstance(document, Mapping) else ():
        if not isinstance(key, str):
            raise InputError(f"{where}: the key {key!r} is not text", allowed="text", next_step="put it in quotes")
        _check_keys(part, f"{where}: {key}")


def _as_input_error(error: Any, where: str, hint: str) -> InputError:
    place = ".".join(str(part) for part in error.absolute_path)
    at = f"{where}: {place}" if place else where
    schemas = [each.schema for each in (error, error.parent) if each and isinstance(each.schema, dict)]
    about = next((schema["description"] for schema in schemas if "description" in schema), "")
    if error.validator == "additionalProperties":
        allowed = error.schema.get("properties", {})
        extra = next(key for key in error.instance if key not in allowed)
        return InputError(f"{at}: {unknown('key', extra, allowed, next_step=hint)}")
    if error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        return InputError(f"{at}: the key {missing!r} is missing", allowed=about, next_step=hint)
    if error.validator == "enum":
        return InputError(f"{at}: {unknown('value', error.instance, error.validator_value, next_step=hint)}")
    if error.validator == "type":
        kinds = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
        allowed = " or ".join(KINDS[kind] for kind in kinds) + (f": {about}" if about else "")
        return InputError(f"{at}: {error.instance!r}", allowed=allowed, next_step=hint)
    if error.validator in ("anyOf", "oneOf") and isinstance(error.instance, Mapping):
        keys = ", ".join(error.instance)
        return InputError(f"{at}: these keys are too few, or do not go together: {keys}", allowed=about, next_step=hint)
    problem = repr(error.instance) if error.validator == "pattern" else error.message
    return InputError(f"{at}: {problem}", allowed=about, next_step=hint)
