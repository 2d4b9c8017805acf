"""Random numbers equal to NumPy's."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from subwords.pcg64 import uniform


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.integers(0, 1 << 300), st.integers(0, 40))
@example(0, 5)
@example((1 << 32) - 1, 5)
@example(1 << 32, 5)
@example((1 << 128) - 1, 5)
@example(1 << 128, 5)
def test_equal_to_numpy(seed: int, count: int):
    assert uniform(seed, count) == np.random.Generator(np.random.PCG64(seed)).random(count).tolist()
