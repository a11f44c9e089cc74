"""Compiled algebra for all kernels: vectors in space, and products a^T b of small matrices.

Numbers of vectors (`cross`, `dot`, `length`) may be complex for a derivative by complex step.

Products of matrices, and of batches of eight pairs, are here since BLAS has an overhead of a microsecond. Matrices are
flat arrays, row after row: a (inner, rows), b (inner, columns). So many sums are accumulated at a time as fit into the
registers of a processor with 16 SIMD registers of four numbers: six rows by two columns of SIMD vectors, in batches
three rows by two columns; they are independent, which hides the latency of additions. The number of rows is a multiple
of six, that of columns a multiple of twelve.

The rows of the result come in groups of three, the first of them at row ``first``, each ``apart`` rows behind the one
before: 0 and 3 for a matrix of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.core.compiled.kernels import kernel
from fem_mbd.core.compiled.simd import load4, load8, multiply_add, same4, same8, store4, store8


@kernel
def cross(a: Any, b: Any) -> Any:
    """a x b as three numbers; a and b are arrays (3,) or three numbers each."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def dot(a: Any, b: Any) -> Any:
    """a . b without conjugation; a and b as in `cross`."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def length(a: Any) -> Any:
    """Length of a, as in `cross`, without conjugation."""
    return np.sqrt(dot(a, a))


@kernel
def _plus_two(sums, factor, row):
    """Two sums plus a factor times two numbers."""
    return multiply_add(factor, row[0], sums[0]), multiply_add(factor, row[1], sums[1])


@kernel
def _store8(values, at, row):
    store4(values, at, row[0])
    store4(values, at + 4, row[1])


@kernel
def transposed_product(a, b, inner, rows, columns, out, first, apart):
    """Fill rows of out (., columns) with a^T b; a number of columns that eight do not divide overlaps at the end."""
    nothing = same4(0.0), same4(0.0)
    for i in range(0, rows, 6):
        place = (first + apart * (i // 3)) * columns
        below = place + apart * columns
        for start in range(0, columns, 8):
            j = min(start, columns - 8)
            s0, s1, s2, s3, s4, s5 = nothing, nothing, nothing, nothing, nothing, nothing
            at, to = i, j
            for _ in range(inner):
                row = load4(b, to), load4(b, to + 4)
                s0, s1 = _plus_two(s0, a[at], row), _plus_two(s1, a[at + 1], row)
                s2, s3 = _plus_two(s2, a[at + 2], row), _plus_two(s3, a[at + 3], row)
                s4, s5 = _plus_two(s4, a[at + 4], row), _plus_two(s5, a[at + 5], row)
                at += rows
                to += columns
            _store8(out, place + j, s0)
            _store8(out, place + columns + j, s1)
            _store8(out, place + 2 * columns + j, s2)
            _store8(out, below + j, s3)
            _store8(out, below + columns + j, s4)
            _store8(out, below + 2 * columns + j, s5)


@kernel
def _store_two(values, at, row):
    store8(values, at, row[0])
    store8(values, at + 8, row[1])


@kernel
def transposed_products(a, b, inner, rows, columns, out, first, apart):
    """As `transposed_product`, for batches: each entry of the matrices is a SIMD vector of 8."""
    nothing = same8(0.0), same8(0.0)
    high, wide = 8 * rows, 8 * columns
    for i in range(0, rows, 3):
        place = (first + apart * (i // 3)) * wide
        for j in range(0, wide, 16):
            s0, s1, s2 = nothing, nothing, nothing
            at, to = 8 * i, j
            for _ in range(inner):
                row = load8(b, to), load8(b, to + 8)
                s0, s1 = _plus_two(s0, load8(a, at), row), _plus_two(s1, load8(a, at + 8), row)
                s2 = _plus_two(s2, load8(a, at + 16), row)
                at += high
                to += wide
            _store_two(out, place + j, s0)
            _store_two(out, place + wide + j, s1)
            _store_two(out, place + 2 * wide + j, s2)
