"""What a training computes, by the shape of its model."""

from __future__ import annotations

from experiment.scoring.scorebook import training_flops


def test_operations_need_the_shape_of_the_model():
    """fairseq's transformer has 6 layers of 512 and 2,048 where a recipe says nothing; other architectures do not."""
    pieces = (20 * 10_000, 25 * 10_000)
    of_source = 6 * (4 * 512**2 + 2 * 512 * 2048) + 6 * 2 * 512**2  # encoder, and the decoder's view of the source
    of_target = 6 * (6 * 512**2 + 2 * 512 * 2048) + 512 * 8000
    expected = 6 * 10_000 * (20 * of_source + 25 * of_target)
    assert training_flops({"arch": "transformer"}, 8000, *pieces) == expected
    assert training_flops({"arch": "transformer_iwslt_de_en"}, 8000, *pieces) is None
    assert training_flops({"arch": "fconv"}, 8000, *pieces) is None


def test_nothing_known_is_nothing_said():
    assert training_flops({}, None, None, None) is None
    assert training_flops({"arch": "transformer"}, 8000, None, 5.0) is None
    assert training_flops({"arch": "transformer"}, None, 5.0, 5.0) is None
