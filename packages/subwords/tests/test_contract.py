"""The contract, on every registered algorithm. A new algorithm is taken up by itself."""

from __future__ import annotations

import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subwords import learn, load, registry
from subwords.cli import main
from subwords.errors import InputError
from subwords.segmenter import Parameter, at_least
from subwords.testing import CHECKS, MARKS, Trial

every_algorithm = pytest.mark.parametrize("name", registry.names())
#: Checks that start other programs.
SLOW = {"another_process_learns_the_same"}


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trial]:
    return {name: Trial(registry.find(name), tmp_path_factory.mktemp(name)) for name in registry.names()}


@every_algorithm
@pytest.mark.parametrize(
    "check", [pytest.param(check, marks=pytest.mark.slow) if check in SLOW else check for check in CHECKS]
)
def test_the_contract(name: str, check: str, trials: dict[str, Trial]) -> None:
    CHECKS[check](trials[name])


@every_algorithm
@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.lists(st.sampled_from(MARKS), min_size=1, max_size=4).map("".join), max_size=6))
def test_words_made_of_marks_come_back(trials: dict[str, Trial], name: str, words: list[str]) -> None:
    comes_back(trials[name], " ".join(words))


@every_algorithm
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Z", "Cc", "Cn"]), min_size=1), max_size=6))
def test_any_words_come_back(trials: dict[str, Trial], name: str, words: list[str]) -> None:
    comes_back(trials[name], " ".join(words))


def comes_back(trial: Trial, text: str) -> None:
    if trial.cls.lossy:
        pytest.skip("loses unknown words")
    assert trial.model.decode(trial.model.encode(text)) == trial.cls.comes_back_as(text)


@every_algorithm
def test_a_failed_learning_leaves_the_old_model(name: str, trials: dict[str, Trial], tmp_path: Path) -> None:
    (tmp_path / "model").write_text("old")
    assert main(["learn", name, "--size", "-5", "--model", str(tmp_path / "model"), str(trials[name].text)]) == 2
    assert [entry.read_text() for entry in tmp_path.iterdir()] == ["old"]


#: Values that are not the defaults, of options that decide how a model is applied.
APPLIED = {"vocabulary_threshold": 2, "dropout": 0.5, "alpha": 0.9, "candidates": 5, "smoothing": 0.5}


def another_value(parameter: Parameter, folder: Path) -> Any:
    if parameter.is_file:
        (folder / parameter.name).write_text("ba@@ 3\nko 1\n")
        return str(folder / parameter.name)
    choices = parameter.choices or (True, False) if isinstance(parameter.default, bool | str) else ()
    return next((choice for choice in choices if choice != parameter.default), APPLIED.get(parameter.name))


@every_algorithm
def test_a_model_is_applied_alike_before_it_is_saved_and_after(
    name: str, trials: dict[str, Trial], tmp_path: Path
) -> None:
    cls, (size, options) = registry.find(name), trials[name].arguments
    for parameter in cls.parameters:
        if parameter.stage != "learn":
            options = options | {parameter.name: another_value(parameter, tmp_path)}
    with warnings.catch_warnings(action="ignore"):
        model = learn(name, trials[name].text, size, **options)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.applied_with() == model.applied_with()
    assert again.signature() == model.signature()
    assert {p.name for p in cls.parameters if p.stage != "learn"} <= again.applied_with().keys()


@every_algorithm
def test_a_number_too_large_for_the_core_is_no_traceback(name: str, trials: dict[str, Trial]) -> None:
    cls, (size, options) = registry.find(name), trials[name].arguments
    with pytest.raises(InputError, match=r"size \d+(?s:.*)of at most 18 digits|takes no size"):
        learn(name, trials[name].text, 10**25, **options)
    for option in (p.name for p in cls.parameters if int in (p.kind, type(p.default))):
        with warnings.catch_warnings(action="ignore"), suppress(InputError):
            learn(name, trials[name].text, size, **options | {option: 10**30})


@pytest.mark.parametrize(("value", "problem"), [(-(10**18), "small"), (1, "small"), (10**18, "large")])
def test_an_option_is_neither_too_small_nor_too_large(value: int, problem: str) -> None:
    with pytest.raises(InputError, match=f"step={value} is too {problem}\n  allowed: a whole number, at least 2, of "):
        at_least({"step": value}, "step", 2)
    assert [at_least({"step": least}, "step", 2) for least in (2, 10**18 - 1)] == [2, 10**18 - 1]


@pytest.mark.parametrize("value", [float("inf"), float("nan"), "9" * 5000])
def test_numbers_that_are_no_whole_numbers(value: object) -> None:
    with pytest.raises(InputError, match="not of type int"):
        Parameter("interval", 1000, "merges").parse(value)


@pytest.mark.parametrize("default", ["-", 1, 0.5, True])
def test_no_value_is_no_text(default: object) -> None:
    """str(None) is a text, too: morfessor would split at N, o, n and e."""
    with pytest.raises(InputError, match=r"forcesplit has no value\n  allowed: characters"):
        Parameter("forcesplit", default, "characters").parse(None)
    assert Parameter("forcesplit", None, "characters", kind=str).parse(None) is None


def test_every_check_can_fail(tmp_path: Path) -> None:
    """A class that does everything wrong fails them, each with its reason."""
    trial: Any = Trial(registry.find("char"), tmp_path)
    broken = type("Broken", (registry.find("char"),), {"encode": lambda self, line: "x", "reads": "both"})
    trial.cls = broken
    for check in ("awkward_lines_come_back", "the_batch_does_not_matter", "it_says_what_it_is"):
        with pytest.raises(AssertionError):
            CHECKS[check](trial)
