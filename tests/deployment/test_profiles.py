"""The cluster profiles know every rule that uses a card, and leave the memory and time of all others to defaults."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from snakemake_executor_plugin_slurm.utils import set_gres_string

PLACES = {"slurm": "slurm_partition", "generic": "queue"}


def rules(root: Path) -> dict[str, str]:
    """Return the text of every rule by its name; one that uses another has that one's resources where it names none."""
    found: dict[str, str] = {}
    texts = [
        path.read_text()
        for path in [root / "workflow" / "Snakefile", *sorted((root / "workflow" / "rules").glob("*.smk"))]
    ]
    for text in texts:
        for name, body in re.findall(r"^ *rule (\w+):\n(.*?)(?=^ *(?:use )?rule|\Z)", text, re.MULTILINE | re.DOTALL):
            found[name] = body
    again = re.compile(r"^use rule (\w+) as (\w+) with:\n(.*?)(?=^ *(?:use )?rule|\Z)", re.MULTILINE | re.DOTALL)
    for first, name, body in again.findall("\n".join(texts)):
        own = "resources:" in body
        found[name] = body + (
            re.sub(r"^    resources:\n(?: {8}.*\n)+", "", found[first], flags=re.M) if own else found[first]
        )
    return found


def profile(root: Path, name: str) -> dict[str, Any]:
    return yaml.safe_load((root / "profiles" / name / "profile.yaml").read_text())  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", PLACES)
def test_every_rule_with_a_card_goes_where_the_cards_are(root: Path, name: str) -> None:
    with_card = {rule for rule, text in rules(root).items() if re.search(r"^ +gpu=(?!0,)", text, re.MULTILINE)}
    assert {"train", "select", "evaluate", "score_comet"} <= with_card
    assert not {"rescore", "rescore_on_test"} & with_card
    settings = profile(root, name)["set-resources"]
    assert settings.keys() == with_card
    for resources in settings.values():
        assert resources["gpu"] == 1
        assert PLACES[name] in resources
        assert resources["cpus_per_task"] > 1


def test_every_rule_with_a_card_tells_its_program_where_to_compute(root: Path) -> None:
    """By the job, which has the runtime's settings, or by options."""
    for rule, text in rules(root).items():
        if re.search(r"^ +gpu=(?!0,)", text, re.MULTILINE):
            told = "{params.job:q}" in text or "--device {runtime['device']} --runs-per-gpu" in text
            assert told, rule


class Resources(dict[str, object]):
    """What the executor knows of a job."""

    __getattr__ = dict.__getitem__


def test_cards_by_type_are_asked_for_once() -> None:
    """`gres` and, where the login node has a card, the rule's own number would be two requests."""
    job = SimpleNamespace(resources=Resources(gres="gpu:a100:1", gpu=0))
    assert set_gres_string(job).split() == ["--gres=gpu:a100:1"]


@pytest.mark.parametrize("name", PLACES)
def test_memory_and_time_grow_with_every_attempt(root: Path, name: str) -> None:
    """A value in a rule would stand before a profile's default, and be the same in each attempt."""
    for rule, text in rules(root).items():
        assert not re.search(r"^ +(mem_mb|runtime)=", text, re.MULTILINE), rule
    settings = profile(root, name)
    assert settings["retries"] >= 1
    for resources in [settings["default-resources"], settings["set-resources"]["train"]]:
        for key in ("mem_mb", "runtime"):
            first, second = (eval(str(resources[key]), {"attempt": attempt, "min": min}) for attempt in (1, 2))
            assert second > first


def test_the_network_is_used_on_the_login_node_alone(root: Path) -> None:
    for rule, text in rules(root).items():
        if "download" in rule or "--fetch" in text:
            assert "localrule: True" in text, rule
