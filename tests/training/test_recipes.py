"""Recipes: what fairseq is told, checked against fairseq itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from experiment.training import recipes
from subwords.errors import InputError


@pytest.fixture(scope="module")
def catalogue(root: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((root / "config" / "models.yaml").read_text())
    return content


def flags(**changes: Any) -> dict[str, Any]:
    base = {"arch": "transformer", "optimizer": "adam", "criterion": "cross_entropy", "lr": 0.1}
    return base | {name.replace("_", "-"): value for name, value in changes.items()}


def test_inherited_flags_are_overridden_and_removed() -> None:
    known = {
        "parent": {"what": "p", "source": "s", "flags": flags(dropout=0.1, patience=3)},
        "child": {"like": "parent", "flags": {"dropout": 0.3, "patience": None}},
        "grandchild": {"like": "child", "what": "g", "flags": {"lr": 0.2}},
    }
    found = recipes.resolve("grandchild", known)
    assert found["flags"] == flags(dropout=0.3, lr=0.2)
    assert found["what"] == "g"
    assert found["source"] == "s"


def test_a_circle_is_an_error() -> None:
    with pytest.raises(InputError, match="circle"):
        recipes.resolve("a", {"a": {"like": "b"}, "b": {"like": "a"}})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"dropuot": 0.1}, "did you mean 'dropout'"),
        ({"save-dir": "x"}, "set by the pipeline"),
        ({"dropout": "1e-1"}, "YAML reads 1e-3 as text"),
        ({"encoder-layers": 2.5}, "is not a number"),
        ({"encoder-layers": True}, "is not a number"),
        ({"activation-fn": True}, "in quotes"),
        ({"share-all-embeddings": 1}, "when-joint"),
        ({"arch": "transfomer"}, "did you mean 'transformer'"),
        ({"optimizer": "sgdd"}, "did you mean 'sgd'"),
        ({"activation-fn": "rleu"}, "did you mean 'relu'"),
        ({"label-smoothing": 0.1}, "it belongs to criterion:"),
    ],
)
def test_a_wrong_flag_says_what_is_wrong(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        recipes.check_flags("mine", flags() | wrong)


def test_arguments_follow_the_vocabulary() -> None:
    given = {"share-all-embeddings": "when-joint", "no-token-positional-embeddings": False, "max-tokens": 5}
    assert recipes.arguments(given, joint=False) == ["--max-tokens", "5"]
    assert recipes.arguments(given, joint=True) == ["--share-all-embeddings", "--max-tokens", "5"]


def fairseq(root: Path, code: str) -> str:
    """Run code beside the installed fairseq, in a process of its own, and return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_flag_list_is_the_installed_fairseq_s(root: Path, tmp_path: Path) -> None:
    program = [sys.executable, "scripts/list_fairseq_flags.py", "--output", str(tmp_path / "flags.json")]
    subprocess.run(program, cwd=root, check=True, capture_output=True, env={"PYTHONPATH": f"{root}/src:{root}"})
    committed = json.loads((root / "config" / "schemas" / "fairseq_flags.json").read_text())
    assert json.loads((tmp_path / "flags.json").read_text()) == committed


def test_fairseq_parses_every_recipe_to_the_values_it_says(root: Path, catalogue: dict[str, Any]) -> None:
    """The whole way: recipe -> arguments -> fairseq's own parser -> its namespace."""
    resolved = {name: recipes.resolve(name, catalogue)["flags"] for name in catalogue}
    words = {name: recipes.arguments(given, joint=True) for name, given in resolved.items()}
    code = f"""
import json, sys
sys.path[:0] = [{str(root)!r}]
import fairseq_plugins
from fairseq import options
found = {{}}
for name, words in json.loads({json.dumps(words)!r}).items():
    parser = options.get_training_parser()
    args = options.parse_args_and_arch(parser, input_args=["data", "--task", "translation_text_bleu", *words])
    found[name] = {{key.replace("_", "-"): repr(value) for key, value in vars(args).items()}}
print(json.dumps(found))
"""
    parsed = json.loads(fairseq(root, code).strip().split("\n")[-1])
    for name, given in resolved.items():
        for flag, value in given.items():
            expected = True if value == recipes.WHEN_JOINT else value
            shown = parsed[name][flag]
            assert shown in {repr(expected), repr(str(expected)), repr([expected])}, (name, flag, shown)


def test_every_recipe_says_where_its_values_come_from(catalogue: dict[str, Any]) -> None:
    assert set(catalogue) >= {"transformer-tiny", "transformer-small", "transformer-base", "transformer-big"}
    for name, recipe in catalogue.items():
        assert recipe.get("what"), name
        assert recipe.get("source"), name
