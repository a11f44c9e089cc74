"""Block LU factorisation in place, compiled: the factors overwrite the matrix values.

The matrix consists of small dense blocks, of nodes and of constraints, and its pattern includes the blocks that
elimination fills (`fem_mbd.core.scheme.matrix_pattern`): none in chains and trees. So the factors need no memory of
their own. A factorisation takes a tenth to a third of the time of PETSc's LU, and half that of MUMPS for plane grids of
10,000 beams. `BlockLU` makes lists of calls of the kernels.

In the kernels ``data`` are the matrix values, CSR, and ``blocks`` its `BlockRows`. There is no pivoting: the equations
are numbered so that none is needed. `factorise` stores the factors in the order in which `block_lu_solve` reads them.
Blocks of free nodes, nearly all of them, are processed by `block_lu_nodes`.

`keep_factors` stores the factors of a large matrix anew for many solutions, in single precision and with inverses of
diagonal blocks. A solution with the factors of thousands of elements takes as long as reading them from memory, and one
block's triangular solutions wait for each other. So factors that Newton keeps for several iterations are stored in half
the bytes, and as those of a block LDU factorisation. With B left and C right of the diagonal block L U in the rows of a
block, as `block_lu_solve` packs them,

    left of it  B_k L_k^-1 (L_k of the rows of block k)     itself  (L U)^-1     right of it  U^-1 C_k

so that a block's part of a solution (`forward_kept`, `backward_kept`) is a sum of products only. Each block is stored
column after column, in the order in which the solutions read them, in the first half of the memory of the packed rows:
``single`` (2 n,) is the memory of the matrix values (n,) as float32. The rounding of the factors to single precision is
a small error of the update, relative to it (1e-6 for 5,000 beam elements of 2 mm in steps of 1 ms, 6e-5 for 200,000 of
0.05 mm), like the change of the tangent since their factorisation, which is far larger; products and sums are in double
precision, and so are the equations. Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms (2nd ed., SIAM
2002), sections 12.1 and 13.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.signatures import float32, indices, int32, int64, vector, void
from fem_mbd.core.compiled.simd import load4, multiply_add, same4, store4
from fem_mbd.core.compiled.threads import Parallel
from fem_mbd.core.linear_solvers import block_lu_nodes as nodes, block_lu_solve
from fem_mbd.core.linear_solvers.block_lu_nodes import BlockRows
from fem_mbd.core.linear_solvers.block_lu_solve import pack, prefetch
from fem_mbd.core.scheme.matrix_pattern import Pattern


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
        diagonal = at + i * count - i * (i - 1) // 2
        for j in range(i + 1, count):
            factor = data[diagonal + j - i]
            for k in range(first, width):
                block[i * width + k] -= factor * block[j * width + k]
        for k in range(first, width):
            block[i * width + k] *= data[diagonal]


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
def keep_factors(data, single, blocks, largest, begin, end, failed, wanted, stored):
    """Store the packed factors of blocks ``begin`` to ``end`` for many solutions, if ``wanted[0]`` is not zero.

    The last ones come first, since each needs those before it as they are packed. ``stored[0]`` tells afterwards
    whether it was done; largest : as in `factorise`.
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
def forward_kept(single, blocks, begin, end, f, y, stored):
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
def backward_kept(single, blocks, begin, end, y, stored):
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


# bytes of factors from which on kept ones are stored in single precision: the caches near a core hold less
SINGLE_PRECISION_BYTES = 4e6


class BlockLU:
    """Factorisation and solve as lists of calls.

    Parameters
    ----------
    pattern : with the fill of the factors; its halves are processed in parallel
    values : of the matrix, and of its factors
    failed : (1,) int, set to 1 where a pivot is zero; None: a new array
    kept : (1,) int, not zero while factors are made for several iterations, in which an error of their rounding to
        single precision does not matter: those of large models are stored so; None: never

    Attributes
    ----------
    blocks : the pattern's blocks, as the kernels take them
    releases_gil, releases_gil_later : whether other threads may run Python meanwhile, from the start or after a
        factorisation
    """

    releases_gil = releases_gil_later = True

    def __init__(self, pattern: Pattern, values: Array, failed: Any = None, kept: Any = None):
        self.failed = np.zeros(1, dtype=np.int32) if failed is None else failed
        *blocks, (first, second) = pattern.merged
        self._values, self.blocks = values, BlockRows(pattern.indptr, *blocks)
        begin, size = blocks[:2]
        lengths = pattern.indptr[begin + 1] - pattern.indptr[begin]
        self._largest = int((size * lengths).max(initial=0))
        self._halves = [(0, first), (first, second)] if first else []
        self._rest = (second, len(begin))
        self._kept = kept if values.nbytes >= SINGLE_PRECISION_BYTES else None
        self._single = values.view(np.float32)
        self._stored = np.zeros(1, dtype=np.int64)  # whether the factors are those of `keep_factors`

    def factorise(self) -> list[Task]:
        """Calls that overwrite the values with the factors."""
        tasks = self._in_parallel(
            lambda a, b: [Call(factorise, self._values, self.blocks, self._largest, a, b, self.failed)]
        )
        if self._kept is None:
            return tasks
        kept = self._in_parallel(
            lambda a, b: [
                Call(
                    keep_factors, self._values, self._single, self.blocks, self._largest, a, b, self.failed,
                    self._kept, self._stored,
                )
            ]
        )  # fmt: skip
        return [*tasks, *kept[::-1]]

    def solve(self, f: Array, y: Array) -> list[Task]:
        """Calls that solve for the right side f (size,) and write the solution to y (size,)."""
        double, single, how = (self._values, self.blocks), (self._single, self.blocks), self._stored
        forward = self._in_parallel(
            lambda a, b: [
                Call(block_lu_solve.forward, *double, a, b, f, y, how),
                *([] if self._kept is None else [Call(forward_kept, *single, a, b, f, y, how)]),
            ]
        )
        backward = self._in_parallel(
            lambda a, b: [
                Call(block_lu_solve.backward, *double, a, b, y, how),
                *([] if self._kept is None else [Call(backward_kept, *single, a, b, y, how)]),
            ]
        )
        return [*forward, *backward[::-1]]

    def _in_parallel(self, calls: Callable[[int, int], list[Task]]) -> list[Task]:
        """The calls for each half, in parallel, and those for the rest."""
        halves: list[Task] = [Parallel([[calls(*half) for half in self._halves]], 2)] if self._halves else []
        return [*halves, *calls(*self._rest)]
