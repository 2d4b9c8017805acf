"""What a training has seen: what it recorded, and what its recipe says where it recorded nothing."""

from __future__ import annotations

from typing import Any

import pytest

from experiment.training.exposure import exposure

PIECES = {"source": 20.0, "target": 25.0}


def record(flags: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {"parameters": {"model": {"flags": flags}}, "updates": 1000, "epochs": 4, **values}


# flags, what the run recorded -> sentences seen
SEEN = [
    ({"batch-size": 48}, {}, 48_000),
    ({"batch-size": 48, "update-freq": 2}, {}, 96_000),
    ({"batch-size": 48, "update-freq": [2]}, {"gpus": 4}, 96_000),  # shared out among the cards
    ({"batch-size": 48}, {"gpus": 0}, 48_000),
    ({"max-tokens": 2000}, {}, 4 * 5000),
    ({"batch-size": 48, "max-tokens": 2000}, {}, 4 * 5000),
    ({"batch-size": 48}, {"sentences_seen": 47_900}, 47_900),
]


@pytest.mark.parametrize(("flags", "recorded", "expected"), SEEN)
def test_sentences_and_pieces_seen(flags, recorded, expected):
    found = exposure(record(flags, **recorded), 5000, PIECES, 100)
    assert found["sentences_seen"] == expected
    assert found["pieces_seen"] == 25 * expected


def test_a_recipe_may_be_in_the_definition():
    found = exposure({"definition": {"recipe": {"batch-size": 48}}, "updates": 1000}, None, PIECES, None)
    assert found["sentences_seen"] == 48_000


# flags, what the run recorded -> stopped early
STOPS = [
    ({"max-update": 1000}, {}, False),
    ({"max-update": 2000}, {}, True),
    ({"max-epoch": 4}, {}, False),
    ({"max-epoch": 30, "max-update": 1000}, {}, False),
    ({"max-epoch": 30, "max-update": 2000}, {}, True),
    ({}, {}, None),
    ({"max-update": 2000}, {"stopped_early": False}, False),
]


@pytest.mark.parametrize(("flags", "recorded", "expected"), STOPS)
def test_stopped_early(flags, recorded, expected):
    assert exposure(record(flags, **recorded), None, PIECES, None)["stopped_early"] is expected


def test_operations_need_the_shape_of_the_model():
    """fairseq's transformer has 6 layers of 512 and 2,048 where a recipe says nothing; other architectures do not."""
    default = exposure(record({"arch": "transformer", "batch-size": 10}), None, PIECES, 8000)["training_flops"]
    of_source = 6 * (4 * 512**2 + 2 * 512 * 2048) + 6 * 2 * 512**2  # encoder, and the decoder's view of the source
    of_target = 6 * (6 * 512**2 + 2 * 512 * 2048) + 512 * 8000
    assert default == 6 * 10_000 * (20 * of_source + 25 * of_target)
    assert (
        exposure(record({"arch": "transformer_iwslt_de_en", "batch-size": 10}), None, PIECES, 8000)["training_flops"]
        is None
    )
    assert exposure(record({"arch": "fconv", "batch-size": 10}), None, PIECES, 8000)["training_flops"] is None


def test_nothing_known_is_nothing_said():
    found = exposure({}, None, {"source": None, "target": None}, None)
    assert set(found.values()) == {None}
    assert exposure({"energy_kwh": 1.5}, None, PIECES, None)["energy_kwh"] == 1.5
