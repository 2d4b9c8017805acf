"""Products on a CPU: which library multiplies, and that both multiply rightly."""

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


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16], ids=["fp32", "bf16"])
@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("biased", [False, True])
def test_linear_maps_are_those_of_fp64(kind: torch.dtype, relu: bool, biased: bool, either_library: bool) -> None:
    from fairseq_plugins.products import affine

    generator = torch.Generator().manual_seed(1)
    rows, weight, bias = (torch.randn(shape, generator=generator).to(kind) for shape in ((70, 33), (20, 33), (20,)))
    expected = rows.double() @ weight.double().T + (bias.double() if biased else 0)
    expected = expected.clamp_min(0) if relu else expected
    found = affine(rows, weight, bias if biased else None, relu)
    assert found.dtype == kind
    assert torch.allclose(found.double(), expected, rtol=torch.finfo(kind).eps, atol=1e-5)


@pytest.mark.parametrize("has_bf16", [False, True], ids=["torch's own", "oneDNN's where it can"])
def test_bf16_does_not_need_a_processor_that_has_it(has_bf16: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    make_task()
    from fairseq_plugins import products

    if has_bf16 and not products._has_bf16():
        pytest.skip("this processor has no bf16")
    by_onednn, called = products._by_onednn, []
    monkeypatch.setattr(products, "_has_bf16", lambda: has_bf16)
    monkeypatch.setattr(products, "_by_onednn", lambda *given: called.append(1) or by_onednn(*given))
    generator = torch.Generator().manual_seed(1)
    rows, weight = (torch.randn(shape, generator=generator).bfloat16() for shape in ((3, 4), (5, 4)))
    assert torch.allclose(products.affine(rows, weight, None), rows @ weight.T, rtol=0.02, atol=0.02)
    assert bool(called) is has_bf16


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16], ids=["fp32", "bf16"])
@pytest.mark.parametrize("shape", [(128, 7, 33), (64, 16, 2048), (64, 2048, 16)])
def test_gradients_of_weights_are_those_of_fp64(
    kind: torch.dtype, shape: tuple[int, int, int], either_library: bool
) -> None:
    from fairseq_plugins.products import gradient_of_weight

    generator = torch.Generator().manual_seed(1)
    count, out, wide = shape
    grad_found, rows = (torch.randn(count, width, generator=generator).to(kind) for width in (out, wide))
    found = gradient_of_weight(grad_found, rows)
    assert found.dtype == kind
    assert torch.allclose(found.double(), grad_found.double().T @ rows.double(), rtol=torch.finfo(kind).eps, atol=1e-4)
