"""Batches are fairseq's, piece by piece."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

PAD, END = 1, 2

rows = st.lists(st.integers(3, 20), max_size=9).map(lambda pieces: torch.tensor([*pieces, END]))
pairs = st.lists(st.tuples(st.integers(0, 10**6), rows, rows), min_size=1, max_size=12)


def assert_equal(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name in expected:
            assert_equal(found[name], expected[name])
    elif isinstance(expected, torch.Tensor):
        assert found.dtype == expected.dtype
        assert found.tolist() == expected.tolist()
    else:
        assert found == expected


@given(pairs, st.booleans(), st.booleans(), st.sampled_from([1, 2, 8]))
def test_they_are_those_of_fairseq(found: list[Any], left_source: bool, left_target: bool, multiple: int) -> None:
    from fairseq_plugins.batches import by_fairseq, collate

    samples = [{"id": number, "source": source, "target": target} for number, source, target in found]
    how: dict[str, Any] = {"left_pad_source": left_source, "left_pad_target": left_target, "pad_to_multiple": multiple}
    ours = collate(samples, PAD, END, **how)
    assert ours.pop("target_positions") == sum(len(sample["target"]) for sample in samples)
    assert_equal(ours, by_fairseq(samples, PAD, END, **how))


@given(st.lists(st.lists(st.sampled_from([PAD, 5, 6]), max_size=5), min_size=1, max_size=5))
def test_what_is_fed_is_padded_after_its_end_alone(targets: list[list[int]]) -> None:
    """The text may have a piece that is written <pad>: fairseq gives it the number of padding."""
    from fairseq_plugins.batches import by_fairseq, collate

    samples = [
        {"id": number, "source": torch.tensor([5, END]), "target": torch.tensor([*target, END])}
        for number, target in enumerate(targets)
    ]
    found, expected = collate(samples, PAD, END), by_fairseq(samples, PAD, END)
    del found["target_positions"]
    longest = max(map(len, targets)) + 1
    fed = {
        number: [END, *(END if piece == PAD else piece for piece in target)] + [PAD] * (longest - 1 - len(target))
        for number, target in enumerate(targets)
    }
    assert found["net_input"].pop("prev_output_tokens").tolist() == [fed[number] for number in found["id"].tolist()]
    del expected["net_input"]["prev_output_tokens"]
    assert_equal(found, expected)


def test_fairseq_collects_them_with_it() -> None:
    from fairseq.data import language_pair_dataset
    from fairseq_plugins.batches import by_fairseq, collate

    assert language_pair_dataset.collate is collate
    assert by_fairseq is not collate


@pytest.mark.parametrize(
    ("changed", "how"),
    [
        ({"target": None}, {}),
        ({"prev_output_tokens": torch.tensor([END, 4])}, {}),
        ({}, {"input_feeding": False}),
        ({}, {"pad_to_length": {"source": 7, "target": 9}}),
    ],
)
def test_what_is_rare_is_left_to_fairseq(changed: dict[str, Any], how: dict[str, Any]) -> None:
    from fairseq_plugins.batches import by_fairseq, collate

    samples = [{"id": 0, "source": torch.tensor([5, END]), "target": torch.tensor([4, END]), **changed}]
    assert_equal(collate(samples, PAD, END, **how), by_fairseq(samples, PAD, END, **how))
    assert collate([], PAD, END) == {}
