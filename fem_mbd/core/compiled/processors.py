"""Kinds of processors that libraries are built for, and which of them this machine can run."""

from __future__ import annotations

import functools
import os
from pathlib import Path

# what an x86-64 processor has to know beyond the baseline, as Linux names it; the levels are those of the x86-64 psABI
V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}
V4 = V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
X86_LEVELS = (("x86-64-v4", V4), ("x86-64-v3", V3), ("x86-64", set[str]()))


@functools.cache
def usable() -> tuple[str, ...]:
    """Kinds of processors whose libraries run here, the best one first."""
    machine = os.uname().machine.lower()
    if machine in ("x86_64", "amd64"):
        flags = _flags()
        return tuple(name for name, needed in X86_LEVELS if needed <= flags)
    return ("aarch64",) if machine in ("aarch64", "arm64") else (machine,)


def family() -> tuple[str, ...]:
    """Kinds of processors that a wheel made on this machine has libraries for."""
    return tuple(name for name, _ in X86_LEVELS) if usable()[-1] == X86_LEVELS[-1][0] else usable()


def _flags() -> set[str]:
    """What Linux says that the processor knows; nothing elsewhere."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return set()
    line = next((line for line in text.splitlines() if line.startswith("flags")), ":")
    return set(line.partition(":")[2].split())
