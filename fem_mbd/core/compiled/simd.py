"""Numbers side by side: what a processor calculates with in one instruction, 4 or 8 float64 ("lanes").

In kernels lanes take +, -, *, / and the unary minus with each other and with plain numbers; ``a != b`` says whether any
lane of a differs. An array of lanes is made from one of float64 whose last axis they are, and is used like any array.
A kernel that is written in numbers, in tuples of them and in arrays serves for lanes as it stands.

The functions of this file are instructions of machine code (`fem_mbd.core.compiled.build.simd`): only kernels call
them.
"""

from __future__ import annotations

from typing import Any


def _only_compiled() -> Any:
    raise NotImplementedError("lanes are there in compiled code only")


def as_simd(array: Any) -> Any:
    """Array (...) of lanes in the memory of an array (..., 8)."""
    return _only_compiled()


def multiply_add(a: Any, b: Any, c: Any) -> Any:
    """a b + c, rounded once where the processor does that."""
    return _only_compiled()


def load4(array: Any, place: Any) -> Any:
    """Four numbers of an array (n,) from a place on."""
    return _only_compiled()


def load8(array: Any, place: Any) -> Any:
    """Eight numbers of an array (n,) from a place on."""
    return _only_compiled()


def store4(array: Any, place: Any, lanes: Any) -> None:
    """Put four lanes, or a number four times, into an array (n,) from a place on."""
    _only_compiled()


def store8(array: Any, place: Any, lanes: Any) -> None:
    """Put eight lanes, or a number eight times, into an array (n,) from a place on."""
    _only_compiled()


def same4(number: Any) -> Any:
    """Four lanes of a number."""
    return _only_compiled()


def same8(number: Any) -> Any:
    """Eight lanes of a number."""
    return _only_compiled()


def fetch(array: Any, place: Any) -> None:
    """Ask for the memory at a place of an array (n,) ahead of time; the place may lie behind the array."""


def simd_record(memory: Any, records: Any) -> Any:
    """A record like ``records``' whose float64 are lanes of 8, in ``memory`` of 9 words for each word of a record.

    The k-th word's lanes begin at 8 k; what is no float64 stays one number, which the kernel writes.
    """
    return _only_compiled()


def transposed(rows: Any) -> Any:
    """Of 8 lanes of 8 the lanes k of all of them, for k = 0 to 7."""
    return _only_compiled()
