"""The code by which a paper measures: it is part of the key of its measurements."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from symtable import symtable
from typing import Any


def code_of(function: Callable[..., Any]) -> list[str]:
    """Return the statements by which a measure is made, in order.

    Those are the statements of its module whose names it uses, directly or through others, so that a change elsewhere
    measures nothing again. Relative imports are followed into the paper's other modules; no other imports are.
    """
    used = set[tuple[Path, int, str]]()
    places = [(Path(inspect.getfile(function)), function.__name__)]
    for path, name in places:
        code = path.read_text(encoding="utf-8")
        defined = statements_by_name(code)
        for statement in defined.get(name) or chain(*defined.values()):
            used.add((path, statement.lineno, _text(statement, code.splitlines())))
            further = [*_imported(path, statement), *((path, known) for known in _names(statement) if known in defined)]
            places += [place for place in further if place not in places]
    return [text for _, _, text in sorted(used)]


@cache
def statements_by_name(code: str) -> dict[str, list[ast.stmt]]:
    """Return every name of a module with the statements that define it. An import of two names is two statements.

    >>> {name: len(statements) for name, statements in statements_by_name("A = 2\\nB = A\\nA += 1").items()}
    {'A': 2, 'B': 1}
    """
    defined: dict[str, list[ast.stmt]] = {}
    for statement in ast.parse(code).body:
        parts: list[ast.stmt] = [statement]
        if isinstance(statement, ast.ImportFrom):
            single = (ast.ImportFrom(statement.module, [alias], statement.level) for alias in statement.names)
            parts = [ast.copy_location(each, statement) for each in single]
        for part in parts:
            for name in _names_defined(part):
                defined.setdefault(name, []).append(part)
    return defined


def _text(statement: ast.stmt, lines: Sequence[str]) -> str:
    if isinstance(statement, ast.ImportFrom):
        return ast.unparse(statement)
    first = min(part.lineno for part in [statement, *getattr(statement, "decorator_list", [])])
    return "\n".join(lines[first - 1 : statement.end_lineno])


def _names_defined(statement: ast.stmt) -> set[str]:
    """Return the names that a statement defines or may change: of one that is called, all that it mentions."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {statement.name}
        case ast.Assign():
            return {name for target in statement.targets for name in _names(target)}
        case ast.AnnAssign() | ast.AugAssign():
            return _names(statement.target)
    return _names(statement)


def _names(node: ast.AST) -> set[str]:
    """Return the names in a piece of code, those of imports included, but none that is local to a function."""
    tables, found = [symtable(ast.unparse(node), "", "exec")], set[str]()
    for table in tables:
        tables += table.get_children()
        found |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return found


def _imported(path: Path, statement: ast.stmt) -> Iterator[tuple[Path, str]]:
    """Yield file and name of all that a statement of the module `path` imports relatively; no name of a module."""
    for part in ast.walk(statement):
        if isinstance(part, ast.ImportFrom) and part.level:
            folder = path.parents[part.level - 1].joinpath(*(part.module or "").split("."))
            for name in (alias.name for alias in part.names):
                inner, module = folder / f"{name}.py", folder.with_name(f"{folder.name}.py")
                package, own = folder / name / "__init__.py", folder / "__init__.py"
                if whole := next((file for file in (inner, package) if file.is_file()), None):
                    yield whole, ""
                elif of := next((file for file in (module, own) if file.is_file()), None):
                    yield of, name
