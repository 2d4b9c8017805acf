"""What a paper will take: tokens and hours recomputed by hand, parameters against models of full size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import yaml

import plan_paper
from experiment.training import recipes
from experiment.training.model_size import count_parameters
from papers.paper import FOLDER, from_settings, read
from papers.plan import plan, training_pairs, training_tokens, unmeasured
from papers.published import tables

GENERATED = {"seed": 1, "train": 200, "dev": 10, "test": 10, "test_unseen": 10}


@pytest.mark.parametrize(
    ("flags", "pairs", "tokens"),
    [
        ({"max-tokens": 1000, "max-update": 50}, None, 50_000),
        ({"max-tokens": 1000, "update-freq": 4, "max-update": 50}, None, 200_000),
        ({"max-tokens": 1000, "max-update": 50, "max-epoch": 1}, 100, 3_000),  # 30 pieces a sentence
        ({"batch-size": 20, "max-update": 5}, None, 3_000),
        ({"max-tokens": 1000, "max-epoch": 2}, None, None),  # nobody knows how long the text is
        ({"max-tokens": 1000}, 100, None),
    ],
)
def test_tokens_of_a_training(flags: dict[str, Any], pairs: int | None, tokens: float | None) -> None:
    assert training_tokens(flags, pairs, 1) == tokens


def test_hours() -> None:
    flags = {"max-tokens": 1000, "max-update": 50, "max-epoch": None, "batch-size": None}
    document = {
        "paper": "hft",
        "title": "-",
        "citation": "-",
        "experiment": {
            "corpora": {"c": {"languages": ["en", "xx"], "generated": GENERATED}},
            "directions": ["en-xx"],
            "testsets": ["test"],
            "segmentations": {"a": {"algorithm": "bpe", "size": 50}, "b": {"algorithm": "char"}},
            "models": {"m": {"like": "transformer-tiny", "flags": flags}},
            "seeds": [1, 2, 3],
            "baseline": "a",
        },
        "scales": {"full": None, "reduced": None, "smoke": None},
        "tables": {"table1": {}},
        "scale": "full",
    }
    (part,) = plan(from_settings(document, "x"), lambda *_: 2_000_000, "cpu", rate=1e9)
    assert (part.runs, part.done, part.left, part.parameters) == (6, 0, 6, 2_000_000)
    seconds = 6 * 2_000_000 * 50_000 / 1e9 + 15
    assert part.hours == pytest.approx(6 * seconds / 3600)


@pytest.mark.parametrize(("members", "pairs"), [(["one", "two"], 700), (["one", "ted-en-tr"], 900)])
def test_a_group_has_the_pairs_of_its_members_or_as_many_as_the_file_says(members: list[str], pairs: int) -> None:
    described = {
        "one": {"languages": ["en", "es"], "generated": {**GENERATED, "train": 300}},
        "two": {"languages": ["en", "fr"], "generated": {**GENERATED, "train": 400}},
    }
    language = {"one": "es", "two": "fr", "ted-en-tr": "tr"}
    document = {
        "paper": "volt",
        "title": "-",
        "citation": "-",
        "experiment": {
            "corpora": {
                **{name: described.get(name) for name in members},
                "many": {"group": {language[name]: name for name in members}, "into": "en"},
            },
            "directions": ["many-en"],
            "segmentations": {"a": {"algorithm": "bpe", "size": 50, "joint": True}},
            "models": {"transformer-tiny": None},
            "seeds": [1],
            "baseline": "a",
        },
        "pairs": {"many": 900},
        "scales": {"full": None, "reduced": None, "smoke": None},
        "tables": {"table1": {}},
        "scale": "full",
    }
    assert training_pairs(from_settings(document, "x"), "many") == pairs


def test_cells_that_no_run_will_fill_are_said() -> None:
    hft = read(FOLDER / "hft.yaml", "full")
    assert unmeasured(hft) == {}
    less = {"segmentations": {**hft.settings["segmentations"], "hft-2k": {"algorithm": "hft", "size": 2500}}}
    less["segmentations"]["hft_3k"] = less["segmentations"].pop("hft-3k")
    mr, ga = hft.settings["grids"]["table1-mr"], hft.settings["grids"]["table1-ga"]
    less["grids"] = {"ga": ga | {"directions": ["en-ga"]}, "mr": mr | {"segmentations": ["bpe-3k", "hft_3k"]}}
    sizes = {**hft.sizes_of_paper, "hft-2k": 2500, "hft_3k": 3000}
    found = unmeasured(replace(hft, settings=hft.settings | less, sizes_of_paper=sizes))
    cells = [value for value in tables("hft")["table1"] if value.metric == "bleu"]
    assert found["table1"] == {
        "hft-2k asks for 2500 and not for 2000": sum(value.segmentation == "hft-2k" for value in cells),
        "no training with direction ga-en": 6,  # bpe-2k: five runs and their mean
        "no training with segmentation hft-3k": sum(value.segmentation == "hft-3k" for value in cells),
    }
    without = unmeasured(replace(hft, settings=hft.settings | {"metrics": ["chrf"]}))
    assert without["table1"] == {"bleu is not among `metrics` (chrf)": len(cells)}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hft-default", "volt-fconv"])
def test_parameters_follow_from_small_models(root: Any, name: str) -> None:
    catalogue = yaml.safe_load((root / "config" / "models.yaml").read_text(encoding="utf-8"))
    flags = recipes.resolve(name, catalogue)["flags"]
    for joint, source, target in ((True, 500, 500), (False, 300, 700)):
        assert plan_paper.count(flags, joint, source, target) == count_parameters(flags, joint, source, target)
