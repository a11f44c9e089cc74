"""Kernels that go through a tape from its end to its start, and add up derivatives of outputs by all operations.

An operation z = f(a, b) adds df/da z* to a*, df/db z* to b*, where z* is the derivative of an output by z, the adjoint.
Several outputs are gone through at once, as lanes of SIMD vectors. A page of operations (`PAGE`) whose adjoints are all
zero is not looked at: each page has a mark, which is set when one of its adjoints is added to from another page, and
cleared when it has been gone through as a whole. Source: A. Griewank, A. Walther, Evaluating
Derivatives, 2nd ed., SIAM 2008, section 3.2 (incremental adjoint recursion).
"""

from __future__ import annotations

from fem_mbd.core.compiled.kernels import kernel
from fem_mbd.core.compiled.signatures import index_rows, indices, int64, matrix, vector, void
from fem_mbd.core.compiled.simd import load8, multiply_add, same8, store8

PAGE = 10  # binary digits of the number of an operation that count within its page


@kernel(void(index_rows, matrix, int64, int64, vector, indices))
def backward2(numbers, slopes, first, behind, adjoints, marks):
    """Go through operations from ``behind`` - 1 to ``first`` with two outputs; their own adjoints become zero.

    Parameters
    ----------
    numbers, slopes : (k, 4) the tape: columns 0 and 2 numbers of operands, columns 1 and 3 derivatives by them
    first, behind : numbers of operations
    adjoints : (2 k,) of each operation
    marks : (pages,) other than zero where a page has adjoints that are not zero
    """
    for page in range((behind - 1) >> PAGE, (first >> PAGE) - 1, -1):
        if marks[page] == 0:
            continue
        start, end = max(page << PAGE, first), min((page + 1) << PAGE, behind)
        for k in range(end - 1, start - 1, -1):
            one, two = adjoints[2 * k], adjoints[2 * k + 1]
            if one != 0.0 or two != 0.0:
                adjoints[2 * k] = adjoints[2 * k + 1] = 0.0
                a, by_a, b, by_b = numbers[k, 0], slopes[k, 1], numbers[k, 2], slopes[k, 3]
                if a:
                    adjoints[2 * a] += by_a * one
                    adjoints[2 * a + 1] += by_a * two
                    marks[a >> PAGE] = 1
                if b:
                    adjoints[2 * b] += by_b * one
                    adjoints[2 * b + 1] += by_b * two
                    marks[b >> PAGE] = 1
        if end - start == 1 << PAGE:
            marks[page] = 0


@kernel(void(index_rows, matrix, int64, int64, vector, indices))
def backward8(numbers, slopes, first, behind, adjoints, marks):
    """As `backward2` with eight outputs, ``adjoints`` (8 k,)."""
    zero = same8(0.0)
    for page in range((behind - 1) >> PAGE, (first >> PAGE) - 1, -1):
        if marks[page] == 0:
            continue
        start, end = max(page << PAGE, first), min((page + 1) << PAGE, behind)
        for k in range(end - 1, start - 1, -1):
            own = load8(adjoints, 8 * k)
            if own != zero:
                store8(adjoints, 8 * k, zero)
                a, b = 8 * numbers[k, 0], 8 * numbers[k, 2]
                if a:
                    store8(adjoints, a, multiply_add(own, same8(slopes[k, 1]), load8(adjoints, a)))
                    marks[numbers[k, 0] >> PAGE] = 1
                if b:
                    store8(adjoints, b, multiply_add(own, same8(slopes[k, 3]), load8(adjoints, b)))
                    marks[numbers[k, 2] >> PAGE] = 1
        if end - start == 1 << PAGE:
            marks[page] = 0


@kernel(void(matrix, indices, matrix, indices))
def add_rows(adjoints, places, amounts, marks):
    """Add rows (k, lanes) to those of ``adjoints`` at places (k,), which may be equal; those at place 0 are dropped."""
    for row in range(len(places)):
        place = places[row]
        if place:
            marks[place >> PAGE] = 1
            for lane in range(adjoints.shape[1]):
                adjoints[place, lane] += amounts[row, lane]
