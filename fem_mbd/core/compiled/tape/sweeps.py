"""Kernels that go through a tape from its end to its start, and add up derivatives of outputs by all operations.

An operation z = f(a, b) adds df/da z* to a*, df/db z* to b*, where z* is the derivative of an output by z, the adjoint.
Several outputs are gone through at once, as lanes of SIMD vectors. Source: A. Griewank, A. Walther, Evaluating
Derivatives, 2nd ed., SIAM 2008, section 3.2 (incremental adjoint recursion).
"""

from __future__ import annotations

from fem_mbd.core.compiled.kernels import kernel
from fem_mbd.core.compiled.signatures import index_rows, indices, int64, matrix, vector, void
from fem_mbd.core.compiled.simd import load4, load8, multiply_add, same4, same8, store4, store8


@kernel(void(index_rows, matrix, int64, int64, vector))
def backward4(numbers, slopes, first, behind, adjoints):
    """Go through operations from ``behind`` - 1 to ``first`` with four outputs; their own adjoints become zero.

    Parameters
    ----------
    numbers, slopes : (k, 4) the tape: columns 0 and 2 numbers of operands, columns 1 and 3 derivatives by them
    first, behind : numbers of operations
    adjoints : (4 k,) of each operation
    """
    zero = same4(0.0)
    for k in range(behind - 1, first - 1, -1):
        own = load4(adjoints, 4 * k)
        if own != zero:
            store4(adjoints, 4 * k, zero)
            a, b = 4 * numbers[k, 0], 4 * numbers[k, 2]
            if a:
                store4(adjoints, a, multiply_add(own, same4(slopes[k, 1]), load4(adjoints, a)))
            if b:
                store4(adjoints, b, multiply_add(own, same4(slopes[k, 3]), load4(adjoints, b)))


@kernel(void(index_rows, matrix, int64, int64, vector))
def backward8(numbers, slopes, first, behind, adjoints):
    """As `backward4` with eight outputs, ``adjoints`` (8 k,)."""
    zero = same8(0.0)
    for k in range(behind - 1, first - 1, -1):
        own = load8(adjoints, 8 * k)
        if own != zero:
            store8(adjoints, 8 * k, zero)
            a, b = 8 * numbers[k, 0], 8 * numbers[k, 2]
            if a:
                store8(adjoints, a, multiply_add(own, same8(slopes[k, 1]), load8(adjoints, a)))
            if b:
                store8(adjoints, b, multiply_add(own, same8(slopes[k, 3]), load8(adjoints, b)))


@kernel(void(matrix, indices, matrix))
def add_rows(adjoints, places, amounts):
    """Add rows (k, lanes) to those of ``adjoints`` at places (k,), which may be equal; those at place 0 are dropped."""
    for row in range(len(places)):
        place = places[row]
        if place:
            for lane in range(adjoints.shape[1]):
                adjoints[place, lane] += amounts[row, lane]
