"""Matrix products, on a CPU by the library that multiplies faster there.

torch multiplies fp32 matrices with MKL, which takes its AVX-512 kernels on Intel's processors alone. On an AMD
processor with AVX-512, oneDNN, which torch has for bf16, multiplies twice as fast (docs/training-speed.md). oneDNN adds
the bias and applies ReLU to what it has just multiplied, before it rounds.
"""

from __future__ import annotations

from functools import cache

import torch
from torch.nn import functional

#: From rows so wide on, `gradient_of_weight` turns the other matrix, if that is at most half as wide.
WIDE = 1024


@cache
def has_faster_products() -> bool:
    """Return whether oneDNN multiplies fp32 faster than torch's default on this processor: on AMD's with AVX-512."""
    known: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    offered = torch.backends.mkl.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    return offered and str(known.get("cpu_name", "")).startswith("AMD") and bool(known.get("avx512_f"))


def compute_dtype(device: torch.device, otherwise: torch.dtype) -> torch.dtype:
    """Return the precision of products: that of `torch.autocast`, or `otherwise` without it."""
    return torch.get_autocast_dtype(device.type) if torch.is_autocast_enabled(device.type) else otherwise


def by_onednn(kind: torch.dtype, device: torch.device) -> bool:
    """Return whether products of this precision are oneDNN's, which compiles a kernel for every number of rows."""
    return device.type == "cpu" and (kind == torch.bfloat16 or (kind == torch.float32 and has_faster_products()))


def product(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Return left @ right, of two matrices, without a gradient of its own."""
    if left.dtype == torch.float32 and by_onednn(left.dtype, left.device):
        return _by_onednn(left, right.T)
    return left @ right


def affine(rows: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, relu: bool = False) -> torch.Tensor:
    """Return rows @ weightᵀ + bias, its negative numbers set to zero with `relu`, without a gradient of its own."""
    if by_onednn(rows.dtype, rows.device) and (rows.dtype != torch.bfloat16 or _has_bf16()):
        return _by_onednn(rows, weight, bias, relu)
    found = functional.linear(rows, weight, bias)
    return found.relu_() if relu else found


def gradient_of_weight(grad_found: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Return grad_foundᵀ @ rows, without a gradient of its own.

    In bf16 oneDNN turns the first matrix as it multiplies, which with wide rows takes longer than to turn it before.
    """
    grad_found = grad_found.T
    if rows.dtype == torch.bfloat16 and rows.device.type == "cpu" and rows.shape[1] >= max(WIDE, 2 * len(grad_found)):
        grad_found = grad_found.contiguous()
    return product(grad_found, rows)


@cache
def _has_bf16() -> bool:
    known = all(hasattr(torch.ops.mkldnn, name) for name in ("_linear_pointwise", "_is_mkldnn_bf16_supported"))
    return known and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def _by_onednn(
    rows: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, relu: bool = False
) -> torch.Tensor:
    # torch has no public name for it
    found: torch.Tensor = torch.ops.mkldnn._linear_pointwise(rows, weight, bias, "relu" if relu else "none", [], "")
    return found
