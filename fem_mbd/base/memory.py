"""Check that this machine has enough memory for a mesh."""

from __future__ import annotations

import os

from fem_mbd.errors import InputError

# Lower bound per node: matrix values with their factors in place, the scheme's arrays, the node itself.
# Measured on chains of 20,000 elements of two nodes: 12.3 kB, and 17.5 kB with factors stored separately.
BYTES_PER_NODE = 12_000.0


def check_memory(nodes: int, what: str) -> None:
    """InputError when ``nodes`` nodes, requested by ``what``, certainly need more than the installed memory."""
    needed, installed = BYTES_PER_NODE * nodes, installed_memory()
    if needed > installed:
        raise InputError(
            f"{what} asks for about {nodes:.3g} nodes, which need about {needed / 1e9:.3g} GB of memory; "
            f"this machine has {installed / 1e9:.3g} GB: use fewer elements"
        )


def installed_memory() -> float:
    """Installed memory in bytes; infinite where the system does not report it."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return float("inf")
