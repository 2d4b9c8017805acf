"""A group of three languages for real: one model, one vocabulary, scores per language."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from typing import Any

import pytest

from .conftest import TINY, Workplace

pytestmark = pytest.mark.slow

MEMBERS = {"es": "one", "de": "two", "pt_br": "three"}
SIZES = {"train": 120, "dev": 6, "test": 5, "test_unseen": 1}
GROUP: dict[str, Any] = {
    **TINY,
    "experiment": "group",
    "corpora": {
        "all": {"group": MEMBERS, "into": "en"},
        **{
            name: {"languages": ["en", language], "generated": {"seed": seed, **SIZES}}
            for seed, (language, name) in enumerate(MEMBERS.items())
        },
    },
    "directions": ["many-en", "es-en", "de-en", "pt_br-en"],
    "grids": {"group": {"corpora": ["all"]}},
    "segmentations": {"bpe": TINY["segmentations"]["bpe"]},
}


@pytest.fixture(scope="module")
def group(workplaces: Callable[[str], Workplace]) -> Workplace:
    made = workplaces("group")
    made.write(GROUP)
    made.run("scores")
    return made


def lines(place: Workplace, path: str) -> list[str]:
    return place.one(path).read_text().split("\n")[:-1]


def test_scores_per_language(group: Workplace) -> None:
    with open(group.results / "group/scores.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {(row["corpus"], row["direction"], row["testset"]) for row in rows} == {
        ("all", "many-en", language) for language in MEMBERS
    }
    for language in MEMBERS:
        hypotheses = lines(group, f"runs/all/many-en/bpe/mini.*/seed1/best-2/beam-2.*/{language}.hyp")
        assert len(hypotheses) == len(lines(group, f"corpora/all.*/many-en/references/{language}.en")) == SIZES["test"]
    assert not (group.results / "runs/one").exists()  # no training of a member


def test_the_text_is_that_of_the_members(group: Workplace) -> None:
    for form in ("corpora/{}.*/{}", "corpora/{}.*/{}/moses"):
        members = [form.format(name, f"en-{language}") for language, name in MEMBERS.items()]
        of_group = form.format("all", "many-en")
        for split in ("train", "dev"):
            for side in ("many", "en"):
                parts = [
                    lines(group, f"{folder}/{split}.{language if side == 'many' else 'en'}")
                    for folder, language in zip(members, MEMBERS, strict=True)
                ]
                origins = [line.split("\t") for line in lines(group, f"corpora/all.*/many-en/{split}.origin")]
                chosen = [parts[list(MEMBERS).index(language)][int(number) - 1] for language, number in origins]
                assert lines(group, f"{of_group}/{split}.{side}") == chosen
        for folder, language in zip(members, MEMBERS, strict=True):
            assert lines(group, f"{of_group}/{language}.many") == lines(group, f"{folder}/test.{language}")
            assert lines(group, f"{of_group}/{language}.en") == lines(group, f"{folder}/test.en")


def test_one_vocabulary(group: Workplace) -> None:
    folder = group.one("segmented/all.*/many-en/bpe.*")
    assert (folder / "model.many").read_bytes() == (folder / "model.en").read_bytes()
    assert (folder / "binarized/dict.many.txt").read_bytes() == (folder / "binarized/dict.en.txt").read_bytes()
    assert json.loads((folder / "segmentation.json").read_text())["joint"] is True


def test_a_second_run_has_nothing_to_do(group: Workplace) -> None:
    assert "Nothing to be done" in group.run("scores", "-n")
