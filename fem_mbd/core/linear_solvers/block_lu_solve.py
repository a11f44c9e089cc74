"""Forward and backward substitution with the block LU factors, compiled, and the packed storage of the factors.

Once a block's rows are no longer needed for the factors of other blocks, `pack` reorders them, in place, as:

    L left of the diagonal block, row after row
    L of the diagonal block below its diagonal, row after row
    U of the diagonal block, row after row, with inverse pivots
    U right of the diagonal block, row after row

Forward substitution reads the first half, backward substitution the second. The factors of some thousand elements do
not fit into the cache; contiguous, prefetched numbers are read fast from memory: a solve takes half the time, or less.
Arrays as in `block_lu`.

`solve_simd` and `solve_many` solve for 8 and 32 right sides at once, with packed factors: a row of ``kept`` has one
set of them. Right sides have 8 or 32 numbers in a row for each equation, one of each side: SIMD vectors of eight.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import indices, int64, matrix, vector, void
from fem_mbd.core.compiled.simd import fetch, load4, load8, multiply_add, same8, store4, store8
from fem_mbd.core.linear_solvers import block_lu_nodes as nodes
from fem_mbd.core.linear_solvers.block_lu_nodes import BlockRows

# blocks to prefetch: reading from memory takes longer than the computation with one block
PREFETCH_BLOCKS = 2
LINE = 64  # bytes of a cache line


@kernel
def prefetch(data, at, count):
    """Prefetch so many numbers from ``at`` on into the cache."""
    for k in range(at, at + count, LINE // data.itemsize):
        fetch(data, k)
    fetch(data, at + count - 1)


@kernel
def _numbers_of_l(count, left):
    """Number of entries of a block's rows that forward substitution reads."""
    return count * left + count * (count - 1) // 2


@kernel
def _copy(source, at, stride, data, to, rows, width):
    """Copy a block (rows, width) with rows ``stride`` apart to contiguous rows."""
    for _ in range(rows):
        done = 0
        while done + nodes.WIDTH <= width:
            store8(data, to + done, load8(source, at + done))
            store4(data, to + done + 8, load4(source, at + done + 8))
            done += nodes.WIDTH
        for j in range(done, width):
            data[to + j] = source[at + j]
        at += stride
        to += width


@kernel
def _copy_triangles(source, at, stride, data, to, count):
    """Copy the factors of a diagonal block into packed order: L at ``to``, and U after it."""
    if count == nodes.WIDTH:
        nodes.copy_triangles(source, at, stride, data, to)
        return
    to_u = to + count * (count - 1) // 2
    for i in range(count):
        for j in range(i):
            data[to] = source[at + i * stride + j]
            to += 1
        for j in range(i, count):
            data[to_u] = source[at + i * stride + j]
            to_u += 1


@kernel
def pack(data, at, length, count, left, scratch):
    """Pack the rows of a block (count, length), with its diagonal block at column ``left``, in the above order."""
    _copy(data, at, length, scratch, 0, count, length)
    right = left + count
    _copy(scratch, 0, length, data, at, count, left)
    _copy(scratch, right, length, data, at + count * right, count, length - right)
    # last: it loads vectors of other sizes than were stored, which stalls until the stores are complete
    _copy_triangles(scratch, left, length, data, at + count * left, count)


@kernel
def _dot(data, at, y, first, count):
    """Dot product in four independent sums: a single one is limited by the latency of additions."""
    row, column = data[at : at + count], y[first : first + count]
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    k = 0
    while k + 4 <= count:
        a += row[k] * column[k]
        b += row[k + 1] * column[k + 1]
        c += row[k + 2] * column[k + 2]
        d += row[k + 3] * column[k + 3]
        k += 4
    while k < count:
        a += row[k] * column[k]
        k += 1
    return (a + b) + (c + d)


@kernel
def _subtract_from_side(data, at, length, rows, y, row, column, width):
    """Subtract from y at ``row`` the product of a block (rows, width) at ``at`` with y at ``column``."""
    if rows == nodes.WIDTH and width == nodes.WIDTH:
        nodes.subtract_from_side(data, at, length, y, row, column)
        return
    for i in range(rows):
        y[row + i] -= _dot(data, at + i * length, y, column, width)


@kernel
def _forward_diagonal(data, at, count, y, row):
    """Solve L x = y at ``row`` for a diagonal block, in place; L packed."""
    if count == nodes.WIDTH:
        nodes.forward_diagonal(data, at, y, row)
        return
    x = y[row : row + count]
    for i in range(count):
        for j in range(i):
            x[i] -= data[at + j] * x[j]
        at += i


