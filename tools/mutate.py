"""Change one thing at a time in a module and see whether its tests notice.

    mutate.py MODULE TEST [TEST …]      for instance: mutate.py experiment.store.keys tests/store/test_keys.py

To compare two versions of the tests, run it in both with the other version of the module as --also-in: the same changes
are drawn.

A mutant has one comparison, operator, condition, number or truth value changed. The tests run on it in a process of its
own, until the first failure. The files are not touched. Programs that tests start do not see the mutant.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import importlib.abc
import importlib.util
import io
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

#: Libraries that tests need, imported once for all mutants.
PRELOADED = ["hypothesis", "numpy", "pandas", "sacrebleu", "scipy.stats", "xdist"]
ROOT = Path(__file__).resolve().parent.parent
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
}  # fmt: skip


def mutants(source: str) -> Iterator[tuple[str, int, ast.Module]]:
    """Yield (function and change, line, the changed module). Equal changes of one function are numbered."""
    tree = ast.parse(source)
    functions = _functions(tree)
    seen: Counter[str] = Counter()
    for number, node in enumerate(ast.walk(tree)):
        if _mutated(deepcopy(node)) and number not in _ignored(tree):
            changed = deepcopy(tree)
            target = next(found for place, found in enumerate(ast.walk(changed)) if place == number)
            before = _first_line(target)
            _mutated(target)
            what = f"{functions.get(id(node), '')}: {before} -> {_first_line(target)}"
            seen[what] += 1
            yield what + f" ({seen[what]})" * (seen[what] > 1), target.lineno, changed  # type: ignore[attr-defined]


def _functions(tree: ast.Module) -> dict[int, str]:
    """Return id of a node -> the innermost function or class around it."""
    defined = (ast.FunctionDef, ast.ClassDef)
    outer_first = (node for node in ast.walk(tree) if isinstance(node, defined))
    return {id(part): node.name for node in outer_first for part in ast.walk(node)}


def _first_line(node: ast.AST) -> str:
    return ast.unparse(node).partition("\n")[0]


def _ignored(tree: ast.Module) -> set[int]:
    """Return the numbers of nodes in annotations and in what only type checkers read."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation:
            skipped |= {id(part) for part in ast.walk(node.annotation)}
        if isinstance(node, ast.FunctionDef) and node.returns:
            skipped |= {id(part) for part in ast.walk(node.returns)}
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            skipped |= {id(part) for part in ast.walk(node)}
    return {number for number, node in enumerate(ast.walk(tree)) if id(node) in skipped}


def _mutated(node: ast.AST) -> bool:
    """Change a node in place, if it is of a kind that is changed."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in SWAPPED:
            node.ops = [SWAPPED[type(op)]()]  # type: ignore[list-item]
        case ast.BoolOp(op=op) | ast.BinOp(op=op) if type(op) in SWAPPED and not _joins_text(node):
            node.op = SWAPPED[type(op)]()  # type: ignore[assignment]
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            node.test = ast.UnaryOp(ast.Not(), test)
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value) | float(value)):
            node.value = value + 1
        case _:
            return False
    ast.fix_missing_locations(node)
    return True


def _joins_text(node: ast.AST) -> bool:
    return any(isinstance(part, ast.JoinedStr) for part in ast.iter_child_nodes(node))


class _Loader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the mutant where the module is imported."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self.name, self.path, self.tree = name, path, tree

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        return importlib.util.spec_from_file_location(name, self.path, loader=self) if name == self.name else None  # type: ignore[arg-type]

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.tree, str(self.path), "exec"), module.__dict__)


def is_caught(name: str, path: Path, tree: ast.Module, tests: Sequence[str], limit: int) -> bool:
    """Return whether a test fails, or the tests do not end within `limit` seconds."""
    child = os.fork()
    if child == 0:
        signal.alarm(limit)
        sys.meta_path.insert(0, _Loader(name, path, tree))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with contextlib.redirect_stdout(io.StringIO()):
            status = _tested(name, tests)
        os._exit(status)
    return os.waitpid(child, 0)[1] != 0


def _tested(name: str, tests: Sequence[str]) -> int:
    """Return pytest's status, or 1 where the mutant cannot be imported."""
    try:
        importlib.import_module(name)  # before pytest puts an importer of its own first
    except Exception:
        return 1
    return int(pytest.main(["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module")
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--at-most", type=int, default=60, help="mutants, drawn at random (default: %(default)s)")
    parser.add_argument("--also-in", type=Path, help="draw among the mutants that this version of the module has, too")
    parser.add_argument("--slow", action="store_true", help="run slow tests, too")
    parser.add_argument("--limit", type=int, default=300, help="seconds for a mutant's tests (default: %(default)s)")
    arguments = parser.parse_args(argv)
    spec = importlib.util.find_spec(arguments.module)
    if spec is None or spec.origin is None:
        parser.error(f"there is no module {arguments.module}")
    path = Path(spec.origin)
    for library in PRELOADED:
        importlib.import_module(library)
    for name in [name for name in sys.modules if name.partition(".")[0] == arguments.module.partition(".")[0]]:
        del sys.modules[name]
    source = path.read_text(encoding="utf-8")
    tests = arguments.tests if arguments.slow else [*arguments.tests, "-m", "not slow"]

    def caught(tree: ast.Module) -> bool:
        return is_caught(arguments.module, path, tree, tests, arguments.limit)

    if caught(ast.parse(source)):
        parser.error("the tests fail without a change")
    every = {what: (line, tree) for what, line, tree in mutants(source)}
    if arguments.also_in:
        others = {what for what, _, _ in mutants(arguments.also_in.read_text(encoding="utf-8"))}
        every = {what: every[what] for what in sorted(every.keys() & others)}
    drawn = random.Random(1).sample(list(every), min(arguments.at_most, len(every)))
    missed = [what for what in drawn if not caught(every[what][1])]
    print(f"{arguments.module}: {len(drawn) - len(missed)} of {len(drawn)} mutants caught ({len(every)} possible)")
    for what in sorted(missed, key=lambda what: every[what][0]):
        print(f"  not caught: {path.relative_to(ROOT)}:{every[what][0]} in {what}")
    return 0


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / folder) for folder in ("src", "packages/subwords/src", ".")]
    raise SystemExit(main())
