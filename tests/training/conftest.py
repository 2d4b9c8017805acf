"""What tests of trainings share."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(params=[False, True], ids=["by MKL", "by oneDNN"])
def either_library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Let products of fp32 be torch's default or oneDNN's, whatever the processor; return whether they are oneDNN's."""
    from fairseq_plugins import products

    if request.param and not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        pytest.skip("this torch offers no products by oneDNN")
    monkeypatch.setattr(products, "has_faster_products", lambda: request.param)
    return bool(request.param)
