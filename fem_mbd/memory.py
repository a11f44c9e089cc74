"""Refuses meshes that this machine's memory cannot hold."""

from __future__ import annotations

import os

from fem_mbd.errors import InputError

# Matrix values and their factors, most of it, the scheme's arrays and the node itself. Measured on cantilevers of 2000
# and 6000 elements of four nodes: 47 kB per node in both.
BYTES_PER_NODE = 40_000.0


def check_memory(nodes: int, what: str) -> None:
    """InputError when ``nodes`` nodes certainly need more than the memory that is installed; ``what`` asks for them."""
    needed, there = BYTES_PER_NODE * nodes, installed_memory()
    if needed > there:
        raise InputError(
            f"{what} asks for about {nodes:.3g} nodes, which need some {needed / 1e9:.3g} GB of memory; "
            f"this machine has {there / 1e9:.3g} GB: use fewer elements"
        )


def installed_memory() -> float:
    """Bytes; infinite where the system does not tell."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return float("inf")
