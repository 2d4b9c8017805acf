"""The precision of a training: bf16 where the device multiplies matrices in it, which is several times faster."""

from __future__ import annotations

from subwords.errors import InputError

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


def training_precision(setting: str, cuda: bool) -> str:
    """Return fp32, fp16 or bf16 for `precision` of an experiment.

    auto is bf16 where products in it are fast, else fp16 on a GPU and fp32 on a CPU.
    """
    if setting == "fp16" and not cuda:
        raise InputError("precision: fp16 on a CPU", allowed="auto, fp32 or bf16")
    if setting == "auto":
        return "bf16" if has_fast_bf16(cuda) else "fp16" if cuda else "fp32"
    return setting


def precision_flags(setting: str, cuda: bool) -> list[str]:
    """Return fairseq's flags for `precision` of an experiment.

    In bf16 weights stay in fp32, so that checkpoints have all their bits.
    """
    flags = {"fp32": [], "fp16": ["--fp16"], "bf16": ["--autocast", "bf16"]}[training_precision(setting, cuda)]
    return flags if cuda else ["--cpu", *flags]