@kernel
def _backward_diagonal(data, at, count, y, row):
    """Solve U x = y at ``row`` for a diagonal block, in place; U packed."""
    if count == nodes.WIDTH:
        nodes.backward_diagonal(data, at, y, row)
        return
    x = y[row : row + count]
    at += count * (count + 1) // 2
    for i in range(count - 1, -1, -1):
        at -= count - i
        for j in range(count - 1, i, -1):
            x[i] -= data[at + j - i] * x[j]
        x[i] *= data[at]


@kernel(void(vector, BlockRows, int64, int64, vector, vector, indices))
def forward(data, blocks, begin, end, f, y, kept):
    """Solve L y = f for the rows of blocks ``begin`` to ``end``.

    Nothing is done where kept[0] is not zero: the factors are those of `block_lu.keep_factors` then.
    """
    if kept[0] != 0:
        return
    indptr, first, size, pointer, diag, coupled, start = blocks
    for r in range(begin, end):
        row, at, count, left = first[r], indptr[first[r]], size[r], start[diag[r]]
        if r + PREFETCH_BLOCKS < end:
            prefetch(
                data,
                indptr[first[r + PREFETCH_BLOCKS]],
                _numbers_of_l(size[r + PREFETCH_BLOCKS], start[diag[r + PREFETCH_BLOCKS]]),
            )
        for i in range(count):
            y[row + i] = f[row + i]
        for k in range(pointer[r], diag[r]):
            column, width = first[coupled[k]], size[coupled[k]]
            _subtract_from_side(data, at + start[k], left, count, y, row, column, width)
        _forward_diagonal(data, at + count * left, count, y, row)


@kernel(void(vector, BlockRows, int64, int64, vector, indices))
def backward(data, blocks, begin, end, y, kept):
    """Solve U x = y in place, from the last block to ``begin``; nothing as in `forward`."""
    if kept[0] != 0:
        return
    indptr, first, size, pointer, diag, coupled, start = blocks
    for r in range(end - 1, begin - 1, -1):
        if r - PREFETCH_BLOCKS >= begin:
            next = indptr[first[r - PREFETCH_BLOCKS]] + _numbers_of_l(
                size[r - PREFETCH_BLOCKS], start[diag[r - PREFETCH_BLOCKS]]
            )
            prefetch(data, next, indptr[first[r - PREFETCH_BLOCKS + 1]] - next)
        row, count, left = first[r], size[r], start[diag[r]]
        right = left + count
        width, diagonal = indptr[row + 1] - indptr[row] - right, indptr[row] + count * left
        at = diagonal + count * count - right
        for k in range(diag[r] + 1, pointer[r + 1]):
            _subtract_from_side(
                data, at + start[k], width, count, y, row, first[coupled[k]], size[coupled[k]]
            )
        _backward_diagonal(data, diagonal + count * (count - 1) // 2, count, y, row)


SIMD_WIDTH, BLOCK_COLUMNS = 8, 32


@kernel
def _subtract(data, at, length, rows, y, row, column, width):
    """Subtract from y at ``row`` the product of a block (rows, width) at ``at`` with y at ``column``.

    Four rows at a time: their sums do not wait for each other.
    """
    i = 0
    while i + 4 <= rows:
        row_0, row_1, row_2, row_3 = (
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
            a = multiply_add(same8(-data[row_0 + j]), factor, a)
            b = multiply_add(same8(-data[row_1 + j]), factor, b)
            c = multiply_add(same8(-data[row_2 + j]), factor, c)
            d = multiply_add(same8(-data[row_3 + j]), factor, d)
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
def _forward_diagonal_of_eight(data, at, count, y, row):
    """Solve L x = y at ``row`` for a diagonal block, in place; L packed."""
    for i in range(count):
        a = load8(y, SIMD_WIDTH * (row + i))
        for j in range(i):
            a = multiply_add(same8(-data[at + j]), load8(y, SIMD_WIDTH * (row + j)), a)
        store8(y, SIMD_WIDTH * (row + i), a)
        at += i


@kernel
def _backward_diagonal_of_eight(data, at, count, y, row):
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
        _forward_diagonal_of_eight(data, at + count * left, count, y, row)
    for r in range(number - 1, -1, -1):
        row, count, left = first[r], size[r], start[diag[r]]
        right = left + count
        width, diagonal = indptr[row + 1] - indptr[row] - right, indptr[row] + count * left
        at = diagonal + count * count - right
        for k in range(diag[r] + 1, pointer[r + 1]):
            _subtract(data, at + start[k], width, count, y, row, first[coupled[k]], size[coupled[k]])
        _backward_diagonal_of_eight(data, diagonal + count * (count - 1) // 2, count, y, row)


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
