"""One direction of imports, from the library up to the papers, and no circle anywhere.

Imports inside functions count. Imports for annotations alone (TYPE_CHECKING) do not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

#: Package -> its folder, from the lowest to the highest. A package imports itself and those before it. Papers and
#: plugins are loaded by name, so nothing below them imports them.
PACKAGES = {
    "subwords": "packages/subwords/src",
    "experiment": "src",
    "fairseq_plugins": ".",
    "translation": "src",
    "replication": "src",
    "papers": ".",
}


def modules(root: Path) -> dict[str, Path]:
    """Return every module of the packages by its dotted name."""
    found = {}
    for package, folder in PACKAGES.items():
        for path in sorted((root / folder / package).rglob("*.py")):
            parts = path.relative_to(root / folder).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imports(name: str, path: Path, known: set[str]) -> Iterator[str]:
    """Yield the modules among the known ones that a module imports."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in _walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(part for part in (above, node.module) if part)
            targets = [f"{base}.{alias.name}" for alias in node.names]  # a module of base, or a name in it
        else:
            continue
        for target in targets:
            while target and target not in known:
                target = target.rpartition(".")[0]
            if target and target != name:
                yield target


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every node but those below `if TYPE_CHECKING`."""
    yield node
    if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
        for child in ast.iter_child_nodes(node):
            yield from _walk(child)


@pytest.fixture(scope="module")
def graph(root: Path) -> dict[str, set[str]]:
    known = modules(root)
    return {name: set(imports(name, path, set(known))) for name, path in known.items()}


def test_the_graph_is_read(graph: dict[str, set[str]]) -> None:
    """Imports of whole modules, of names in modules, and inside functions are seen."""
    assert "experiment.store.keys" in graph["experiment.plan.texts"]
    assert "subwords.errors" in graph["experiment.config"]
    assert "subwords.api" in graph["subwords"]
    assert {name.partition(".")[0] for name in graph} == set(PACKAGES)


def test_no_import_goes_upwards(graph: dict[str, set[str]]) -> None:
    order = list(PACKAGES)

    def level(module: str) -> int:
        return order.index(module.partition(".")[0])

    upwards = [f"{name} imports {need}" for name, needs in graph.items() for need in needs if level(need) > level(name)]
    assert not upwards


def test_no_circle(graph: dict[str, set[str]]) -> None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a circle of imports: {' -> '.join(error.args[1])}")
