"""Refuses meshes that this machine's memory cannot hold."""

from __future__ import annotations

import os

from fem_mbd.errors import InputError

# The least that a node takes: matrix values with their factors in place, the scheme's arrays, the node itself.
# Measured on chains of 20,000 elements of two nodes: 12.3 kB, and 17.5 kB with factors of their own.
BYTES_PER_NODE = 12_000.0


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
