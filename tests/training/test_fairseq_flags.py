"""Recipes: what fairseq is told, checked against fairseq itself."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import train
from experiment.store.checksums import Checksums
from experiment.training import fairseq_flags
from subwords.errors import InputError
from translation import training


@pytest.fixture(scope="module")
def catalogue(root: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((root / "config" / "models.yaml").read_text())
    return content


def flags(**changes: Any) -> dict[str, Any]:
    base = {"arch": "transformer", "optimizer": "adam", "criterion": "cross_entropy", "lr": 0.1, "batch-size": 8}
    return base | {name.replace("_", "-"): value for name, value in changes.items()}


def test_inherited_flags_are_overridden_and_removed() -> None:
    known = {
        "parent": {"what": "p", "source": "s", "flags": flags(dropout=0.1, patience=3)},
        "child": {"like": "parent", "flags": {"dropout": 0.3, "patience": None}},
        "grandchild": {"like": "child", "what": "g", "flags": {"lr": 0.2}},
    }
    found = fairseq_flags.resolve("grandchild", known)
    assert found["flags"] == flags(dropout=0.3, lr=0.2)
    assert found["what"] == "g"
    assert found["source"] == "s"


def test_a_circle_is_an_error() -> None:
    with pytest.raises(InputError, match="circular"):
        fairseq_flags.resolve("a", {"a": {"like": "b"}, "b": {"like": "a"}})


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
        ({"lr": "fast"}, "lr='fast' is not a number"),
        ({"lr": "0.1,fast"}, "lr='0.1,fast' is not a number"),
        ({"lr": "0.1,-0.1"}, "lr=-0.1\n  allowed: at least 0"),
        ({"update-freq": "x"}, "update-freq='x' is not a number"),
        ({"update-freq": ""}, "update-freq='' is not a number"),
        ({"update-freq": []}, r"update-freq=\[\] is not a number"),
        ({"update-freq": 2.5}, "update-freq=2.5 is not a number"),  # fairseq would take 2
        ({"update-freq": "4,0"}, "update-freq=0\n  allowed: at least 1"),
        ({"validate-interval": 0}, "validate-interval=0\n  allowed: at least 1"),
        ({"save-interval": 0}, "save-interval=0\n  allowed: at least 1"),
        ({"batch-size": 0}, "neither batch-size nor max-tokens"),
        ({"dropout": 10}, "dropout=10\n  allowed: a share from 0 to 1"),
        ({"attention-dropout": -0.1}, "attention-dropout=-0.1\n"),
        ({"decoder-layerdrop": 1.5}, "decoder-layerdrop=1.5\n"),
        ({"arch": "lstm", "encoder-dropout-in": 2.0}, "encoder-dropout-in=2.0\n"),
        ({"max-update": -1, "max-epoch": 3}, "max-update=-1\n  allowed: at least 0"),  # one update, and it would end
        ({"max-epoch": -1, "max-update": 3}, "max-epoch=-1\n  allowed: at least 0"),  # nothing would be trained
    ],
)
def test_a_wrong_flag_says_what_is_wrong(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        fairseq_flags.check_flags("mine", flags() | wrong)


@pytest.mark.parametrize("right", [0.1, 1, "1e-3", "0.1,0.05", "(0.1, 0.05)", [0.1, 0.05]])
def test_a_learning_rate_is_a_number_or_one_for_each_epoch(right: Any) -> None:
    fairseq_flags.check_flags("mine", flags(lr=right))


def test_a_recipe_without_flags_has_no_batches() -> None:
    """fairseq asks for a size when everything is prepared."""
    with pytest.raises(InputError, match="model m: neither batch-size nor max-tokens"):
        fairseq_flags.resolve("m", {"m": {}})
    assert fairseq_flags.resolve("n", {"m": {"flags": flags()}, "n": {"like": "m"}})["flags"] == flags()
    fairseq_flags.check_flags("m", flags(batch_size=0, max_tokens=4096))


def test_arguments_follow_the_vocabulary() -> None:
    given = {"share-all-embeddings": "when-joint", "no-token-positional-embeddings": False, "max-tokens": 5}
    assert fairseq_flags.arguments(given, joint=False) == ["--max-tokens", "5"]
    assert fairseq_flags.arguments(given, joint=True) == ["--share-all-embeddings", "--max-tokens", "5"]


def fairseq(root: Path, code: str) -> str:
    """Run code beside the installed fairseq, in a process of its own, and return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_flag_list_is_the_installed_fairseq_s(root: Path, tmp_path: Path) -> None:
    program = [sys.executable, "tools/list_fairseq_flags.py", "--output", str(tmp_path / "flags.json")]
    subprocess.run(program, cwd=root, check=True, capture_output=True, env={"PYTHONPATH": f"{root}/src:{root}"})
    committed = json.loads((root / "config" / "schemas" / "fairseq_flags.json").read_text())
    assert json.loads((tmp_path / "flags.json").read_text()) == committed


