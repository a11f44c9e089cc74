"""Builds libraries in which kernels calculate with dual or recorded numbers (`fem_mbd.core.compiled.duals`).

A process builds libraries of one kind of numbers: `choose` it before the modules of this folder are imported, as it
decides what numba is told by them.
"""

from __future__ import annotations

from fem_mbd.core.compiled.duals.number import NumberKind

_chosen: list[NumberKind] = []


def choose(kind: NumberKind) -> None:
    """Build for numbers of a kind."""
    if _chosen not in ([], [kind]):
        raise RuntimeError(f"this process builds for {_chosen[0].name} numbers")
    _chosen[:] = [kind]


def chosen() -> NumberKind:
    """What this process builds for."""
    return _chosen[0]
