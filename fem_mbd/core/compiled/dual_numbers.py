"""Dual numbers, and functions of them that only compiled kernels call.

A dual number is a value and its derivatives in `DIRECTIONS` directions, `WIDTH` float64 in a row. The functions of this
file take the place of numpy's and Python's own in kernels that are compiled for such numbers. They are marks for
`fem_mbd.core.compiled.build.duals`: only kernels call them.
"""

from __future__ import annotations

from typing import Any

WIDTH = 8  # float64 in a dual number
DIRECTIONS = WIDTH - 1


def _only_compiled() -> Any:
    raise NotImplementedError("numbers with derivatives are there in compiled code only")


def value(a: Any) -> Any:
    """The number without its derivatives."""
    return _only_compiled()


def chained(a: Any, f: Any, slope: Any) -> Any:
    """f(a) from its value and its derivative f'(a), two plain numbers."""
    return _only_compiled()


def chained2(a: Any, b: Any, f: Any, by_a: Any, by_b: Any) -> Any:
    """f(a, b) from its value and its derivatives by a and b, three plain numbers."""
    return _only_compiled()


def dual(a: Any) -> Any:
    """A plain number as a dual one, whose derivatives are zero."""
    return _only_compiled()


def kind() -> Any:
    """The dtype of arrays of dual numbers."""
    return _only_compiled()