@pytest.mark.slow
def test_fairseq_parses_every_recipe_to_the_values_it_says(root: Path, catalogue: dict[str, Any]) -> None:
    """The whole way: recipe -> arguments -> fairseq's own parser -> its namespace."""
    resolved = {name: fairseq_flags.resolve(name, catalogue)["flags"] for name in catalogue}
    words = {name: fairseq_flags.arguments(given, joint=True) for name, given in resolved.items()}
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
            expected = True if value == fairseq_flags.WHEN_JOINT else value
            shown = parsed[name][flag]
            assert shown in {repr(expected), repr(str(expected)), repr([expected])}, (name, flag, shown)


def test_every_recipe_says_where_its_values_come_from(catalogue: dict[str, Any]) -> None:
    assert set(catalogue) >= {"transformer-tiny", "transformer-small", "transformer-base", "transformer-big"}
    for name, recipe in catalogue.items():
        assert recipe.get("what"), name
        assert recipe.get("source"), name


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ({"max-epoch": 2, "validate-interval": 3}, "epoch 3"),
        ({"max-epoch": 5, "validate-interval": 2, "save-interval": 3}, "epoch 6"),
        ({"max-epoch": 2, "validate-interval": 10, "max-update": 1000000}, "epoch 10"),  # epochs may end it first
        ({"max-epoch": 2, "validate-interval": 10, "save-interval-updates": 1000000}, "epoch 10"),
        ({"max-epoch": 2, "validate-interval": 3, "validate-interval-updates": 50}, "epoch 3"),  # nothing is saved then
        ({"max-update": 100, "validate-after-updates": 200}, "after the last update"),
        ({"max-epoch": 2, "validate-after-updates": 200}, "ends by epochs"),
        ({"validate-interval": 1}, "no end"),
    ],
)
def test_a_recipe_whose_validation_never_comes(flags: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        fairseq_flags.check_end("mine", flags)


@pytest.mark.parametrize(
    "flags",
    [
        {"max-epoch": 6, "validate-interval": 2, "save-interval": 3},
        {"max-epoch": 2, "validate-interval": 3, "max-update": 2},  # the last update is always validated
        {"validate-interval": 1000000, "save-interval": 1000000, "max-update": 100},
        {"max-update": 100, "validate-after-updates": 100},
        {"patience": 3},
    ],
)
def test_a_recipe_whose_validation_comes(flags: dict[str, Any]) -> None:
    fairseq_flags.check_end("mine", flags)


@pytest.mark.parametrize("flags", [{}, {"max-update": None}, {"patience": -1}, {"stop-min-lr": -1, "max-epoch": 0}])
def test_a_recipe_without_an_end(flags: dict[str, Any]) -> None:
    """Of patience and stop-min-lr, -1 is fairseq's word for never; of max-epoch and max-update it is 0."""
    with pytest.raises(InputError, match="the training has no end"):
        fairseq_flags.check_end("mine", flags)


def test_cards_share_the_batches_of_an_update() -> None:
    assert fairseq_flags.on_cards("m", {"update-freq": "4,8", "lr": 1.0}, 2) == {"update-freq": "2,4", "lr": 1.0}
    assert fairseq_flags.on_cards("m", {"update-freq": [4, 8]}, 2) == {"update-freq": "2,4"}
    assert fairseq_flags.on_cards("m", {"lr": 1.0}, 1) == {"lr": 1.0}
    with pytest.raises(InputError, match=r"update-freq=4 cannot be divided among 3 cards"):
        fairseq_flags.on_cards("m", {"update-freq": 4}, 3)


def test_runtime_flags_are_no_content(tmp_path: Path) -> None:
    flags = {"lr": 0.001, "num-workers": 4, "tensorboard-logdir": "here", "batch-size-valid": "64"}
    assert fairseq_flags.content(flags, Checksums(tmp_path)) == {"lr": 0.001}
    known = fairseq_flags._known_flags()
    own = known["components"]["task:translation_text_bleu"]
    assert known["core"].keys() | own.keys() >= fairseq_flags.RUNTIME_FLAGS
    assert not fairseq_flags.RUNTIME_FLAGS & fairseq_flags.PIPELINE_FLAGS.keys()


def test_a_file_in_a_recipe_counts_by_its_content(tmp_path: Path) -> None:
    first, second = tmp_path / "first.pt", tmp_path / "second.pt"
    first.write_text("weights")
    second.write_text("weights")
    checksums = Checksums(tmp_path)
    found = [fairseq_flags.content({"finetune-from-model": str(path)}, checksums) for path in (first, second)]
    assert found[0] == found[1]
    second.write_text("others!")
    assert fairseq_flags.content({"finetune-from-model": str(second)}, checksums) != found[0]
    for none in ("none.pt", 3):
        with pytest.raises(InputError, match=f"finetune-from-model: {none} cannot be read: No such file"):
            fairseq_flags.content({"finetune-from-model": none}, checksums)


def test_no_training_starts_with_another_file_than_was_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its result would be under the key of the earlier file. Also where size and time of change stayed."""
    vectors, started = tmp_path / "vectors", []
    vectors.write_text("0.1")
    recipe = {"lr": 0.1, "encoder-embed-path": str(vectors)}
    definition = {"recipe": fairseq_flags.content(recipe, Checksums(tmp_path))}
    job = {"definition": definition, "recipe": recipe, "inputs": {}, "gpus": 1, "device": "cpu", "runs_per_gpu": 1}

    def start(*_: Any) -> None:
        started.append(vectors.read_text())
        raise InputError("it would train now")

    monkeypatch.setattr(train, "train_on", start)
    for content in ("0.1", "0.2"):
        times = vectors.stat()
        vectors.write_text(content)
        os.utime(vectors, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert train.main([json.dumps({"folder": str(tmp_path / "system" / "seed1"), **job})]) == 2
    assert started == ["0.1"]
    assert f"encoder-embed-path: {vectors} has changed since this training was planned" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "select", "large"),
    [
        ({}, {"metric": "bleu", "beam": 1}, True),
        ({}, {"metric": "loss", "beam": 5}, True),  # nothing is translated
        ({}, {"metric": "bleu", "beam": 5}, False),
        ({"arch": "transformer"}, {"metric": "bleu", "beam": 1}, False),
        ({"criterion": "cross_entropy"}, {"metric": "bleu", "beam": 1}, False),
        ({"max-valid-steps": 3}, {"metric": "bleu", "beam": 1}, False),
    ],
)
def test_dev_has_large_batches_where_no_hypothesis_depends_on_them(
    changes: dict[str, Any], select: dict[str, Any], large: bool, tmp_path: Path
) -> None:
    job = dict.fromkeys(("data", "references", "algorithm", "segmenter", "form"), "x")
    job |= {"folder": str(tmp_path), "direction": "en-de", "joint": True, "seed": 1, "precision": "fp32"}
    ours = {"arch": "transformer_fast", "criterion": "label_smoothed_cross_entropy_blocks", **changes}
    for recipe in ({**ours, "batch-size": 64}, {**ours, "max-tokens": 25000, "max-tokens-valid": 500}):
        words = training.fairseq_arguments({**job, "select": select, "recipe": recipe}, 1, cuda=False)
        given = dict(itertools.pairwise(words))
        assert ("--batch-size-valid" in given) == large
        if "max-tokens" in recipe:
            assert given["--max-tokens-valid"] == "500"  # what a recipe says counts
        else:
            assert given.get("--max-tokens-valid") == ("16000" if large else None)
