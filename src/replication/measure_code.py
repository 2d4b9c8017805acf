"""The code by which a paper measures: it is part of the key of its measurements."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any


def code_of(function: Callable[..., Any], folder: Path) -> list[str]:
    """Return the code of a measure of the paper in `folder`.

    From the measure's own module: the statements whose names it uses, directly or through others, so that a change
    elsewhere measures nothing again. (A local variable with the name of a statement counts as a use.) From the paper's
    other modules: everything. What they import from elsewhere is not followed.
    """
    own, folder = Path(inspect.getfile(function)), folder.resolve()
    others = [path for path in sorted(folder.rglob("*.py")) if path not in (own, folder / "paper.py")]
    code = own.read_text(encoding="utf-8")
    return [*statements_used(code, function.__name__), *(path.read_text(encoding="utf-8") for path in others)]


def statements_used(code: str, name: str) -> list[str]:
    """Return the statements of a module that define a name and all that is used there, in their order; else all code.

    >>> statements_used("SIZE = 2\\nOTHER = 3\\ndef double(x): return SIZE * x", "double")
    ['SIZE = 2', 'def double(x): return SIZE * x']
    """
    defined: dict[str, list[ast.stmt]] = {}
    for statement in ast.parse(code).body:
        for known in _names_defined(statement):
            defined.setdefault(known, []).append(statement)
    if name not in defined:
        return [code]
    used, left = set[ast.stmt](), [name]
    while left:
        for statement in defined.pop(left.pop(), ()):
            used.add(statement)
            left += _names(statement)
    lines = code.splitlines()
    return ["\n".join(lines[_first_line(each) - 1 : each.end_lineno]) for each in sorted(used, key=_first_line)]


def _names_defined(statement: ast.stmt) -> set[str]:
    """Return the names that a statement defines or may change: of one that is called, all that it mentions."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {statement.name}
        case ast.Assign():
            return {name for target in statement.targets for name in _names(target)}
        case ast.AnnAssign() | ast.AugAssign():
            return set(_names(statement.target))
    return set(_names(statement))


def _names(node: ast.AST) -> list[str]:
    """Return every name in a piece of code, those of imports included."""
    parts = (part for part in ast.walk(node) if isinstance(part, ast.Name | ast.alias))
    return [p.id if isinstance(p, ast.Name) else (p.asname or p.name).split(".")[0] for p in parts]


def _first_line(statement: ast.stmt) -> int:
    return min(part.lineno for part in [statement, *getattr(statement, "decorator_list", [])])
