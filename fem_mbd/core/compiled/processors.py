"""Kinds of processors for which libraries are built (x86-64 levels), and those that this machine supports."""

from __future__ import annotations

import functools
import os
from pathlib import Path

# flags of Linux for the features that each level of the x86-64 psABI requires beyond the baseline
V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}
V4 = V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
X86_LEVELS = (("x86-64-v4", V4), ("x86-64-v3", V3), ("x86-64", set[str]()))


@functools.cache
def usable() -> tuple[str, ...]:
    """Kinds of processors whose libraries run on this machine, the best one first."""
    machine = os.uname().machine.lower()
    if machine in ("x86_64", "amd64"):
        flags = _flags()
        return tuple(name for name, needed in X86_LEVELS if needed <= flags)
    return ("aarch64",) if machine in ("aarch64", "arm64") else (machine,)


def family() -> tuple[str, ...]:
    """Kinds of processors for which a wheel built on this machine has libraries."""
    return tuple(name for name, _ in X86_LEVELS) if usable()[-1] == X86_LEVELS[-1][0] else usable()


def for_derivatives() -> tuple[str, ...]:
    """Kinds of processors for which a wheel has kernels of dual numbers: one of each family, for size."""
    return ("x86-64-v3",) if usable()[-1] == X86_LEVELS[-1][0] else usable()


def _flags() -> set[str]:
    """Feature flags of the processor as reported by Linux; empty on other systems."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return set()
    line = next((line for line in text.splitlines() if line.startswith("flags")), ":")
    return set(line.partition(":")[2].split())
