"""Block LU factorisation in place, compiled, for matrices whose pattern includes the fill (see `block_lu`).

The factors are stored in the order in which `block_lu_solve` reads them.

``data`` are the matrix values, CSR, and ``blocks`` its `BlockRows`. There is no pivoting: the equations are numbered so
that none is needed. Blocks of free nodes, nearly all of them, are processed by `block_lu_nodes`.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import int32, int64, vector, void
from fem_mbd.core.compiled.simd import load4, multiply_add, same4, store4
from fem_mbd.core.linear_solvers import block_lu_nodes as nodes
from fem_mbd.core.linear_solvers.block_lu_solve import pack
from fem_mbd.core.linear_solvers.block_rows import BlockRows


@kernel
def _subtract_multiple(data, target, factor, source, width):
    """data[target:target+width] -= factor data[source:source+width]."""
    q = 0
    while q + 4 <= width:
        store4(data, target + q, load4(data, target + q) - load4(data, source + q) * factor)
        q += 4
    while q < width:
        data[target + q] -= factor * data[source + q]
        q += 1


@kernel
def _subtract_rows(data, target, left, count, source, stride, width):
    """data[target:target+width] -= data[left:left+count] times the rows at ``source``, ``stride`` apart.

    Four rows at a time: few loads and stores.
    """
    p = 0
    while p + 4 <= count:
        a, b, c, d = data[left + p], data[left + p + 1], data[left + p + 2], data[left + p + 3]
        at_a = source + p * stride
        at_b, at_c, at_d = at_a + stride, at_a + 2 * stride, at_a + 3 * stride
        q = 0
        while q + 4 <= width:
            ab = multiply_add(load4(data, at_a + q), same4(a), load4(data, at_b + q) * b)
            cd = multiply_add(load4(data, at_c + q), same4(c), load4(data, at_d + q) * d)
            store4(data, target + q, load4(data, target + q) - (ab + cd))
            q += 4
        while q < width:
            ab, cd = a * data[at_a + q] + b * data[at_b + q], c * data[at_c + q] + d * data[at_d + q]
            data[target + q] -= ab + cd
            q += 1
        p += 4
    while p < count:
        _subtract_multiple(data, target, data[left + p], source + p * stride, width)
        p += 1


@kernel
def _eliminate_column(data, at, length, rows, pivot, width):
    """Divide a column of ``rows`` rows at ``at`` by a pivot and subtract its multiples of the pivot's row behind it.

    The inverse of the pivot is at ``pivot``; ``width`` columns follow. Row after row: none waits for another one.
    """
    inverse = data[pivot]
    for row in range(at, at + rows * length, length):
        factor = data[row] * inverse
        data[row] = factor
        _subtract_multiple(data, row + 1, factor, pivot + 1, width)


@kernel
def _divide(data, at, length, rows, count, pivots, stride):
    """Solve X U = B for a block B (rows, count) at ``at``, in place; the diagonal of U at ``pivots`` has inverses."""
    if rows == nodes.WIDTH and count == nodes.WIDTH:
        nodes.divide(data, at, length, pivots, stride)
        return
    for p in range(count):
        _eliminate_column(data, at + p, length, rows, pivots + p * (stride + 1), count - 1 - p)


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
    for p in range(count):
        pivot = at + p * (length + 1)
        if not nodes.ZERO < abs(data[pivot]) < nodes.INFINITE:
            return False
        data[pivot] = 1.0 / data[pivot]
        _eliminate_column(data, pivot + length, length, count - 1 - p, pivot, count - 1 - p)
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
def _pack_finished(data, blocks, r, scratch):
    """Pack the rows of blocks that are not needed for blocks after r, including r itself if it is coupled with none."""
    indptr, first, size, pointer, diag, coupled, start = blocks
    for k in range(pointer[r], diag[r] + 1):
        c = coupled[k]
        if coupled[pointer[c + 1] - 1] == r:
            at = indptr[first[c]]
            pack(data, at, indptr[first[c] + 1] - at, size[c], start[diag[c]], scratch)


@kernel(void(vector, BlockRows, int64, int64, int64, int32[::1]))
def factorise(data, blocks, largest, begin, end, failed):
    """Factorise the rows of blocks ``begin`` to ``end``, after the blocks they depend on; failed[0] = 1: zero pivot.

    largest : largest number of entries in the rows of a block
    """
    indptr, first, size, pointer, diag, coupled, start = blocks
    scratch = np.empty(largest)
    for r in range(begin, end):
        at, length, count = indptr[first[r]], indptr[first[r] + 1] - indptr[first[r]], size[r]
        for k in range(pointer[r], diag[r]):
            c = coupled[k]
            above, stride = indptr[first[c]], indptr[first[c] + 1] - indptr[first[c]]
            left = at + start[k]
            _divide(data, left, length, count, size[c], above + start[diag[c]], stride)
            # blocks right of c's diagonal block exist in these rows as well: the pattern includes the fill
            entry, t = k, diag[c] + 1
            while t < pointer[c + 1]:
                while coupled[entry] < coupled[t]:
                    entry += 1
                target, source, width = at + start[entry], above + start[t], size[coupled[t]]
                t += 1
                # blocks side by side in both rows are one, unless there is the faster way for a block of a node
                while not (count == size[c] == width == nodes.WIDTH) and t < pointer[c + 1]:
                    if coupled[entry + 1] != coupled[t]:
                        break
                    width += size[coupled[t]]
                    entry, t = entry + 1, t + 1
                _subtract_product(data, target, left, length, count, size[c], source, stride, width)
        diagonal, right = at + start[diag[r]], start[diag[r]] + count
        if not _factorise_diagonal(data, diagonal, count, length):
            failed[0] = 1
            return
        _eliminate(data, at + right, count, length - right, diagonal, length)
        _pack_finished(data, blocks, r, scratch)
