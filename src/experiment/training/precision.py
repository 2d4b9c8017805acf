"""Whether the device multiplies matrices in bf16 several times faster than in fp32."""

from __future__ import annotations

#: What torch.cpu.get_capabilities() calls the instructions: x86 with AMX or AVX-512, Arm.
INSTRUCTIONS = ("amx_bf16", "avx512_bf16", "bf16")


def has_fast_bf16(cuda: bool) -> bool:
    """Return whether the GPU (from Ampere on) or the processor has products in bf16."""
    import torch

    if cuda:
        return bool(torch.cuda.get_device_capability()[0] >= 8)
    capabilities: dict[str, bool] = getattr(torch.cpu, "get_capabilities", dict)()
    if capabilities:
        return any(capabilities.get(name) for name in INSTRUCTIONS)
    older = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")  # torch before 2.12
    return any(getattr(torch.cpu, name, bool)() for name in older)
