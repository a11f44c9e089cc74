"""Forward and backward substitution with kept block LU factors for eight right-hand sides at once.

A right side has eight numbers in a row for each equation, one of each side: a SIMD vector. Factors are those that
`block_lu_kernels` leaves, packed as `block_lu_solve` says.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import indices, matrix, vector, void
from fem_mbd.core.compiled.simd import load8, multiply_add, same8, store8
from fem_mbd.core.linear_solvers.block_rows import BlockRows

SIMD_WIDTH, BLOCK_COLUMNS = 8, 32


@kernel
def _subtract(data, at, length, rows, y, row, column, width):
    """Subtract from y at ``row`` the product of a block (rows, width) at ``at`` with y at ``column``.

    Four rows at a time: their sums do not wait for each other.
    """
    i = 0
    while i + 4 <= rows:
        one, two, three, four = (
            at + i * length,
            at + (i + 1) * length,
            at + (i + 2) * length,
            at + (i + 3) * length,
        )
        place = SIMD_WIDTH * (row + i)
        a, b = load8(y, place), load8(y, place + SIMD_WIDTH)
        c, d = load8(y, place + 2 * SIMD_WIDTH), load8(y, place + 3 * SIMD_WIDTH)
        for j in range(width):
            factor = load8(y, SIMD_WIDTH * (column + j))
            a = multiply_add(same8(-data[one + j]), factor, a)
            b = multiply_add(same8(-data[two + j]), factor, b)
            c = multiply_add(same8(-data[three + j]), factor, c)
            d = multiply_add(same8(-data[four + j]), factor, d)
        store8(y, place, a)
        store8(y, place + SIMD_WIDTH, b)
        store8(y, place + 2 * SIMD_WIDTH, c)
        store8(y, place + 3 * SIMD_WIDTH, d)
        i += 4
    while i < rows:
        a = load8(y, SIMD_WIDTH * (row + i))
        for j in range(width):
            a = multiply_add(same8(-data[at + i * length + j]), load8(y, SIMD_WIDTH * (column + j)), a)
        store8(y, SIMD_WIDTH * (row + i), a)
        i += 1


@kernel
def _forward_diagonal(data, at, count, y, row):
    """Solve L x = y at ``row`` for a diagonal block, in place; L packed."""
    for i in range(count):
        a = load8(y, SIMD_WIDTH * (row + i))
        for j in range(i):
            a = multiply_add(same8(-data[at + j]), load8(y, SIMD_WIDTH * (row + j)), a)
        store8(y, SIMD_WIDTH * (row + i), a)
        at += i


@kernel
def _backward_diagonal(data, at, count, y, row):
    """Solve U x = y at ``row`` for a diagonal block, in place; U packed."""
    at += count * (count + 1) // 2
    for i in range(count - 1, -1, -1):
        at -= count - i
        a = load8(y, SIMD_WIDTH * (row + i))
        for j in range(count - 1, i, -1):
            a = multiply_add(same8(-data[at + j - i]), load8(y, SIMD_WIDTH * (row + j)), a)
        store8(y, SIMD_WIDTH * (row + i), a * same8(data[at]))


@kernel(void(matrix, indices, BlockRows, vector, vector))
def solve_simd(kept, slot, blocks, f, y):
    """Solve L U y = f with the factors in row ``slot[0]`` of ``kept`` for right sides f (8 n,), in y (8 n,)."""
    indptr, first, size, pointer, diag, coupled, start = blocks
    data, number = kept[slot[0]], first.shape[0]
    for k in range(f.shape[0]):
        y[k] = f[k]
    for r in range(number):
        row, at, count, left = first[r], indptr[first[r]], size[r], start[diag[r]]
        for k in range(pointer[r], diag[r]):
            _subtract(data, at + start[k], left, count, y, row, first[coupled[k]], size[coupled[k]])
        _forward_diagonal(data, at + count * left, count, y, row)
    for r in range(number - 1, -1, -1):
        row, count, left = first[r], size[r], start[diag[r]]
        right = left + count
        width, diagonal = indptr[row + 1] - indptr[row] - right, indptr[row] + count * left
        at = diagonal + count * count - right
        for k in range(diag[r] + 1, pointer[r + 1]):
            _subtract(data, at + start[k], width, count, y, row, first[coupled[k]], size[coupled[k]])
        _backward_diagonal(data, diagonal + count * (count - 1) // 2, count, y, row)


@kernel
def _subtract_row(data, at, y, row, column, width):
    """Subtract from y at ``row`` the product of a row of a block at ``at`` with y at ``column``; 32 sides."""
    place = BLOCK_COLUMNS * row
    a, b, c, d = load8(y, place), load8(y, place + 8), load8(y, place + 16), load8(y, place + 24)
    for j in range(width):
        factor, source = same8(-data[at + j]), BLOCK_COLUMNS * (column + j)
        a = multiply_add(factor, load8(y, source), a)
        b = multiply_add(factor, load8(y, source + 8), b)
        c = multiply_add(factor, load8(y, source + 16), c)
        d = multiply_add(factor, load8(y, source + 24), d)
    store8(y, place, a)
    store8(y, place + 8, b)
    store8(y, place + 16, c)
    store8(y, place + 24, d)


@kernel
def _scale_row(factor, y, row):
    """Multiply y at ``row``; 32 sides."""
    for place in range(BLOCK_COLUMNS * row, BLOCK_COLUMNS * (row + 1), SIMD_WIDTH):
        store8(y, place, load8(y, place) * same8(factor))


@kernel(void(matrix, indices, BlockRows, vector))
def solve_many(kept, slot, blocks, y):
    """As `solve_simd` for 32 right sides y (32 n,), 32 numbers in a row for each equation, in their place."""
    indptr, first, size, pointer, diag, coupled, start = blocks
    data, number = kept[slot[0]], first.shape[0]
    for r in range(number):
        row, at, count, left = first[r], indptr[first[r]], size[r], start[diag[r]]
        for k in range(pointer[r], diag[r]):
            column, width = first[coupled[k]], size[coupled[k]]
            for i in range(count):
                _subtract_row(data, at + start[k] + i * left, y, row + i, column, width)
        place = at + count * left
        for i in range(count):
            _subtract_row(data, place, y, row + i, row, i)
            place += i
    for r in range(number - 1, -1, -1):
        row, count, left = first[r], size[r], start[diag[r]]
        right = left + count
        width, diagonal = indptr[row + 1] - indptr[row] - right, indptr[row] + count * left
        at = diagonal + count * count - right
        for k in range(diag[r] + 1, pointer[r + 1]):
            column, wide = first[coupled[k]], size[coupled[k]]
            for i in range(count):
                _subtract_row(data, at + start[k] + i * width, y, row + i, column, wide)
        place = diagonal + count * (count - 1) // 2 + count * (count + 1) // 2
        for i in range(count - 1, -1, -1):
            place -= count - i
            _subtract_row(data, place + 1, y, row + i, row + i + 1, count - 1 - i)
            _scale_row(data[place], y, row + i)
