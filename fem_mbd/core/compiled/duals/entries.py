"""Entries of kernels for dual numbers, and their names."""

from __future__ import annotations

from typing import Any

from fem_mbd.core.compiled.duals.layout import holds_numbers
from fem_mbd.core.compiled.signatures import Array, Scalar, Signature

WITHOUT_DERIVATIVES = {
    "batches",
    "batch_kernels",
    "probes",
}  # modules whose entries no step with derivatives needs


def dual_signatures(kernel: Any) -> list[int]:
    """Numbers of a kernel's signatures that are compiled for dual numbers; none where it uses complex steps itself."""
    if (
        "complex128" in kernel.function.__code__.co_names
        or set(kernel.__module__.split(".")) & WITHOUT_DERIVATIVES
    ):
        return []
    return [number for number, signature in enumerate(kernel.signatures) if _has_dual(signature)]


def _has_dual(signature: Signature) -> bool:
    """Not those that fill the matrix, or are for a derivative by complex step."""
    kinds: list[Array | Scalar] = [*signature.flat, *signature.returns]
    return any(holds_numbers(kind.dtype) for kind in kinds) and not any(
        kind.dtype.kind == "c" or kind.dtype == "i4" for kind in kinds
    )


def dual_symbol(kernel: Any, number: int) -> str:
    """Name of the entry for dual numbers of one of a kernel's signatures."""
    return f"{kernel.symbol(number)}.dual"
