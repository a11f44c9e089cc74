"""SIMD vectors of 4 or 8 float64 in kernels: load, store, arithmetic, transposition, prefetch.

SIMD vectors have +, -, *, / and the unary minus with each other and with plain numbers, and ``np.sqrt``; ``a != b`` is
true if any element differs. An array of SIMD vectors is a view of a float64 array whose last axis has the elements, and
is used like any array. So a kernel written for numbers, tuples and arrays of numbers works for SIMD vectors without
change.

The functions of this file are instructions of machine code (`fem_mbd.core.compiled.build.simd`): only kernels can call
them.
"""

from __future__ import annotations

from typing import Any


def _only_compiled() -> Any:
    raise NotImplementedError("SIMD vectors exist in compiled code only")


def as_simd(array: Any) -> Any:
    """View of an array (..., 8) as an array (...) of SIMD vectors."""
    return _only_compiled()


def multiply_add(a: Any, b: Any, c: Any) -> Any:
    """a b + c, as a fused multiply-add where the processor has one."""
    return _only_compiled()


def load4(array: Any, place: Any) -> Any:
    """Four numbers of an array (n,) from an index on."""
    return _only_compiled()


def load8(array: Any, place: Any) -> Any:
    """Eight numbers of an array (n,) from an index on."""
    return _only_compiled()


def store4(array: Any, place: Any, numbers: Any) -> None:
    """Store a vector of four, or a number four times, in an array (n,) from an index on."""
    _only_compiled()


def store8(array: Any, place: Any, numbers: Any) -> None:
    """Store a vector of eight, or a number eight times, in an array (n,) from an index on."""
    _only_compiled()


def same4(number: Any) -> Any:
    """A vector of four equal numbers."""
    return _only_compiled()


def same8(number: Any) -> Any:
    """A vector of eight equal numbers."""
    return _only_compiled()


def fetch(array: Any, place: Any) -> None:
    """Prefetch the memory at an index of an array (n,); the index may be beyond the end of the array."""


def simd_record(memory: Any, records: Any) -> Any:
    """A record like those of ``records`` whose float64 fields are SIMD vectors of 8; ``memory`` : 9 words per word.

    The vector of the k-th word begins at 8 k; fields of other types stay single numbers, which the kernel writes.
    """
    return _only_compiled()


def transposed(rows: Any) -> Any:
    """Transpose of 8 SIMD vectors of 8."""
    return _only_compiled()
