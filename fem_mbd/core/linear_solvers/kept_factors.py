"""Factors of a large matrix for many solutions, compiled: in single precision, with inverses of diagonal blocks.

A solution with the factors of thousands of elements takes as long as reading them from memory, and one block's
triangular solutions wait for each other. So factors that Newton keeps for several iterations are stored anew, in half
the bytes, and as those of a block LDU factorisation. With B left and C right of the diagonal block L U in the rows of a
block, as `block_lu_solve` packs them,

    left of it  B_k L_k^-1 (L_k of the rows of block k)     itself  (L U)^-1     right of it  U^-1 C_k

so that a block's part of a solution is a sum of products only. Each block is stored column after column, in the order
in which the solutions read them, in the first half of the memory of the packed rows. The rounding of the factors to
single precision is a small error of the update, relative to it (1e-6 for 5,000 beam elements of 2 mm in steps of 1 ms,
6e-5 for 200,000 of 0.05 mm), like the change of the tangent since their factorisation, which is far larger; products
and sums are in double precision, and so are the equations. Source: N. J. Higham, Accuracy and Stability of Numerical
Algorithms (2nd ed., SIAM 2002), sections 12.1 and 13.1.

Arrays as in `block_lu_kernels`; ``single`` (2 n,) is the memory of the matrix values (n,) as float32.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import float32, indices, int32, int64, vector, void
from fem_mbd.core.linear_solvers import block_lu_nodes as nodes
from fem_mbd.core.linear_solvers.block_lu_solve import prefetch
from fem_mbd.core.linear_solvers.block_rows import BlockRows

PREFETCH_BLOCKS = 4  # blocks to prefetch


@kernel
def _solve_l_transposed(block, rows, count, data, at):
    """Solve L^T X = B in place for a block B (rows, count); L packed, with ones on its diagonal."""
    if rows == nodes.WIDTH and count == nodes.WIDTH:
        nodes.solve_l_transposed(block, data, at)
        return
    for j in range(rows - 1, 0, -1):
        for i in range(j):
            factor = data[at + j * (j - 1) // 2 + i]
            for k in range(count):
                block[i * count + k] -= factor * block[j * count + k]


@kernel
def _solve_u(block, count, first, width, data, at):
    """Solve U X = B in place for columns ``first`` to ``width`` of a block; U packed, with inverses on its diagonal."""
    while count == nodes.WIDTH and first + count <= width:
        nodes.solve_u(block, first, width, data, at)
        first += count
    if first == width:
        return
    for i in range(count - 1, -1, -1):
        own = at + i * count - i * (i - 1) // 2
        for j in range(i + 1, count):
            factor = data[own + j - i]
            for k in range(first, width):
                block[i * width + k] -= factor * block[j * width + k]
        for k in range(first, width):
            block[i * width + k] *= data[own]


@kernel
def _invert_l(block, count, width, data, at):
    """Write L^-1 to the first columns of a block (count, width); L packed, with ones on its diagonal."""
    for i in range(count):
        row = block[i * width : i * width + count]
        for k in range(count):
            row[k] = 1.0 if k == i else 0.0
    if count == nodes.WIDTH:
        nodes.solve_l(block, width, data, at)
        return
    for i in range(count):
        for j in range(i):
            factor = data[at + i * (i - 1) // 2 + j]
            for k in range(j + 1):
                block[i * width + k] -= factor * block[j * width + k]


@kernel
def _copy_transposed(source, at, stride, rows, columns, target, to):
    """Copy a block (rows, columns) with rows ``stride`` apart to contiguous columns."""
    done = 0
    while rows == nodes.WIDTH and done + nodes.WIDTH <= columns:
        nodes.copy_transposed(source, at + done, stride, target, to + rows * done)
        done += nodes.WIDTH
    for j in range(done, columns):
        for i in range(rows):
            target[to + j * rows + i] = source[at + i * stride + j]


@kernel(void(vector, float32[::1], BlockRows, int64, int64, int64, int32[::1], indices, indices))
def keep(data, single, blocks, largest, begin, end, failed, wanted, stored):
    """Store the packed factors of blocks ``begin`` to ``end`` for many solutions, if ``wanted[0]`` is not zero.

    The last ones come first, since each needs those before it as they are packed. ``stored[0]`` tells afterwards
    whether it was done; largest : as in `block_lu_kernels.factorise`.
    """
    stored[0] = wanted[0]
    if wanted[0] == 0 or failed[0] != 0:
        return
    indptr, first, size, pointer, diag, coupled, start = blocks
    whole, block = np.empty(largest), np.empty(largest)
    for r in range(end - 1, begin - 1, -1):
        at, count, left = indptr[first[r]], size[r], start[diag[r]]
        length = indptr[first[r] + 1] - at
        for k in range(pointer[r], diag[r]):
            c = coupled[k]
            to, lower = count * start[k], indptr[first[c]] + size[c] * start[diag[c]]
            _copy_transposed(data, at + start[k], left, count, size[c], whole, to)
            _solve_l_transposed(whole[to : to + count * size[c]], size[c], count, data, lower)
        width, lower = length - left, at + count * left  # of the diagonal block and what is right of it
        right = lower + count * count
        for i in range(count):
            row = data[right + i * (width - count) : right + (i + 1) * (width - count)]
            target = block[i * width + count : (i + 1) * width]
            for j in range(width - count):
                target[j] = row[j]
        _invert_l(block, count, width, data, lower)
        _solve_u(block, count, 0, width, data, lower + count * (count - 1) // 2)
        _copy_transposed(block, 0, width, count, width, whole, count * left)
        numbers = single[2 * at : 2 * at + count * length]
        for k in range(count * length):
            numbers[k] = whole[k]


@kernel
def _subtract(single, at, rows, width, y, row, column):
    """Subtract from y at ``row`` the product of a block (rows, width) with y at ``column``."""
    if rows == nodes.WIDTH and width == nodes.WIDTH:
        nodes.subtract_columns(single, at, y, row, column)
        return
    for j in range(width):
        factor = y[column + j]
        for i in range(rows):
            y[row + i] -= single[at + i] * factor
        at += rows


@kernel
def _multiply(single, at, count, y, row, scratch):
    """Multiply y at ``row`` by a block (count, count)."""
    if count == nodes.WIDTH:
        nodes.multiply_columns(single, at, y, row)
        return
    for i in range(count):
        scratch[i] = y[row + i]
        y[row + i] = 0.0
    for j in range(count):
        for i in range(count):
            y[row + i] += single[at + i] * scratch[j]
        at += count


@kernel(void(float32[::1], BlockRows, int64, int64, vector, vector, indices))
def forward(single, blocks, begin, end, f, y, stored):
    """As `block_lu_solve.forward`, if the factors are ``stored`` so."""
    if stored[0] == 0:
        return
    indptr, first, size, pointer, diag, coupled, start = blocks
    for r in range(begin, end):
        row, at, count = first[r], 2 * indptr[first[r]], size[r]
        if r + PREFETCH_BLOCKS < end:
            a = r + PREFETCH_BLOCKS
            prefetch(single, 2 * indptr[first[a]], size[a] * start[diag[a]])
        for i in range(count):
            y[row + i] = f[row + i]
        for k in range(pointer[r], diag[r]):
            c = coupled[k]
            _subtract(single, at + count * start[k], count, size[c], y, row, first[c])


@kernel(void(float32[::1], BlockRows, int64, int64, vector, indices))
def backward(single, blocks, begin, end, y, stored):
    """As `block_lu_solve.backward`, if the factors are ``stored`` so."""
    if stored[0] == 0:
        return
    indptr, first, size, pointer, diag, coupled, start = blocks
    scratch = np.empty(nodes.WIDTH)
    for r in range(end - 1, begin - 1, -1):
        row, count, at = first[r], size[r], 2 * indptr[first[r]]
        if r - PREFETCH_BLOCKS >= begin:
            a = r - PREFETCH_BLOCKS
            length = indptr[first[a] + 1] - indptr[first[a]]
            left = start[diag[a]]
            prefetch(single, 2 * indptr[first[a]] + size[a] * left, size[a] * (length - left))
        _multiply(single, at + count * start[diag[r]], count, y, row, scratch)
        for k in range(diag[r] + 1, pointer[r + 1]):
            c = coupled[k]
            _subtract(single, at + count * start[k], count, size[c], y, row, first[c])
