"""Products a^T b of small matrices, and of batches of eight pairs, compiled; BLAS has an overhead of a microsecond.

Matrices are flat arrays, row after row: a (inner, rows), b (inner, columns). So many sums are accumulated at a time as
fit into the registers of a processor with 16 SIMD registers of four numbers: three rows by three columns of SIMD
vectors, in batches three rows by two columns; they are independent, which hides the latency of additions. The number of
rows is a multiple of three, that of columns a multiple of twelve.

The rows of the result come in groups of three, the first of them at row ``first``, each ``apart`` rows behind the one
before: 0 and 3 for a matrix of its own.
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
def transposed_product(a, b, inner, rows, columns, out, first, apart):
    """Fill rows of out (., columns) with a^T b."""
    nothing = same4(0.0), same4(0.0), same4(0.0)
    for i in range(0, rows, 3):
        place = (first + apart * (i // 3)) * columns
        for j in range(0, columns, 12):
            s0, s1, s2 = nothing, nothing, nothing
            at, to = i, j
            for _ in range(inner):
                row = _load12(b, to)
                s0, s1, s2 = _plus(s0, a[at], row), _plus(s1, a[at + 1], row), _plus(s2, a[at + 2], row)
                at += rows
                to += columns
            _store12(out, place + j, s0)
            _store12(out, place + columns + j, s1)
            _store12(out, place + 2 * columns + j, s2)


@kernel
def _plus_two(sums, factor, row):
    return multiply_add(factor, row[0], sums[0]), multiply_add(factor, row[1], sums[1])


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
