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


@kernel
def total(a, b):
    """a + b of six numbers each."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@kernel
def inner(a, b):
    """a . b of six numbers each, also of a row of an array."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@kernel
def product(c, v):
    """c v, with c (6, 6) of an array."""
    return inner(c[0], v), inner(c[1], v), inner(c[2], v), inner(c[3], v), inner(c[4], v), inner(c[5], v)


@kernel
def six(s):
    """Six numbers from an array (6,)."""
    return s[0], s[1], s[2], s[3], s[4], s[5]


@kernel
def store(numbers, out):
    """Write six numbers to out (6,)."""
    out[0], out[1], out[2], out[3], out[4], out[5] = numbers


@kernel
def four_total(a, b):
    """a + b of four numbers each."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]


@kernel
def four_scaled(factor, a):
    """factor a of four numbers."""
    return factor * a[0], factor * a[1], factor * a[2], factor * a[3]


@kernel
def difference(a, b):
    """a - b of four numbers each."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]


@kernel
def middle(a, b):
    """(a + b)/2 of the first three numbers of each."""
    return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])


@kernel
def seven(v):
    """Seven numbers from an array (7,)."""
    return v[0], v[1], v[2], v[3], v[4], v[5], v[6]


@kernel
def seven_sum(a, factor, b):
    """a + factor b of seven numbers each."""
    a0, a1, a2, a3, a4, a5, a6 = a
    b0, b1, b2, b3, b4, b5, b6 = b
    return (
        a0 + factor * b0,
        a1 + factor * b1,
        a2 + factor * b2,
        a3 + factor * b3,
        a4 + factor * b4,
        a5 + factor * b5,
        a6 + factor * b6,
    )


@kernel
def seven_scaled(factor, a):
    """factor a of seven numbers."""
    a0, a1, a2, a3, a4, a5, a6 = a
    return factor * a0, factor * a1, factor * a2, factor * a3, factor * a4, factor * a5, factor * a6
