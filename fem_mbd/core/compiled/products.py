"""Products a^T b of small matrices, and of batches of eight pairs, compiled; BLAS has an overhead of a microsecond.

Matrices are flat arrays, row after row: a (inner, rows), b (inner, columns). Twelve sums are accumulated at a time,
four rows by three SIMD columns: they are independent, which hides the latency of additions, and fit into registers. The
number of rows is a multiple of four, that of columns a multiple of twelve.
"""

from __future__ import annotations

from fem_mbd.core.compiled.kernels import kernel
from fem_mbd.core.compiled.simd import load4, load8, multiply_add, same4, same8, store4, store8


@kernel
def _plus(sums, factor, row):
    """Three sums plus a factor times three numbers."""
    return (
        multiply_add(factor, row[0], sums[0]),
        multiply_add(factor, row[1], sums[1]),
        multiply_add(factor, row[2], sums[2]),
    )


@kernel
def _load12(values, at):
    return load4(values, at), load4(values, at + 4), load4(values, at + 8)


@kernel
def _store12(values, at, row):
    store4(values, at, row[0])
    store4(values, at + 4, row[1])
    store4(values, at + 8, row[2])


@kernel
def transposed_product(a, b, inner, rows, columns, out):
    """Fill out (rows, columns) with a^T b."""
    nothing = same4(0.0), same4(0.0), same4(0.0)
    for i in range(0, rows, 4):
        for j in range(0, columns, 12):
            s0, s1, s2, s3 = nothing, nothing, nothing, nothing
            at, to = i, j
            for _ in range(inner):
                row = _load12(b, to)
                s0, s1 = _plus(s0, a[at], row), _plus(s1, a[at + 1], row)
                s2, s3 = _plus(s2, a[at + 2], row), _plus(s3, a[at + 3], row)
                at += rows
                to += columns
            to = i * columns + j
            _store12(out, to, s0)
            _store12(out, to + columns, s1)
            _store12(out, to + 2 * columns, s2)
            _store12(out, to + 3 * columns, s3)


@kernel
def _load_three(values, at):
    return load8(values, at), load8(values, at + 8), load8(values, at + 16)


@kernel
def _store_three(values, at, row):
    store8(values, at, row[0])
    store8(values, at + 8, row[1])
    store8(values, at + 16, row[2])


@kernel
def transposed_products(a, b, inner, rows, columns, out):
    """As `transposed_product`, for batches: each entry of the matrices is a SIMD vector of 8."""
    nothing = same8(0.0), same8(0.0), same8(0.0)
    high, wide = 8 * rows, 8 * columns
    for i in range(0, high, 32):
        for j in range(0, wide, 24):
            s0, s1, s2, s3 = nothing, nothing, nothing, nothing
            at, to = i, j
            for _ in range(inner):
                row = _load_three(b, to)
                s0, s1 = _plus(s0, load8(a, at), row), _plus(s1, load8(a, at + 8), row)
                s2, s3 = _plus(s2, load8(a, at + 16), row), _plus(s3, load8(a, at + 24), row)
                at += high
                to += wide
            to = i * columns + j
            _store_three(out, to, s0)
            _store_three(out, to + wide, s1)
            _store_three(out, to + 2 * wide, s2)
            _store_three(out, to + 3 * wide, s3)
