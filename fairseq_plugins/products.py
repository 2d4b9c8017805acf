"""Matrix products of fp32 on a CPU, by the library that multiplies faster there.

torch multiplies fp32 matrices with MKL, which takes its AVX-512 kernels on Intel's processors alone. On an AMD
processor with AVX-512, oneDNN, which torch has for bf16, multiplies twice as fast (docs/training-speed.md).
"""

from __future__ import annotations

from functools import cache

import torch


@cache
def has_faster_products() -> bool:
    """Return whether oneDNN multiplies fp32 faster than torch's default on this processor: on AMD's with AVX-512."""
    known: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    offered = torch.backends.mkl.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    return offered and str(known.get("cpu_name", "")).startswith("AMD") and bool(known.get("avx512_f"))


def by_onednn(kind: torch.dtype, device: torch.device) -> bool:
    """Return whether products of this precision are oneDNN's, which compiles a kernel for every number of rows."""
    return device.type == "cpu" and (kind == torch.bfloat16 or (kind == torch.float32 and has_faster_products()))


def product(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Return left @ right, of two matrices, without a gradient of its own."""
    if left.dtype == torch.float32 and by_onednn(left.dtype, left.device):
        # torch has no public name for it; it computes left times the second matrix's transpose
        return torch.ops.mkldnn._linear_pointwise(left, right.T, None, "none", [], "")
    return left @ right
