"""LU of scaled linear equations, for models whose masses are far from 1 kg.

Instead of A y = f the equations (D A D) x = D f are solved, y = D x; `fem_mbd.core.scheme.system` has D and says why.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.signatures import int32, vector, void


@kernel(void(vector, vector, vector))
def multiply(values, factors, products):
    """products = values times factors, each (n,)."""
    for k in range(values.shape[0]):
        products[k] = values[k] * factors[k]


@kernel(void(int32[::1], int32[::1], vector, vector))
def scale_matrix(indptr, indices, scale, values):
    """Multiply the rows and the columns of matrix values, CSR, by ``scale`` (size,)."""
    for row in range(scale.shape[0]):
        for k in range(indptr[row], indptr[row + 1]):
            values[k] *= scale[row] * scale[indices[k]]


class LU(Protocol):
    """Protocol: factorisation and solve as lists of calls."""

    failed: Any

    @property
    def releases_gil(self) -> bool: ...

    @property
    def releases_gil_later(self) -> bool: ...

    def factorise(self) -> list[Task]: ...

    def solve(self, f: Array, y: Array) -> list[Task]: ...


class ScaledLU:
    """An LU of the scaled equations, as `BlockLU`.

    Parameters
    ----------
    lu : of the same values
    indptr, indices, values : of the matrix, CSR
    scale : (size,) D, powers of two
    """

    def __init__(self, lu: LU, indptr: Any, indices: Any, values: Array, scale: Array):
        self._lu, self._matrix, self._scale = lu, (indptr, indices, scale, values), scale
        self.failed = lu.failed
        self._right = np.zeros_like(scale)

    @property
    def releases_gil(self) -> bool:
        """As that of the LU."""
        return self._lu.releases_gil

    @property
    def releases_gil_later(self) -> bool:
        """As that of the LU."""
        return self._lu.releases_gil_later

    def factorise(self) -> list[Task]:
        """Calls that overwrite the values with the scaled ones, or with their factors."""
        return [Call(scale_matrix, *self._matrix), *self._lu.factorise()]

    def solve(self, f: Array, y: Array) -> list[Task]:
        """Calls that solve for the right side f (size,) and write the solution to y (size,)."""
        return [
            Call(multiply, f, self._scale, self._right),
            *self._lu.solve(self._right, y),
            Call(multiply, y, self._scale, y),
        ]
