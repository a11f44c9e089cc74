"""Late kernels for `test_late`: they are found again by module and name."""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel


@kernel
def root(x: complex) -> complex:
    """Square root; ValueError for a negative number."""
    if x.real < 0.0:
        raise ValueError("root of a negative number")
    return np.sqrt(x)


@kernel
def double(values: np.ndarray) -> None:
    """Double the ``values`` where they are."""
    for i in range(values.size):
        values[i] *= 2.0


@kernel
def halves(x: complex) -> tuple[complex, complex]:
    """Two halves of x."""
    return 0.5 * x, 0.5 * x


@kernel
def parts(x: float, y: complex) -> tuple[float, complex]:
    """Both as they are."""
    return x, y


@kernel
def never_called(x: complex) -> None:
    """In a branch that no test takes."""


@kernel
def all_together(choice: int, values: np.ndarray, x: complex) -> complex:
    """Doubles the real ``values`` in place; root of x plus the sum of values."""
    if choice == 2:
        never_called(x)
    double(values)
    a, b = halves(x)
    c, d = parts(values[0], root(a + b))
    return c + d + values[1]
