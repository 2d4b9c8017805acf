"""Products of fp32 on a CPU: which library multiplies, and that both multiply rightly."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch

from training.tiny_transformer import make_task


@pytest.fixture
def has_faster_products() -> Iterator[Callable[[], bool]]:
    make_task()
    from fairseq_plugins.products import has_faster_products

    has_faster_products.cache_clear()
    yield has_faster_products
    has_faster_products.cache_clear()


@pytest.mark.parametrize(
    ("name", "avx512", "faster"),
    [("AMD EPYC 9575F", True, True), ("AMD EPYC 7763", False, False), ("Intel(R) Xeon(R) 6975P-C", True, False)],
)
def test_onednn_multiplies_on_amd_with_avx512_alone(
    name: str, avx512: bool, faster: bool, has_faster_products: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"cpu_name": name, "avx512_f": avx512}, raising=False)
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: True)
    assert has_faster_products() is faster


def test_older_torch_does_not_say(has_faster_products: Callable[[], bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    assert has_faster_products() is False


@pytest.mark.parametrize(("rows", "inner", "columns"), [(1, 1, 1), (7, 5, 3), (128, 64, 200), (300, 33, 17)])
@pytest.mark.parametrize("turned", ["neither", "left", "right", "both"])
def test_products_are_those_of_fp64(rows: int, inner: int, columns: int, turned: str, either_library: bool) -> None:
    from fairseq_plugins.products import product

    generator = torch.Generator().manual_seed(rows)
    left, right = (torch.randn(shape, generator=generator) for shape in ((rows, inner), (inner, columns)))
    expected = left.double() @ right.double()
    if turned in ("left", "both"):
        left = left.T.contiguous().T
    if turned in ("right", "both"):
        right = right.T.contiguous().T
    found = product(left, right)
    assert found.dtype == torch.float32
    assert torch.allclose(found.double(), expected, rtol=1e-5, atol=1e-5)
    assert torch.equal(found, product(left, right))
