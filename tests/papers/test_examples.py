"""The examples in the docstrings of papers and programs, which are not among pytest's own folders."""

from __future__ import annotations

import doctest
import importlib
import sys
from pathlib import Path

import pytest

from replication.paper import FOLDER, module

PAPERS = sorted(path.parent for path in FOLDER.glob("*/paper.py"))


def failed_examples(name: str) -> int:
    return doctest.testmod(sys.modules.get(name) or importlib.import_module(name)).failed


@pytest.mark.parametrize("folder", PAPERS, ids=lambda folder: folder.name)
def test_a_papers_examples_hold(folder: Path) -> None:
    module(folder)
    names = [path.relative_to(folder).with_suffix("") for path in sorted(folder.rglob("*.py"))]
    assert not sum(failed_examples(".".join(["papers", folder.name, *name.parts])) for name in names)


@pytest.mark.parametrize("name", ["results", "speed.zipf"])
def test_a_programs_examples_hold(name: str) -> None:
    assert not failed_examples(name)
