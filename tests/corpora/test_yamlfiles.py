"""YAML files that people write."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from experiment.yamlfiles import read_mapping
from subwords.errors import InputError


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\nb: 2\na: 3\n", "a occurs twice(?s:.*)line 3"),
        ("claims:\n  one: {says: x}\n  two: {says: y}\n  one: {says: z}\n", "one occurs twice(?s:.*)line 4"),
        ("a: {b: 1, b: 1}\n", "b occurs twice"),
        ("- a\n", "not a mapping"),
        ("", "not a mapping"),
        ("a: [1\n", "cannot read"),
    ],
)
def test_mistakes_are_said(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "file.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=problem) as raised:
        read_mapping(file, next_step="see the guide")
    assert "see the guide" in str(raised.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_mapping(tmp_path / "none.yaml", next_step="write it")


def test_all_else_is_as_pyyaml_has_it(root: Path) -> None:
    """Anchors and merged keys among it: a key beside `<<` changes the merged one and does not repeat it."""
    files = [*(root / "config").rglob("*.yaml"), *(root / "papers").rglob("*.yaml")]
    assert len(files) > 10
    for file in files:
        assert read_mapping(file, next_step="") == yaml.safe_load(file.read_text(encoding="utf-8")), file
