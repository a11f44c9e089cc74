"""Block LU factorisation in place, compiled, for matrices whose pattern includes the fill (see `block_lu`).

The factors are stored in the order in which `block_lu_solve` reads them.

Arrays are CSR rows ``indptr`` and those of `fem_mbd.core.scheme.matrix.blocks.Blocks`: of each block its ``first``
equation, its ``size``, and from ``pointer`` on the ``coupled`` blocks with their ``start`` in the rows; ``diag`` is the
index of the diagonal block among the coupled ones (`Blocks.itself`). There is no pivoting: the equations are numbered
so that none is needed. Blocks of free nodes, nearly all of them, are processed by `block_lu_nodes`.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import indices, int32, int64, vector, void
from fem_mbd.core.linear_solvers import block_lu_nodes as nodes
from fem_mbd.core.linear_solvers.block_lu_solve import pack


@kernel
def _subtract_rows(data, target, left, count, source, stride, width):
    """data[target:target+width] -= data[left:left+count] times the rows at ``source``, ``stride`` apart.

    Four rows at a time: few loads and stores. Indices of slices begin at zero, which avoids a test for negative ones.
    """
    row, factors = data[target : target + width], data[left : left + count]
    p = 0
    while p + 4 <= count:
        a, b, c, d = factors[p], factors[p + 1], factors[p + 2], factors[p + 3]
        at = source + p * stride
        row_a, row_b = data[at : at + width], data[at + stride : at + stride + width]
        at += 2 * stride
        row_c, row_d = data[at : at + width], data[at + stride : at + stride + width]
        for q in range(width):
            row[q] -= (a * row_a[q] + b * row_b[q]) + (c * row_c[q] + d * row_d[q])
        p += 4
    while p < count:
        a, row_a = factors[p], data[source + p * stride : source + p * stride + width]
        for q in range(width):
            row[q] -= a * row_a[q]
        p += 1


@kernel
def _divide_row(data, at, count, pivots, stride):
    """Solve x U = b for a row b at ``at``, in place; the diagonal of U at ``pivots`` stores inverses."""
    row = data[at : at + count]
    for p in range(count):
        pivot_row = data[pivots + p * stride : pivots + p * stride + count]
        factor = row[p] * pivot_row[p]
        row[p] = factor
        for q in range(p + 1, count):
            row[q] -= factor * pivot_row[q]


@kernel
def _divide(data, at, length, rows, count, pivots, stride):
    """Solve X U = B for a block B (rows, count) at ``at``, in place; U as in `_divide_row`."""
    if rows == nodes.WIDTH and count == nodes.WIDTH:
        nodes.divide(data, at, length, pivots, stride)
        return
    for i in range(rows):
        _divide_row(data, at + i * length, count, pivots, stride)


@kernel
def _subtract_product(data, target, left, length, rows, count, source, stride, width):
    """Subtract from the block at ``target`` the product of ``left`` (rows, count) and ``source`` (count, width)."""
    if rows == nodes.WIDTH and count == nodes.WIDTH and width == nodes.WIDTH:
        nodes.subtract_product(data, target, left, length, source, stride)
        return
    for i in range(0, rows * length, length):
        _subtract_rows(data, target + i, left + i, count, source, stride, width)


@kernel
def _factorise_diagonal(data, at, count, length):
    """LU of a diagonal block; the diagonal stores inverse pivots. False when a pivot is zero or not finite."""
    if count == nodes.WIDTH:
        return nodes.factorise_diagonal(data, at, length)
    for i in range(count):
        row = at + i * length
        _divide_row(data, row, i, at, length)
        _subtract_rows(data, row + i, row, i, at + i, length, count - i)
        pivot = data[row + i]
        if not nodes.ZERO < abs(pivot) < nodes.INFINITE:
            return False
        data[row + i] = 1.0 / pivot
    return True


@kernel
def _eliminate(data, at, count, width, diagonal, length):
    """Solve L X = B for the columns B (count, width) at ``at``, right of a diagonal block, in place."""
    column = 0
    while count == nodes.WIDTH and column + nodes.WIDTH <= width:
        nodes.eliminate(data, at + column, diagonal, length)
        column += nodes.WIDTH
    if column < width:
        for i in range(1, count):
            row = i * length
            _subtract_rows(data, at + column + row, diagonal + row, i, at + column, length, width - column)


@kernel
def _pack_finished(data, indptr, first, size, pointer, diag, coupled, start, r, scratch):
    """Pack the rows of blocks that are not needed for blocks after r, including r itself if it is coupled with none."""
    for k in range(pointer[r], diag[r] + 1):
        c = coupled[k]
        if coupled[pointer[c + 1] - 1] == r:
            at = indptr[first[c]]
            pack(data, at, indptr[first[c] + 1] - at, size[c], start[diag[c]], scratch)


@kernel(
    void(vector, int32[::1], indices, indices, indices, indices, indices, indices, int64, int64, int64,
    int32[::1]),
)  # fmt: skip
def factorise(data, indptr, first, size, pointer, diag, coupled, start, largest, begin, end, failed):
    """Factorise the rows of blocks ``begin`` to ``end``, after the blocks they depend on; failed[0] = 1: zero pivot.

    largest : largest number of entries in the rows of a block
    """
    scratch = np.empty(largest)
    for r in range(begin, end):
        at, length, count = indptr[first[r]], indptr[first[r] + 1] - indptr[first[r]], size[r]
        for k in range(pointer[r], diag[r]):
            c = coupled[k]
            above, stride = indptr[first[c]], indptr[first[c] + 1] - indptr[first[c]]
            left = at + start[k]
            _divide(data, left, length, count, size[c], above + start[diag[c]], stride)
            # blocks right of c's diagonal block exist in these rows as well: the pattern includes the fill
            entry = k
            for t in range(diag[c] + 1, pointer[c + 1]):
                while coupled[entry] < coupled[t]:
                    entry += 1
                target, source, width = at + start[entry], above + start[t], size[coupled[t]]
                _subtract_product(data, target, left, length, count, size[c], source, stride, width)
        diagonal, right = at + start[diag[r]], start[diag[r]] + count
        if not _factorise_diagonal(data, diagonal, count, length):
            failed[0] = 1
            return
        _eliminate(data, at + right, count, length - right, diagonal, length)
        _pack_finished(data, indptr, first, size, pointer, diag, coupled, start, r, scratch)
